import FilesinkiModel
import FilesinkiRemote
import Testing

@testable import FilesinkiCommands

@Suite("Waiting")
struct WaitingTests {
    /// A remote that never answers.
    private struct Hanging: Remote {
        /// Called with each request.
        var isAsked: @Sendable () -> Void = {}

        var address: String { "http://hanging" }

        func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
            try await hang()
            return nil
        }

        func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
            try await hang()
            return []
        }

        func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
            try await hang()
            return .mine
        }

        func put(_ bytes: [UInt8], to key: ObjectKey) async throws { try await hang() }

        func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
            try await hang()
            return []
        }

        func delete(_ key: ObjectKey) async throws { try await hang() }
        func wait(prefix: String, timeout: Duration) async throws { try await hang() }

        private func hang() async throws {
            isAsked()
            try await Task.sleep(for: .seconds(86_400))
        }
    }

    /// A world whose replica `a` has a remote that hangs, and where time is over at once.
    private static func hanging() async throws -> World {
        let world = try World()
        world.network.connect = { _, _ in Hanging() }
        try world.makeFolder("a")
        let made = try await world.run("init", "a")
        try #require(made.code == .done)
        let config = try #require(world.readText("a/.filesinki/replica"))
        try world.write(config + "remote = http://hanging\n", to: "a/.filesinki/replica")
        world.timer = { _ in }
        return world
    }

    @Test(
        "a remote that hangs ends with 75 when the time limit expires",
        arguments: [
            ["sync", "a"], ["save", "--root", "a", "x"], ["load", "--root", "a", "x"],
            ["log", "--root", "a", "x"], ["devices", "--root", "a"], ["check", "--root", "a"],
            ["repair", "--root", "a"],
            ["clone", "http://hanging", "b"],
        ])
    func hangs(_ line: [String]) async throws {
        let world = try await Self.hanging()
        let words = (line + ["--timeout", "5s"]).map { Array($0.utf8) }
        let outcome = try await world.run(bytes: words, input: [1])
        #expect(outcome.code == .away)
        #expect(outcome.talk.contains("The time limit of --timeout has expired."))
    }

    @Test func `when the time limit expires, the message says how much is uploaded and kept`()
        async throws
    {
        for (uploaded, remedy) in [
            (0, "Completed work is kept. Run the command again."),
            (
                1_234_000_000,
                "Completed work is kept, and 1.2 GB of uploads that the next run uses. Run the command again."
            ),
        ] as [(Int64, String)] {
            let failure = await #expect(throws: Failure.self) {
                try await Deadline.enforce(.seconds(1), timer: { _ in }, uploaded: { uploaded }) {
                    try await Task.sleep(for: .seconds(86_400))
                    return .done
                }
            }
            #expect(failure?.remedy == remedy)
        }
    }

    @Test func `what was saved before the time limit is kept`() async throws {
        let world = try await Self.hanging()
        // Time is over once the remote was asked, which a save does after it has written the file.
        let (requests, asked) = AsyncStream<Void>.makeStream()
        world.network.connect = { _, _ in Hanging { asked.finish() } }
        world.timer = { _ in for await _ in requests {} }
        _ = try await world.run("save", "--root", "a", "x", "--timeout", "5s", input: [7])
        #expect(world.read("a/x") == [7])
    }

    @Test func `a run that ran out of time is in the status, with what it did not send`()
        async throws
    {
        let world = try await Self.hanging()
        try world.write("x\n", to: "a/x")
        let (requests, asked) = AsyncStream<Void>.makeStream()
        world.network.connect = { _, _ in Hanging { asked.finish() } }
        // The limit is over once the remote was asked, and what follows has all the time it needs.
        world.timer = { limit in
            if limit >= .seconds(5) {
                for await _ in requests {}
            } else {
                try await Task.sleep(for: .seconds(86_400))
            }
        }
        #expect(try await world.run("sync", "a", "--timeout", "5s").code == .away)
        let status = try await world.run("status", "a")
        #expect(
            status.text.contains("The last run did not complete: time limit."), "\(status.text)")
        #expect(!status.text.contains("Up to date"))
        let json = try await world.run("status", "a", "--json")
        #expect(json.text.contains(#""last_failure":"time limit""#), "\(json.text)")
        #expect(json.text.contains(#""pending":["x"]"#), "\(json.text)")
    }

    @Test func `a time behind --wait, which takes none, is no path unless there is one`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        let refused = try await world.run("sync", "a", "--wait", "20s")
        #expect(refused.code == .usage)
        #expect(refused.talk.contains("--wait takes no time. Write --wait --timeout 20s."))
        try world.write("x", to: "a/20s")
        #expect(try await world.run("sync", "--wait", "a/20s").code == .done)
    }

    @Test func `an invalid duration is refused`() async throws {
        let world = try await ReplicaTests.pair()
        #expect(try await world.run("sync", "a", "--timeout", "soon").code == .usage)
        #expect(try await world.run("sync", "a", "--lock-wait", "soon").code == .usage)
        #expect(try await world.run("sync", "a", "--timeout", "0").code == .done)
    }

    @Test func `with --wait and --timeout a change is retried until the remote is back`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        let save = ["save", "--root", "a", "x", "--wait", "--timeout", "60s", "--json"]
        let late = try await world.run(bytes: save.map { Array($0.utf8) }, input: [1])
        #expect(late.code == .away)
        #expect(late.text.contains(#""queued":true"#))
        world.onSleep = { world in world.rename("gone", to: "store") }
        let done = try await world.run(bytes: save.map { Array($0.utf8) }, input: [2])
        #expect(done.code == .done)
        #expect(done.text.contains(#""version":2,"queued":false"#))
        #expect(try await world.run("load", "--root", "b", "x").output == [2])
    }

    @Test func `a wait says why it waits, when it begins and when its time is over`() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        // Time is over once the wait has begun.
        let (pauses, paused) = AsyncStream<Void>.makeStream()
        world.onSleep = { _ in
            paused.finish()
            try? await Task.sleep(for: .seconds(86_400))
        }
        world.timer = { limit in
            if limit >= .seconds(3) { for await _ in pauses {} }
        }
        let outcome = try await world.run("sync", "a", "--wait", "--timeout", "3s")
        #expect(outcome.code == .away)
        let lines = outcome.talk.split(separator: "\n")
        let reason = "The folder of the store was not found"
        #expect(lines.first?.contains(reason) == true, "\(outcome.talk)")
        #expect(
            lines.first?.hasSuffix("Retrying for as long as --timeout allows.") == true,
            "\(outcome.talk)")
        let end = "The time limit of --timeout has expired. The remote was not reached: "
        #expect(
            lines.dropFirst().contains { $0.contains(end) && $0.contains(reason) },
            "\(outcome.talk)")
    }

    @Test func `with --wait and --timeout a value is retried until the remote is back`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        let set = ["kv", "set", "--root", "a", "k", "v", "--wait", "--timeout", "60s", "--json"]
        let late = try await world.run(bytes: set.map { Array($0.utf8) })
        #expect(late.code == .away)
        #expect(late.text.contains(#""queued":true"#))
        world.onSleep = { world in world.rename("gone", to: "store") }
        let done = try await world.run(bytes: set.map { Array($0.utf8) })
        #expect(done.code == .done)
        #expect(done.text.contains(#""queued":false"#))
        #expect(try await world.run("kv", "sync", "--root", "b").code == .done)
        #expect(try await world.run("kv", "get", "--root", "b", "k").text == "v\n")
    }

    @Test func `waiting for a newer version does not keep others from the replica`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        world.onSleep = { world in
            // Whoever waits must not hold the lock that this run needs.
            let saved = try? await world.run(
                "save", "--root", "b", "one", "--lock-wait", "0", input: Array("new".utf8))
            #expect(saved?.code == .done)
        }
        let newer = try await world.run(
            "load", "--root", "b", "one", "--wait-newer", "1", "--timeout", "60s")
        #expect(newer.text == "new")
    }
}
