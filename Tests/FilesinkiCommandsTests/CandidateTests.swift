import FilesinkiCommands
import Testing

/// What a shell is offered for an argument that names something in a replica.
@Suite("candidates for a shell")
struct CandidateTests {
    /// What the script of a shell is answered when it asks for an argument.
    private func offered(
        _ world: World, _ argument: String, _ line: String, in shell: String = "bash"
    ) async throws -> [String] {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let asked = argument.split(separator: " ").map(String.init)
        world.set("SAP_SHELL", to: shell)
        let outcome = try await world.run(
            bytes: (["---completion"] + asked.dropLast() + ["--", asked[asked.count - 1]]
                + ["\(words.count - 1)", "0"] + words).map { Array($0.utf8) })
        #expect(outcome.code == .done)
        #expect(outcome.talk.isEmpty, "\(outcome.talk)")
        return outcome.lines
    }

    @Test func `deleted paths are offered, and a hostile name runs nothing`() async throws {
        let world = try World()
        for name in ["$(touch owned)", "it's", "d/x:y", "kept", "new\nline"] {
            try world.write("1", to: "a/" + name)
        }
        for line in [
            ["init", "a", "--remote", "store"], ["sync", "a"],
            ["rm", "--root", "a", "-r", "$(touch owned)", "it's", "d", "new\nline"],
        ] {
            #expect(try await world.run(bytes: line.map { Array($0.utf8) }).code == .done)
        }
        let line = "filesinki undelete --root a "
        #expect(
            try await offered(world, "undelete positional@0", line) == [
                "'$(touch owned)'", "d", "d/x:y", #"'it'\''s'"#,
            ])
        #expect(try await offered(world, "undelete positional@0", line + "d/") == ["d/x:y"])
        #expect(
            try await offered(world, "undelete positional@0", line + "d/", in: "zsh")
                == [#"d/x\:y"#, " "])
        world.currentFolder = world.folder + "/a"
        #expect(
            try await offered(world, "undelete positional@0", "filesinki undelete i", in: "fish")
                == ["it's"])
    }

    @Test func `open conflicts, their sides, devices and keys are offered`() async throws {
        let world = try await ReplicaTests.pair()
        for replica in ["a", "b"] { try world.write(replica, to: "\(replica)/plan") }
        for replica in ["a", "b"] { _ = try await world.run("sync", replica) }
        _ = try await world.run("kv", "set", "--root", "b", "theme=dark", "size=1")
        // As bash splits --root=b.
        let resolve = "filesinki resolve --root = b "
        #expect(try await offered(world, "resolve positional@0", resolve) == ["plan"])
        #expect(
            try await offered(world, "resolve --take", resolve + "--take ")
                == ["base", "here", "there"])
        #expect(
            try await offered(world, "kv get positional@0", "filesinki kv get --root=b t")
                == ["theme"])
        let devices = try await offered(
            world, "devices forget positional@0", "filesinki devices forget --root b ")
        #expect(devices.count == 2, "\(devices)")
        let log = "filesinki log --root b --device "
        #expect(try await offered(world, "log --device", log) == devices)
    }

    @Test func `zones, types and names of records are offered`() async throws {
        let world = try World()
        _ = try await world.run("init", "a")
        for words in [["Note", "n1"], ["Note", "n2"], ["Tag", "t", "--zone", "other"]] {
            let line = ["rec", "save", "--root", "a"] + words
            #expect(try await world.run(bytes: line.map { Array($0.utf8) }).code == .done)
        }
        _ = try await world.run("rec", "delete", "--root", "a", "n1")
        let get = "filesinki rec get --root a "
        #expect(try await offered(world, "rec get positional@0", get) == ["n2"])
        #expect(
            try await offered(world, "rec get positional@0", get + "--zone=other ") == ["t"])
        #expect(
            try await offered(world, "rec get --zone", get + "--zone ") == ["default", "other"])
        #expect(
            try await offered(world, "rec save positional@0", "filesinki rec save --root a N")
                == ["Note"])
        #expect(try await offered(world, "rec get positional@0", "filesinki rec get ").isEmpty)
    }

    @Test func `where there is no replica, nothing is offered and none is made`() async throws {
        let world = try World()
        #expect(try await offered(world, "resolve positional@0", "filesinki resolve ").isEmpty)
        #expect(
            try await offered(world, "kv get positional@0", "filesinki kv get --root x ").isEmpty)
        #expect(world.names(in: "data").isEmpty)
    }

    @Test func `the scripts ask for them`() async throws {
        for shell in ["bash", "zsh", "fish"] {
            let script = try await World().run("completions", shell).text
            for argument in [
                "resolve -- positional@0", "resolve -- --take", "undelete -- positional@0",
                "devices forget -- positional@0", "kv get -- positional@0",
                "kv set -- positional@0", "rec get -- positional@0", "rec save -- positional@1",
                "rec sync -- --zone", "rec zones purge -- positional@0",
                "serve token revoke -- positional@1",
            ] {
                #expect(script.contains("---completion \(argument)"), "\(shell): \(argument)")
            }
        }
    }
}
