import FilesinkiCommands
import FilesinkiTesting
import Testing

@Suite("Contents for a conflict that are no document of their file's format")
struct BrokenContentTests {
    /// Two replicas. The files of a merge tool, which stay if its content is refused, are in `tmp`.
    private static func pair() async throws -> World {
        let world = try await ReplicaTests.pair()
        try world.makeFolder("tmp")
        world.set("TMPDIR", to: world.folder + "/tmp")
        return world
    }

    /// Replica `b` has a conflict of a JSON file.
    private static func world() async throws -> World {
        let world = try await pair()
        try world.write(#"{"a":1,"b":1,"e":1}"#, to: "a/x.json")
        for replica in ["a", "b"] { _ = try await world.run("sync", replica) }
        try world.write(#"{"a":3,"b":1,"e":6}"#, to: "a/x.json")
        try world.write(#"{"a":2,"b":5,"e":1}"#, to: "b/x.json")
        for replica in ["a", "b"] { _ = try await world.run("sync", replica) }
        return world
    }

    private static let problem =
        "The content cannot be read as JSON, and the versions of the conflict can: line 1 ends too early."

    @Test("resolve --with refuses them, and takes them with --unchecked")
    func with() async throws {
        let world = try await Self.world()
        try world.write(#"{"a":2"#, to: "merged")
        let refused = try await world.run("resolve", "--root", "b", "x.json", "--with", "merged")
        #expect(refused.code == .usage)
        #expect(
            refused.talk
                == "filesinki: x.json: \(Self.problem) Correct it, or give --unchecked.\n")
        #expect(world.readText("b/x.json") == #"{"a":3,"b":1,"e":6}"#)
        try await world.done("resolve", "--root", "b", "x.json", "--with", "merged", "--unchecked")
        #expect(world.readText("b/x.json") == #"{"a":2"#)
    }

    @Test(
        "resolve --with refuses JSON with a key twice, as it is left where marker lines are removed"
    )
    func repeatedKey() async throws {
        let world = try await Self.world()
        try world.write("{\n\"a\":3,\n\"a\":2,\"b\":5}", to: "merged")
        let refused = try await world.run("resolve", "--root", "b", "x.json", "--with", "merged")
        #expect(refused.code == .usage)
        #expect(
            refused.talk
                == "filesinki: x.json: The content has the key 'a' twice in an object, again in line 3, "
                + "and the versions of the conflict have none twice. Correct it, or give --unchecked.\n"
        )
        try await world.done("resolve", "--root", "b", "x.json", "--with", "merged", "--unchecked")
    }

    @Test("a database is replaced by a database only, with --unchecked by anything")
    func database() async throws {
        let world = try await Self.pair()
        for (replica, number) in [("a", 1), ("b", 2)] {
            try SQLClient("\(world.folder)/\(replica)/x.sqlite", "PRAGMA user_version = \(number)")
                .close()
        }
        for replica in ["a", "b"] { _ = try await world.run("sync", replica) }
        try world.write("text", to: "text")
        let problem =
            "x.sqlite: The content cannot be read as an SQLite database, and the versions of the conflict can."
        let with = try await world.run("resolve", "--root", "b", "x.sqlite", "--with", "text")
        #expect(with.code == .usage)
        #expect(with.talk == "filesinki: \(problem) Correct it, or give --unchecked.\n")
        let tool = try await world.run(
            "resolve", "--root", "b", "x.sqlite", "--tool", "echo text > \"$MERGED\"")
        #expect(tool.code == .conflict, "\(tool.talk)")
        #expect(SQLClient.text("\(world.folder)/b/x.sqlite", "PRAGMA user_version") == "1")
        try await world.done("resolve", "--root", "b", "x.sqlite", "--with", "text", "--unchecked")
        #expect(world.readText("b/x.sqlite") == "text")
    }

    @Test("an empty file is taken")
    func empty() async throws {
        let world = try await Self.world()
        try world.write("", to: "none")
        try await world.done("resolve", "--root", "b", "x.json", "--with", "none")
        #expect(world.readText("b/x.json") == "")
    }

    @Test("what a merge tool leaves of such a kind leaves the conflict open")
    func tool() async throws {
        let world = try await Self.world()
        let outcome = try await world.run(
            "resolve", "--root", "b", "x.json", "--tool", "printf '[' > \"$MERGED\"")
        #expect(outcome.code == .conflict)
        let message = "x.json: The conflict stays open. \(Self.problem) It is in "
        #expect(outcome.talk.contains(message), "\(outcome.talk)")
        #expect(
            outcome.talk.contains(
                "correct it, and resolve it with --with; to take it as it is, add --unchecked."),
            "\(outcome.talk)")
        #expect(world.readText("b/x.json") == #"{"a":3,"b":1,"e":6}"#)
        #expect(world.names(in: "tmp").count == 1)
    }

    @Test(
        "the proposal of a document on one line is a document with the version from here of each conflict"
    )
    func proposal() async throws {
        let world = try await Self.world()
        let shown = try await world.run("show", "--root", "b", "--conflict", "proposal", "x.json")
        #expect(shown.text == #"{"a":2,"b":5,"e":6}"#)
    }
}
