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
        let end = ContinuousClock.now + .seconds(600)
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

    /// What the key `k` of the replica `a` holds, as JSON.
    private static func held(in world: World) async throws -> String {
        try await world.run("kv", "get", "--root", "a", "k", "--json").text
    }

    @Test(
        "a key without --type keeps its type, and its merge rule works",
        arguments: [
            (["9", "--type", "int", "--merge", "max"], ["k", "5"], #""int","value":9"#),
            (["9", "--type", "int", "--merge", "max"], ["k=10"], #""int","value":10"#),
            (["true", "--type", "bool"], ["k", "false"], #""bool","value":false"#),
            (["[1]", "--type", "json"], ["k", "[2]"], #""array","value":[2]"#),
            (["[1]", "--type", "json"], ["k", "[2]", "--add"], #""array","value":[1,2]"#),
            (["5"], ["k", "6"], #""string","value":"6""#),
            (["5", "--type", "int"], ["k", "b", "--type", "string"], #""string","value":"b""#),
        ])
    func kept(_ first: [String], _ second: [String], _ expected: String) async throws {
        let world = try await ReplicaTests.pair()
        for line in [["k"] + first, second] {
            let words = ["kv", "set", "--root", "a"] + line
            let outcome = try await world.run(bytes: words.map { Array($0.utf8) })
            #expect(outcome.code == .done, "\(outcome.talk)")
        }
        let held = try await Self.held(in: world)
        #expect(held.contains(expected), "\(held)")
    }

    @Test("a text that is not of the key's type is refused, and --type is named")
    func otherType() async throws {
        let world = try await ReplicaTests.pair()
        _ = try await world.run("kv", "set", "--root", "a", "k", "900", "--type", "int")
        let outcome = try await world.run("kv", "set", "--root", "a", "new=1", "k=six")
        #expect(outcome.code == .usage)
        #expect(outcome.talk.contains("type int") && outcome.talk.contains("--type"))
        #expect(try await Self.held(in: world).contains(#""value":900"#))
        #expect(try await world.run("kv", "get", "--root", "a", "new").code == .negative)
    }

    @Test(
        "--add begins a new key as a number",
        arguments: [("1", #""int","value":1"#), ("0.5", #""double","value":0.5"#)])
    func begun(_ step: String, _ expected: String) async throws {
        let world = try await ReplicaTests.pair()
        let outcome = try await world.run("kv", "set", "--root", "a", "k", step, "--add")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(try await Self.held(in: world).contains(expected))
        let refused = try await world.run("kv", "set", "--root", "a", "n", "x", "--add")
        #expect(refused.code == .usage && refused.talk.contains("--type"), "\(refused.talk)")
    }

    @Test("a value that the merge rule does not take is told at a terminal")
    func keptByRule() async throws {
        let world = try await ReplicaTests.pair()
        world.terminals.talk = true
        let first = try await world.run(
            "kv", "set", "--root", "a", "k", "light", "--merge", "max")
        #expect(!first.talk.contains("still"), "\(first.talk)")
        let second = try await world.run("kv", "set", "--root", "a", "k", "green")
        #expect(second.code == .done && second.talk.contains("k is still light"), "\(second.talk)")
        world.terminals.talk = false
        #expect(try await world.run("kv", "set", "--root", "a", "k", "green").talk.isEmpty)
    }

    @Test("a removal of no key while the store is away says nothing of a change that waits")
    func nothingRemoved() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        let outcome = try await world.run("kv", "unset", "--root", "a", "nope")
        #expect(outcome.code == .negative)
        #expect(!outcome.talk.contains("Saved"), "\(outcome.talk)")
    }

    @Test("the log of a store that is not there is empty, and makes none")
    func logOfNoStore() async throws {
        let world = try await ReplicaTests.pair()
        let outcome = try await world.run("kv", "log", "k", "--store", "typo", "--root", "a")
        #expect(outcome.code == .negative && outcome.text.isEmpty, "\(outcome.talk)")
        #expect(!world.names(in: "a/.filesinki/kv").contains { $0.hasPrefix("typo") })
    }
}
