import Dispatch
import FilesinkiHTTP
import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote
import FilesinkiSystem
import Synchronization

/// A running ssh with `filesinki serve --stdio` at its far end. Safe to call from several tasks.
///
/// One thread sends and another receives. When the connection ends, every waiting request fails with the
/// reason, and so does every later one.
final class StreamedConnection: Sendable {
    /// What ssh asked for.
    let service: SSHCommand.Service
    private let process: ConnectedProcess
    private let bandwidth: Bandwidth?
    private let address: String
    private let stream: StreamConnection
    private let receiving = DispatchQueue(label: "filesinki.ssh.receive")

    /// How long ssh has to end by itself when it has closed its end.
    private static let timeToEnd = Duration.seconds(5)
    /// How many bytes are read at once.
    private static let readLength = 64 << 10
    /// Small enough that a low bandwidth is shared evenly: 16 KiB.
    private static let pieceLength = 16 << 10

    /// Starts to receive, after the opening of the far end.
    ///
    /// - Parameter bandwidth: Limits what is sent and received; nil for no limit.
    init(
        _ process: ConnectedProcess, _ bandwidth: Bandwidth?, _ service: SSHCommand.Service,
        address: String
    ) {
        self.process = process
        self.bandwidth = bandwidth
        self.service = service
        self.address = address
        stream = StreamConnection(
            .client, write: { try process.send($0) }, close: { process.disconnect() })
        receiving.async { self.receive() }
    }

    /// Whether the connection has ended.
    var isOver: Bool { stream.isOver }

    /// Ends the connection. Waiting requests fail.
    func close() { process.disconnect() }

    private func receive() {
        do {
            while true {
                let bytes = try process.receive(atMost: Self.readLength)
                if bytes.isEmpty { break }
                try stream.receive(bytes)
            }
        } catch var failure as Failure {
            failure.path = Array(address.utf8)
            stream.end(failure)
        } catch {
            // A connection that cannot be read has ended.
        }
        process.disconnect()
        let (code, messages) = process.end(within: Self.timeToEnd)
        stream.end(SSHEnd.ended(code: code, messages: messages).failure(address))
    }

    /// Sends a request, and passes on the reply: its head first, with no bytes, then the body's pieces, until
    /// `receive` returns false.
    ///
    /// - Throws: `Failure` when the connection ends, `CancellationError`, and what `receive` throws.
    func perform(
        _ request: HTTPRequest, _ receive: @Sendable (HTTPReply) async throws -> Bool
    ) async throws {
        let head = Self.head(of: request)
        // A field with a control character would be another message for the far end.
        guard head.isValid else { throw StreamFailure.malformed }
        let isWhole = request.cutAfter == nil && request.body.count <= Self.pieceLength
        if isWhole { try await bandwidth?.send(request.body.count) }
        let exchange = try stream.open(head, whole: isWhole ? request.body : nil)
        do {
            let isComplete = try await withTaskCancellationHandler {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    // The reply tells how it went; it may come before all is sent.
                    if !isWhole { group.addTask { try? await self.sendBody(request, exchange) } }
                    defer { group.cancelAll() }
                    return try await self.receive(exchange, receive)
                }
            } onCancel: {
                exchange.cut(CancellationError())
            }
            if isComplete { exchange.close() } else { exchange.cut(StreamFailure.cut) }
        } catch {
            exchange.cut(error)
            throw error
        }
    }

    private static func head(of request: HTTPRequest) -> StreamHead {
        var head = StreamHead("\(request.method) \(request.url)")
        head.fields = request.fields.all.map { StreamHead.Field($0.name, $0.value) }
        if !request.body.isEmpty || ["PUT", "POST"].contains(request.method) {
            head.fields.append(StreamHead.Field("Content-Length", String(request.body.count)))
        }
        return head
    }

    private func sendBody(_ request: HTTPRequest, _ exchange: StreamExchange) async throws {
        if let count = request.cutAfter {
            try await exchange.send(body: request.body.prefix(count))
            return process.disconnect()
        }
        if bandwidth == nil {
            try await exchange.send(body: request.body[...])
        } else {
            try await sendSlowly(request.body[...], exchange)
        }
        try await exchange.sendEnd()
    }

    private func sendSlowly(_ body: ArraySlice<UInt8>, _ exchange: StreamExchange) async throws {
        var rest = body
        while !rest.isEmpty {
            let piece = rest.prefix(Self.pieceLength)
            try await bandwidth?.send(piece.count)
            try await exchange.send(body: piece)
            rest = rest.dropFirst(piece.count)
        }
    }

    /// - Returns: Whether the reply came to its end.
    private func receive(
        _ exchange: StreamExchange, _ receive: @Sendable (HTTPReply) async throws -> Bool
    ) async throws -> Bool {
        var reply = HTTPReply(status: 0)
        for try await event in exchange.events {
            switch event {
            case .head(let head):
                guard let status = Int(head.first), (100...999).contains(status) else {
                    throw StreamFailure.malformed
                }
                reply.status = status
                reply.fields = HTTPFields(head.fields.map { ($0.name, $0.value) })
                guard try await receive(reply) else { return false }
            case .body(let bytes):
                try await bandwidth?.receive(bytes.count)
                reply.body = bytes
                guard try await receive(reply) else { return false }
                exchange.taken(bytes.count)
            case .end: return true
            }
        }
        try Task.checkCancellation()
        throw StreamFailure.cut
    }
}

/// Sends requests to the filesinki at the far end of a link.
struct SSHTransport: HTTPTransport {
    let link: SSHLink

    func send(_ request: HTTPRequest) async throws -> HTTPReply {
        let collected = Mutex(HTTPReply(status: 0))
        try await stream(request) { reply in
            try collected.withLock { whole in
                let count = whole.body.count + reply.body.count
                guard count <= request.maximumReply else { throw tooLong(request) }
                whole = HTTPReply(
                    status: reply.status, fields: reply.fields, body: whole.body + reply.body)
            }
            return true
        }
        return collected.withLock { $0 }
    }

    func stream(
        _ request: HTTPRequest, _ receive: @Sendable (HTTPReply) async throws -> Bool
    ) async throws {
        try await link.streamed().perform(request, receive)
    }

    private func tooLong(_ request: HTTPRequest) -> Failure {
        Failure(
            .limit, path: link.address.text,
            "The host's reply is longer than \(request.maximumReply) bytes.",
            remedy: "Install the same version of filesinki on both sides.")
    }
}
