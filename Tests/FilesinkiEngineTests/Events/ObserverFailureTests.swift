import FilesinkiEngine
import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiTesting
import Testing

@Suite("Observing with failures")
struct ObserverFailureTests {
    let world: World
    let (a, b): (Machine, Machine)
    let notes = Notes()

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["f": .file("f"), "g": .file("g")])
    }

    @Test("an unavailable remote is retried with growing pauses, and reported once")
    func away() async throws {
        let observer = b.observer(notes)
        _ = try await observer.events()
        try a.write(["f": .file("two")])
        try await a.sync()
        world.remote.isAway = true
        let slept = world.clock.slept.count
        let task = Task { try await observer.nextEvents() }
        #expect(await notes.next() == "waiting: away")
        while world.clock.slept.count < slept + 8 { await Task.yield() }
        world.remote.isAway = false
        #expect(try await task.value.map(\.brief) == ["2 +f"])
        #expect(notes.all == ["waiting: away", "back"])
        let pauses = world.clock.slept[slept...].prefix(8)
        #expect(Array(pauses) == [1, 2, 4, 8, 16, 32, 60, 60].map { Duration.seconds($0) })
    }

    @Test("a remote that is unavailable from the start is retried, too")
    func awayAtFirst() async throws {
        world.remote.isAway = true
        let observer = b.observer(notes)
        await #expect(throws: Failure.self) { try await observer.next(.none) }
        let task = Task { try await observer.next(.forever) }
        #expect(await notes.next() == "waiting: away")
        world.remote.isAway = false
        guard case .position = try await task.value else {
            Issue.record("no position")
            return
        }
    }

    @Test("events whose content could not be fetched are reported once, when it is fetched")
    func cutInBetween() async throws {
        let observer = b.observer(notes)
        _ = try await observer.events()
        try a.write(["f": .file(String(repeating: "long", count: 50_000))])
        try await a.sync()
        var found: [Event] = []
        var failures = 0
        // One request later each time, until none is left to fail.
        for skipped in 0... {
            world.remote.plan(.init(.before(.away), skip: skipped))
            do {
                while let next = try await observer.next(.none) { found += next.events }
                break
            } catch let failure as Failure where failure.code == .away { failures += 1 }
        }
        #expect(failures > 3)
        #expect(found.map(\.brief) == ["2 +f"])
        #expect(found.allSatisfy { $0.isApplied })
    }

    @Test("a busy replica is retried; what the other run received is reported")
    func busy() async throws {
        var machine = b
        machine.options.lockWait = .zero
        let observer = machine.observer(notes)
        _ = try await observer.events()
        try a.write(["f": .file("two")])
        try await a.sync()
        let task = try await b.with { replica in
            let task = Task { try await observer.nextEvents() }
            #expect(await notes.next() == "waiting: busy")
            _ = try await replica.sync(SyncOptions())
            return task
        }
        let events = try await task.value
        #expect(events.map(\.brief) == ["2 +f"])
        #expect(events.allSatisfy { $0.isApplied })
    }

    /// The pauses of an observer after so many sleeps. Waits for a lock are shorter.
    private func pauses(after count: Int) -> [Duration] {
        world.clock.slept.dropFirst(count).filter { $0 >= .seconds(1) }
    }

    @Test("after three pauses an event is returned that a busy run has read, as not applied")
    func busyForLong() async throws {
        var machine = b
        machine.options.lockWait = .zero
        let observer = machine.observer(notes)
        _ = try await observer.events()
        try a.write(["f": .file("two")])
        try await a.sync()
        // Reads the log, and leaves what it was not asked for.
        #expect(try await b.load("g") == "g")
        let slept = world.clock.slept.count
        let events = try await b.with { _ in try await observer.nextEvents() }
        #expect(events.map(\.brief) == ["2 +f"])
        #expect(events.map(\.isApplied) == [false])
        #expect(pauses(after: slept) == [.seconds(1), .seconds(2), .seconds(4)])
        #expect(notes.all == ["waiting: busy", "trouble: differs f", "back"])
        try await b.sync()
        #expect(b.text("f") == "two")
    }

    @Test("an event that no run has read yet waits for as long as the replica is busy")
    func busyBeforeReading() async throws {
        let c = try await world.replica("c")
        var machine = c
        machine.options.lockWait = .zero
        let observer = machine.observer(notes) { $0.start = .beginning }
        _ = try await observer.next(.none)
        let slept = world.clock.slept.count
        let task = try await c.with { _ in
            let task = Task { try await observer.nextEvents() }
            _ = try await eventually {
                pauses(after: slept).count > 4 || notes.all.contains("back")
            }
            return task
        }
        let events = try await task.value
        #expect(events.map(\.brief) == ["1 +f", "1 +g"])
        #expect(events.allSatisfy { $0.isApplied })
        #expect(c.text("f") == "f")
        #expect(notes.all == ["waiting: busy", "back"])
    }

    @Test("a guard stops a deletion here, but not its event")
    func guarded() async throws {
        try b.write([".filesinki.toml": .file("max-delete = \"0\"\n")])
        try await b.sync()
        let observer = b.observer(notes)
        _ = try await observer.events()
        try await a.sync { $0.maxDelete = try? MaxDelete(parsing: "100") }
        a.remove("f")
        try await a.sync { $0.maxDelete = try? MaxDelete(parsing: "100") }
        let events = try await observer.events()
        #expect(events.map(\.brief) == ["3 -f"])
        #expect(events.map(\.isApplied) == [false])
        #expect(b.text("f") == "f")
        #expect(notes.all.first?.hasPrefix("trouble: limit") == true, "\(notes.all)")
        #expect(try await observer.events().isEmpty)
    }

    @Test("a conflict that waits for a person is reported as not applied")
    func undecided() async throws {
        try b.write([".filesinki.toml": .file("strategy = \"leave\"\n")])
        try await b.sync()
        let observer = b.observer(notes)
        _ = try await observer.events()
        try a.write(["f": .file("a's")])
        try await a.sync()
        try b.write(["f": .file("b's")])
        let events = try await observer.events().filter { $0.path.description == "f" }
        #expect(events.map(\.isApplied) == [false])
        #expect(b.text("f") == "b's")
        #expect(notes.all == ["trouble: differs f"])
    }

    @Test("a replaced store ends it with 'wrong store'")
    func swapped() async throws {
        let observer = b.observer(notes)
        _ = try await observer.events()
        let other = try World()
        let (_, _) = try await other.pair(["h": .file("z")])
        world.store.objects = other.store.objects
        let failure = await #expect(throws: Failure.self) { try await observer.next(.forever) }
        #expect(failure?.code == .wrongStore)
        #expect(try b.names == ["f", "g"])
    }

    @Test("a damaged commit ends it with 'corrupt', after the events before it")
    func damaged() async throws {
        let observer = b.observer(notes) { $0.isSyncing = false }
        _ = try await observer.events()
        for text in ["two", "three"] {
            try a.write(["f": .file(text)])
            try await a.sync()
        }
        for (key, bytes) in world.store.objects where key.description.contains("0003/c") {
            if key.description.contains("/log/") { world.store.objects[key] = bytes.map { $0 ^ 1 } }
        }
        #expect(try await observer.next(.none)?.events.map(\.brief) == ["2 +f"])
        let failure = await #expect(throws: Failure.self) { try await observer.next(.none) }
        #expect([.corrupt, .newerFormat].contains(failure?.code))
    }
}
