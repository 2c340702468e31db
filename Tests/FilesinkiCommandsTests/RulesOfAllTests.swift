import FilesinkiCommands
import Testing

@Suite("The rules of a synced ignore file, on every device")
struct RulesOfAllTests {
    private func run(_ world: World, _ line: String) async throws -> World.Outcome {
        try await world.run(bytes: line.split(separator: " ").map { Array($0.utf8) })
    }

    @Test func `a rule that matches its own file by a wildcard reaches the other devices`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        try world.write("old\n", to: "a/.env")
        for name in ["a", "b"] { try await world.done("sync", name) }
        try world.write(".*\n", to: "a/.filesinkiignore")
        try await world.done("sync", "a")
        try await world.done("delete", "--keep", "--root", "a", ".env")
        try await world.done("sync", "b")
        #expect(world.readText("b/.env") == "old\n")
        try world.write("new\n", to: "b/.env")
        try await world.done("sync", "b")
        #expect(try await !run(world, "ls --root a").lines.contains(".env"))
        try world.write(".*\n*.pem\n", to: "a/.filesinkiignore")
        for name in ["a", "b"] { try await world.done("sync", name) }
        #expect(world.readText("b/.filesinkiignore") == ".*\n*.pem\n")
    }

    @Test("delete --keep sends the rule first, so that no other device deletes its file")
    func ruleFirst() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("secret\n", to: "a/conf/.env")
        for name in ["a", "b"] { try await world.done("sync", name) }
        try world.write(".env\n", to: "a/conf/.filesinkiignore")
        let plan = try await run(world, "delete --keep --root a -n conf/.env")
        #expect(plan.code == .done && plan.text.contains("conf/.filesinkiignore"), "\(plan.text)")
        #expect(try await !run(world, "ls --root a").text.contains(".filesinkiignore"))
        let kept = try await run(world, "delete --keep --root a conf/.env")
        #expect(kept.code == .done, "\(kept.talk)")
        let sent = """
              sent      new        conf/.filesinkiignore  5 B
              sent      deleted    conf/.env

            """
        #expect(kept.text == sent, "\(kept.text)")
        #expect(kept.talk.hasPrefix("Sent 1 file (5 B), deleted 1.\n"), "\(kept.talk)")
        try await world.done("sync", "b")
        for name in ["a", "b"] { #expect(world.readText("\(name)/conf/.env") == "secret\n") }
    }

    @Test func `delete --keep of a file with an open conflict deletes its conflict copy, too`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        for name in ["a", "b"] { try world.write("by \(name)\n", to: "\(name)/.env") }
        for name in ["a", "b", "a"] { _ = try await world.run("sync", name) }
        let copy = try #require(world.names(in: "a").first { $0.hasPrefix(".env (conflict b ") })
        try world.write(".env\n", to: "a/.filesinkiignore")
        try await world.done("sync", "a")
        let plan = try await run(world, "delete --keep --root a -n .env")
        #expect(plan.code == .done && (plan.text + plan.talk).contains("2 files"), "\(plan.talk)")
        let outcome = try await run(world, "delete --keep --root a .env")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(try await run(world, "ls --root a").lines.allSatisfy { !$0.hasPrefix(".env") })
        try await world.done("sync", "b")
        let refused = try await run(world, "resolve --root b .env --take here")
        #expect(refused.code == .usage, "\(refused.talk)")
        #expect(
            refused.talk.hasSuffix(
                "To end the conflict on this device, keep what you need of '\(copy)', and remove that.\n"
            ),
            "\(refused.talk)")
        // What is here is kept on both, and a new device gets neither.
        for name in ["a", "b"] { #expect(world.readText("\(name)/\(copy)") == "by b\n") }
        try await world.done("clone", "store", "c")
        #expect(world.names(in: "c").allSatisfy { !$0.hasPrefix(".env") })
    }

    @Test("of an ignored path, conflicts says how it ends, and resolve --all resolves the others")
    func ignoredConflict() async throws {
        let world = try await ReplicaTests.pair()
        for path in ["f", "h", "z"] {
            for name in ["a", "b"] { try world.write("by \(name)\n", to: "\(name)/\(path)") }
        }
        for name in ["a", "b"] { _ = try await world.run("sync", name) }
        let copy = try #require(world.names(in: "b").first { $0.hasPrefix("h (conflict b ") })
        try world.write("h\n", to: "b/.filesinkiignore")
        let open = try await run(world, "conflicts --root b")
        let told = "ignored here by a rule: keep what you need of '\(copy)', and remove that"
        #expect(open.text.contains(told), "\(open.text)")
        #expect(open.text.ranges(of: "--take here|there").count == 2, "\(open.text)")
        let outcome = try await run(world, "resolve --root b --all --take here")
        #expect(outcome.code == .partial, "\(outcome.talk)")
        #expect(outcome.talk.contains("h: Ignored here by a rule"), "\(outcome.talk)")
        #expect(outcome.talk.contains("Resolved 2 conflicts: took here."), "\(outcome.talk)")
        for path in ["f", "z"] { #expect(world.readText("b/\(path)") == "by b\n") }
        #expect(world.readText("b/\(copy)") == "by b\n")
        let alone = try await run(world, "resolve --root b h --take here")
        #expect(alone.code == .usage, "\(alone.talk)")
    }

    @Test("delete of an ignored folder names the steps for a folder, which work")
    func ignoredFolder() async throws {
        let world = try await World.withStore()
        try world.write("k\n", to: "a/keys/id.key")
        try await world.done("init", "a", "--remote", "store")
        try await world.done("sync", "a")
        try world.write("keys/\n", to: "a/.filesinkiignore")
        try await world.done("sync", "a")
        let refused = try await run(world, "rm --root a -r keys")
        #expect(refused.code == .usage, "\(refused.talk)")
        let told =
            "Remove the folder with rm -r. If the store has it, "
            + "filesinki delete --root \(world.folder)/a --keep -r keys deletes it there; devices that have the rule, "
            + "or receive it with the deletion, keep theirs. To delete it on every device, take the rule out and sync "
            + "each device; then run filesinki delete --root \(world.folder)/a -r keys, and add the rule again"
        #expect(refused.talk.contains(told), "\(refused.talk)")
        let kept = try await run(world, "delete --root a --keep -r keys")
        #expect(kept.code == .done, "\(kept.talk)")
        #expect(world.readText("a/keys/id.key") == "k\n")
        #expect(try await !run(world, "ls --root a").text.contains("keys"))
    }

    @Test("delete of an ignored file names what deletes it on the devices that have the rule, too")
    func ignoredEverywhere() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("secret\n", to: "a/creds")
        for name in ["a", "b"] { try await world.done("sync", name) }
        try world.write("creds\n", to: "a/.filesinkiignore")
        for name in ["a", "b"] { try await world.done("sync", name) }
        let refused = try await run(world, "rm --root a creds")
        #expect(refused.code == .usage, "\(refused.talk)")
        let told =
            "To delete it on every device, take the rule out and sync each device; then run filesinki delete "
            + "--root \(world.folder)/a creds, and add the rule again when they have synced."
        #expect(refused.talk.contains(told), "\(refused.talk)")
        #expect(!refused.talk.contains("everywhere"), "\(refused.talk)")
        try world.write("", to: "a/.filesinkiignore")
        for name in ["a", "b"] { try await world.done("sync", name) }
        try await world.done("delete", "--root", "a", "creds")
        try world.write("creds\n", to: "a/.filesinkiignore")
        try await world.done("sync", "b")
        for name in ["a", "b"] { #expect(world.read("\(name)/creds") == nil) }
    }

    @Test(
        "delete right after the rule was taken out says which devices keep the file, and what helps"
    )
    func ruleTakenOut() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("secret\n", to: "a/creds")
        for name in ["a", "b"] { try await world.done("sync", name) }
        try world.write("creds\n", to: "a/.filesinkiignore")
        for name in ["a", "b"] { try await world.done("sync", name) }
        try world.write("", to: "a/.filesinkiignore")
        let start =
            "creds: The change of .filesinkiignore here is not sent yet: a device on which its former rules ignore "
            + "this path keeps what it has. To delete it there, too, "
        let plan = try await run(world, "delete -n --root a creds")
        let first = start + "sync each device first, this one before the others."
        #expect(plan.talk.contains(first), "\(plan.talk)")
        let made = try await run(world, "delete --root a creds")
        #expect(made.code == .done, "\(made.talk)")
        let told =
            start
            + "bring it back with filesinki undelete --root \(world.folder)/a creds, sync each device, "
            + "and delete it again."
        #expect(made.talk.contains(told), "\(made.talk)")
        try await world.done("undelete", "--root", "a", "creds")
        for name in ["a", "b"] { try await world.done("sync", name) }
        let again = try await run(world, "delete --root a creds")
        #expect(!again.talk.contains("not sent yet"), "\(again.talk)")
        try await world.done("sync", "b")
        for name in ["a", "b"] { #expect(world.read("\(name)/creds") == nil) }
    }

    @Test(
        "an edit of the ignore file that may end a rule is told, whatever the size, and one that adds rules is not",
        arguments: [
            ("temps\n", true), ("creds\n!f\n", true), ("credsX\n", true), ("more\ncreds\n", true),
            ("creds\n", false), ("creds\nmore\n", false),
        ])
    func changedRules(_ rules: String, _ isTold: Bool) async throws {
        let world = try await ReplicaTests.pair()
        try world.write("text\n", to: "a/f")
        try world.write("creds\n", to: "a/.filesinkiignore")
        try await world.done("sync", "a")
        try world.write(rules, to: "a/.filesinkiignore")
        for command in ["delete -n --root a f", "delete --root a f"] {
            let told = try await run(world, command)
            #expect(told.talk.contains("not sent yet: a device") == isTold, "\(told.talk)")
        }
    }

    @Test("a file that is removed together with its rule comes back from the store")
    func removedWithRule() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("secret\n", to: "a/creds")
        try await world.done("sync", "a")
        try world.write("creds\n", to: "a/.filesinkiignore")
        try await world.done("sync", "a")
        try world.write("", to: "a/.filesinkiignore")
        world.remove("a/creds")
        try await world.done("sync", "a")
        #expect(world.readText("a/creds") == "secret\n")
    }

    @Test("the device that wrote the rule lists the conflict, too, until its copy is removed")
    func ignoredConflictOfAnother() async throws {
        let world = try await ReplicaTests.pair()
        for name in ["a", "b"] { try world.write("by \(name)\n", to: "\(name)/.env") }
        for name in ["a", "b", "a"] { _ = try await world.run("sync", name) }
        let copy = try #require(world.names(in: "a").first { $0.hasPrefix(".env (conflict b ") })
        try world.write(".env\n", to: "a/.filesinkiignore")
        for name in ["a", "b", "a"] { _ = try await world.run("sync", name) }
        let told = "ignored here by a rule: keep what you need of '\(copy)', and remove that"
        for name in ["a", "b"] {
            let open = try await run(world, "conflicts --root \(name)")
            #expect(open.code == .conflict)
            #expect(open.text.hasPrefix(".env ") && open.text.contains(told), "\(open.text)")
            #expect(open.text.contains("    here 5 B "), "\(open.text)")
            let refused = try await run(world, "resolve --root \(name) .env --take here")
            #expect(refused.code == .usage, "\(refused.talk)")
            #expect(
                refused.talk.contains("keep what you need of '\(copy)', and remove that."),
                "\(refused.talk)")
            world.remove("\(name)/\(copy)")
            try await world.done("conflicts", "--root", name)
        }
    }

    @Test("undelete of a pattern for ignored paths says so, and names what prints a version")
    func ignoredPattern() async throws {
        let world = try await World.withStore()
        for name in ["keys/id.key", "x.txt"] { try world.write("k\n", to: "a/" + name) }
        try await world.done("init", "a", "--remote", "store")
        try await world.done("sync", "a")
        try world.write("keys/\n", to: "a/.filesinkiignore")
        try await world.done("delete", "--root", "a", "--keep", "-r", "keys")
        try await world.done("delete", "--root", "a", "x.txt")
        #expect(try await run(world, "ls --root a --deleted *.key").lines == ["keys/id.key"])
        let root = "--root \(world.folder)/a"
        for line in ["undelete --root a *.key", "undelete --root a -n *.key"] {
            let refused = try await run(world, line)
            #expect(refused.code == .usage, "\(refused.talk)")
            for told in [
                "*.key: What it matches was deleted in the store, and is ignored here by a rule",
                "filesinki log \(root) keys/id.key lists the versions",
                "filesinki show \(root) keys/id.key@VERSION prints it",
                "filesinki check-ignore \(root) keys/id.key.",
            ] {
                #expect(refused.talk.contains(told), "\(refused.talk)")
            }
        }
        let log = try await run(world, "log --root a keys/id.key")
        #expect(log.code == .done && !log.lines.isEmpty, "\(log.text)")
        #expect(try await run(world, "show --root a keys/id.key@1").text == "k\n")
        // Beside others they are left out.
        try await world.done("undelete", "--root", "a", "*")
        #expect(world.readText("a/x.txt") == "k\n")
    }

    @Test(
        "a list of what this device syncs leaves the rules of all devices in force",
        arguments: [".filesinki/ignore", nil])
    func listOfWhatIsSynced(_ file: String?) async throws {
        let world = try await World.withStore()
        try world.write("secret*\n", to: "a/.filesinkiignore")
        try await world.done("init", "a", "--remote", "store")
        try await world.done("sync", "a")
        try await world.done("init", "b", "--remote", "store")
        if let file { try world.write("*\n!*/\n!*.md\n", to: "b/\(file)") }
        for name in ["secret.md", "public.md", "x.txt"] { try world.write("b", to: "b/\(name)") }
        let options =
            file == nil ? ["--exclude", "*", "--include", "*/", "--include", "p*.md"] : []
        for _ in 0..<2 {
            _ = try await world.run(bytes: (["sync", "b"] + options).map { Array($0.utf8) })
        }
        let sent = try await run(world, "ls --root b").lines.filter { !$0.hasPrefix(".") }
        #expect(sent == ["public.md"], "\(sent)")
        #expect(world.readText("b/.filesinkiignore") == "secret*\n")
    }

    @Test func `a file beside an ignore file of this device is named`() async throws {
        let world = try await World.withStore()
        try await world.done("init", "a", "--remote", "store")
        for file in [
            "a/.filesinki/ignores", "a/.filesinki/.filesinkiignore", "config/filesinki/.ignore",
        ] {
            try world.write("*.key\n", to: file)
            let warning = "/\(file): This is no ignore file, and ignores nothing."
            #expect(try await run(world, "sync a").talk.contains(warning))
            #expect(try await run(world, "doctor a").text.contains("This is no ignore file"))
            world.remove(file)
        }
        try world.write("*.key\n", to: "a/.filesinki/ignore")
        #expect(try await !run(world, "sync a").talk.contains("no ignore file"))
    }
}
