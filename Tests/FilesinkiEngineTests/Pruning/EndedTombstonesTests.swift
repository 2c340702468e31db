import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

/// When tombstones end, and that nothing comes back and no edit goes by that.
@Suite("The end of tombstones")
struct EndedTombstonesTests: PruneScene {
    let world: World
    let a: Machine
    let b: Machine

    init() async throws {
        world = try World()
        var machines = try await world.replicas(
            "a", "b",
            holding: [
                "k": .file("keep"), "gone": .file("to go"), "edited": .file("old"),
                "big": .file(String(repeating: "large ", count: 60_000)),
                "d": .directory(["x": .file("1"), "y": .directory([:])]),
            ])
        for number in machines.indices { machines[number].options.checkpointInterval = 4 }
        (a, b) = (machines[0], machines[1])
    }

    private func deleted(_ machine: Machine) async throws -> [String] {
        try await machine.with { try await $0.deleted([]) }.map(\.path.description)
    }

    /// The tombstones of the newest checkpoint.
    private func listed() async throws -> [String] {
        let format = try #require(try await StoreFormat.read(from: world.store))
        let store = try CheckpointStore(remote: world.store, zone: "files", store: format)
        let newest = try #require(try await store.latest())
        return newest.entries.filter { $0.entry.entry.kind == .tombstone }.map(\.path.description)
    }

    /// Deletes what the tests are about, and ends its tombstones while the other device is away for good.
    private func endWithoutB() async throws {
        for name in ["gone", "edited", "big", "d"] { a.remove(name) }
        try await a.sync()
        for number in 0..<3 { try await a.save("\(number)", at: "n") }
        try await a.with { try await $0.forgetDevice("b") }
        world.clock.advance(by: .seconds(90_000))
        try a.write(["m": .file("new")])
        try await a.sync()
        #expect(try await prune(a).endedTombstones == 6)
        for number in 3..<9 { try await a.save("\(number)", at: "n") }
        #expect(try await listed() == [])
        #expect(try await deleted(a) == [])
    }

    /// The state of a replica is gone, with its device; the files are there.
    private func startsAnew(_ machine: Machine, as name: String) async throws {
        machine.remove(".filesinki")
        _ = try await Replica.initialize(machine.options, address: "memory", deviceName: name)
    }

    @Test("they stay until each known device has applied the deletion")
    func acknowledged() async throws {
        a.remove("gone")
        try await a.sync()
        for number in 0..<4 { try await a.save("\(number)", at: "n") }
        #expect(try await prune(a).endedTombstones == 0)
        #expect(try await deleted(a) == ["gone"])
        #expect(try await listed() == ["gone"])
        try await acknowledge()
        #expect(try await prune(a, isDryRun: true).endedTombstones == 1)
        #expect(try await deleted(a) == ["gone"])
        #expect(try await prune(a).endedTombstones == 1)
        try await world.converge()
        #expect(try await deleted(a) == [])
        #expect(try await deleted(b) == [])
        #expect(try await prune(b).endedTombstones == 0)
        // What was needed until then goes.
        try await prune(a)
        let commits = try await world.commits()
        try await prune(a)
        let published = try await world.commits().dropFirst(commits.count)
        #expect(published.isEmpty, "nothing is published for nothing: \(Array(published))")
        for number in 4..<9 { try await b.save("\(number)", at: "n") }
        #expect(try await listed() == [])
        // What is deleted later is listed again, and what was deleted may come again.
        try a.write(["gone": .file("again")])
        try await a.sync()
        b.remove("k")
        try await b.sync()
        #expect(try await deleted(b) == ["k"])
        try await expectWhole()
        #expect(a.text("gone") == "again")
    }

    @Test("the device that prunes acknowledges what it has applied before its own end")
    func own() async throws {
        a.remove("gone")
        try await a.sync()
        try await a.save("0", at: "n")
        try await a.with { try await $0.forgetDevice("b") }
        let acknowledgements = { [world] in
            world.store.objects.keys.count {
                $0.description.hasPrefix("devices/") && $0.description.contains("/files/")
            }
        }
        #expect(acknowledgements() == 1)
        #expect(try await prune(a).endedTombstones == 1)
        #expect(try await a.with { try await $0.devices() }.map(\.acknowledged) == [3])
        // The earlier one goes with the next.
        #expect(acknowledgements() == 2)
        world.clock.advance(by: .seconds(90_000))
        try await a.save("1", at: "n")
        #expect(acknowledgements() == 1)
    }

    @Test("they stay as long as a version of what was deleted is kept")
    func kept() async throws {
        a.remove("gone")
        try await a.sync()
        try await acknowledge()
        #expect(try await prune(a) { $0.versions = 1 }.endedTombstones == 0)
        #expect(try await prune(a) { $0.within = 400_000 }.endedTombstones == 0)
        #expect(try await deleted(a) == ["gone"])
        #expect(try await prune(a).endedTombstones == 1)
    }

    @Test(
        "a forgotten device that comes back brings nothing back, and keeps what it has edited",
        arguments: ["as it was", "without its manifest", "without its state"],
        [false, true])
    func comesBack(_ how: String, inBatches: Bool) async throws {
        try await endWithoutB()
        try b.write(["edited": .file("by b"), "own": .file("b's")])
        switch how {
        case "as it was": break
        case "without its manifest": b.loseManifest()
        default: try await startsAnew(b, as: "b2")
        }
        let report = try await b.sync {
            if inBatches { ($0.batchSize, $0.wholeRunLimit) = (1, 2) }
        }
        #expect(report.problems.map(\.failure.description) == [])
        try await world.converge()
        #expect(try a.names == ["edited", "k", "m", "n", "own"])
        #expect(a.text("edited") == "by b")
        try await expectWhole()
    }

    @Test("what a first run for some paths leaves is compared with the log by a later run")
    func pathsFirst() async throws {
        try await endWithoutB()
        try b.write(["edited": .file("by b")])
        try await startsAnew(b, as: "b2")
        try await b.save("x", at: "first")
        _ = try await b.sync { $0.paths = [try? RelativePath("gone")].compactMap(\.self) }
        #expect(b.text("gone") == nil && b.text("big") != nil)
        try await b.sync()
        try await world.converge()
        #expect(try a.names == ["edited", "first", "k", "m", "n"])
        // From here on a new file is a new file.
        try b.write(["gone": .file("to go")])
        try await b.sync()
        #expect(b.text("gone") == "to go")
        try await expectWhole()
    }

    @Test("what a user saves is no stale copy, although it was deleted with the same content")
    func savedAgain() async throws {
        try await endWithoutB()
        b.remove("edited")
        b.remove("big")
        b.remove("d")
        try await startsAnew(b, as: "b2")
        try await b.save("to go", at: "gone")
        try await world.converge()
        #expect(a.text("gone") == "to go")
    }

    @Test("a first run that another device overtakes, or that is killed, brings nothing back")
    func overtaken() async throws {
        try await endWithoutB()
        try b.write(["edited": .file("by b")])
        try await startsAnew(b, as: "b2")
        let (a, dying, rival) = (
            a, DyingRemote(remote: world.remote), RivalRemote(remote: world.remote)
        )
        var machine = b
        machine.options.connect = { _ in dying }
        dying.willDie(afterPublishing: 1)
        await #expect(throws: Failure.self) { try await machine.sync() }
        try b.write(["own": .file("b's")])
        machine.options.connect = { _ in rival }
        rival.beforePublishing { try await a.save("10", at: "n") }
        try await machine.sync()
        try await world.converge()
        #expect(try a.names == ["edited", "k", "m", "n", "own"])
    }

    @Test("commits that are missing are no reason to delete a file")
    func missingCommits() async throws {
        try await endWithoutB()
        let first = "zones/files/log/00000000000000000001/c"
        world.store.objects[try ObjectKey(first)] = nil
        try await startsAnew(b, as: "b2")
        #expect(try await b.sync().problems.isEmpty)
        #expect(b.text("gone") == "to go")
    }
}
