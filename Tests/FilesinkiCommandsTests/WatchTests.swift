import FilesinkiEngine
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
        let world = try World()
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
}
