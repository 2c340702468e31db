import FilesinkiCommands
import Testing

/// `show`, `load` and `restore` of a version that a path has from before a rename: the one that `diff` compares.
@Suite struct RestoredOverRenamesTests {
    @Test(
        "a version of before a rename is printed by the present name",
        arguments: [
            "show --root a due@1", "show --root a --commit 1 due",
            "load --root a --version 1 due", "load --root a --commit 1 due",
        ])
    func printed(_ line: String) async throws {
        let outcome = try await World.withRenamedFile().expect(line)
        #expect(outcome.text == "one\n", "\(outcome)")
        #expect(outcome.talk.isEmpty, "\(outcome.talk)")
    }

    @Test(
        "a version of before a rename is restored under the present name",
        arguments: ["due@1", "--commit 1 due"])
    func restored(_ words: String) async throws {
        let world = try await World.withRenamedFile()
        let planned = try await world.expect("restore --root a -n \(words)")
        #expect(planned.text == "  restore  due\n", "\(planned)")
        #expect(planned.talk.hasPrefix("due was one then.\n"), "\(planned.talk)")
        #expect(world.readText("a/due") == "one\nmore\n")
        let outcome = try await world.expect("restore --root a \(words)")
        #expect(outcome.talk == "due was one then.\nRestored 1 file.\n", "\(outcome.talk)")
        #expect(world.readText("a/due") == "one\n")
        #expect(world.read("a/one") == nil)
        #expect(world.read("a/uno") == nil)
        try await world.expect("diff --root a due 1")
        try await world.expect("sync b")
        #expect(world.readText("b/due") == "one\n")
        // The old name has its versions still.
        try await world.expect("restore --root a one@2")
        #expect(world.readText("a/one") == "one\nmore\n")
        #expect(world.readText("a/due") == "one\n")
    }

    @Test("so are a folder with what was in it, and several paths")
    func several() async throws {
        let world = try await World.withRenamedFile()
        try await world.done("mv", "--root", "a", "sub", "other")
        try world.write("edited\n", to: "a/other/two")
        try await world.done("sync", "a")
        let outcome = try await world.expect("restore --root a other@1 due@1")
        #expect(outcome.talk.contains("due was one then.\n"), "\(outcome.talk)")
        #expect(outcome.talk.contains("other was sub then.\n"), "\(outcome.talk)")
        #expect(world.readText("a/other/two") == "two\n")
        #expect(world.readText("a/due") == "one\n")
        #expect(world.read("a/sub/two") == nil)
        #expect(world.read("a/one") == nil)
    }

    @Test("a number that neither name has is said of the present one")
    func absent() async throws {
        let world = try await World.withRenamedFile()
        try await world.done("delete", "--root", "a", "due")
        try world.write("other\n", to: "a/due")
        try await world.done("sync", "a")
        for line in ["show --root a due@1", "restore --root a due@1", "show --root a due@99"] {
            let outcome = try await world.expect(line, .negative)
            #expect(outcome.talk.contains("due: Version "), "\(outcome.talk)")
            #expect(outcome.talk.contains(" was not found"), "\(outcome.talk)")
        }
        #expect(world.readText("a/due") == "other\n")
    }
}
