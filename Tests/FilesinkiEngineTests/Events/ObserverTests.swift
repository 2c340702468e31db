import FilesinkiEngine
import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiTesting
import Testing

@Suite("Observing")
struct ObserverTests {
    let world: World
    let (a, b): (Machine, Machine)

    init() async throws {
        world = try World()
        (a, b) = try await world.pair([
            "a": .directory(["x": .file("one")]), "ba": .directory(["x": .file("one")]),
            "f": .file("f"),
        ])
    }

    private func inside(_ folder: String) throws -> EventScope {
        EventScope([.inside(try RelativePath(folder))])
    }

    @Test(
        "FS-13: a change by another device is reported with its path, and is here when it is reported"
    )
    func changed() async throws {
        let observer = try b.observer { $0.scope = try inside("a") }
        #expect(try await observer.events().isEmpty)
        try a.write([
            "a": .directory(["x": .file("two"), "y": .file("new")]),
            "ba": .directory(["x": .file("two")]),
        ])
        try await a.sync()
        let events = try await observer.events()
        #expect(events.map(\.brief) == ["2 +a/x", "2 +a/y"])
        #expect(events.allSatisfy { $0.isApplied })
        #expect(b.text("a/x") == "two" && b.text("a/y") == "new")
        #expect(events.first?.author?.device.name == "a")
        #expect(events.first?.author?.isOwn == false)
        #expect(try await observer.events().isEmpty)
    }

    @Test("FI-16: only observed paths are received; the rest comes with the next sync")
    func onlyObserved() async throws {
        let observer = try b.observer { $0.scope = try inside("a") }
        _ = try await observer.events()
        try a.write([
            "a": .directory(["x": .file("two")]), "ba": .directory(["x": .file("two")]),
        ])
        try await a.sync()
        _ = try await observer.events()
        #expect(b.text("a/x") == "two" && b.text("ba/x") == "one")
        try await b.sync()
        #expect(b.text("ba/x") == "two")
    }

    @Test("FS-14: an observer of one path receives no other path's events")
    func onePath() async throws {
        let observer = try b.observer { $0.scope = EventScope([.exactly(try RelativePath("f"))]) }
        _ = try await observer.events()
        try a.write(["f": .file("g"), "ff": .file("g"), "a": .directory(["f": .file("g")])])
        try await a.sync()
        #expect(try await observer.events().map(\.brief) == ["2 +f"])
    }

    @Test("FB-08: a deletion is reported as one, also of a folder, and is carried out before")
    func deleted() async throws {
        let observer = b.observer()
        _ = try await observer.events()
        a.remove("a")
        try await a.sync()
        let events = try await observer.events()
        #expect(Set(events.map(\.brief)) == ["2 -a", "2 -a/x"])
        #expect(events.allSatisfy { $0.isApplied })
        #expect(try b.names == ["ba", "f"])
    }

    @Test("a rename is a change with its origin, and a deletion")
    func renamed() async throws {
        let observer = b.observer()
        _ = try await observer.events()
        a.rename("f", "g")
        try await a.sync()
        let events = try await observer.events()
        #expect(Set(events.map(\.brief)) == ["2 +g", "2 -f"])
        #expect(events.compactMap(\.movedFrom) == [try RelativePath("f")])
    }

    @Test("KV-09: own changes of any process are not reported unless asked for")
    func own() async throws {
        let observer = b.observer()
        let everything = b.observer { $0.includesOwn = true }
        _ = try await observer.events()
        _ = try await everything.events()
        try b.write(["f": .file("mine")])
        try await b.sync()
        #expect(try await observer.events().isEmpty)
        let own = try await everything.events()
        #expect(own.map(\.brief) == ["2 +f"])
        #expect(own.allSatisfy { $0.author?.isOwn == true })
        let (heard, _) = try await a.readEvents(from: .beginning)
        #expect(heard.map(\.brief) == ["2 +f"])
    }

    @Test("KV-09: changes missed while nothing observed are reported from the token on")
    func missed() async throws {
        let first = b.observer()
        _ = try await first.events()
        let token = try #require(await first.token)
        try a.write(["f": .file("missed")])
        try await a.sync()
        // Received by another process; it is reported nevertheless.
        try await b.sync()
        let (events, end) = try await b.readEvents(from: .token(token))
        #expect(events.map(\.brief) == ["2 +f"])
        #expect(try await b.readEvents(from: .token(end)).events.isEmpty)
        let (late, _) = try await b.readEvents(from: .now)
        #expect(late.isEmpty)
    }

    @Test("FB-07: an observed change leaves no second file beside it")
    func noStrays() async throws {
        let observer = b.observer()
        _ = try await observer.events()
        try a.write(["f": .file("two"), "picture.png.xz": .file("packed")])
        try await a.sync()
        _ = try await observer.events()
        #expect(try b.names == ["a", "ba", "f", "picture.png.xz"])
        #expect(try b.tree() == a.tree())
    }

    @Test("FB-09: an observer that was stopped receives nothing more")
    func cancelled() async throws {
        let observer = b.observer()
        _ = try await observer.events()
        let task = Task { try await observer.nextEvents() }
        while !world.store.isWaitedFor { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try a.write(["f": .file("two")])
        try await a.sync()
        #expect(b.text("f") == "f")
        #expect(!world.store.isWaitedFor)
    }

    @Test("FB-10: two observers both receive everything, each of its own paths")
    func two() async throws {
        let observers = [
            b.observer(), b.observer(), try b.observer { $0.scope = try inside("a") },
        ]
        for observer in observers { _ = try await observer.events() }
        let tasks = observers.map { observer in Task { try await observer.nextEvents() } }
        while !world.store.isWaitedFor { await Task.yield() }
        try a.write(["f": .file("two"), "a": .directory(["x": .file("two")])])
        try await a.sync()
        #expect(try await tasks[0].value.map(\.brief) == ["2 +a/x", "2 +f"])
        #expect(try await tasks[1].value.map(\.brief) == ["2 +a/x", "2 +f"])
        #expect(try await tasks[2].value.map(\.brief) == ["2 +a/x"])
    }

    @Test("without a sync it only reads, and reports changes as not applied")
    func looking() async throws {
        let observer = b.observer { $0.isSyncing = false }
        _ = try await observer.events()
        try a.write(["f": .file("two")])
        try await a.sync()
        let events = try await observer.events()
        #expect(events.map(\.brief) == ["2 +f"])
        #expect(events.map(\.isApplied) == [false])
        #expect(b.text("f") == "f")
        try await b.sync()
        let (again, _) = try await b.readEvents(from: .beginning) { $0.isSyncing = false }
        #expect(again.allSatisfy { $0.isApplied })
    }

    @Test(
        "a change merged with a local edit is applied before it is reported, and the merge is its own"
    )
    func merged() async throws {
        try a.write(["t": .file("1\n2\n3\n4\n5\n")])
        try await a.sync()
        let observer = b.observer()
        _ = try await observer.events()
        try a.write(["t": .file("one\n2\n3\n4\n5\n")])
        try await a.sync()
        try b.write(["t": .file("1\n2\n3\n4\nfive\n")])
        let events = try await observer.events()
        #expect(events.map(\.brief) == ["3 +t"])
        #expect(events.allSatisfy { $0.isApplied })
        #expect(b.text("t") == "one\n2\n3\n4\nfive\n")
        let (heard, _) = try await a.readEvents(from: .token(try #require(events.last?.token)))
        // Number 4 keeps the edit that went into the merge, for the history: nothing is at a path by it.
        #expect(heard.map(\.brief) == ["5 +t"])
    }
}
