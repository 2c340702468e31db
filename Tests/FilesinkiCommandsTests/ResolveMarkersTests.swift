import FilesinkiCommands
import Testing

@Suite("Conflict markers in what resolve --with is given")
struct ResolveMarkersTests {
    /// Replica `b` has a conflict of these versions.
    private static func world(_ a: String, _ b: String) async throws -> World {
        let world = try await ReplicaTests.pair()
        try world.write(a, to: "a/x")
        try world.write(b, to: "b/x")
        for replica in ["a", "b"] { _ = try await world.run("sync", replica) }
        return world
    }

    @Test(
        "markers that are left are refused, with the first line",
        arguments: [
            ("<<<<<<< here\nb\n=======\na\n>>>>>>> there\n", 1), ("x\n=======\r\n", 2),
            ("x\n>>>>>>>\n", 2), ("x\n<<<<<<<<\n=======x\n", nil), ("x\0\n<<<<<<< here\n", nil),
        ] as [(String, Int?)])
    func left(_ text: String, _ line: Int?) async throws {
        let world = try await Self.world("a\n", "b\n")
        try world.write(text, to: "merged")
        let outcome = try await world.run("resolve", "--root", "b", "x", "--with", "merged")
        #expect(outcome.code == (line == nil ? .done : .usage), "\(outcome.talk)")
        if let line {
            let message =
                "x: There are conflict markers left, the first in line \(line). Remove them; if such lines "
                + "belong to the file, give --unchecked.\n"
            #expect(outcome.talk.contains(message), "\(outcome.talk)")
        }
        #expect(world.readText("b/x") == (line == nil ? text : "a\n"))
        guard line != nil else { return }
        try await world.done("resolve", "--root", "b", "x", "--with", "merged", "--unchecked")
        #expect(world.readText("b/x") == text)
    }

    @Test("an empty standard input is refused, and an empty file is taken")
    func empty() async throws {
        let world = try await Self.world("a\n", "b\n")
        world.currentFolder = world.folder + "/b"
        let refused = try await world.run("resolve", "x", "--with", "-", input: [])
        #expect(refused.code == .usage)
        #expect(
            refused.talk
                == "filesinki: x: Standard input was empty, and nothing was changed. If the file is to be "
                + "empty, give an empty file: --with FILE.\n")
        #expect(world.readText("b/x") == "a\n")
        try world.write("", to: "none")
        try await world.done("resolve", "x", "--with", "../none")
        #expect(world.readText("b/x") == "")
    }

    @Test("lines like markers that a version has may stay")
    func own() async throws {
        let world = try await Self.world("Heading\n=======\n", "other\n")
        try world.write("Heading\n=======\nother\n", to: "good")
        try world.write("Heading\n=======\n>>>>>>> there\n", to: "bad")
        let refused = try await world.run("resolve", "--root", "b", "x", "--with", "bad")
        #expect(refused.code == .usage && refused.talk.contains("in line 3."), "\(refused.talk)")
        let taken = try await world.run("resolve", "--root", "b", "x", "--with", "good")
        #expect(taken.code == .done, "\(taken.talk)")
    }
}
