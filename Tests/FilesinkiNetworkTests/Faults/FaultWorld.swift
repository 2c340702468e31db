import FilesinkiCommands
import FilesinkiHTTPClient
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Glibc
import Synchronization
import Testing

/// Two replicas, `a` and `b`, of a store behind a proxy. Commands run as in the program, in this
/// process, so that a run takes milliseconds; who would wait before a request is tried again does not.
final class FaultWorld {
    let kind: RemoteKind
    let proxy: FaultProxy
    private let target: FaultTarget
    private let folder: TemporaryFolder
    private let settings = FaultSettings()
    private var random: SeededRandom
    /// How often the user has edited.
    private var edits = 0

    /// What a command left behind.
    struct Outcome: CustomStringConvertible {
        var code: ExitCode
        var talk: String
        var description: String { "\(code.rawValue): \(talk)" }
    }

    /// Makes both replicas, and a store with a few files.
    init(_ kind: RemoteKind, seed: UInt64 = 1) async throws {
        self.kind = kind
        target = try await FaultTarget.make(kind)
        proxy = try FaultProxy(to: target.port)
        folder = try TemporaryFolder(inMemory: true)
        random = SeededRandom(seed: seed)
        let first: TreeFixture = [
            "old": .file("old"), "d": .directory(["x": .file("x"), "y": .file("y")]),
        ]
        try first.write(to: path("a"))
        // As another device would have: else `init` tests the server with hundreds of writers.
        let remote = try target.connect(target.port, ConnectionSettings())
        _ = try await StoreFormat.create(at: remote, systemContext: .quick)
        for words in [
            ["init", path("a"), "--remote", "http://store", "--device", "a"],
            ["sync", path("a")], ["clone", "http://store", path("b"), "--device", "b"],
        ] {
            let outcome = await run(words)
            try #require(outcome.code == .done, "\(words): \(outcome)")
        }
    }

    func path(_ name: String) -> String { folder.path(name) }

    func tree(_ replica: String) throws -> TreeFixture { try .read(path(replica)) }

    /// Runs `sync` of a replica.
    ///
    /// - Parameter plan: What goes wrong with the run's requests.
    func sync(
        _ replica: String, silence: Duration = .seconds(30),
        _ plan: @escaping FaultProxy.Plan = { _ in [] }
    ) async -> Outcome {
        proxy.begin(plan)
        settings.silence = silence
        defer { settings.silence = .seconds(30) }
        return await run(["sync", path(replica), "--lock-wait", "24h"])
    }

    /// Runs a command line.
    func run(_ arguments: [String]) async -> Outcome {
        let talk = FaultSink()
        let console = Console(
            output: FaultSink(), talk: talk, input: -1,
            environment: ["HOME": folder.path("home"), "XDG_CONFIG_HOME": folder.path("config")],
            currentFolder: folder.path, terminals: .init(), systemContext: .quick,
            network: network)
        let code = await Program.run(arguments: arguments.map { Array($0.utf8) }, in: console)
        return Outcome(code: code, talk: talk.text)
    }

    private var network: NetworkAccess {
        let (port, connect, settings) = (proxy.port, target.connect, settings)
        return NetworkAccess(
            connect: { _, _ in
                // One connection at a time: then a request has the same number each time.
                let remote = try connect(
                    port, ConnectionSettings(connections: 1, silenceLimit: settings.silence))
                return RetryingRemote(remote, systemContext: .quick)
            },
            serve: { _, _ in throw CancellationError() },
            tokens: { _ in throw CancellationError() })
    }

    /// What a user does between two runs: small files and one with so many bytes that do not shrink,
    /// an edit, a deletion and a rename.
    ///
    /// - Returns: The tree that the user wants.
    @discardableResult
    func edit(_ replica: String, bytes: Int = 20_000) throws -> TreeFixture {
        edits += 1
        let root = path(replica)
        var tree: TreeFixture = [
            "small": .file("edit \(edits)"),
            "large": .bytes(random.bytes(bytes), mode: 0o644, modified: nil),
            "d": .directory(["x": .file("x \(edits)")]),
        ]
        tree[.init(Array("new \(edits)".utf8))] = .file("new \(edits)")
        try tree.write(to: root)
        unlink(root + "/new \(edits - 2)")
        rename(root + "/new \(edits - 1)", root + "/renamed \(edits - 1)")
        unlink(root + "/renamed \(edits - 3)")
        return try self.tree(replica)
    }
}

/// How long the client's waitPolicy lasts.
private final class FaultSettings: Sendable {
    private let storage = Mutex(Duration.seconds(30))

    var silence: Duration {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}

/// Keeps what is written.
private final class FaultSink: ByteSink {
    private let storage = Mutex<[UInt8]>([])

    var text: String { String(decoding: storage.withLock { $0 }, as: UTF8.self) }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        storage.withLock { $0.append(contentsOf: bytes) }
    }
}
