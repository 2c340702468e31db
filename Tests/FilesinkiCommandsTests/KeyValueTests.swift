import FilesinkiCommands
import FilesinkiModel
import Synchronization
import Testing

@Suite("kv")
struct KeyValueTests {
    @Test("KV-06 a watching bridge starts its next run when the interval is over")
    func interval() async throws {
        let world = try await ReplicaTests.pair()
        #expect(try await world.run("kv", "set", "--root", "a", "first", "1").code == .done)
        let begun = world.console().systemContext.now()
        let seen = Mutex<(file: String?, seconds: Int64)>((nil, 0))
        world.onSleep = { world in
            seen.withLock {
                $0 = (
                    world.readText("s.json"),
                    world.console().systemContext.now().seconds - begun.seconds
                )
            }
            _ = try? await world.run("kv", "set", "--root", "a", "second", "2")
        }
        let end = ContinuousClock.now + .seconds(120)
        world.timer = { [unowned world] _ in
            while world.readText("s.json")?.contains("second") != true, ContinuousClock.now < end {
                await Task.yield()
            }
        }
        let bridge = [
            "kv", "bridge", "--root", "b", "s.json", "--watch", "--min-interval", "1h",
            "--timeout", "60s",
        ]
        let outcome = try await world.run(bytes: bridge.map { Array($0.utf8) })
        #expect(outcome.code == .away, "\(outcome.talk)")
        let first = seen.withLock { $0 }
        #expect(first.file?.contains("first") == true)
        #expect(first.seconds >= 3600)
        #expect(world.readText("s.json")?.contains("second") == true)
    }

    @Test(
        "KV-06 --min-interval needs --watch and a valid duration",
        arguments: [["--min-interval", "1h"], ["--watch", "--min-interval", "soon"]])
    func wrongInterval(_ options: [String]) async throws {
        let world = try await ReplicaTests.pair()
        let line = ["kv", "bridge", "--root", "b", "s.json"] + options
        #expect(try await world.run(bytes: line.map { Array($0.utf8) }).code == .usage)
    }
}
