/// A wrong reply of a server or a proxy before it.
package enum HTTPFault: Hashable, Sendable, CustomStringConvertible {
    /// An error status, without the request reaching the server.
    case refused(Int)
    /// An error status, after the server has executed the request.
    case doneButTold(Int)
    /// `429` with `Retry-After`.
    case later(seconds: Int)
    /// `Content-Length` is larger than the body.
    case tooLongLength
    /// `Content-Length` is smaller than the body.
    case tooShortLength
    /// A body of the same length with other bytes.
    case wrongBytes
    /// The login page of a captive portal, with 200.
    case page
    /// 200 with an empty body.
    case emptyReply
    /// A body that never ends.
    case endless
    /// A redirect to another server.
    case redirect
    /// Not HTTP.
    case noise

    /// All faults except `endless`, which takes time.
    package static let all: [HTTPFault] =
        [401, 403, 404, 409, 412, 413, 429, 500, 503].flatMap { [.refused($0), .doneButTold($0)] }
        + [
            .later(seconds: 1), .later(seconds: 3600), .tooLongLength, .tooShortLength, .wrongBytes,
            .page, .emptyReply, .redirect, .noise,
        ]

    package var description: String {
        switch self {
        case .refused(let status): "\(status)"
        case .doneButTold(let status): "\(status) for what was done"
        case .later(let seconds): "429 and Retry-After: \(seconds)"
        case .tooLongLength: "a Content-Length that is too long"
        case .tooShortLength: "a Content-Length that is too short"
        case .wrongBytes: "wrong bytes"
        case .page: "a page with 200"
        case .emptyReply: "200 and nothing"
        case .endless: "bytes without end"
        case .redirect: "a redirect"
        case .noise: "no HTTP"
        }
    }

    /// The fault for a ``FaultProxy``.
    package var fault: FaultProxy.Fault {
        switch self {
        case .refused(let status): .answer(Self.answer(status))
        case .doneButTold(let status): .rewrite { _ in Self.answer(status) }
        case .later(let seconds): .answer(Self.answer(429, ["Retry-After: \(seconds)"]))
        case .tooLongLength:
            .rewrite { .init($0.bytes(length: $0.body.count + 1), ending: .close) }
        case .tooShortLength:
            .rewrite { reply in
                let length = max(0, reply.body.count - 1)
                return .init(reply.bytes(length: length), ending: .close)
            }
        case .wrongBytes:
            .rewrite { reply in
                var reply = reply
                reply.body = reply.body.map { ~$0 }
                return .init(reply.bytes())
            }
        case .page: .answer(.init(Self.reply("200 OK", Self.html, Self.login)))
        case .emptyReply: .answer(.init(Self.reply("200 OK", [], "")))
        case .endless:
            .answer(
                .init(
                    Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 65, count: 4096),
                    isEndless: true))
        case .redirect:
            .answer(.init(Self.reply("302 Found", ["Location: http://127.0.0.1:1/"], "")))
        case .noise: .answer(.init(Array("220 mail.example ESMTP\r\n".utf8), ending: .close))
        }
    }

    private static let html = ["Content-Type: text/html"]
    private static let login = "<!doctype html><title>Log in</title><p>Welcome to the hotel."

    private static func answer(_ status: Int, _ fields: [String] = []) -> FaultProxy.Answer {
        .init(reply("\(status) No", html + fields, "<h1>\(status)</h1>"))
    }

    private static func reply(_ status: String, _ fields: [String], _ body: String) -> [UInt8] {
        HTTPFaultReply("HTTP/1.1 \(status)", fields, body: Array(body.utf8)).bytes()
    }
}

/// A server's complete reply, to be rewritten by a ``FaultProxy``.
package struct HTTPFaultReply: Sendable {
    /// Such as `HTTP/1.1 200 OK`.
    package var statusLine: String
    /// The header lines, without those about the length of the body.
    package var fields: [String]
    package var body: [UInt8]

    package init(_ statusLine: String, _ fields: [String] = [], body: [UInt8] = []) {
        self.statusLine = statusLine
        self.fields = fields
        self.body = body
    }

    /// The reply's bytes.
    ///
    /// - Parameter length: The value of `Content-Length`; nil for the correct one.
    package func bytes(length: Int? = nil) -> [UInt8] {
        let lines = [statusLine] + fields + ["Content-Length: \(length ?? body.count)"]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }
}

/// Assembles a reply from the bytes of a connection.
struct HTTPFaultReplyReader {
    private var held: [UInt8] = []
    private let isHeadOnly: Bool

    /// - Parameter method: The method of the request.
    init(method: String) { isHeadOnly = method == "HEAD" }

    mutating func add(_ bytes: ArraySlice<UInt8>) { held += bytes }

    /// The reply, once it is complete.
    ///
    /// - Parameter isOver: Whether the server has closed the connection.
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
        if httpField("transfer-encoding", in: head) != nil { return Self.joinedChunks(bytes) }
        guard let length = httpField("content-length", in: head).flatMap({ Int($0) }) else {
            return isOver ? Array(bytes) : nil
        }
        return bytes.count >= length ? Array(bytes.prefix(length)) : nil
    }

    /// The body of joined chunks; nil before the last chunk has arrived.
    private static func joinedChunks(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
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

/// The head of a request through a ``FaultProxy``.
struct HTTPFaultHead {
    var method: String
    var target: String
    /// The request line and the fields, with line ends.
    var text: String

    /// For connections that are not HTTP.
    static let opaque = HTTPFaultHead(method: "", target: "", text: "")

    fileprivate init(method: String, target: String, text: String) {
        (self.method, self.target, self.text) = (method, target, text)
    }

    /// - Parameter bytes: A head with its final empty line.
    init(_ bytes: some Collection<UInt8>) {
        text = String(decoding: bytes, as: UTF8.self)
        let words = text.prefix { $0 != "\r\n" }.split(separator: " ")
        method = words.first.map(String.init) ?? ""
        target = words.count > 1 ? String(words[1]) : ""
    }

    /// The length of the body; nil when it extends to the end of the connection.
    var bodyLength: Int? {
        if httpField("transfer-encoding", in: text) != nil { return nil }
        return httpField("content-length", in: text).flatMap { Int($0) } ?? 0
    }
}

/// The value of a field in a head; nil when it is absent.
///
/// - Parameter name: In lower case.
func httpField(_ name: String, in head: String) -> String? {
    for line in head.split(separator: "\r\n").dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        if parts.count == 2, parts[0].lowercased() == name {
            return String(parts[1].drop { $0 == " " })
        }
    }
    return nil
}

/// Finds the begin and end of the requests on a connection.
struct HTTPFaultFraming {
    enum Event {
        /// A request begins; its head has these bytes.
        case head(HTTPFaultHead, [UInt8])
        /// Bytes of the body.
        case body([UInt8])
        /// The request is complete.
        case end
    }

    private enum Position {
        case head
        /// In a body with this many bytes left.
        case body(Int)
        /// Not HTTP, or in a body of unknown length.
        case open
    }

    /// The longest accepted head: 256 KiB.
    private static let longestHead = 256 << 10

    private var held: [UInt8] = []
    private var position = Position.head

    mutating func add(_ bytes: ArraySlice<UInt8>) { held += bytes }

    /// The next event; nil when more bytes are needed.
    mutating func next() -> Event? {
        switch position {
        case .head: return nextHead()
        case .body(0):
            position = .head
            return .end
        case .body(let left):
            let part = consume(min(left, held.count))
            position = .body(left - part.count)
            return part.isEmpty ? nil : .body(part)
        case .open:
            let part = consume(held.count)
            return part.isEmpty ? nil : .body(part)
        }
    }

    private mutating func nextHead() -> Event? {
        guard let first = held.first else { return nil }
        if let end = held.firstRange(of: [13, 10, 13, 10]) {
            let bytes = consume(end.upperBound)
            let head = HTTPFaultHead(bytes)
            position = head.bodyLength.map { .body($0) } ?? .open
            return .head(head, bytes)
        }
        guard
            !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
                || held.count > Self.longestHead
        else { return nil }
        position = .open
        return .head(.opaque, consume(held.count))
    }

    private mutating func consume(_ count: Int) -> [UInt8] {
        let part = Array(held.prefix(count))
        held.removeFirst(count)
        return part
    }
}
