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
}
