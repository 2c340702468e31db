import FilesinkiEngine
import FilesinkiManifest
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Synchronization
import Testing

/// A prune beside devices that publish, read, sleep or are killed: no device loses anything by it.
@Suite("Pruning beside other devices")
struct PruneRaceTests: PruneScene {
    let world: World
    let a: Machine
    let b: Machine

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["k": .file("keep")])
    }

    @Test("what a device had when it was last there stays, until it has seen more")
    func asleep() async throws {
        try b.write(["f": large(1)])
        try await b.sync()
        try await a.sync()
        try await publishVersions(2...4)
        try await prune(a)
        // The versions that b has published and those after it that it has not seen.
        #expect(packs.count == 2)
        try b.write(["f": large(9)])
        try await acknowledge()
        try await prune(a)
        try await expectWhole()
    }

    @Test(
        "contents that a prune moves while a device is about to read them are read from there",
        arguments: [false, true])
    func moved(publishes: Bool) async throws {
        var tree = TreeFixture([:])
        for number in 1...8 { tree[name("f\(number)")] = large(UInt64(number), 700_000) }
        try a.write(tree)
        try await a.sync()
        for number in 1...7 { a.remove("f\(number)") }
        try await a.sync()
        // The prune's commit takes the number that b would have.
        if publishes { try b.write(["own": .file("b")]) }
        let hook = PackReadHook(wrapped: world.remote)
        var machine = b
        machine.options.connect = { _ in hook }
        let (a, last) = (a, policy { $0.last = 1 })
        hook.beforeReading {
            let report = try await a.with { try await $0.prune(last, isDryRun: false, nil) }
            #expect(report.rewrittenPacks == 1)
        }
        let report = try await machine.sync()
        #expect(report.problems.map(\.failure.description) == [])
        try await a.sync()
        #expect(try b.tree() == a.tree())
        #expect(packs.count == 1)
    }

    @Test("a content that two devices have stored at once is kept once")
    func twice() async throws {
        let rival = RivalRemote(remote: world.remote)
        var machine = b
        machine.options.connect = { _ in rival }
        let a = a
        try a.write(["f": large(1)])
        try b.write(["g": large(1)])
        rival.beforePublishing { try await a.sync() }
        try await machine.sync()
        #expect(packs.count == 2)
        try await world.converge()
        let report = try await prune(a)
        #expect(report.removedPacks == 1 && packs.count == 1)
        #expect(report.freedBytes > 300_000)
        try await expectWhole()
    }

    @Test("two prunes at once lose nothing", arguments: [false, true])
    func twoPrunes(rewrites: Bool) async throws {
        var tree = TreeFixture([:])
        for number in 1...6 { tree[name("f\(number)")] = large(UInt64(number), 700_000) }
        try a.write(tree)
        try await a.sync()
        for number in 1...(rewrites ? 5 : 6) { a.remove("f\(number)") }
        try await a.sync()
        try await acknowledge()
        let rival = RivalRemote(remote: world.remote)
        var machine = a
        machine.options.connect = { _ in rival }
        let (b, last) = (b, policy { $0.last = 1 })
        rival.beforePublishing {
            _ = try await b.with { try await $0.prune(last, isDryRun: false, nil) }
        }
        try await prune(machine)
        #expect(packs.count == (rewrites ? 1 : 0))
        try await expectWhole()
    }

    @Test("a device that names a dropped content again stores it again", arguments: [0, 1, 2, 3])
    func named(_ kind: Int) async throws {
        let content = large(1, kind == 1 || kind == 3 ? 2_000_000 : 300_000)
        try a.write(["f": content])
        try await a.sync()
        try a.write(["f": large(2)])
        try await a.sync()
        try await acknowledge()
        // b has the content in a file of its own, or most of it, and has looked it up before the prune.
        var added = content
        if kind == 3, case .bytes(let bytes, _, _) = content {
            added = .bytes(bytes + [1], mode: 0o644, modified: nil)
        }
        try b.write(["new": added])
        let rival = RivalRemote(remote: world.remote)
        var machine = b
        machine.options.connect = { _ in rival }
        let (a, last) = (a, policy { $0.last = 1 })
        let pruned = Mutex(PruneReport())
        rival.beforePublishing {
            let report = try await a.with { try await $0.prune(last, isDryRun: false, nil) }
            pruned.withLock { $0 = report }
        }
        if kind == 2 {
            try await saveNew(content, by: machine)
        } else {
            try await machine.sync()
        }
        #expect(pruned.withLock(\.removedPacks) == 1)
        try await expectWhole()
        #expect(try a.tree()[name(kind == 2 ? "saved" : "new")] == added)
    }

    /// Saves a content at a path that does not exist yet.
    private func saveNew(_ content: TreeFixture.Node, by machine: Machine) async throws {
        guard case .bytes(let bytes, _, _) = content else { return }
        try await machine.with { replica in
            var options = SaveOptions()
            options.ifVersion = 0
            _ = try await replica.save(try RelativePath("saved"), options) { write in
                try bytes.withUnsafeBytes(write)
            }
        }
    }

    @Test("a save of a small content that a prune drops meanwhile has the content in its commit")
    func smallSave() async throws {
        // Together they are too large for a commit.
        let content = large(1, 50_000)
        try a.write(["f": content, "g": large(2)])
        try await a.sync()
        try await b.sync()
        try a.write(["f": large(3), "g": large(4)])
        try await a.sync()
        try await acknowledge()
        let rival = RivalRemote(remote: world.remote)
        var machine = b
        machine.options.connect = { _ in rival }
        let (a, last) = (a, policy { $0.last = 1 })
        rival.beforePublishing {
            let report = try await a.with { try await $0.prune(last, isDryRun: false, nil) }
            #expect(report.removedPacks == 1)
        }
        try await saveNew(content, by: machine)
        let saved = try #require(try await world.commits().last)
        #expect(saved.inline.count == 1 && saved.packs.isEmpty)
        try await expectWhole()
        #expect(try a.tree()["saved"] == content)
    }

    @Test("a prune keeps what a device names again before its commit", arguments: [0, 1])
    func namedBefore(_ kind: Int) async throws {
        let content = large(1, kind == 1 ? 2_000_000 : 250_000)
        for file in [["f": content], ["g": large(9)]] as [TreeFixture] {
            try a.write(file)
            try await a.sync()
        }
        try a.write(["f": large(2), "g": large(3)])
        try await a.sync()
        try await acknowledge()
        let before = packs
        let rival = RivalRemote(remote: world.remote)
        var machine = a
        machine.options.connect = { _ in rival }
        let b = b
        // Together they are too large for a commit.
        try b.write(["new": content, "other": large(50)])
        rival.beforePublishing { try await b.sync() }
        let report = try await prune(machine)
        #expect(report.removedPacks == 1)
        // b has not sent what the store had.
        #expect(Set(packs).subtracting(before).count <= 1)
        try await expectWhole()
        #expect(try a.tree()["new"] == content)
    }

    @Test("a copy of a file that was replaced elsewhere is stored, if the content was pruned")
    func copied() async throws {
        try a.write(["f": large(1)])
        try await a.sync()
        try await b.sync()
        try a.write(["f": large(2)])
        try await a.sync()
        try b.write(["copy": large(1)])
        try await prune(a)
        #expect(packs.count == 1)
        try await b.sync()
        #expect(packs.count == 2)
        try await expectWhole()
    }

    @Test(
        "a pack of a killed run that was named, and then retired, is not named again",
        arguments: [false, true])
    func notNamedAgain(losesManifest: Bool) async throws {
        try b.write(["f": large(1)])
        let dying = DyingRemote(remote: world.remote)
        dying.willDie(afterPublishing: 1)
        var machine = b
        machine.options.connect = { _ in dying }
        await #expect(throws: Failure.self) { try await machine.sync() }
        try await a.sync()
        // So many small packs are joined.
        for number in 10..<42 {
            try a.write([name("f\(number)"): large(UInt64(number))])
            try await a.sync()
        }
        world.remote.plan(.init(.away(requests: 1), verb: .delete, skip: 1))
        await #expect(throws: Failure.self) {
            try await prune(a)
        }
        let pruned = try #require(try await world.commits().last)
        let retired = try #require(pruned.pruning?.retired)
        #expect(retired.count == 33 && packs.count == 34)
        if losesManifest {
            try await fill(256)
            try await a.sync()
            #expect(world.store.objects.keys.contains { $0.description.contains("/checkpoints/") })
            b.loseManifest()
        }
        try b.write(["g": large(3)])
        try await b.sync()
        let named = try await world.commits().filter { $0.sequence > pruned.sequence }
            .flatMap(\.packs).map(\.id)
        #expect(named.count == 1 && Set(named).isDisjoint(with: retired))
        // The objects that the first prune could not remove go with the next one.
        #expect(packs.count == 35)
        try await prune(a)
        #expect(packs.count == 2)
        try await expectWhole()
    }

    /// Another device publishes commits that change nothing.
    private func fill(_ count: Int) async throws {
        let format = try #require(try await StoreFormat.read(from: world.store))
        let log = try CommitLog(remote: world.store, zone: "files", store: format)
        var token = try #require(try await world.commits().last).token
        for number in 0..<count {
            let draft = CommitDraft(
                device: Device(id: Array(repeating: 1, count: 16), name: "other"),
                time: Timestamp(nanoseconds: 1), changes: [], operation: "test")
            let id = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16)
            guard case .mine(let commit) = try await log.append(draft, after: token, id: id) else {
                return
            }
            token = commit.token
        }
    }

    @Test("a prune that fails or is killed at any request loses nothing", arguments: 0..<40)
    func interrupted(_ request: Int) async throws {
        for version in 1...3 {
            try a.write([
                "f": large(UInt64(version)), name("g\(version)"): large(UInt64(version + 10)),
            ])
            try await a.sync()
        }
        a.remove("g1")
        try await a.sync()
        try await acknowledge()
        let fault: FaultyRemote.Fault =
            request.isMultiple(of: 2) ? .away(requests: 1) : .after(.away)
        world.remote.plan(FaultyRemote.Script(fault, skip: request / 2))
        _ = try? await prune(a)
        world.remote.isAway = false
        try await expectWhole()
        try await prune(b)
        try await expectWhole()
    }
}
