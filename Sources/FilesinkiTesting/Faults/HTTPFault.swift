/// A way in which a server, or whatever stands before it, can answer wrongly.
package enum HTTPFault: Hashable, Sendable, CustomStringConvertible {
    /// The server never hears of the request: something before it says no.
    case refused(Int)
    /// The server does what it is asked, and then the client is told this.
    case doneButTold(Int)
    /// `429`, with the seconds after which to come again.
    case later(seconds: Int)
    /// `Content-Length` says more than what comes before the connection ends.
    case tooLongLength
    /// `Content-Length` says less than what the server sent.
    case tooShortLength
    /// Other bytes, as many as the server sent.
    case wrongBytes
    /// A page that asks to log in, with 200.
    case page
    /// 200, and nothing.
    case emptyReply
    /// Bytes that never end.
    case endless
    /// The way to another server.
    case redirect
    /// No HTTP at all.
    case noise

    /// Every kind but the endless one, whose bytes take time.
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

    /// What a ``FaultProxy`` does with the request that it happens to.
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
