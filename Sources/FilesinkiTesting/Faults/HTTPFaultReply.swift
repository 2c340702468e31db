/// A server's whole reply, as a ``FaultProxy`` hands it to whoever makes another one of it.
package struct HTTPFaultReply: Sendable {
    /// Such as `HTTP/1.1 200 OK`.
    package var statusLine: String
    /// Lines of the head, without those that say how long the body is.
    package var fields: [String]
    package var body: [UInt8]

    package init(_ statusLine: String, _ fields: [String] = [], body: [UInt8] = []) {
        self.statusLine = statusLine
        self.fields = fields
        self.body = body
    }

    /// The reply's bytes.
    ///
    /// - Parameter length: What `Content-Length` says; nil for what is true.
    package func bytes(length: Int? = nil) -> [UInt8] {
        let lines = [statusLine] + fields + ["Content-Length: \(length ?? body.count)"]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }
}

/// Puts a reply together from what comes over a connection.
struct HTTPFaultReplyReader {
    private var held: [UInt8] = []
    private let isHeadOnly: Bool

    /// - Parameter method: That of the request.
    init(method: String) { isHeadOnly = method == "HEAD" }

    mutating func add(_ bytes: ArraySlice<UInt8>) { held += bytes }

    /// The reply, once it is complete.
    ///
    /// - Parameter isOver: Whether the server has ended the connection.
    func reply(isOver: Bool) -> HTTPFaultReply? {
        guard let end = held.firstRange(of: [13, 10, 13, 10]) else { return nil }
        let text = String(decoding: held[..<end.upperBound], as: UTF8.self)
        let lines = text.split(separator: "\r\n").map(String.init)
        let fields = lines.dropFirst().filter { line in
            let name = line.prefix { $0 != ":" }.lowercased()
            return name != "content-length" && name != "transfer-encoding"
        }
        guard let body = body(held[end.upperBound...], head: text, isOver) else { return nil }
        return HTTPFaultReply(lines.first ?? "", fields, body: body)
    }

    private func body(_ bytes: ArraySlice<UInt8>, head: String, _ isOver: Bool) -> [UInt8]? {
        let status = Int(head.dropFirst(9).prefix(3)) ?? 0
        if isHeadOnly || status == 204 || status == 304 { return [] }
        if httpField("transfer-encoding", in: head) != nil { return Self.joined(bytes) }
        guard let length = httpField("content-length", in: head).flatMap({ Int($0) }) else {
            return isOver ? Array(bytes) : nil
        }
        return bytes.count >= length ? Array(bytes.prefix(length)) : nil
    }

    /// The chunks of a body, without their lengths; nil when the last one is not there yet.
    private static func joined(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = bytes
        while let line = rest.firstRange(of: [13, 10]) {
            let digits = String(decoding: rest[..<line.lowerBound], as: UTF8.self)
            guard let count = Int(digits.prefix { $0.isHexDigit }, radix: 16) else { return nil }
            if count == 0 { return result }
            rest = rest[line.upperBound...]
            guard rest.count >= count + 2 else { return nil }
            result += rest.prefix(count)
            rest = rest.dropFirst(count + 2)
        }
        return nil
    }
}
