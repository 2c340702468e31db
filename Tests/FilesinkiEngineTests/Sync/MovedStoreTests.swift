import FilesinkiEngine
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Testing

/// What a replica does at the old remote of a store that was moved.
@Suite("At a store that was moved")
struct MovedStoreTests {
    private let world: World
    private let (a, b): (Machine, Machine)

    init() async throws {
        world = try World()
        (a, b) = try await world.pair([
            "f": .file("base"), "gone": .file("1"), "secret": .file("2"),
        ])
        try a.write(["f": .file("edited"), ".filesinkiignore": .file("secret\n")])
        a.remove("gone")
        for machine in [a, b, a, b] { try await machine.sync() }
    }

    private func leaveNote() async throws {
        let format = try #require(try await StoreFormat.read(from: world.store))
        let note = StoreMove(store: format.id, address: "other", device: "b")
        #expect(try await note.leave(at: world.store) == note)
    }

    private func perform(_ command: String) async throws {
        let (f, options) = (try RelativePath("f"), SyncOptions())
        switch command {
        case "sync", "sync f", "watch":
            try a.write(["f": .file("late")])
            if command == "watch" {
                try await a.syncChanges("f")
            } else {
                try await a.sync { $0.paths = command == "sync" ? [] : [f] }
            }
        case "save": try await a.save("late", at: "f")
        case "save --if-version": try await a.save("late", at: "f", ifVersion: 2)
        case "rm": try await a.with { try await $0.delete([f], recursive: false, options) }
        case "mv":
            let rename = PathRename(from: f, to: try RelativePath("g"))
            try await a.with { try await $0.move([rename], options) }
        case "restore": try await a.with { try await $0.restore(f, version: 1, options) }
        case "undelete":
            let gone = try RelativePath("gone")
            try await a.with { try await $0.undelete(gone, options) }
        case "delete --keep":
            let secret = try RelativePath("secret")
            try await a.with { try await $0.deleteInStore([secret], recursive: false, options) }
        default: Issue.record("unknown: \(command)")
        }
    }

    @Test(
        "no command publishes there",
        arguments: [
            "sync", "sync f", "watch", "save", "save --if-version", "rm", "mv", "restore",
            "undelete", "delete --keep",
        ])
    func stopped(_ command: String) async throws {
        try await leaveNote()
        let count = try await world.commits().count
        let failure = await #expect(throws: Failure.self) { try await perform(command) }
        #expect(failure?.code == .wrongStore, "\(String(describing: failure))")
        #expect(failure?.message.contains("The store was moved to other by b.") == true)
        #expect(failure?.remedy.contains("run filesinki remote set other.") == true)
        #expect(try await world.commits().count == count)
        // It is remembered, also without the remote.
        world.remote.isAway = true
        #expect(try await a.with { try await $0.status() }.moved?.address == "other")
    }

    @Test("a run without changes says so, with the one request that it makes")
    func told() async throws {
        let counting = CountingRemote(world.store)
        var machine = a
        machine.options.connect = { _ in counting }
        try await leaveNote()
        counting.reset()
        #expect(try await machine.sync().notices.map(\.failure.code) == [.wrongStore])
        #expect(counting.counts.requests == 1)
        try await StoreMove.remove(at: world.store)
        #expect(try await machine.sync().notices.isEmpty)
        try await perform("save")
    }

    @Test("a dry run says so, and no more once the note is gone")
    func planned() async throws {
        try await leaveNote()
        let plan = try await a.sync { $0.isDryRun = true }
        #expect(plan.notices.map(\.failure.code) == [.wrongStore])
        #expect(try await a.with { try await $0.status() }.moved == nil)
        try await a.sync()
        try await StoreMove.remove(at: world.store)
        #expect(try await a.sync { $0.isDryRun = true }.notices.isEmpty)
    }

    @Test("a watch that receives nothing says so once")
    func watched() async throws {
        try await leaveNote()
        let first = try await a.syncChanges(hinted: true)
        #expect(first.isWhole)
        #expect(first.report.notices.map(\.failure.code) == [.wrongStore])
        #expect(try await !a.syncChanges(hinted: true).isWhole)
    }
}
