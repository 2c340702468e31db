import FilesinkiDirectory
import FilesinkiHashing
import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote
import FilesinkiServer
import FilesinkiTesting
import Synchronization
import Testing

/// A server on a folder of its own, and a client that says what the test wants.
final class TestServer: Sendable {
    let folder: TemporaryFolder
    let server: RunningServer
    let clock: TestClock
    let log: TestLog

    /// - Parameter adjust: Changes the settings before the start.
    init(
        in folder: TemporaryFolder? = nil,
        _ adjust: (inout ServerSettings) throws -> Void = { _ in }
    ) async throws {
        let folder = try folder ?? TemporaryFolder(inMemory: true)
        let clock = TestClock()
        let log = TestLog()
        var settings = ServerSettings(folder: folder.path("store"))
        settings.createsFolder = true
        settings.port = 0
        // A test of limits sets its own; the others wait for machines that are busy.
        settings.limits.headerTime = .seconds(600)
        settings.limits.idleTime = .seconds(600)
        settings.log = { log.add($0) }
        settings.clock = { clock.elapsed }
        try adjust(&settings)
        self.folder = folder
        self.clock = clock
        self.log = log
        server = try await FilesinkiServer.start(settings, clock.systemContext)
    }

    var port: Int { server.address.port }

    /// The folder as a remote of its own.
    var direct: DirectoryRemote { DirectoryRemote(path: folder.path("store")) }

    func connect(seconds: Int = 600) throws -> RawConnection {
        try RawConnection(port: port, seconds: seconds)
    }

    /// Sends one request on a connection of its own, and reads the reply to its end.
    func ask(
        _ method: String, _ target: String, _ fields: [String: String] = [:],
        body: [UInt8]? = nil, token: String? = nil
    ) async throws -> RawReply {
        let connection = try connect()
        await connection.send(
            Self.head(method, target, fields, length: body?.count, token: token) + (body ?? []))
        let bytes = await connection.receiveAll()
        return try #require(
            RawReply(bytes, ofHead: method == "HEAD"), "no reply to \(method) \(target)")
    }

    /// Waits until the access log has so many lines.
    func waitForLog(_ count: Int) async throws {
        let isThere = try await eventually { log.lines.count >= count }
        try #require(isThere, "\(log.lines)")
    }

    /// PUT with the right digest.
    func put(
        _ key: String, _ bytes: [UInt8], publish: Bool = false, token: String? = nil,
        _ fields: [String: String] = [:]
    ) async throws -> RawReply {
        var all = fields
        all["Content-Digest"] = fields["Content-Digest"] ?? Self.digest(bytes)
        if publish { all["If-None-Match"] = "*" }
        return try await ask("PUT", "/v1/objects/\(key)", all, body: bytes, token: token)
    }

    static func head(
        _ method: String, _ target: String, _ fields: [String: String] = [:], length: Int? = nil,
        token: String? = nil, keep: Bool = false
    ) -> [UInt8] {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            text += "\(name): \(value)\r\n"
        }
        if let length { text += "Content-Length: \(length)\r\n" }
        if let token { text += "Authorization: Bearer \(token)\r\n" }
        return Array((text + (keep ? "" : "Connection: close\r\n") + "\r\n").utf8)
    }

    static func digest(_ bytes: [UInt8]) -> String {
        ContentDigest.encode(SHA256.hash(bytes))
    }
}

/// Takes the access log.
final class TestLog: Sendable {
    private let taken = Mutex<[String]>([])

    func add(_ line: String) { taken.withLock { $0.append(line) } }

    var lines: [String] { taken.withLock { $0 } }
}

/// Time that the test moves for what is looked at now and then; waiting takes as long as it does.
final class TestClock: Sendable {
    private static let start = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
    private let moment = Mutex(start)
    private let sleeps = Mutex<[Duration]>([])

    /// Since the clock was made.
    var elapsed: Duration {
        .seconds(moment.withLock { $0.seconds } - Self.start.seconds)
    }

    /// The durations of all sleeps, in the order in which they began.
    var slept: [Duration] { sleeps.withLock { $0 } }

    func advance(seconds: Int64) {
        moment.withLock { $0 = Timestamp(seconds: $0.seconds + seconds, nanoseconds: 0) }
    }

    var systemContext: SystemContext {
        SystemContext(
            now: { self.moment.withLock { $0 } },
            randomBytes: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } },
            sleep: { duration in
                self.sleeps.withLock { $0.append(duration) }
                try await Task.sleep(for: duration)
            })
    }
}

/// Runs a test with a server that is stopped at its end, whatever happens.
func withServer(
    _ adjust: (inout ServerSettings) throws -> Void = { _ in },
    _ body: (TestServer) async throws -> Void
) async throws {
    let server = try await TestServer(adjust)
    do {
        try await body(server)
        try await server.server.stop()
    } catch {
        try? await server.server.stop()
        throw error
    }
}
