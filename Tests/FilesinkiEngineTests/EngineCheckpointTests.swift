import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

/// A store has a checkpoint for each 256 commits, stored by any device.
@Suite("Checkpoints of the engine")
struct EngineCheckpointTests {
    let world: World
    let remote: CountingRemote
    let log: CommitLog
    let shelf: CheckpointStore

    init() async throws {
        world = try World()
        remote = CountingRemote(world.remote)
        let format = try await StoreFormat.create(
            at: world.store, systemContext: world.clock.systemContext)
        log = try CommitLog(remote: world.store, zone: "files", store: format)
        shelf = try CheckpointStore(remote: world.store, zone: "files", store: format)
    }

    private func machine(_ name: String) async throws -> Machine {
        let machine = Machine(
            root: world.folder.path(name), remote: remote,
            systemContext: world.clock.systemContext, clock: world.clock)
        _ = try await Replica.initialize(machine.options, address: "memory", deviceName: name)
        return machine
    }

    /// Another device publishes commits that change nothing, up to a number.
    private func fill(
        upTo last: UInt64, _ after: (ChangeToken) async throws -> Void = { _ in }
    ) async throws {
        var token = log.genesis
        while let commit = try await log.next(after: token) { token = commit.token }
        while token.sequence < last {
            let draft = CommitDraft(
                device: Device(id: Array(repeating: 1, count: 16), name: "other"),
                time: Timestamp(nanoseconds: 1), changes: [], operation: "test")
            let id = [UInt8](repeating: UInt8(truncatingIfNeeded: token.sequence), count: 16)
            guard case .mine(let commit) = try await log.append(draft, after: token, id: id) else {
                return
            }
            token = commit.token
            try await after(token)
        }
    }

    private var made: [UInt64] {
        get async throws { try await shelf.sequences().sorted() }
    }

    @Test(
        "a new device makes one for the next, unless it started from a recent one",
        arguments: [(last: nil, made: [260]), (last: 1, made: [1, 260]), (last: 10, made: [10])]
            as [(last: UInt64?, made: [UInt64])])
    func newDevice(_ last: UInt64?, _ expected: [UInt64]) async throws {
        try await fill(upTo: 260) { token in
            guard token.sequence == last else { return }
            try await shelf.save(Checkpoint(token: token, entries: [], packs: [], inline: []))
        }
        let machine = try await machine("a")
        try await machine.sync()
        #expect(try await made == expected)
        try await machine.sync()
        #expect(try await made == expected)
    }

    @Test("E6.3 a store filled by saves alone gets a checkpoint, which contains the tree")
    func savesOnly() async throws {
        let a = try await machine("a")
        try a.write(["d": .directory(["there": .file("before")]), "gone": .file("x")])
        try await a.sync()
        a.remove("gone")
        try await a.sync()
        try await fill(upTo: 253)
        for number in 0..<3 {
            #expect(try await made == [])
            try await a.save("\(number)", at: "f\(number)")
        }
        #expect(try await made == [256])
        var tree: [RelativePath: VersionedEntry] = [:]
        let checkpoint = try #require(try await shelf.latest())
        for commit in try await world.commits() where commit.sequence <= checkpoint.token.sequence {
            for change in commit.changes {
                tree[change.path] = VersionedEntry(change.entry, version: commit.sequence)
            }
        }
        #expect(checkpoint.refused.isEmpty)
        #expect(
            Dictionary(uniqueKeysWithValues: checkpoint.entries.map { ($0.path, $0.entry) }) == tree
        )
    }

    @Test("E6.3 a save asks about checkpoints only when one is due, and then once")
    func costOfSaves() async throws {
        let a = try await machine("a")
        try a.write(["f": .file("x")])
        try await a.sync()
        remote.reset()
        try await a.save("1", at: "f")
        let usual = remote.counts
        #expect(usual.lists == 1 && usual.publications == 1)
        try await fill(upTo: 254)
        try await a.sync()
        remote.reset()
        try await a.save("2", at: "f")
        #expect(remote.counts.requests == usual.requests)
        remote.reset()
        try await a.save("3", at: "f")
        #expect(try await made == [256])
        #expect(remote.counts.requests == usual.requests + 2)
        remote.reset()
        try await a.save("4", at: "f")
        #expect(remote.counts.requests == usual.requests)
    }

    @Test("E6.3 several devices together make one for 256 commits")
    func together() async throws {
        var machines: [Machine] = []
        let names = ["a", "b", "c"]
        for name in names { machines.append(try await machine(name)) }
        for machine in machines { try await machine.sync() }
        try await fill(upTo: 255)
        for round in 0..<2 {
            for (index, machine) in machines.enumerated() {
                let name = TreeFixture.Name(Array(names[index].utf8))
                try machine.write(TreeFixture([name: .file("\(round)")]))
                try await machine.sync()
            }
        }
        #expect(try await made.count == 1)
        // The next one is due for all of them 256 commits after it.
        let first = try #require(try await made.first)
        try await fill(upTo: first + 255)
        for machine in machines { try await machine.sync() }
        #expect(try await made.count == 1)
        try await fill(upTo: first + 256)
        for machine in machines { try await machine.sync() }
        #expect(try await made == [first, first + 256])
    }

    @Test(
        "E1.5 a checkpoint that cannot be stored is a notice of the run, whatever the reason",
        arguments: [Failure.Code.limit, .full, .notAllowed, .io, .away, .busy, .corrupt])
    func notStored(_ code: Failure.Code) async throws {
        let a = try await machine("a")
        try await a.sync()
        try await fill(upTo: 255)
        world.remote.plan(
            .init(.before(code), verb: .publish, prefix: "zones/files/checkpoints/"))
        try a.write(["f": .file("x")])
        let report = try await a.sync()
        #expect(report.publishedCommits == 1 && report.problems.isEmpty && report.away == nil)
        #expect(report.notices.map(\.failure.code) == [code])
        #expect(report.notices.first?.failure.message.contains("checkpoint") == true)
        #expect(try await made == [])
        // A checkpoint costs as much as the tree is large, so it is not tried again at once.
        remote.reset()
        try await a.sync()
        #expect(remote.counts.writes == 0)
        try await fill(upTo: 272)
        #expect(try await a.sync().notices.isEmpty)
        #expect(try await made == [272])
    }

    @Test("E1.5 a save succeeds in a store that cannot list checkpoints")
    func notListed() async throws {
        let a = try await machine("a")
        try await a.sync()
        try await fill(upTo: 255)
        world.remote.plan(
            .init(.before(.notAllowed), verb: .list, prefix: "zones/files/checkpoints/"))
        let report = try await a.save("x", at: "f")
        #expect(report.version == 256)
        #expect(report.sync.notices.map(\.failure.code) == [.notAllowed])
    }
}
