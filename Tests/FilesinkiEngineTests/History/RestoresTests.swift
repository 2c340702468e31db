import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Synchronization
import Testing

/// Lets a user act when a pack is read: after a command's look at the path, and before it writes there.
private final class MeddlingRemote: RemoteWrapper {
    let wrapped: any Remote
    private let action = Mutex<(@Sendable () throws -> Void)?>(nil)

    init(_ wrapped: any Remote) { self.wrapped = wrapped }

    func whenPackIsRead(_ body: @escaping @Sendable () throws -> Void) {
        action.withLock { $0 = body }
    }

    private func meddle(_ key: ObjectKey) throws {
        guard key.description.hasPrefix("packs/") else { return }
        let body = action.withLock { deed in
            defer { deed = nil }
            return deed
        }
        try body?()
    }

    func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try meddle(key)
        return try await wrapped.get(key, range: range)
    }

    func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        for request in requests { try meddle(request.key) }
        return try await wrapped.read(requests)
    }
}

@Suite("Restore, undelete and resolve")
struct RestoresTests {
    /// The same replica over a remote that meddles.
    private func meddled(_ machine: Machine, _ world: World) -> (Machine, MeddlingRemote) {
        let remote = MeddlingRemote(world.remote)
        var machine = machine
        machine.options.connect = { _ in remote }
        return (machine, remote)
    }

    @Test("E3.3 restore keeps a file saved after its scan")
    func restore() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": UploadTests.noise(300_000)])
        try a.write(["f": .file("two")])
        try await world.converge()
        let (machine, remote) = meddled(a, world)
        remote.whenPackIsRead { try a.write(["f": .file("saved meanwhile")]) }
        let path = try RelativePath("f")
        let report = try await machine.with {
            try await $0.restore(path, version: 1, SyncOptions())
        }
        #expect(a.text("f") == "saved meanwhile")
        #expect(report.restored.isEmpty)
        #expect(report.problems.map(\.path) == [path])
        #expect(report.problems.first?.failure.code == .changing)
        try await world.converge()
        #expect(b.text("f") == "saved meanwhile")
        _ = try await a.with { try await $0.restore(path, version: 1, SyncOptions()) }
        #expect(a.text("f")?.utf8.count != 15)
    }

    @Test("E3.3 undelete keeps a file created after its scan")
    func undelete() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": UploadTests.noise(300_000), "g": .file("1")])
        a.remove("f")
        try await world.converge()
        let (machine, remote) = meddled(a, world)
        remote.whenPackIsRead { try a.write(["f": .file("new")]) }
        let path = try RelativePath("f")
        let report = try await machine.with { try await $0.undelete(path, SyncOptions()) }
        #expect(a.text("f") == "new")
        #expect(report.problems.map(\.path) == [path])
    }

    @Test(
        "E3.3 resolve keeps a file saved after its scan, and leaves the conflict open",
        arguments: [false, true])
    func resolve(_ isCopy: Bool) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": UploadTests.noise(300_000, seed: 1)])
        try a.write(["f": UploadTests.noise(300_000, seed: 2)])
        try await a.sync()
        try b.write(["f": UploadTests.noise(300_000, seed: 3)])
        let copy = try #require(try await b.sync().copies.first)
        let (machine, remote) = meddled(b, world)
        let edited = isCopy ? "\(copy)" : "f"
        // Only the base is read from the store; both sides are in the folder.
        remote.whenPackIsRead {
            try b.write([TreeFixture.Name(Array(edited.utf8)): .file("saved meanwhile")])
        }
        let path = try RelativePath("f")
        let report = try await machine.with {
            try await $0.resolve(path, .base, SyncOptions())
        }
        #expect(b.text(edited) == "saved meanwhile")
        #expect(report.problems.count == 1)
        let open = try await b.with { try await $0.conflicts() }
        #expect(open.map(\.path) == [path])
        try await world.converge()
        #expect(a.text(edited) == "saved meanwhile")
    }

    @Test("E7.3 undelete restores a folder with everything that was deleted with it")
    func folder() async throws {
        let world = try World()
        let tree: TreeFixture = [
            "d": .directory([
                "f": .file("1"), "e": .directory(["g": .file("2", mode: 0o600)]), "old": .file("3"),
            ]),
            "k": .file("4"),
        ]
        let (a, b) = try await world.pair(tree)
        a.remove("d/old")
        try await world.converge()
        try a.write(["k": .file("5")])
        try await world.converge()
        let wanted = try a.tree()
        a.remove("d")
        try await world.converge()
        let path = try RelativePath("d")
        let report = try await b.with { try await $0.undelete(path, SyncOptions()) }
        #expect(report.restored.map(\.description) == ["d", "d/e", "d/e/g", "d/f"])
        #expect(report.problems.isEmpty)
        try await world.converge()
        #expect(try a.tree() == wanted)
        #expect(try b.tree() == wanted)
    }

    @Test("E7.3 a folder that was deleted in several commits is restored whole")
    func piecemeal() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["f": .file("1"), "g": .file("2")]), "k": .file("3"), "l": .file("4"),
        ])
        for path in ["d/f", "d/g", "d"] {
            a.remove(path)
            try await a.syncChanges(path)
        }
        try await b.sync()
        let path = try RelativePath("d")
        _ = try await b.with { try await $0.undelete(path, SyncOptions()) }
        #expect(b.text("d/f") == "1")
        #expect(b.text("d/g") == "2")
    }

    @Test("E7.3 restore brings a folder to a version, and keeps what was added since")
    func restoredFolder() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["f": .file("1"), "g": .file("2")]), "k": .file("3"),
        ])
        try a.write(["d": .directory(["f": .file("edited")])])
        a.remove("d/g")
        try await world.converge()
        try a.write(["d": .directory(["n": .file("new")])])
        try await world.converge()
        let path = try RelativePath("d")
        let report = try await b.with { try await $0.restore(path, version: 1, SyncOptions()) }
        #expect(report.restored.map(\.description) == ["d/f", "d/g"])
        #expect(report.unchanged == [path])
        try await world.converge()
        for machine in [a, b] {
            #expect(machine.text("d/f") == "1")
            #expect(machine.text("d/g") == "2")
            #expect(machine.text("d/n") == "new")
        }
        #expect(try await world.commits().last?.changes.contains { $0.path == path } == false)
    }

    @Test("E7.3 deleted paths are listed until they are restored")
    func listed() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["f": .file("1")]), "g": .file("2"), "k": .file("3"),
        ])
        a.remove("d")
        a.remove("g")
        try await world.converge()
        let c = try await world.replica("c")
        try await c.sync()
        for machine in [a, b, c] {
            let all = try await machine.with { try await $0.deleted([]) }
            #expect(all.map(\.path.description) == ["d", "d/f", "g"])
            #expect(all.map(\.version) == [2, 2, 2])
            let path = try RelativePath("d")
            let some = try await machine.with { try await $0.deleted([path]) }
            #expect(some.map(\.path.description) == ["d", "d/f"])
        }
        let path = try RelativePath("g")
        _ = try await b.with { try await $0.undelete(path, SyncOptions()) }
        try await world.converge()
        let left = try await a.with { try await $0.deleted([]) }
        #expect(left.map(\.path.description) == ["d", "d/f"])
    }

    @Test("E7.10 explain reports restore, undelete and resolve, here and on other devices")
    func explained() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        let (f, g) = (try RelativePath("f"), try RelativePath("g"))
        try a.write(["f": .file("edited")])
        a.remove("g")
        try await world.converge()
        _ = try await b.with { try await $0.restore(f, version: 1, SyncOptions()) }
        _ = try await b.with { try await $0.undelete(g, SyncOptions()) }
        try await world.converge()
        for (path, word) in [(f, "restore"), (g, "undelete")] {
            let here = try await b.with { try await $0.explain(path) }
            let action = try #require(here.actions.first { $0.action == word })
            #expect((action.baseVersion, action.version) == (1, here.base?.version))
            #expect(action.device?.name == "b")
            let there = try await a.with { try await $0.explain(path) }
            #expect(there.versions.first?.change.reason == word)
        }
        try a.write(["f": .file("one side")])
        try b.write(["f": .file("other side")])
        try await a.sync()
        try await b.sync { $0.strategy = Strategy([.end(.keepBoth)]) }
        _ = try await b.with { try await $0.resolve(f, .ours, SyncOptions()) }
        try await world.converge()
        let here = try await b.with { try await $0.explain(f) }
        let action = try #require(here.actions.first { $0.action == "resolve" })
        #expect(action.note == "Took here.")
        #expect(
            try await a.with { try await $0.explain(f) }.versions.first?.change.reason == "resolve")
    }

    @Test(arguments: ["restore", "undelete many", "restore many"])
    func `an edit that waits is published as an edit, not as what the command does`(
        _ command: String
    ) async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("1"), "d": .directory(["g": .file("g")])])
        let (f, d) = (try RelativePath("f"), try RelativePath("d"))
        a.remove("d/g")
        try await a.sync()
        try a.write(["f": .file("waits"), "d": .directory(["new": .file("new")])])
        try await a.with { replica in
            switch command {
            case "restore": _ = try await replica.restore(f, version: 1, SyncOptions())
            case "restore many":
                let tree = try await replica.tree(at: .version(1), of: [f, d])
                let points = [f, d].map { PathAtPoint($0, in: tree) }
                _ = try await replica.restore(points, SyncOptions())
            default:
                let g = try RelativePath("d/g")
                _ = try await replica.undelete([g, f], SyncOptions())
            }
        }
        try await a.sync()
        let changes = try await world.commits().flatMap(\.changes)
        let edits = changes.filter { ["f", "d/new"].contains("\($0.path)") && $0.basedOn < 2 }
        #expect(edits.count >= 2 && edits.allSatisfy { $0.reason.isEmpty }, "\(edits)")
    }

    @Test func `the undo of a resolve is no resolve in the log`() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        let f = try RelativePath("f")
        try a.write(["f": .file("one side")])
        try b.write(["f": .file("other side")])
        try await a.sync()
        try await b.sync { $0.strategy = Strategy([.end(.keepBoth)]) }
        _ = try await b.with { try await $0.resolve(f, .ours, SyncOptions()) }
        _ = try await b.with { try await $0.unresolve(f, SyncOptions()) }
        let explained = try await b.with { try await $0.explain(f) }
        #expect(explained.versions.prefix(2).map(\.change.reason) == ["undo", "resolve"])
        #expect(explained.actions.first?.action == "undo")
    }

    @Test(
        "E7.5 a report counts the bytes of contents inside commits and the conflicts of the run"
    )
    func counted() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        try a.write(["f": .file("12345"), "g": .file("123")])
        let sent = try await a.sync()
        #expect(sent.sentBytes == 8)
        try b.write(["f": .file("other")])
        let made = try await b.sync { $0.strategy = Strategy([.end(.keepBoth)]) }
        #expect(made.copies.count == 1)
        #expect(made.conflicted == [try RelativePath("f")])
        #expect(made.sentBytes == 5)
        try a.write(["large": UploadTests.noise(300_000)])
        #expect(try await a.sync().sentBytes >= 300_000)
        #expect(try await a.sync().sentBytes == 0)
        #expect(try await b.with { try await $0.metrics() }.lastRun?.sentBytes == 5)
    }
}
