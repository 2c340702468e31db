import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Glibc
import Synchronization
import Testing

@testable import FilesinkiEngine

/// A merge that is not idempotent is made once for each divergence, whatever happens to the run.
@Suite("One merge for one divergence")
struct MergeOnceTests {
    let world: World
    let (a, b): (Machine, Machine)
    let log: String
    /// Adds up what both sides added to a counter, and notes each call.
    let strategy: Strategy

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["n": .file("10")])
        log = world.folder.path("calls")
        strategy = try Strategy(
            parsing: "exec:echo x >>'\(log)'; base=$(cat %O); here=$(cat %A); there=$(cat %B); "
                + "echo -n $((here + there - base)) >%A")
        try a.write(["n": .file("15")])
        try b.write(["n": .file("13")])
        try await a.sync()
    }

    private var calls: Int {
        guard let file = fopen(log, "r") else { return 0 }
        defer { fclose(file) }
        var count = 0
        while fgetc(file) != EOF { count += 1 }
        return count / 2
    }

    private func sync(_ machine: Machine) async throws {
        try await machine.sync { $0.strategy = strategy }
    }

    @Test("a divergence is merged once, and not in 50 syncs after it")
    func once() async throws {
        for _ in 0..<25 {
            try await sync(b)
            try await sync(a)
        }
        #expect(try a.tree() == ["n": .file("18")])
        #expect(calls == 1)
    }

    @Test("the same when the run is killed after writing and before publishing")
    func killedBefore() async throws {
        var machine = b
        let dying = DyingRemote(remote: world.remote)
        machine.options.connect = { _ in dying }
        // The first commit keeps what was here; the merge's own would be the second.
        dying.willDie(beforePublishing: 2)
        await #expect(throws: Failure.self) { try await sync(machine) }
        #expect(b.text("n") == "18")
        try await sync(b)
        try await sync(a)
        #expect(try a.tree() == ["n": .file("18")])
        #expect(try b.tree() == ["n": .file("18")])
        #expect(calls == 1)
    }

    /// Syncs b while a publishes changes of its own right before b's commits of some numbers.
    ///
    /// - Parameter last: Before this one b is killed.
    private func sync(
        b changes: [Int: TreeFixture], killedBefore last: Int = .max
    ) async throws {
        var machine = b
        let commit = Mutex(0)
        let racing = RacingRemote(world.remote) { [a] in
            let number = commit.withLock { number in
                number += 1
                return number
            }
            if let tree = changes[number] {
                try a.write(tree)
                try await a.sync()
            }
            return number == last ? .killedBefore : .none
        }
        machine.options.connect = { _ in racing }
        try await sync(machine)
    }

    @Test("a merge that was written and lost the race waits as what it made")
    func waiting() async throws {
        // The first commit keeps what was here, the second one is the merge's.
        await #expect(throws: Failure.self) {
            try await sync(b: [2: ["other": .file("x")]], killedBefore: 3)
        }
        let path = try RelativePath("n")
        let (waiting, pending) = try await b.with { replica in
            (
                try await replica.perform(SyncEngine.self) { try $0.manifest.local(path)?.entry },
                try await replica.status().pending
            )
        }
        #expect(pending == [path])
        #expect(waiting?.content == ContentHasher.hash(Array("18".utf8)))
    }

    @Test("the same when the race is lost again before what was merged anew is written")
    func lostTwice() async throws {
        // The first commit keeps what was here, the second is the merge's, the third keeps what the first merge made.
        try await sync(b: [2: ["n": .file("16")], 3: ["n": .file("17")]])
        try await sync(a)
        #expect(try a.tree() == ["n": .file("20")])
        #expect(try b.tree() == ["n": .file("20")])
    }

    @Test("an edit of a merge that was written and lost the race is an edit of that merge")
    func edited() async throws {
        await #expect(throws: Failure.self) {
            try await sync(b: [2: ["n": .file("16")]], killedBefore: 3)
        }
        #expect(b.text("n") == "18")
        try b.write(["n": .file("28")])
        try await sync(b)
        try await sync(a)
        #expect(try a.tree() == ["n": .file("29")])
        #expect(try b.tree() == ["n": .file("29")])
    }

    @Test("an edit of a version that a killed run had received is an edit of that version")
    func received() async throws {
        try await sync(b)
        try await sync(a)
        // Both have 18 by now.
        try a.write(["n": .file("20")])
        try await sync(a)
        try b.write(["own": .file("b")])
        var machine = b
        let dying = DyingRemote(remote: world.remote)
        machine.options.connect = { _ in dying }
        dying.willDie(beforePublishing: 1)
        await #expect(throws: Failure.self) { try await sync(machine) }
        #expect(b.text("n") == "20")
        try b.write(["n": .file("23")])
        try a.write(["n": .file("25")])
        try await sync(a)
        try await sync(b)
        try await sync(a)
        #expect(try b.tree() == ["n": .file("28"), "own": .file("b")])
        #expect(try a.tree() == b.tree())
    }

    @Test("the same when another device published first, or based on the merge")
    func race() async throws {
        var machine = b
        let dying = DyingRemote(remote: world.remote)
        machine.options.connect = { _ in dying }
        dying.willDie(beforePublishing: 2)
        await #expect(throws: Failure.self) { try await sync(machine) }
        try a.write(["n": .file("16")])
        try await sync(a)
        try await sync(b)
        try await sync(a)
        #expect(try a.tree() == ["n": .file("19")])
        #expect(try b.tree() == ["n": .file("19")])
        #expect(calls == 2)
    }
}
