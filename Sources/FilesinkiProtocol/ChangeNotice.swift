package import FilesinkiModel

/// A server-sent event in the stream of ``WirePaths/events``:
/// https://html.spec.whatwg.org/multipage/server-sent-events.html
package enum ChangeNotice: Hashable, Sendable {
    /// The stream has begun; changes from now on are reported.
    case hello
    /// Something may have changed at these keys, or below these prefixes, which end with a slash; an
    /// empty prefix is the whole store.
    case change([String])
    /// The connection is alive.
    case heartbeat

    package var encoded: String {
        switch self {
        case .hello: "event: hello\ndata: \(WireHeaders.versionValue)\n\n"
        case .change(let keys):
            "event: change\n" + keys.map { "data: \($0)\n" }.joined() + "\n"
        case .heartbeat: ": heartbeat\n\n"
        }
    }
}

/// Parses change notices as the pieces of the stream arrive.
package struct ChangeNoticeReader {
    /// The most bytes of an unfinished event.
    private static let limit = 256 << 10

    private var line: [UInt8] = []
    private var event = ""
    private var data: [String] = []
    private var size = 0

    package init() {}

    /// Adds a piece of the stream.
    ///
    /// - Returns: The notices that the piece completes; events with other names are ignored.
    /// - Throws: `Failure` with code `corrupt` when an event is too long.
    package mutating func add(_ piece: some Sequence<UInt8>) throws(Failure) -> [ChangeNotice] {
        var notices: [ChangeNotice] = []
        for byte in piece {
            if byte == UInt8(ascii: "\n") {
                if let notice = endLine() { notices.append(notice) }
            } else {
                line.append(byte)
                size += 1
                guard size <= Self.limit else { throw WireFailure.malformedReply }
            }
        }
        return notices
    }

    private mutating func endLine() -> ChangeNotice? {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let text = String(decoding: line, as: UTF8.self)
        line = []
        if text.isEmpty { return endEvent() }
        if text.hasPrefix(":") { return .heartbeat }
        if let value = Self.value(of: "event", text) { event = value }
        if let value = Self.value(of: "data", text) { data.append(value) }
        return nil
    }

    private mutating func endEvent() -> ChangeNotice? {
        defer { (event, data, size) = ("", [], 0) }
        switch event {
        case "hello": return .hello
        case "change": return .change(data)
        default: return nil
        }
    }

    private static func value(of field: String, _ line: String) -> String? {
        guard line.hasPrefix(field + ":") else { return nil }
        let value = line.dropFirst(field.count + 1)
        return String(value.hasPrefix(" ") ? value.dropFirst() : value)
    }
}
