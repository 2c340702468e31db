import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

/// Runs that lose the race for a commit, or lose the remote, after they have written here.
@Suite("Second rounds of a run")
struct SecondRoundTests {
    /// A replica, reached so that something happens before it publishes.
    private func rival(_ machine: Machine, _ world: World) -> (Machine, RivalRemote) {
        let rival = RivalRemote(remote: world.remote)
        var machine = machine
        machine.options.connect = { _ in rival }
        return (machine, rival)
    }

    private func wide(_ count: Int) -> TreeFixture {
        TreeFixture(
            Dictionary(
                (0..<count).map { (TreeFixture.Name(Array("f\($0)".utf8)), .file("text \($0)")) }
            ) { first, _ in first })
    }

    private func approval(_ failure: Failure?) throws -> String {
        let words = try #require(failure).remedy.split { " .".contains($0) }
        let flag = try #require(words.firstIndex(of: "--approve"))
        return String(words[words.index(after: flag)])
    }

    private func pending(_ machine: Machine) async throws -> [String] {
        try await machine.with { try await $0.status().pending.map(\.description) }
    }

    private func copies(_ machine: Machine) throws -> [String] {
        try machine.names.filter { $0.contains(" (conflict ") }
    }

    // MARK: Conflict copies

    @Test("E3.2 a copy made in a lost round is reported once, and published")
    func copyOfLostRound() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        try a.write(["f": .file("of a")])
        try await a.sync()
        try b.write(["f": .file("of b")])
        let (racing, remote) = rival(b, world)
        remote.beforePublishing {
            try a.write(["other": .file("x")])
            try await a.sync()
        }
        let report = try await racing.sync()
        #expect(report.copies.map(\.description) == (try copies(b)))
        #expect(report.copies.count == 1)
        #expect(report.steps.contains { $0.isConflictCopy })
        #expect(try await pending(b) == [])
        #expect(try await b.with { try await $0.conflicts().count } == 1)
        #expect(try await b.sync().copies == [])
        try await world.converge()
        #expect(try copies(a) == report.copies.map(\.description))
    }

    @Test("E3.2 a copy that a save made in a lost round is reported and published")
    func copyOfSave() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        try a.write(["f": .file("of a")])
        try await a.sync()
        let (racing, remote) = rival(b, world)
        remote.beforePublishing {
            try a.write(["other": .file("x")])
            try await a.sync()
        }
        let saved = try await racing.save("of b", at: "f")
        #expect(saved.sync.copies.map(\.description) == (try copies(b)))
        #expect(saved.sync.copies.count == 1)
        #expect(try await pending(b) == [])
        try await a.sync()
        #expect(try copies(a) == (try copies(b)))
    }

    @Test(
        "E3.2 a copy that could not be published is reported, stays pending, and is published once")
    func copyOfRunWithoutRemote() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        try a.write(["f": .file("of a")])
        try await a.sync()
        try b.write(["f": .file("of b")])
        let (racing, remote) = rival(b, world)
        remote.beforePublishing { [away = world.remote] in away.isAway = true }
        let report = try await racing.sync()
        #expect(report.away != nil)
        #expect(report.isQueued)
        #expect(report.copies.map(\.description) == (try copies(b)))
        #expect(report.copies.count == 1)
        #expect(try await pending(b) == (try copies(b)))
        world.remote.isAway = false
        #expect(try await b.sync().copies == [])
        #expect(try await pending(b) == [])
        try await world.converge()
        #expect(try copies(a).count == 1)
    }

    @Test("E3.2 a copy made by a killed run is reported by the next one")
    func copyOfKilledRun() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        try a.write(["f": .file("of a")])
        try await a.sync()
        try b.write(["f": .file("of b")])
        let dying = DyingRemote(remote: world.remote)
        var machine = b
        machine.options.connect = { _ in dying }
        dying.willDie(beforePublishing: 1)
        await #expect(throws: Failure.self) { try await machine.sync() }
        #expect(try copies(b).count == 1)
        let report = try await b.sync()
        #expect(report.copies.map(\.description) == (try copies(b)))
        #expect(try await b.sync().copies == [])
        try await world.converge()
        #expect(try copies(a).count == 1)
    }

    @Test("E3.2 a pending copy that the user removed is no longer listed as pending")
    func removedBeforePublished() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("base")])
        world.remote.isAway = true
        try a.write(["new": .file("x")])
        try await a.sync()
        #expect(try await pending(a) == ["new"])
        a.remove("new")
        world.remote.isAway = false
        try await a.sync()
        #expect(try await pending(a) == [])
    }

    @Test("E3.7 the next round recognises its own copy, and the copy names who wrote the content")
    func ownCopyIsKnown() async throws {
        let world = try World()
        let made = try await world.replicas("a", "b", "c", holding: ["k": .file("keep")])
        let (a, b, c) = (made[0], made[1], made[2])
        try a.write(["d": .file("a file")])
        try await a.sync()
        try b.write(["d": .directory(["x": .file("in a folder")])])
        let (racing, remote) = rival(b, world)
        remote.beforePublishing {
            try c.write(["k": .file("edited")])
            try await c.sync()
        }
        let report = try await racing.sync()
        let found = try copies(b)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("d (conflict a ") == true)
        #expect(report.copies.map(\.description) == found)
        try await world.converge()
        #expect(try copies(c) == found)
    }

    @Test("E3.7 a copy names its writer also when an earlier run had fetched the content")
    func writerOfFetchedContent() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["k": .file("keep")])
        try a.write(["d": .file("a file")])
        try await a.sync()
        // This fetches all there is, and leaves what it was not asked for to a later run.
        _ = try await b.with {
            try await $0.load(RelativePath("k"), isOffline: false, SyncOptions()) { _ in }
        }
        try b.write(["d": .directory(["x": .file("in a folder")])])
        try await b.sync()
        #expect(try copies(b).map { $0.hasPrefix("d (conflict a ") } == [true])
    }

    @Test("E3.7 two devices that adopt a rolled-back store keep one content under one name")
    func rolledBackStore() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("old")])
        let backup = world.store.objects
        try a.write(["f": .file("new")])
        try await a.sync()
        try await b.sync()
        world.store.objects = backup
        for machine in [a, b] {
            let failure = await #expect(throws: Failure.self) { try await machine.sync() }
            let id = try approval(failure)
            try await machine.sync { $0.approved = id }
        }
        try await world.converge()
        let found = try copies(a)
        #expect(found.count == 1, "\(found)")
        #expect(found.compactMap { a.text($0) } == ["new"])
        #expect(a.text("f") == "old")
    }

    // MARK: What a round has written

    @Test("E3.8 a save over the winner, before an offline run has ended, is an edit of the winner")
    func editOfWinner() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        try a.write(["f": .file("of a")])
        try await a.sync()
        try b.write(["f": .file("of b")])
        let (racing, remote) = rival(b, world)
        remote.beforePublishing { [away = world.remote] in
            #expect(b.text("f") == "of a")
            try b.write(["f": .file("of a, edited by b")])
            away.isAway = true
        }
        #expect(try await racing.sync().away != nil)
        world.remote.isAway = false
        #expect(try await b.sync().copies == [])
        #expect(b.text("f") == "of a, edited by b")
        #expect(try copies(b).count == 1)
        try await world.converge()
        #expect(a.text("f") == "of a, edited by b")
    }

    @Test("E3.8 the same when the run is killed before it has published")
    func editOfWinnerAfterKill() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        try a.write(["f": .file("of a")])
        try await a.sync()
        try b.write(["f": .file("of b")])
        let dying = DyingRemote(remote: world.remote)
        var machine = b
        machine.options.connect = { _ in dying }
        dying.willDie(beforePublishing: 1)
        await #expect(throws: Failure.self) { try await machine.sync() }
        #expect(b.text("f") == "of a")
        try b.write(["f": .file("of a, edited by b")])
        try await b.sync()
        #expect(b.text("f") == "of a, edited by b")
        #expect(try copies(b).count == 1)
        try await world.converge()
        #expect(a.text("f") == "of a, edited by b")
    }

    @Test("E3.8 a save over the winner in a lost round is published as its edit")
    func editOfWinnerInLostRound() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        try a.write(["f": .file("of a")])
        try await a.sync()
        try b.write(["f": .file("of b")])
        let (racing, remote) = rival(b, world)
        remote.beforePublishing {
            try b.write(["f": .file("of a, edited by b")])
            try a.write(["other": .file("x")])
            try await a.sync()
        }
        try await racing.sync()
        try await b.sync()
        #expect(b.text("f") == "of a, edited by b")
        #expect(try copies(b).count == 1)
        try await world.converge()
        #expect(a.text("f") == "of a, edited by b")
    }

    // MARK: Guards

    @Test("E3.1 the guards check the round after a lost race, too")
    func guardsInSecondRound() async throws {
        let world = try World()
        let (a, b) = try await world.pair(wide(100))
        try b.write(["f99": .file("edited")])
        let (racing, remote) = rival(b, world)
        remote.beforePublishing {
            for number in 0..<90 { a.remove("f\(number)") }
            try await a.sync { $0.maxDelete = .count(100) }
        }
        let failure = await stop { try await racing.sync() }
        #expect(failure?.code == .limit)
        #expect(try b.names.count == 100)
        // What was approved is done, and nothing else has to be.
        let id = try approval(failure)
        try await b.sync { $0.approved = id }
        #expect(try b.names.count == 10)
        #expect(try await pending(b) == [])
        try await world.converge()
        #expect(a.text("f99") == "edited")
    }

    @Test("E3.1 deletions that the run has made already count")
    func guardsAddUp() async throws {
        let world = try World()
        let (a, b) = try await world.pair(wide(100))
        for number in 0..<40 { a.remove("f\(number)") }
        try await a.sync()
        try b.write(["f99": .file("edited")])
        let (racing, remote) = rival(b, world)
        remote.beforePublishing {
            for number in 40..<60 { a.remove("f\(number)") }
            try await a.sync()
        }
        let failure = await stop { try await racing.sync() }
        #expect(failure?.code == .limit)
        #expect(try b.names.count == 60)
        #expect(try await pending(b) == ["f99"])
        let id = try approval(failure)
        let report = try await b.sync { $0.approved = id }
        #expect(report.steps.count == 21)
        #expect(try b.names.count == 40)
        try await world.converge()
    }

    @Test("E3.1 an approved plan needs no second approval after a lost race")
    func approvedOnce() async throws {
        let world = try World()
        let (a, b) = try await world.pair(wide(100))
        for number in 0..<90 { b.remove("f\(number)") }
        let id = try approval(await stop { try await b.sync() })
        let (racing, remote) = rival(b, world)
        remote.beforePublishing {
            try a.write(["other": .file("x")])
            try await a.sync()
        }
        let failure = await stop { try await racing.sync { $0.approved = id } }
        #expect(failure == nil)
        try await a.sync { $0.maxDelete = .count(100) }
        #expect(try a.names.count == 11)
        try await world.converge()
    }

    /// What stopped a run; nil when nothing did.
    private func stop(_ run: () async throws -> SyncReport) async -> Failure? {
        do { return try await run().stopped } catch { return error as? Failure }
    }

    @Test(
        "what came in the first round and is deleted in the second one is counted among all that was there",
        arguments: [(30, nil), (50, "The run would delete 50 of 70 paths here; the limit is 50%.")]
            as [(Int, String?)])
    func youngDeletions(_ count: Int, _ stop: String?) async throws {
        let world = try World()
        let (a, b) = try await world.pair(wide(10))
        try a.write(wide(70))
        try await a.sync()
        try b.write(["own": .file("x")])
        let (racing, remote) = rival(b, world)
        remote.beforePublishing {
            for number in 10..<(10 + count) { a.remove("f\(number)") }
            try await a.sync { $0.maxDelete = .count(100) }
        }
        let report = try await racing.sync()
        #expect(report.stopped?.message == stop)
        #expect(try b.names.count == (stop == nil ? 71 - count : 71))
    }

    @Test("deletions of what was there before are no smaller share because much came with them")
    func oldDeletions() async throws {
        let world = try World()
        let (a, b) = try await world.pair(wide(30))
        try a.write(wide(90))
        try await a.sync()
        try b.write(["own": .file("x")])
        let (racing, remote) = rival(b, world)
        remote.beforePublishing {
            for number in 0..<26 { a.remove("f\(number)") }
            try await a.sync { $0.maxDelete = .count(100) }
        }
        let report = try await racing.sync()
        #expect(
            report.stopped?.message == "The run would delete 26 of 30 paths here; the limit is 50%."
        )
        #expect(try b.names.count == 91)
    }
}
