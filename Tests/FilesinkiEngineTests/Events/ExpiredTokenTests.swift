import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Testing

@Suite("Expired tokens")
struct ExpiredTokenTests {
    let world: World
    let (a, b): (Machine, Machine)

    init() async throws {
        world = try World()
        (a, b) = try await world.pair([
            "gone": .file("g"), "kept": .file("k"), "d": .directory(["x": .file("x")]),
        ])
    }

    /// The position of `b` now.
    private func token() async throws -> EventToken {
        let observer = b.observer()
        _ = try await observer.events()
        return try #require(await observer.token)
    }

    /// Changes, deletes, and lets come and go; four commits.
    ///
    /// - Parameter isTaken: Whether `b` has it all by then: small contents go with their commits.
    private func history(isTaken: Bool = true) async throws {
        a.remove("gone")
        try a.write(["new": .file("n"), "passing": .file("p")])
        try await a.sync()
        a.remove("passing")
        try a.write(["new": .file("nn")])
        try await a.sync()
        try a.write(["d": .directory(["x": .file("xx")])])
        try await a.sync()
        try a.write(["last": .file("l")])
        try await a.sync()
        if isTaken { try await b.sync() }
    }

    @Test("a log pruned past the token is 'token expired', without events")
    func pruned() async throws {
        let token = try await token()
        try await history()
        try await world.prune(to: 4)
        let observer = b.observer { $0.start = .token(token) }
        let failure = await #expect(throws: Failure.self) { try await observer.next(.forever) }
        #expect(failure?.code == .tokenExpired)
        #expect(failure?.remedy.contains("--resync") == true)
        let beginning = b.observer { $0.start = .beginning }
        let other = await #expect(throws: Failure.self) {
            while try await beginning.next(.none) != nil {}
        }
        #expect(other?.code == .tokenExpired)
    }

    @Test("a resync reports each path that differs, as it is now, missed deletions too")
    func difference() async throws {
        let token = try await token()
        try await history()
        try await world.prune(to: 4)
        let observer = b.observer {
            $0.start = .token(token)
            $0.resynchronises = true
        }
        let difference = try #require(try await observer.next(.none)?.difference)
        #expect(difference.since == 1)
        #expect(
            difference.events.map(\.brief)
                == ["4 +d/x", "2 -gone", "5 +last", "3 +new", "3 -passing"])
        #expect(difference.events.allSatisfy { $0.isApplied && $0.token == nil })
        // Who published what is known of the part of the log that is left.
        #expect(difference.events.map { $0.author?.device.name } == [nil, nil, "a", nil, nil])
        #expect(try b.tree() == a.tree())
        #expect(try await observer.events().isEmpty)
        try a.write(["last": .file("ll")])
        try await a.sync()
        #expect(try await observer.events().map(\.brief) == ["6 +last"])
        let (rest, _) = try await b.readEvents(from: .token(difference.end))
        #expect(rest.map(\.brief) == ["6 +last"])
    }

    @Test("a listener that dies in a resync repeats it from the old token")
    func again() async throws {
        let token = try await token()
        try await history()
        try await world.prune(to: 5)
        for _ in 0..<2 {
            let observer = b.observer {
                $0.start = .token(token)
                $0.resynchronises = true
            }
            #expect(try await observer.next(.none)?.difference?.events.count == 5)
        }
    }

    @Test("a resync is limited to its scope, and to reading when no sync is asked for")
    func scoped() async throws {
        let token = try await token()
        try await history(isTaken: false)
        try await world.prune(to: 4)
        let observer = try b.observer {
            $0.start = .token(token)
            $0.resynchronises = true
            $0.isSyncing = false
            $0.scope = EventScope([.inside(try RelativePath("d"))])
        }
        let difference = try #require(try await observer.next(.none)?.difference)
        #expect(difference.events.map(\.brief) == ["4 +d/x"])
        #expect(difference.events.map(\.isApplied) == [false])
        #expect(b.text("d/x") == "x")
    }

    @Test(
        "a token at the checkpoint's own commit is valid, whether or not that commit exists",
        arguments: [true, false])
    func atTheCheckpoint(_ isKept: Bool) async throws {
        let token = try await token()
        try await world.prune(to: 1, keepingLast: isKept)
        let observer = b.observer {
            $0.start = .token(token)
            $0.isSyncing = false
        }
        #expect(try await observer.events().isEmpty)
        try a.write(["more": .file("m")])
        try await a.sync()
        #expect(try await observer.events().map(\.brief) == ["2 +more"])
        #expect(try await b.readEvents(from: .token(token)).events.map(\.brief) == ["2 +more"])
    }

    @Test("an observer that only reads begins at the end of a log that was pruned")
    func fromNow() async throws {
        try await history(isTaken: false)
        try await world.prune(to: 4)
        let observer = b.observer { $0.isSyncing = false }
        #expect(try await observer.events().isEmpty)
        try a.write(["more": .file("m")])
        try await a.sync()
        #expect(try await observer.events().map(\.brief) == ["6 +more"])
    }

    @Test("an observer is told of pruning that happened while it slept")
    func asleep() async throws {
        let observer = b.observer { $0.isSyncing = false }
        let waking = b.observer { $0.resynchronises = true }
        _ = try await observer.events()
        _ = try await waking.events()
        try await history()
        try await world.prune(to: 5)
        let failure = await #expect(throws: Failure.self) { try await observer.next(.none) }
        #expect(failure?.code == .tokenExpired)
        #expect(try await waking.next(.none)?.difference?.since == 1)
    }

    @Test("a token within a commit gets the difference since before that commit")
    func withinCommit() async throws {
        let first = try await token()
        try await history()
        let (events, _) = try await b.readEvents(from: .token(first))
        let token = try #require(events.first?.token)
        #expect(token.version == 2)
        try await world.prune(to: 5)
        let observer = b.observer {
            $0.start = .token(token)
            $0.resynchronises = true
        }
        let difference = try #require(try await observer.next(.none)?.difference)
        #expect(difference.since == 1)
        #expect(difference.events.count == 5)
    }

    @Test(
        "after another store was accepted, an old token has expired, and a resync reports everything"
    )
    func otherStore() async throws {
        let token = try await token()
        let other = try World()
        let (_, _) = try await other.pair(["h": .file("z"), "kept": .file("k")])
        world.store.objects = other.store.objects
        try await b.with { try await $0.setRemote("memory", acceptingOther: true) }
        let observer = b.observer { $0.start = .token(token) }
        let failure = await #expect(throws: Failure.self) { try await observer.next(.none) }
        #expect(failure?.code == .tokenExpired)
        try await b.sync()
        let again = b.observer {
            $0.start = .token(token)
            $0.resynchronises = true
        }
        let difference = try #require(try await again.next(.none)?.difference)
        #expect(difference.since == nil)
        #expect(
            Set(difference.events.map(\.path.description))
                == ["d", "d/x", "gone", "h", "kept"])
    }

    @Test("after a rolled-back store was approved, a token of the lost history has expired")
    func otherHistory() async throws {
        let backup = world.store.objects
        try await history()
        let observer = b.observer()
        _ = try await observer.events()
        let token = try #require(await observer.token)
        world.store.objects = backup
        // The replica itself has seen more: that is for a person to decide.
        let wrong = await #expect(throws: Failure.self) { try await observer.next(.none) }
        #expect(wrong?.code == .wrongStore)
        let failure = await #expect(throws: Failure.self) { try await b.sync() }
        let words = try #require(failure).remedy.split { " .".contains($0) }
        let flag = try #require(words.firstIndex(of: "--approve"))
        let id = String(words[words.index(after: flag)])
        try await b.sync { $0.approved = id }
        let late = b.observer { $0.start = .token(token) }
        let expired = await #expect(throws: Failure.self) { try await late.next(.none) }
        #expect(expired?.code == .tokenExpired)
    }
}
