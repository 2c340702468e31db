import FilesinkiDirectory
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Glibc
import Synchronization
import Testing

/// Some replicas and their store, removed with the value.
final class World {
    let folder: TemporaryFolder
    let remote: FaultyRemote
    let store: MemoryRemote
    let clock: ManualClock
    private(set) var devices: [Machine] = []
    private let seed: UInt64

    /// - Parameter seed: Another one for a store with another id.
    init(seed: UInt64 = 1) throws {
        self.seed = seed
        clock = ManualClock(seed: seed)
        folder = try TemporaryFolder(inMemory: true)
        store = MemoryRemote(address: "memory")
        remote = FaultyRemote(store)
    }

    /// Makes a replica of that name and device, which has not met the store's content yet.
    ///
    /// - Parameter paths: What a partial replica holds; empty for everything.
    func replica(_ name: String, only paths: [String] = []) async throws -> Machine {
        let machine = Machine(
            root: folder.path(name), remote: remote, systemContext: clock.systemContext,
            clock: clock)
        let isFirst = try await makeStore()
        _ = try await Replica.initialize(
            machine.options, address: "memory", deviceName: name,
            only: try paths.map { try RelativePath($0) })
        // What a test of the remote and the id of a store would have taken of chance.
        if isFirst { for count in [8, 16] { _ = clock.systemContext.randomBytes(count) } }
        devices.append(machine)
        return machine
    }

    /// Makes the store if there is none, as another device would have: else the first replica tests the remote with
    /// hundreds of writers, which takes longer than most tests.
    ///
    /// - Returns: Whether there was none.
    private func makeStore() async throws -> Bool {
        guard store.objects.isEmpty, !remote.isAway else { return false }
        let other = ManualClock(seed: seed &+ 1_000)
        _ = try await StoreFormat.create(at: store, systemContext: other.systemContext)
        return true
    }

    /// Replicas that all hold the tree.
    func replicas(_ names: String..., holding tree: TreeFixture) async throws -> [Machine] {
        var made: [Machine] = []
        for name in names {
            let machine = try await replica(name)
            if made.isEmpty { try machine.write(tree) }
            try await machine.sync()
            made.append(machine)
        }
        return made
    }

    /// Two replicas, `a` and `b`, that hold the tree.
    func pair(_ tree: TreeFixture) async throws -> (Machine, Machine) {
        let made = try await replicas("a", "b", holding: tree)
        return (made[0], made[1])
    }

    /// Every commit of the store, the first one first.
    func commits() async throws -> [Commit] {
        let format = try #require(try await StoreFormat.read(from: store))
        let log = try CommitLog(remote: store, zone: "files", store: format)
        var commits: [Commit] = []
        var token = log.genesis
        while let commit = try await log.next(after: token) {
            commits.append(commit)
            token = commit.token
        }
        return commits
    }

    /// Syncs every replica until none publishes, and expects all trees to be equal then.
    func converge(
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var published = 1
        var rounds = 0
        while published > 0, rounds < 2 * devices.count + 3 {
            published = 0
            for machine in devices { published += try await machine.sync().publishedCommits }
            rounds += 1
        }
        for machine in devices { try await machine.sync() }
        #expect(published == 0, "they never come to rest", sourceLocation: sourceLocation)
        let first = try devices.first?.tree(times: true)
        for machine in devices.dropFirst() {
            let other = try machine.tree(times: true)
            #expect(other == first, sourceLocation: sourceLocation)
        }
    }
}

/// One root and how its replica is reached: each call opens the replica as a process would.
struct Machine {
    let root: String
    var options: ReplicaOptions
    let clock: ManualClock

    init(
        root: String, remote: any Remote, systemContext: SystemContext, clock: ManualClock
    ) {
        self.root = root
        self.clock = clock
        // A process that another test starts holds every lock of this one from its fork to its exec. By
        // the manual clock an hour is over after some 72,000 tries.
        options = ReplicaOptions(
            root: root, lockWait: .seconds(3600), systemContext: systemContext,
            connect: { _ in remote })
    }

    /// What a command does with the replica.
    @discardableResult
    func with<Answer: Sendable>(
        _ body: (Replica) async throws -> Answer
    ) async throws -> Answer {
        clock.advance(by: .seconds(1))
        let replica = try await Replica.open(options, writable: true)
        do {
            let answer = try await body(replica)
            await replica.close()
            return answer
        } catch {
            await replica.close()
            throw error
        }
    }

    @discardableResult
    func sync(_ change: (inout SyncOptions) -> Void = { _ in }) async throws -> SyncReport {
        var options = SyncOptions()
        change(&options)
        return try await with { try await $0.sync(options) }
    }

    @discardableResult
    func save(
        _ text: String, at path: String, ifVersion: UInt64? = nil
    ) async throws -> SaveReport {
        var options = SaveOptions()
        options.ifVersion = ifVersion
        return try await with { replica in
            try await replica.save(try RelativePath(path), options) { give in
                var text = text
                try text.withUTF8 { try give(UnsafeRawBufferPointer($0)) }
            }
        }
    }

    func load(_ path: String) async throws -> String {
        let sink = ByteBox()
        _ = try await with { replica in
            try await replica.load(try RelativePath(path), isOffline: false, SyncOptions()) {
                sink.append($0)
            }
        }
        return String(decoding: sink.bytes, as: UTF8.self)
    }

    // MARK: What a user does without filesinki

    /// Writes files as a user does; see ``TreeFixture/write(to:)``.
    func write(_ tree: TreeFixture) throws { try tree.write(to: root) }

    func tree(times: Bool = false) throws -> TreeFixture {
        try TreeFixture.read(root, times: times)
    }

    func text(_ path: String) -> String? {
        guard let file = fopen(at(path), "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Where a symlink leads; nil if none is there.
    func target(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readlink(at(path), &buffer, buffer.count)
        return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }

    func remove(_ path: String) { removeTree(Array(at(path).utf8)) }

    func rename(_ old: String, _ new: String) {
        #expect(Glibc.rename(at(old), at(new)) == 0)
    }

    func setMode(_ path: String, _ mode: mode_t) { #expect(chmod(at(path), mode) == 0) }

    /// As if the disk had lost the manifest.
    func loseManifest() {
        for end in ["", "-wal", "-shm"] { unlink(at(".filesinki/manifest.sqlite\(end)")) }
    }

    func at(_ path: String) -> String { root + "/" + path }

    /// The names in the root, without the replica's own.
    var names: [String] {
        get throws {
            try tree().nodes.keys.map { String(decoding: $0.bytes, as: UTF8.self) }.sorted()
        }
    }
}

extension Replica {
    /// A content's bytes, as `show` prints them.
    func shown(_ content: ContentID) async throws -> String {
        let sink = ByteBox()
        try await show(content: content) { sink.append($0) }
        return String(decoding: sink.bytes, as: UTF8.self)
    }

    /// What `restore PATH@VERSION` does.
    func restore(
        _ path: RelativePath, version: UInt64, _ options: SyncOptions
    ) async throws -> RestoreReport {
        try await restore(path, from: tree(at: .version(version), of: [path]), options)
    }
}

/// Collects bytes.
final class ByteBox: Sendable {
    private let storage = Mutex<[UInt8]>([])

    var bytes: [UInt8] { storage.withLock { $0 } }

    func append(_ more: UnsafeRawBufferPointer) {
        storage.withLock { $0.append(contentsOf: more) }
    }
}
