import FilesinkiEngine
import FilesinkiTesting
import Testing

@testable import FilesinkiCommands

@Suite("watch")
struct WatchTests {
    @Test(
        "invalid options are usage errors",
        arguments: [
            ["--settle", "fast"], ["--settle", "-1"], ["--max-settle", "10"], ["--poll", "often"],
            ["--poll", "0"], ["--full-scan-every", "1y"], ["--strategy", "nonsense"],
        ])
    func usage(_ arguments: [String]) async throws {
        let world = try await World.withStore()
        _ = try await world.run("init", "a", "--remote", "store")
        let words = (["watch", "a"] + arguments).map { Array($0.utf8) }
        #expect(try await world.run(bytes: words).code == .usage)
    }

    @Test("a replica without a remote exits with 1 and a message")
    func noRemote() async throws {
        let world = try World()
        _ = try await world.run("init", "a")
        let outcome = try await world.run("watch", "a")
        #expect(outcome.code == .negative)
        #expect(outcome.talk.contains("no remote"))
    }

    @Test(
        "only after a failure of the connection it says that it is connected again",
        arguments: [(true, "Connected again.\n"), (false, "Syncing again.\n")])
    func resumed(_ wasAway: Bool, _ words: String) async throws {
        let talk = MemorySink()
        let reporter = WatchReporter(try World().console(talk: talk), hook: nil, conflicts: nil)
        try await reporter.report(.resumed(wasAway: wasAway))
        #expect(String(decoding: talk.bytes, as: UTF8.self) == words)
    }

    @Test("it sends the values that were set while the store was away")
    func values() async throws {
        let world = try await GoldenTests.pair()
        try await world.expect("kv set k 1 --root a")
        try await world.expect("kv sync --root b")
        world.rename("store", to: "away")
        try await world.expect("kv set k 2 --root a")
        world.rename("away", to: "store")
        let log = "store/zones/kv-default/log"
        let before = world.names(in: log).count
        world.timer = { [unowned world] limit in
            // The watch itself, which ends then, and not what would cut it off.
            guard limit == .seconds(60) else { return try await Task.sleep(for: .seconds(86_400)) }
            _ = try await eventually { world.names(in: log).count > before }
        }
        let watch = try await world.run("watch", "a", "--timeout", "60s")
        #expect(watch.talk.contains("Sent 1 value.\n"), "\(watch.talk)")
        try await world.expect("kv sync --root b")
        #expect(try await world.expect("kv get k --root b").text == "2\n")
    }
}
