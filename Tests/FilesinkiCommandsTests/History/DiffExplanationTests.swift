import FilesinkiCommands
import FilesinkiTesting
import Testing

@Suite("diff --explain: where two versions differ")
struct DiffExplanationTests {
    /// Replica `a` has two versions of each of these files.
    private func world(_ files: [(name: String, versions: [[UInt8]])]) async throws -> World {
        let world = try World()
        try await world.makeStore("store")
        try world.makeFolder("a")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        for version in 0..<2 {
            for file in files { try world.write(file.versions[version], to: "a/\(file.name)") }
            try await world.done("sync", "a")
        }
        return world
    }

    private func words(_ outcome: World.Outcome) -> [String] {
        outcome.lines.map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test("of a database by table, row and column; diff alone names it")
    func database() async throws {
        let world = try World()
        try await world.makeStore("store")
        try world.makeFolder("a")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        let changes = [
            "CREATE TABLE p(id INTEGER PRIMARY KEY, n TEXT); INSERT INTO p VALUES (1, 'a'), (2, 'b')",
            "UPDATE p SET n = 'x' WHERE id = 1; DELETE FROM p WHERE id = 2",
            "INSERT INTO p VALUES (3, 'c')",
        ]
        for change in changes.dropLast() {
            try SQLClient("\(world.folder)/a/x.sqlite", change).close()
            try await world.done("sync", "a")
        }
        let plain = try await world.run("diff", "--root", "a", "x.sqlite", "1", "2")
        #expect(plain.code == .negative)
        #expect(plain.lines == ["x.sqlite@1 and x.sqlite@2 differ"])
        #expect(
            plain.talk == "To see which places differ: filesinki diff --root \(world.folder)/a "
                + "--explain x.sqlite 1 2\n")
        let explained = try await world.run(
            "diff", "--root", "a", "--explain", "x.sqlite", "1", "2")
        #expect(explained.code == .negative)
        #expect(
            words(explained) == [
                "Format: sqlite, by the content.", "table p, key 1, column n 'a' -> 'x'",
                "table p, key 2 removed",
            ], "\(explained)")
        #expect(explained.talk.isEmpty, "\(explained.talk)")

        let same = try await world.run("diff", "--root", "a", "--explain", "x.sqlite")
        #expect(same.code == .done)
        #expect(same.lines.isEmpty)
        try SQLClient("\(world.folder)/a/x.sqlite", changes[2]).close()
        let now = try await world.run("diff", "--root", "a", "--explain", "x.sqlite")
        #expect(words(now).dropFirst() == ["table p, key 3 added"], "\(now)")
    }

    @Test("with --json in the form of a conflict")
    func json() async throws {
        let world = try await world([
            ("x.json", [#"{"a": {"b": 1}}"#, #"{"a": {"b": 22}}"#].map { Array($0.utf8) })
        ])
        let outcome = try await world.run("diff", "--root", "a", "--explain", "x.json", "1", "2")
        #expect(outcome.code == .negative)
        #expect(words(outcome) == ["Format: json, by the content.", "/a/b edited"])
        let json = try await world.run(
            "diff", "--root", "a", "--explain", "--json", "x.json", "1", "2")
        #expect(
            json.lines == [
                #"{"type":"explanation","path":"x.json","old":"x.json@1","new":"x.json@2","#
                    + #""format":"json","format_by":"content","#
                    + #""explanation":[{"place":"/a/b","from":"here","reason":"edited"}],"cut":false}"#
            ])
        let plain = try await world.run("diff", "--root", "a", "x.json", "1", "2")
        #expect(!plain.talk.contains("--explain"), "\(plain.talk)")
    }

    @Test("contents of no known kind are said to be of none")
    func unknown() async throws {
        let world = try await world([("x.bin", [[0, 1], [0, 2, 3]])])
        let outcome = try await world.run("diff", "--root", "a", "--explain", "x.bin", "1", "2")
        #expect(outcome.code == .negative)
        #expect(
            outcome.lines
                == ["The contents are neither databases, nor documents, nor JSON, nor text."])
        let plain = try await world.run("diff", "--root", "a", "x.bin", "1", "2")
        #expect(plain.talk.isEmpty, "\(plain.talk)")
    }

    @Test("it needs a path")
    func withoutPath() async throws {
        let world = try World()
        let outcome = try await world.run("diff", "--explain", "--commit", "1")
        #expect(outcome.code == .usage)
        #expect(outcome.talk.contains("--explain needs a path"), "\(outcome.talk)")
    }
}
