import Dispatch
package import FilesinkiModel
import FilesinkiProtocol
import FilesinkiSystem
import Glibc
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

extension FilesinkiServer {
    /// Serves one client over a pair of descriptors, until the input ends: see *Over standard streams* in
    /// Docs/Protocol.md.
    ///
    /// A folder that is missing, or contains no store, is reported to the client, as by a remote that is
    /// the folder itself.
    ///
    /// - Throws: `Failure`: `usage` for settings that need a listening server, `corrupt` when the other end
    ///   does not follow the protocol.
    package static func serve(
        _ settings: ServerSettings, input: Int32, output: Int32, _ grant: StreamGrant,
        _ systemContext: SystemContext
    ) async throws {
        var settings = settings
        settings.limits.adaptToStream()
        let folder = ServedStore(settings.folder)
        // If this fails, the client learns that the folder is missing.
        if settings.createsFolder, settings.misplacement == nil { mkdir(settings.folder, 0o777) }
        if grant.name == nil {
            settings.deviceFile = nil
        } else {
            mkdir(folder.privateFolder, 0o700)
        }
        let authority = TokenAuthority(
            granting: grant.access, besides: settings.tokenFile.map(TokenFile.init))
        try await StreamServer(
            services: StoreServices(settings, authority, systemContext), input: input,
            output: output, delay: settings.limits.cleanupInterval, systemContext: systemContext
        ).serve()
    }
}

extension ServerLimits {
    /// What fits one client that shares the way to it with nobody, and may be as slow as its link.
    fileprivate mutating func adaptToStream() {
        requestsOfOne = 256
        uploadsOfOne = uploads
        bodyTime = .seconds(86_400)
    }
}

/// Replies to the requests that come over a pair of descriptors.
struct StreamServer: Sendable {
    let services: StoreServices
    let input: Int32
    let output: Int32
    /// How long the server runs before it tidies up: most clients are gone before.
    let delay: Duration
    let systemContext: SystemContext

    /// How many bytes are read at once.
    private static let pieceSize = 64 << 10

    func serve() async throws {
        let ending = Mutex<Failure?>(nil)
        let connection = StreamConnection(
            .server,
            write: { [output] bytes in
                try bytes.withUnsafeBytes { try FileHandle.write($0, to: output) }
            }, close: {})
        try await connection.write(StreamOpening.server)
        let thread = DispatchQueue(label: "filesinki.stream.read")
        thread.async {
            do throws(Failure) { try read(to: connection) } catch {
                ending.withLock { $0 = error }
            }
            connection.end(StreamFailure.cut)
        }
        await withTaskCancellationHandler {
            await serve(connection)
        } onCancel: {
            connection.end(CancellationError())
        }
        if let failure = ending.withLock({ $0 }) { throw failure }
    }

    private func serve(_ connection: StreamConnection) async {
        await withDiscardingTaskGroup { group in
            group.addTask { try? await services.hub.run() }
            group.addTask { try? await tidy() }
            for await exchange in connection.requests {
                group.addTask { await reply(to: exchange) }
            }
            group.cancelAll()
        }
    }

    private func tidy() async throws {
        try await systemContext.sleep(delay)
        try await services.janitor.run()
    }

    /// Reads to the end of the input.
    ///
    /// - Throws: `Failure` with code `corrupt` when it does not follow the protocol.
    private func read(to connection: StreamConnection) throws(Failure) {
        var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
        var expected = StreamOpening.client[...]
        while true {
            // An input that cannot be read has ended.
            let count =
                (try? buffer.withUnsafeMutableBytes { try FileHandle.read(input, into: $0) }) ?? 0
            guard count > 0 else { return }
            let opening = buffer[..<min(count, expected.count)]
            guard opening == expected.prefix(opening.count) else { throw StreamFailure.malformed }
            expected = expected.dropFirst(opening.count)
            try connection.receive(buffer[opening.count..<count])
        }
    }

    private func reply(to exchange: StreamExchange) async {
        do {
            try await respond(to: exchange)
            exchange.close()
        } catch {
            exchange.cut(error)
        }
    }

    private func respond(to exchange: StreamExchange) async throws {
        var events = exchange.events.makeAsyncIterator()
        guard case .head(let head)? = try await events.next(), let request = HTTPRequest(head)
        else { throw StreamFailure.malformed }
        let response = await services.responder.respond(
            to: Request(
                head: request, body: RequestBody(asyncSequence: StreamBody(exchange: exchange))),
            context: ServerContext(exchange))
        var reply = StreamHead(String(response.status.code))
        reply.fields = response.headers.map { StreamHead.Field($0.name.rawName, $0.value) }
        reply.fields.append(StreamHead.Field(WireHeaders.version, WireHeaders.versionValue))
        let writer = StreamReplyWriter(exchange, reply, length: response.body.contentLength)
        let body = response.body
        try await body.write(writer)
    }
}

extension HTTPRequest {
    /// Nil for a head that is not that of a request.
    fileprivate init?(_ head: StreamHead) {
        let words = head.first.split(
            separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2, let method = Method(String(words[0])) else { return nil }
        var fields = HTTPFields()
        for field in head.fields {
            guard let name = HTTPField.Name(field.name) else { return nil }
            fields.append(HTTPField(name: name, value: field.value))
        }
        self.init(
            method: method, scheme: nil, authority: nil, path: String(words[1]),
            headerFields: fields)
    }
}

/// The body of a request. A piece counts as used when the next one is asked for.
private struct StreamBody: AsyncSequence, Sendable {
    let exchange: StreamExchange

    struct AsyncIterator: AsyncIteratorProtocol {
        let exchange: StreamExchange
        var events: AsyncThrowingStream<StreamExchange.Event, any Error>.Iterator
        var used = 0
        var isComplete = false

        mutating func next() async throws -> ByteBuffer? {
            if isComplete { return nil }
            if used > 0 { exchange.taken(used) }
            used = 0
            switch try await events.next() {
            case .body(let bytes):
                used = bytes.count
                return ByteBuffer(bytes: bytes)
            case .end:
                isComplete = true
                return nil
            case .head, nil: throw CutReplyError()
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(exchange: exchange, events: exchange.events.makeAsyncIterator())
    }
}

/// Sends a reply: a short one at once, another in pieces.
private struct StreamReplyWriter: ResponseBodyWriter {
    private let exchange: StreamExchange
    private let head: StreamHead
    private let isShort: Bool
    /// The body of a short reply.
    private var held: [UInt8] = []
    private var hasBegun = false

    /// The longest reply that is held in memory until it is complete, in bytes: 64 KiB.
    private static let shortLength = 64 << 10

    /// - Parameter length: Of the body; nil when unknown.
    init(_ exchange: StreamExchange, _ head: StreamHead, length: Int?) {
        self.exchange = exchange
        self.head = head
        isShort = length.map { $0 <= Self.shortLength } ?? false
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        guard !isShort else {
            held += buffer.readableBytesView
            return
        }
        try await begin()
        try await exchange.send(body: ArraySlice(buffer.readableBytesView))
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        guard !isShort else { return try await exchange.sendWhole(head, body: held) }
        try await begin()
        try await exchange.sendEnd()
    }

    private mutating func begin() async throws {
        guard !hasBegun else { return }
        hasBegun = true
        try await exchange.send(head)
    }
}
