import FilesinkiModel
import Synchronization
import Testing

@testable import FilesinkiCommands

@Suite("--ping-url")
struct MonitorTests {
    @Test(
        "a failed command requests the address with /fail appended",
        arguments: [
            ("https://hc.example/u", Int32(0), "https://hc.example/u", nil),
            ("https://hc.example/u", 75, "https://hc.example/u/fail", "exit 75"),
            ("https://hc.example/u/", 3, "https://hc.example/u/fail", "exit 3"),
            ("https://hc.example/u?a=1", 1, "https://hc.example/u/fail?a=1", "exit 1"),
            ("http://hc.example", 4, "http://hc.example/fail", "exit 4"),
        ])
    func address(_ address: String, _ code: Int32, _ url: String, _ body: String?) {
        let request = PingRequest(address: address, exitCode: code)
        #expect(request.url == url)
        #expect(request.body == body)
    }

    @Test func `a run is reported with its result, a plan is not`() async throws {
        let world = try await ReplicaTests.pair()
        let heard = Heard()
        world.network.ping = { heard.add($0) }
        _ = try await world.run("sync", "a", "--ping-url", "http://m/x")
        #expect(heard.take() == [PingRequest(address: "http://m/x", exitCode: 0)])
        _ = try await world.run("sync", "a", "--ping-url", "http://m/x", "--strategy", "newset")
        #expect(heard.take() == [PingRequest(address: "http://m/x", exitCode: 2)])
        _ = try await world.run("sync", "a", "-n", "--ping-url", "http://m/x")
        #expect(heard.take().isEmpty)
        world.set("FILESINKI_PING_URL", to: "http://m/y")
        _ = try await world.run("sync", "a")
        _ = try await world.run("ls", "--root", "a")
        #expect(heard.take() == [PingRequest(address: "http://m/y", exitCode: 0)])
    }

    @Test func `an unavailable monitor changes nothing but a message`() async throws {
        let world = try await ReplicaTests.pair()
        world.network.ping = { _ in throw Failure(.away, "It is away.", remedy: "Wait.") }
        let outcome = try await world.run("sync", "a", "--ping-url", "http://m/secret")
        #expect(outcome.code == .done)
        #expect(outcome.talk.contains("The monitor was not notified"))
        #expect(!outcome.talk.contains("secret"))
        world.network.prepare = { throw Failure(.usage, "No network.", remedy: "Install it.") }
        let without = try await world.run("sync", "a", "--ping-url", "http://m/secret")
        #expect(without.code == .done)
        #expect(without.talk.contains("No network."))
    }

    @Test func `an invalid address is refused before anything is done`() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("new", to: "a/new")
        #expect(try await world.run("sync", "a", "--ping-url", "ftp://m/x").code == .usage)
        #expect(try await world.run("ls", "--root", "b", "new").code == .negative)
    }
}

/// The requests that a monitor received.
private final class Heard: Sendable {
    private let requests = Mutex<[PingRequest]>([])

    func add(_ request: PingRequest) { requests.withLock { $0.append(request) } }

    func take() -> [PingRequest] {
        requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }
}
