import Synchronization
import Testing

@testable import FilesinkiCommands

@Suite("ui") struct PageTests {
    private final class Asked: Sendable {
        let options = Mutex<[PageOptions]>([])
    }

    @Test func `the page is of the replica that the arguments name`() async throws {
        let world = try await ReplicaTests.pair()
        let asked = Asked()
        world.network.page = { options, tell in
            asked.options.withLock { $0.append(options) }
            tell("http://127.0.0.1:1/#00")
        }
        let outcome = try await world.run("ui", "a", "--listen", "[::1]:0")
        #expect(outcome.code == .done)
        #expect(outcome.text == "http://127.0.0.1:1/#00\n")
        #expect(outcome.talk.contains("it works once"))
        let options = try #require(asked.options.withLock { $0 }.first)
        #expect(options.host == "::1" && options.port == 0)
        let json = try await world.run("ui", "a", "--json")
        #expect(json.text == "{\"type\":\"page\",\"address\":\"http://127.0.0.1:1/#00\"}\n")
    }

    @Test func `a change of the replica changes the stamp`() async throws {
        let world = try await ReplicaTests.pair()
        let asked = Asked()
        world.network.page = { options, _ in asked.options.withLock { $0.append(options) } }
        _ = try await world.run("ui", "a")
        let options = try #require(asked.options.withLock { $0 }.first)
        let before = options.stamp()
        #expect(options.stamp() == before)
        try world.write("new\n", to: "a/new")
        _ = try await world.run("sync", "a")
        #expect(options.stamp() != before)
    }
}
