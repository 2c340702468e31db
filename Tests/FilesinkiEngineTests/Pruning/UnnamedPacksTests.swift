import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Synchronization
import Testing

@testable import FilesinkiEngine

/// What a prune does with packs that no commit names: of killed runs, and of runs that are about to publish.
@Suite("Packs that no commit names")
struct UnnamedPacksTests: PruneScene {
    let world: World
    let a: Machine
    let b: Machine
    /// The first device, whose prunes retire what they find at once.
    let hasty: Machine

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["k": .file("keep")])
        var hasty = a
        hasty.options.sparesUnnamedPacks = false
        self.hasty = hasty
    }

    /// A device stores packs, and is stopped before its commit.
    private func stop(_ machine: Machine, _ tree: TreeFixture) async throws {
        try machine.write(tree)
        world.remote.plan(.init(.before(.away), verb: .publish))
        #expect(try await machine.sync().away != nil)
    }

    private func retired() async throws -> Set<[UInt8]> {
        Set(try await world.commits().flatMap { $0.pruning?.retired ?? [] })
    }

    /// No commit names a pack that a commit before it has retired.
    private func expectNoneNamedAgain() async throws {
        var retired: Set<[UInt8]> = []
        for commit in try await world.commits() {
            #expect(retired.isDisjoint(with: commit.packs.map(\.id)))
            retired.formUnion(commit.pruning?.retired ?? [])
        }
    }

    @Test("a pack of a failed upload goes once each device has been there since a prune found it")
    func failedUpload() async throws {
        try await publishVersions(1...1)
        let lost = try ObjectKey("packs/ab/ab" + String(repeating: "0", count: 30))
        world.store.objects[lost] = Array(repeating: 7, count: 1000)
        let first = try await prune(a)
        #expect(first.removedUnnamedPacks == 0 && first.waitingUnnamedPacks == 1)
        let second = try await prune(a)
        #expect(second.removedUnnamedPacks == 0 && second.waitingUnnamedPacks == 1)
        // The other device has not been there since.
        try a.write(["n": .file("new")])
        try await a.sync()
        #expect(try await prune(a).removedUnnamedPacks == 0)
        try await acknowledge()
        let before = world.store.objects
        let dry = try await prune(a, isDryRun: true)
        #expect(dry.removedUnnamedPacks == 1 && dry.waitingUnnamedPacks == 0)
        #expect(dry.freedBytes >= 1000 && world.store.objects == before)
        let third = try await prune(a)
        #expect(third.removedUnnamedPacks == 1 && third.waitingUnnamedPacks == 0)
        #expect(third.droppedVersions == dry.droppedVersions)
        #expect(world.store.objects[lost] == nil)
        #expect(a.text(".filesinki/unnamed-packs") == nil)
        try await expectWhole()
        let versions = try await a.with { try await $0.check(.all, progress: nil) }.prunedVersions
        #expect(versions == third.droppedVersions)
    }

    @Test("a device that was forgotten is not waited for")
    func forgotten() async throws {
        try await stop(b, ["f": large(1)])
        #expect(try await prune(a).waitingUnnamedPacks == 1)
        #expect(try await prune(a).waitingUnnamedPacks == 1)
        try await a.with { try await $0.forgetDevice("b") }
        #expect(try await prune(a).removedUnnamedPacks == 1)
        #expect(packs.isEmpty)
        // It was alive, and sends its file again.
        try await b.sync()
        #expect(packs.count == 1)
        try await expectWhole()
        try await expectNoneNamedAgain()
    }

    @Test("what this device has stored and not published is left for its next run")
    func own() async throws {
        try await stop(a, ["f": large(1)])
        let stored = packs
        #expect(stored.count == 1)
        let report = try await prune(hasty)
        #expect(report.removedUnnamedPacks == 0 && report.waitingUnnamedPacks == 0)
        #expect(report.ownUnnamedPacks == 1 && report.ownUnnamedBytes > 200_000)
        try await a.sync()
        #expect(packs == stored)
        try await expectWhole()
    }

    @Test("where the store is full, what this device has not published makes room for a prune")
    func full() async throws {
        try await publishVersions(1...3)
        try await acknowledge()
        try await stop(a, ["g": large(9)])
        let stored = packs.count
        world.remote.plan(.init(.before(.full), verb: .publish, prefix: "zones/"))
        let second = try #require(
            world.store.objects.keys.map(\.description).filter { $0.hasPrefix("zones/files/log/") }
                .sorted().dropFirst().first)
        let requests = world.remote.log.count
        let report = try await prune(a)
        // What was read of the log is not read again.
        let reads = world.remote.log.dropFirst(requests).count { event in
            event.verb == .get && event.key == second
        }
        #expect(reads == 1)
        #expect(report.removedPacks > 0 && report.removedUnnamedPacks == 1)
        #expect(packs.count == stored - report.removedPacks - 1)
        #expect(a.text(".filesinki/unpublished-packs") == nil)
        // It sends its file again.
        try await a.sync()
        try await expectWhole()
        try await expectNoneNamedAgain()
    }

    @Test("a store that stays full keeps its packs, and the message says what a prune needs")
    func staysFull() async throws {
        try await publishVersions(1...2)
        try await acknowledge()
        let stored = packs
        for _ in 1...2 {
            world.remote.plan(.init(.before(.full), verb: .publish, prefix: "zones/"))
        }
        let failure = await #expect(throws: Failure.self) { try await prune(a) }
        #expect(failure?.code == .full && failure?.remedy.contains("A prune needs some") == true)
        #expect(packs == stored)
    }

    @Test(
        "where the store has no space to join small packs, those go of which nothing is needed",
        arguments: [false, true])
    func noSpaceToRewrite(hasUpload: Bool) async throws {
        for number in 10..<42 {
            try a.write([name("f\(number)"): large(UInt64(number))])
            try await a.sync()
        }
        try await publishVersions(1...2)
        try await acknowledge()
        let stored = packs
        if hasUpload { try await stop(a, ["g": large(9)]) }
        for _ in 0...(hasUpload ? 1 : 0) {
            world.remote.plan(.init(.before(.full), verb: .put, prefix: "packs/"))
        }
        let report = try await prune(a)
        #expect(report.removedPacks == 1 && report.rewrittenPacks == 0 && report.lacksSpace)
        #expect(report.freedBytes >= 300_000)
        #expect(packs.count == stored.count - 1 && Set(packs).isSubset(of: stored))
        try await a.sync()
        // Now it has the space.
        let later = try await prune(a)
        #expect(later.rewrittenPacks > 32 && !later.lacksSpace)
        try await expectWhole()
        try await expectNoneNamedAgain()
    }

    @Test("where only rewriting would free something, and has no space, a prune fails")
    func nothingUnused() async throws {
        try a.write(["g": large(8), "h": large(9)])
        try await a.sync()
        a.remove("g")
        try await a.sync()
        try await acknowledge()
        let stored = packs
        world.remote.plan(.init(.before(.full), verb: .put, prefix: "packs/"))
        let failure = await #expect(throws: Failure.self) { try await prune(a) }
        #expect(failure?.code == .full && failure?.remedy.contains("A prune needs some") == true)
        #expect(packs == stored)
        #expect(try await prune(a).rewrittenPacks == 1)
        try await expectWhole()
    }

    @Test(
        "what this device has stored and no longer wants goes at once, and the rest is named with its devices"
    )
    func unwanted() async throws {
        try await stop(b, ["g": large(2)])
        try await stop(a, ["f": large(1)])
        a.remove("f")
        try a.write(["small": large(3, 30_000)])
        let dry = try await prune(a, isDryRun: true)
        #expect(dry.removedUnnamedPacks == 1 && dry.freedBytes > 200_000 && packs.count == 2)
        let report = try await prune(a)
        #expect(report.removedUnnamedPacks == 1 && report.ownUnnamedPacks == 0)
        #expect(report.waitingUnnamedBytes > 200_000 && report.awaitedDevices == ["b"])
        #expect(packs.count == 1 && a.text(".filesinki/unpublished-packs") == nil)
        try await a.sync()
        try await b.sync()
        try await expectWhole()
        try await expectNoneNamedAgain()
    }

    @Test("what was stored of a deleted file goes, whatever else waits", arguments: [1, 7])
    func othersWait(_ factor: Int) async throws {
        // A large one has chunks.
        try await stop(a, ["f": large(1, factor * 300_000)])
        let stored = packs
        a.remove("f")
        try a.write(["other": large(3, factor * 300_000)])
        let dry = try await prune(a, isDryRun: true)
        #expect(dry.removedUnnamedPacks == 1 && dry.ownUnnamedPacks == 0 && packs == stored)
        let report = try await prune(a)
        #expect(report.removedUnnamedPacks == 1 && report.ownUnnamedPacks == 0)
        #expect(packs.isEmpty && a.text(".filesinki/unpublished-packs") == nil)
        try await expectWhole()
        try await expectNoneNamedAgain()
    }

    @Test("of an upload the packs of files that are still there stay", arguments: [1, 7])
    func partlyWanted(_ factor: Int) async throws {
        // Less than what waits after its end, so that the files are read.
        try await stop(a, ["f": large(1, factor * 280_000)])
        let first = packs
        try await stop(a, ["g": large(2, factor * 300_000)])
        let left = packs.filter { !first.contains($0) }
        #expect(!left.isEmpty)
        a.remove("f")
        let report = try await prune(a)
        #expect(report.removedUnnamedPacks == first.count)
        #expect(report.ownUnnamedPacks == left.count && Set(packs) == Set(left))
        try await a.sync()
        #expect(packs == left)
        try await expectWhole()
        try await expectNoneNamedAgain()
    }

    @Test("the first chunks of a file stay, though nothing says yet which file they are of")
    func chunksOnly() async throws {
        try a.write(["f": large(1, 11_000_000)])
        world.remote.plan(.init(.before(.interrupted), verb: .put, prefix: "packs/", skip: 1))
        await #expect(throws: Failure.self) { try await a.sync() }
        let stored = packs
        #expect(stored.count == 1)
        let report = try await prune(a)
        #expect(report.removedUnnamedPacks == 0 && report.ownUnnamedPacks == 1)
        #expect(packs == stored)
        try await a.sync()
        try await expectWhole()
    }

    @Test(
        "a run whose packs are retired before its commit stores their contents again",
        arguments: 0..<5)
    func slowWriter(_ kind: Int) async throws {
        let content = large(1, kind == 1 ? 2_000_000 : 300_000)
        let rival = RivalRemote(remote: world.remote)
        var machine = b
        machine.options.connect = { _ in rival }
        let (hasty, last) = (hasty, policy { $0.last = 1 })
        let removed = Mutex(0)
        if kind == 3 {
            // The content is of a killed run, and found by the next one.
            try await stop(b, ["new": content])
        } else if kind == 4 {
            // Both sides edit: what is here is stored as the version that gives way.
            try b.write(["k": content])
            try a.write(["k": large(9)])
            try await a.sync()
        } else if kind != 2 {
            try b.write(["new": content])
        }
        rival.beforePublishing {
            let report = try await hasty.with { try await $0.prune(last, isDryRun: false, nil) }
            removed.withLock { $0 = report.removedUnnamedPacks }
        }
        if kind == 2 {
            guard case .bytes(let bytes, _, _) = content else { return }
            try await machine.with { replica in
                var options = SaveOptions()
                options.ifVersion = 0
                _ = try await replica.save(try RelativePath("new"), options) { write in
                    try bytes.withUnsafeBytes(write)
                }
            }
        } else {
            #expect(try await machine.sync().away == nil)
        }
        #expect(removed.withLock { $0 } == 1)
        try await expectNoneNamedAgain()
        try await expectWhole()
        if kind != 4 { #expect(try a.tree()["new"] == content) }
    }

    @Test("a pack that a commit names before the prune's commit stays")
    func namedFirst() async throws {
        try await stop(b, ["f": large(1)])
        let rival = RivalRemote(remote: world.remote)
        var machine = hasty
        machine.options.connect = { _ in rival }
        let b = b
        rival.beforePublishing { try await b.sync() }
        let report = try await prune(machine)
        #expect(report.removedUnnamedPacks == 0)
        #expect(packs.count == 1)
        #expect(try await retired().isEmpty)
        try await expectWhole()
    }

    @Test("packs that a killed prune has retired go with the next one")
    func killed() async throws {
        try await stop(b, ["f": large(1), "g": large(2)])
        // The first deletion tries the right to delete.
        world.remote.plan(.init(.away(requests: 1), verb: .delete, skip: 1))
        await #expect(throws: Failure.self) { try await prune(hasty) }
        #expect(try await retired().count == packs.count)
        let again = try await prune(hasty)
        #expect(again.removedPacks > 0 && again.removedUnnamedPacks == 0)
        #expect(packs.isEmpty)
        try await expectWhole()
        try await expectNoneNamedAgain()
    }

    @Test("the note keeps the first position of a pack, and skips what is not a line of it")
    func note() {
        let store: [UInt8] = Array(repeating: 1, count: 16)
        let (x, y) = ([UInt8](repeating: 2, count: 16), [UInt8](repeating: 3, count: 16))
        var note = UnnamedPacksNote(store: store)
        note.keep([x], foundAt: 5)
        note.keep([x, y], foundAt: 9)
        #expect(note.positions == [x: 5, y: 9])
        let text = note.bytes + Array("x y z\n\(hexadecimal(y)) \(hexadecimal(y)) 1\n".utf8)
        #expect(UnnamedPacksNote(text, store: store) == note)
        #expect(UnnamedPacksNote(note.bytes, store: y).positions.isEmpty)
        note.keep([y], foundAt: 10)
        #expect(note.positions == [y: 9])
    }
}
