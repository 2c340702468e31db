import FilesinkiCommands
import Testing

@Suite("rec")
struct RecordTests {
    /// Two replicas, `a` and `b`, that know a record, which `a` has changed since.
    private static func stalePair() async throws -> (world: World, tag: String) {
        let world = try await ReplicaTests.pair()
        let save = ["rec", "save", "Task", "it", "--root"]
        for line in [
            save + ["a", "--set", "title=base"], ["rec", "sync", "--root", "b"],
            save + ["a", "--set", "title=laptop"],
        ] {
            let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
            try #require(outcome.code == .done, "\(outcome.talk)")
        }
        let known = try await world.run("rec", "get", "it", "--root", "b", "--json")
        let parts = known.text.split(separator: "\"tag\":\"")
        let tag = try #require(parts.dropFirst().first?.split(separator: "\"").first)
        return (world, String(tag))
    }

    private static func title(in world: World) async throws -> String {
        let got = try await world.run("rec", "get", "it", "--root", "a", "--fresh")
        return ["base", "laptop", "phone"].first { got.text.contains("\"\($0)\"") } ?? got.text
    }

    @Test("a tag that is older than the store's refuses a save and a deletion")
    func staleTag() async throws {
        let lines = [
            ["rec", "save", "Task", "it", "--root", "b", "--set", "title=phone", "--if-tag"],
            ["rec", "delete", "it", "--root", "b", "--if-tag"],
        ]
        for line in lines {
            let (world, tag) = try await Self.stalePair()
            let outcome = try await world.run(bytes: (line + [tag]).map { Array($0.utf8) })
            #expect(outcome.code == .conflict, "\(line): \(outcome.talk)")
            #expect(try await Self.title(in: world) == "laptop")
        }
    }

    @Test("a tag with a policy is compared with the copy on the device only")
    func tagWithPolicy() async throws {
        let (world, tag) = try await Self.stalePair()
        let outcome = try await world.run(
            "rec", "save", "Task", "it", "--root", "b", "--set", "title=phone", "--if-tag", tag,
            "--policy", "merge")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(try await Self.title(in: world) == "phone")
    }

    @Test("a deletion of a batch with a tag that is older than the store's is refused")
    func staleBatch() async throws {
        let (world, tag) = try await Self.stalePair()
        let line = #"{"op":"delete","name":"it","tag":"\#(tag)"}"#
        let outcome = try await world.run("rec", "batch", "--root", "b", input: Array(line.utf8))
        #expect(outcome.code == .conflict, "\(outcome.talk)")
        #expect(outcome.text.contains(#""code":"conflict""#))
        #expect(try await Self.title(in: world) == "laptop")
    }

    @Test("a zone that does not exist is not deleted")
    func unknownZone() async throws {
        let world = try await ReplicaTests.pair()
        let saved = try await world.run(
            "rec", "save", "T", "x", "--root", "b", "--zone", "work", "--set", "n=1")
        #expect(saved.code == .done)
        for (zone, code) in [("typo", ExitCode.negative), ("work", .done)] {
            let outcome = try await world.run("rec", "zones", "delete", "--root", "a", zone)
            #expect(outcome.code == code, "\(outcome.talk)")
        }
        #expect(!world.names(in: "a/.filesinki/rec").contains { $0.hasPrefix("typo") })
        let list = try await world.run("rec", "zones", "list", "--root", "b", "--fresh")
        #expect(!list.text.contains("typo"), "\(list.text)")
    }

    @Test(
        "a command that reads makes no zone of a mistyped name",
        arguments: [
            "get n", "get n --fresh", "query T", "changes", "conflicts", "log n", "status",
            "schema show", "schema diff", "subscribe list", "subscribe rm s", "index rebuild",
        ])
    func unknownZoneToRead(_ line: String) async throws {
        let world = try await ReplicaTests.pair()
        let words = "rec \(line) --zone typo --root a".split(separator: " ").map { Array($0.utf8) }
        let outcome = try await world.run(bytes: words, input: [])
        #expect(outcome.code == .negative, "\(outcome.talk)")
        #expect(outcome.talk.contains("There is no zone of this name"), "\(outcome.talk)")
        #expect(!world.names(in: "a/.filesinki/rec").contains { $0.hasPrefix("typo") })
    }

    @Test("a command that receives first finds a zone that only the store has")
    func freshZone() async throws {
        let world = try await ReplicaTests.pair()
        _ = try await world.run(
            "rec", "save", "T", "x", "--root", "b", "--zone", "work", "--set", "n=1")
        let get = ["rec", "get", "x", "--zone", "work", "--root", "a"]
        for (option, code) in [([], ExitCode.negative), (["--fresh"], .done), ([], .done)] {
            let outcome = try await world.run(bytes: (get + option).map { Array($0.utf8) })
            #expect(outcome.code == code, "\(outcome.talk)")
        }
    }

    @Test("a deletion of a zone says how to save what was not published, in its zone")
    func keptFile() async throws {
        let world = try await ReplicaTests.pair()
        let save = ["rec", "save", "T", "x", "--zone", "work", "--root"]
        _ = try await world.run(bytes: (save + ["a", "--set", "n=1"]).map { Array($0.utf8) })
        _ = try await world.run("rec", "sync", "--root", "b", "--zone", "work")
        world.rename("store", to: "gone")
        _ = try await world.run(bytes: (save + ["b", "--set", "n=2"]).map { Array($0.utf8) })
        world.rename("gone", to: "store")
        _ = try await world.run("rec", "zones", "delete", "--root", "a", "work")
        let outcome = try await world.run("rec", "sync", "--root", "b", "--zone", "work")
        let file = world.folder + "/b/.filesinki/rec/work.deleted-1.jsonl"
        #expect(outcome.talk.contains(" --zone work \(file)."), "\(outcome.talk)")
    }

    @Test(
        "a query that can find nothing says why at a terminal",
        arguments: [
            (["Taks"], "type 'Taks'"), (["Task", "--where", "prio = 1"], "field 'prio'"),
            (["Task", "--where", "title = 3"], "the type string"),
            (["Task", "--sort", "prioo"], "field 'prioo'"),
            (["Task", "--where", "title = 'none'"], ""),
        ])
    func doubt(_ line: [String], _ part: String) async throws {
        let world = try await ReplicaTests.pair()
        _ = try await world.run("rec", "save", "Task", "it", "--root", "a", "--set", "title=x")
        let words = (["rec", "query", "--root", "a"] + line).map { Array($0.utf8) }
        #expect(try await world.run(bytes: words).talk.isEmpty)
        world.terminals.talk = true
        let outcome = try await world.run(bytes: words)
        #expect(outcome.talk.isEmpty == part.isEmpty, "\(outcome.talk)")
        #expect(part.isEmpty || outcome.talk.contains(part), "\(outcome.talk)")
    }

    @Test(
        "a text without quotes and a date without its function are answered with the right form",
        arguments: [("title = eggs", "'eggs'."), ("due > 2024-01-01", "date('2024-01-01').")])
    func forms(_ predicate: String, _ form: String) async throws {
        let world = try await ReplicaTests.pair()
        let outcome = try await world.run("rec", "query", "T", "--root", "a", "--where", predicate)
        #expect(outcome.code == .usage && outcome.talk.contains(form), "\(outcome.talk)")
    }

    @Test("what a refusal, an old token and a used name tell to do names what it needs")
    func remedies() async throws {
        let (world, tag) = try await Self.stalePair()
        let refused = try await world.run(
            "rec", "save", "Task", "it", "--root", "b", "--set", "title=phone", "--if-tag", tag)
        #expect(refused.talk.contains("--forget it."), "\(refused.talk)")
        let old = try await world.run(
            "rec", "changes", "--root", "b", "--since", "0000000000000000-1")
        #expect(old.talk.contains("--resync"), "\(old.talk)")
        let add = ["rec", "subscribe", "add", "--root", "b", "big", "--query", "Task"]
        _ = try await world.run(bytes: add.map { Array($0.utf8) })
        let again = try await world.run(bytes: add.map { Array($0.utf8) })
        #expect(again.talk.contains(" big."), "\(again.talk)")
    }
}
