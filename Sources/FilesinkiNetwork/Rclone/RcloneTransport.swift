import FilesinkiHTTP
import FilesinkiModel
import FilesinkiSystem
import Synchronization

/// Sends requests to rclone's WebDAV server, and turns what it says of a provider that fails into what it means.
///
/// Measured of rclone 1.60 and its library: when its provider cannot be reached, it answers `GET` with 404, as
/// for an object that is absent; `PROPFIND` with 405, or with a listing that breaks off after the folder's own
/// entry; `PUT`, `MKCOL` and `DELETE` with 405, `MOVE` with 403. Only `PROPFIND` tells absence from failure.
///
/// It refuses (423) a change of a name that another request is changing, which takes as long as its provider does. This
/// process is its only client, so that the other request is one of its own, and is waited for.
struct RcloneTransport: HTTPTransport {
    let wrapped: any HTTPTransport
    let systemContext: SystemContext

    func send(_ request: HTTPRequest) async throws -> HTTPReply {
        var reply = try await sendUntilFree(request)
        if Self.isFailure(reply, of: request.method) { reply.status = Self.unavailable }
        return reply
    }

    func stream(
        _ request: HTTPRequest, _ receive: @Sendable (HTTPReply) async throws -> Bool
    ) async throws {
        for tries in 1...Self.maximumTries {
            let hasAppeared = Mutex(false)
            try await wrapped.stream(request) { reply in
                guard request.method == "GET", reply.status == 404, reply.body.isEmpty else {
                    return try await receive(reply)
                }
                var reply = reply
                switch try await statusOfProperties(request) {
                case 404: break
                case 207 where tries < Self.maximumTries:
                    hasAppeared.withLock { $0 = true }
                    return false
                default: reply.status = Self.unavailable
                }
                return try await receive(reply)
            }
            if !hasAppeared.withLock({ $0 }) { return }
        }
    }

    /// Sends a request until no other one is changing the same name. What is refused so has changed nothing.
    private func sendUntilFree(_ request: HTTPRequest) async throws -> HTTPReply {
        var backoff = Backoff(Self.pauses, limit: Self.longestWait)
        while true {
            let reply = try await wrapped.send(request)
            guard reply.status == Self.locked, !backoff.isOver else { return reply }
            let chance = systemContext.randomBytes(1).first ?? 0
            try await systemContext.sleep(backoff.next(chance: chance))
        }
    }

    private static let locked = 423

    private static let pauses = Duration.milliseconds(20)...(.seconds(2))

    /// How long a request waits for the others in all.
    private static let longestWait = Duration.seconds(30)

    /// The status that says that the same request may succeed later.
    private static let unavailable = 503

    /// How often an object is requested that is absent, and there a moment later.
    private static let maximumTries = 3

    /// Asks for the properties of an object: 404 if rclone could read the folder, and it is not there.
    private func statusOfProperties(_ request: HTTPRequest) async throws -> Int {
        var question = HTTPRequest(
            "PROPFIND", request.url, fields: ["Depth": "0"], maximumReply: request.maximumReply)
        question.fields["Authorization"] = request.fields["Authorization"]
        question.maximumReply = 1 << 20
        return try await wrapped.send(question).status
    }

    static func isFailure(_ reply: HTTPReply, of method: String) -> Bool {
        switch (method, reply.status) {
        case (_, 405), ("MOVE", 403): true
        case ("PROPFIND", 207): !reply.body.endsWithTag
        default: false
        }
    }
}

extension [UInt8] {
    /// Whether an XML document ends here: `</D:multistatus>`.
    fileprivate var endsWithTag: Bool {
        let last = self.last { !" \t\r\n".utf8.contains($0) }
        return last == UInt8(ascii: ">")
    }
}
