import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Synchronization
import Testing

/// What `repair --forget-damaged` gives up, and that no file is deleted and no copy lost by it.
@Suite("Damage that is forgotten")
struct ForgottenDamageTests: PruneScene {
    let world: World
    let a: Machine
    let b: Machine

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["k": .file("keep")])
    }

    @discardableResult
    private func forget(_ machine: Machine) async throws -> RepairReport {
        try await machine.with { try await $0.repair(forgetting: true, nil) }
    }

    private func check(_ machine: Machine, _ data: CheckedData = .all) async throws -> CheckReport {
        try await machine.with { try await $0.check(data, progress: nil) }
    }

    private func versions(_ report: RepairReport) -> [String] { report.lost.map(Self.words) }

    private static func words(_ version: LostVersion) -> String {
        "\(version.path)@\(version.version)" + (version.isCurrent ? " current" : "")
    }

    /// Flips bits all over a pack.
    private func ruin(_ pack: ObjectKey) throws {
        var bytes = try #require(world.store.objects[pack])
        for offset in stride(from: 8, to: bytes.count, by: 100) { bytes[offset] ^= 1 }
        world.store.objects[pack] = bytes
    }

    /// Every kind of check is content, and a new device receives what is not lost.
    private func expectSound(
        lost: [String] = [], _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for data in [CheckedData.none, .current, .all] {
            let report = try await check(a, data)
            #expect(report.failures.map(\.description) == [], sourceLocation: sourceLocation)
            let expected = data == .all ? lost : lost.filter { $0.hasSuffix(" current") }
            #expect(report.lost.map(Self.words) == expected, sourceLocation: sourceLocation)
        }
    }

    private func failure(
        _ machine: Machine, _ body: (Replica) async throws -> Void
    ) async -> Failure? {
        do {
            try await machine.with(body)
            return nil
        } catch { return error as? Failure }
    }

    @Test("an old version that nobody has is recorded as lost; the store is sound without it")
    func oldVersion() async throws {
        try a.write(["f": large(1), "g": large(2)])
        try await a.sync()
        let pack = try #require(packs.first)
        try a.write(["f": large(3)])
        try await a.sync()
        try await b.sync()
        try ruin(pack)
        let before = world.store.objects
        #expect(try await !a.with { try await $0.repair(nil) }.remaining.isEmpty)
        #expect(world.store.objects[pack] == before[pack], "nothing is dropped unasked")
        let report = try await forget(a)
        #expect(report.remaining.map(\.description) == [])
        #expect(versions(report) == ["f@2"])
        #expect(!packs.contains(pack))
        try await expectSound(lost: ["f@2"])
        try await expectWhole()
        let f = try RelativePath("f")
        let log = try await b.with { try await $0.history(of: f) }
        #expect(log.map(\.isLost) == [true, false] && log.allSatisfy { !$0.isPruned })
        let content = try #require(log.first?.change.entry.content)
        for found in [
            await failure(b) {
                try await $0.show(f, in: $0.tree(at: .version(2), of: [f])) { _ in }
            },
            await failure(b) { _ = try await $0.restore(f, version: 2, SyncOptions()) },
            await failure(b) { try await $0.show(content: content) { _ in } },
        ] {
            #expect(found?.code == .notFound && found?.message.contains("lost") == true)
        }
        // A second repair finds nothing, a prune goes on, and statistics count what is there.
        #expect(try await forget(b).found.isEmpty)
        try await prune(b) { $0.versions = 9 }
        _ = try await b.with { try await $0.statistics() }
        try await expectSound(lost: ["f@2"])
    }

    @Test("a flipped bit anywhere in a pack that no device can heal", arguments: [8, 70, 150, 301])
    func flipped(_ place: Int) async throws {
        try a.write(["f": large(1)])
        try await a.sync()
        let pack = try #require(packs.first)
        try a.write(["f": large(3)])
        try await a.sync()
        let count = try #require(world.store.objects[pack]?.count)
        world.store.objects[pack]?[count * place / 302] ^= 4
        #expect(try await forget(b).remaining.map(\.description) == [])
        try await expectSound(lost: ["f@2"])
        try await expectWhole()
    }

    @Test("a current file that nobody could heal stays; a device that has it stores it again")
    func healed() async throws {
        try a.write(["f": large(1)])
        try await a.sync()
        try ruin(try #require(packs.first))
        let report = try await forget(b)
        #expect(versions(report) == ["f@2 current"] && report.remaining.isEmpty && packs.isEmpty)
        try await expectSound(lost: ["f@2 current"])
        let missing = try await b.sync()
        #expect(missing.problems.map(\.path.description) == ["f"])
        #expect(missing.problems.first?.failure.message.contains("lost") == true)
        #expect(missing.publishedCommits == 0)
        // The device that has it was not told; its next run heals it, though nothing has changed there.
        let healing = try await a.sync()
        #expect(healing.publishedCommits == 1 && healing.sentBytes > 300_000)
        #expect(try await world.commits().last?.operation == "repair")
        #expect(packs.count == 1)
        try await expectSound()
        try await expectWhole()
        #expect(try b.tree()["f"] == large(1))
        #expect(try await a.sync().publishedCommits == 0, "it heals once")
        let log = try await b.with { try await $0.history(of: try RelativePath("f")) }
        #expect(log.map(\.isLost) == [false])
    }

    @Test("a recipe that outlived its chunks does not count as the content", arguments: [0, 1])
    func recipe(_ kind: Int) async throws {
        var random = SeededRandom(seed: 5)
        let bytes = random.bytes(1_500_000)
        try a.write(["f": .bytes(bytes, mode: 0o644, modified: nil)])
        try await a.sync()
        let pack = try #require(packs.first)
        // Its recipe is in another pack than most of its chunks.
        try a.write(["f": .bytes(bytes + [1, 2, 3], mode: 0o644, modified: nil)])
        try await a.sync()
        #expect(packs.count == 2)
        if kind == 0 { try ruin(pack) } else { world.store.objects[pack] = nil }
        let report = try await forget(b)
        #expect(versions(report) == ["f@2", "f@3 current"])
        try await expectSound(lost: ["f@2", "f@3 current"])
        #expect(try await a.sync().publishedCommits == 1)
        try await expectSound(lost: ["f@2"])
        try await expectWhole()
    }

    @Test("a renamed file whose content is lost is stored again under its new name")
    func renamed() async throws {
        try a.write(["f": large(1)])
        try await a.sync()
        try ruin(try #require(packs.first))
        try await forget(b)
        a.rename("f", "g")
        try await a.sync()
        try await expectSound()
        try await expectWhole()
        #expect(try b.tree()["g"] == large(1) && b.text("f") == nil)
    }

    @Test(
        "a file whose content nobody has is not deleted, and the next save heals it",
        arguments: ["edit", "save", "new device", "delete"])
    func nobody(_ kind: String) async throws {
        try a.write(["f": .file("old")])
        try await a.sync()
        try await b.sync()
        try a.write(["f": large(1)])
        try await a.sync()
        try ruin(try #require(packs.first))
        try await forget(b)
        // The only device that had it never comes back.
        let missing = try await b.sync()
        #expect(missing.problems.map(\.path.description) == ["f"] && b.text("f") == "old")
        let lost = "f@3 current"
        switch kind {
        case "edit":
            try b.write(["f": .file("new")])
            try await b.sync()
        case "save": try await b.save("new", at: "f")
        case "new device":
            let d = try await world.replica("d")
            #expect(try await d.sync().problems.map(\.path.description) == ["f"])
            #expect(d.text("f") == nil)
            try await d.save("new", at: "f")
        default:
            b.remove("f")
            try await b.sync()
            try await expectSound(lost: [lost])
            // The deletion did not know the lost version.
            #expect(try await world.commits().last?.operation == "repair")
            try await b.save("new", at: "f")
        }
        let last = try #require(try await world.commits().last?.changes.first)
        #expect(last.path.description == "f" && last.basedOn == 3)
        #expect(try await b.sync().problems.isEmpty)
        #expect(try b.names == ["f", "k"] && b.text("f") == "new")
        // Then it comes back all the same, and its version is readable, but not current.
        try await expectSound(lost: ["f@3"])
        try await a.sync()
        #expect(a.text("f") == "new")
        try await expectSound()
        let f = try RelativePath("f")
        let shown = ByteBox()
        try await b.with { replica in
            _ = try await replica.sync(SyncOptions())
            try await replica.show(f, in: replica.tree(at: .version(3), of: [f])) {
                shown.append($0)
            }
        }
        #expect(shown.bytes.count == 300_000)
        try await expectWhole()
    }

    @Test("a device that starts from a checkpoint knows what is lost", arguments: [false, true])
    func checkpoint(isHealed: Bool) async throws {
        try a.write(["f": large(1)])
        try await a.sync()
        try ruin(try #require(packs.first))
        var early = b
        early.options.checkpointInterval = 1
        try await forget(early)
        try await early.save("1", at: "n")
        if isHealed { try await a.sync() }
        #expect(world.store.objects.keys.contains { $0.description.contains("/checkpoints/") })
        let d = try await world.replica("d")
        let problems = try await d.sync().problems
        #expect(problems.isEmpty == isHealed)
        #expect(problems.allSatisfy { $0.failure.message.contains("lost") })
        try await d.save("new", at: "f")
        #expect(try await world.commits().last?.changes.first?.basedOn == 2)
        try await expectWhole()
        #expect(a.text("f") == "new")
    }

    @Test("a device that may not remove packs gives nothing up")
    func notAllowed() async throws {
        try a.write(["f": large(1)])
        try await a.sync()
        try ruin(try #require(packs.first))
        let before = world.store.objects
        world.remote.plan(.init(.before(.notAllowed), verb: .delete))
        await #expect(throws: Failure.self) { try await forget(b) }
        #expect(world.store.objects == before)
    }

    @Test("what others publish between the reading and the commit is looked at", arguments: [0, 1])
    func race(_ kind: Int) async throws {
        try a.write(["f": large(1)])
        try await a.sync()
        try ruin(try #require(packs.first))
        let rival = RivalRemote(remote: world.remote)
        var machine = b
        machine.options.connect = { _ in rival }
        let a = a
        if kind == 0 {
            // By the index the store has the content, so it is not sent.
            try a.write(["copy": large(1)])
        } else {
            try a.write(["f": large(2)])
        }
        rival.beforePublishing { try await a.sync() }
        let report = try await forget(machine)
        #expect(report.remaining.isEmpty)
        #expect(
            versions(report) == (kind == 0 ? ["copy@3 current", "f@2 current"] : ["f@2"]))
        try await a.sync()
        try await expectSound(lost: kind == 0 ? [] : ["f@2"])
        try await expectWhole()
    }

    @Test("a writer that is overtaken stores again what it took for stored")
    func overtaken() async throws {
        try a.write(["f": large(1)])
        try await a.sync()
        try ruin(try #require(packs.first))
        let rival = RivalRemote(remote: world.remote)
        var machine = a
        machine.options.connect = { _ in rival }
        let b = b
        try a.write(["copy": large(1)])
        rival.beforePublishing {
            _ = try await b.with { try await $0.repair(forgetting: true, nil) }
        }
        try await machine.sync()
        try await expectSound()
        try await expectWhole()
    }

    @Test("a repair that fails or is killed at any request goes on later", arguments: 0..<32)
    func interrupted(_ request: Int) async throws {
        try a.write(["f": large(1), "g": large(2)])
        try await a.sync()
        let pack = try #require(packs.first)
        try a.write(["f": large(3)])
        try await a.sync()
        try ruin(pack)
        let fault: FaultyRemote.Fault =
            request.isMultiple(of: 2) ? .away(requests: 1) : .after(.away)
        world.remote.plan(FaultyRemote.Script(fault, skip: 2 * (request / 2)))
        _ = try? await forget(a)
        world.remote.isAway = false
        for machine in [a, b] { try await machine.sync() }
        #expect(try await forget(a).remaining.map(\.description) == [])
        #expect(!packs.contains(pack))
        try await expectSound(lost: ["f@2"])
        try await expectWhole()
    }
}
