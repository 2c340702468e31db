import Dispatch
import FilesinkiDirectory
import FilesinkiModel
import FilesinkiProtocol
import FilesinkiServer
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Synchronization
import Testing

/// A server over a pair of sockets, in this process, and its client.
final class StreamClient: Sendable {
    let folder: TemporaryFolder
    let log: TestLog
    /// Ends when the server has ended.
    let server: Task<Void, any Error>
    private let connection: StreamConnection
    /// The client's end.
    private let end: Int32

    /// A reply, as it came.
    struct Reply: Sendable {
        var head: StreamHead
        var body: [UInt8] = []

        var status: String { head.first }
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// - Parameters:
    ///   - opening: What the client sends first.
    ///   - hasFolder: Whether the store's folder exists.
    init(
        in folder: TemporaryFolder? = nil, _ grant: StreamGrant? = nil,
        opening: [UInt8] = StreamOpening.client, hasFolder: Bool = true,
        _ adjust: (inout ServerSettings) throws -> Void = { _ in }
    ) throws {
        let folder = try folder ?? TemporaryFolder(inMemory: true)
        if hasFolder { _ = try DirectoryRemote.create(path: folder.path("store")) }
        let log = TestLog()
        var settings = ServerSettings(folder: folder.path("store"))
        settings.log = { log.add($0) }
        try adjust(&settings)
        (self.folder, self.log) = (folder, log)
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let made = socketpair(AF_UNIX, type, 0, &ends)
        try #require(made == 0)
        let (own, other) = (ends[0], ends[1])
        end = own
        let write: @Sendable ([UInt8]) throws -> Void = { bytes in
            try bytes.withUnsafeBytes { bytes in
                guard
                    Glibc.send(own, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                        == bytes.count
                else { throw StreamFailure.cut }
            }
        }
        connection = StreamConnection(.client, write: write, close: {})
        let granted = try grant ?? StreamGrant()
        server = Task { [settings] in
            defer {
                // The thread that reads has it, too.
                shutdown(other, Int32(SHUT_RDWR))
                close(other)
            }
            try await FilesinkiServer.serve(
                settings, input: other, output: other, granted, TestClock().systemContext)
        }
        try write(opening)
        receive()
    }

    deinit {
        // Also where the thread that receives has it.
        shutdown(end, Int32(SHUT_RDWR))
        close(end)
    }

    /// On a thread of its own, until the server has closed its end.
    private func receive() {
        let (connection, end) = (connection, dup(end))
        DispatchQueue(label: "stream client").async {
            defer { close(end) }
            var line: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while let count = try? buffer.withUnsafeMutableBytes({
                try FileHandle.read(end, into: $0)
            }), count > 0 {
                var piece = buffer[..<count]
                while line.last != UInt8(ascii: "\n"), let byte = piece.popFirst() {
                    line.append(byte)
                }
                guard line == StreamOpening.server, (try? connection.receive(piece)) != nil else {
                    break
                }
            }
            connection.end(StreamFailure.cut)
        }
    }

    /// Ends the input of the server.
    func disconnect() { shutdown(end, Int32(SHUT_WR)) }

    /// Begins an exchange that the test goes on with.
    func open(_ head: StreamHead, whole body: [UInt8]? = nil) throws -> StreamExchange {
        try connection.open(head, whole: body)
    }

    /// Sends one request, and reads the reply to its end.
    func ask(
        _ method: String, _ target: String, _ fields: [StreamHead.Field] = [],
        body: [UInt8]? = nil
    ) async throws -> Reply {
        let length = body.map { [StreamHead.Field("Content-Length", String($0.count))] } ?? []
        let exchange = try open(StreamHead("\(method) \(target)", fields + length))
        async let sent: Void? = try? Self.sendBody(body ?? [], exchange)
        let reply = try await Self.reply(exchange)
        _ = await sent
        exchange.close()
        return reply
    }

    private static func sendBody(_ body: [UInt8], _ exchange: StreamExchange) async throws {
        try await exchange.send(body: body[...])
        try await exchange.sendEnd()
    }

    /// PUT with the right digest.
    func put(_ key: String, _ bytes: [UInt8], publish: Bool = false) async throws -> Reply {
        var fields = [StreamHead.Field("Content-Digest", TestServer.digest(bytes))]
        if publish { fields.append(StreamHead.Field("If-None-Match", "*")) }
        return try await ask("PUT", "/v1/objects/\(key)", fields, body: bytes)
    }

    /// Reads a reply to its end.
    static func reply(_ exchange: StreamExchange) async throws -> Reply {
        var reply: Reply?
        for try await event in exchange.events {
            switch event {
            case .head(let head): reply = Reply(head: head)
            case .body(let bytes):
                reply?.body += bytes
                exchange.taken(bytes.count)
            case .end: return try #require(reply)
            }
        }
        throw StreamFailure.cut
    }
}
