import FilesinkiCommands
import FilesinkiTesting
import Testing

/// What commands say of a path that a rule ignored until its folder was renamed.
@Suite struct RenamedSecretsTests {
    private func run(_ world: World, _ line: String) async throws -> World.Outcome {
        try await world.run(bytes: line.split(separator: " ").map { Array($0.utf8) })
    }

    @Test func `what a rule names in a folder is withheld when the folder is renamed`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        try world.write("/d/secret\n", to: "a/.filesinkiignore")
        try world.write("mine", to: "a/d/secret")
        #expect(try await run(world, "sync a").code == .done)
        world.rename("a/d", to: "a/e")
        let first = try await run(world, "sync a")
        let told =
            "e/secret: Withheld, not sent: a rule ignores it by the former name of its folder, d/secret."
        #expect(first.code == .conflict && first.talk.contains(told), "\(first.talk)")
        #expect(first.talk.contains(" e/secret; to keep it private"), "\(first.talk)")
        #expect(try await run(world, "sync a").code == .done)
        #expect(try await run(world, "ls --root a e/secret").code == .negative)
        #expect(try await run(world, "sync a/e/secret").code == .done)
        #expect(try await run(world, "ls --root a e/secret").code == .done)
    }

    @Test func `a choice without the former name withholds it, and exits with 3`() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("/d/secret\n", to: "a/.filesinkiignore")
        try world.write("mine", to: "a/d/secret")
        try world.write("t", to: "a/d/t")
        for line in ["sync a", "only set --root a d"] { try await world.expect(line) }
        world.rename("a/d", to: "a/e")
        let chosen = try await world.expect("only set --root a e", .conflict)
        let told =
            "e/secret: Withheld, not sent: a rule ignores it by the former name of its folder, d/secret."
        #expect(chosen.talk.contains(told), "\(chosen.talk)")
        for line in ["sync a", "ls --root a e/t"] { try await world.expect(line) }
        try await world.expect("ls --root a e/secret", .negative)
        for line in ["sync a/e/secret", "ls --root a e/secret"] { try await world.expect(line) }
    }

    /// A replica whose folder `d`, in which a rule names a secret, is `e` now.
    private func renamed() async throws -> World {
        let world = try await ReplicaTests.pair()
        try world.write("/d/secret\n", to: "a/.filesinkiignore")
        try world.write("mine", to: "a/d/secret")
        try world.write("text", to: "a/d/text")
        #expect(try await run(world, "sync a").code == .done)
        world.rename("a/d", to: "a/e")
        return world
    }

    @Test(arguments: ["sync a/sub", "sync -q a/sub", "sync -q a"])
    func `the run that begins to withhold says so, also where nothing else is done`(
        _ command: String
    ) async throws {
        let world = try await renamed()
        let first = try await run(world, command)
        #expect(first.code == .conflict, "\(first)")
        #expect(first.talk.contains("e/secret: Withheld, not sent: a rule"), "\(first)")
        #expect(try await run(world, "sync a").code == .done)
    }

    @Test func `so does one that leaves out the new name`() async throws {
        let world = try await renamed()
        let first = try await run(world, "sync --exclude e a")
        #expect(first.code == .conflict, "\(first)")
        #expect(first.talk.contains("e/secret: Withheld, not sent: a rule"), "\(first)")
        #expect(try await run(world, "sync a").code == .done)
        #expect(try await run(world, "ls --root a e/secret").code == .negative)
    }

    @Test func `so it is while the remote is away`() async throws {
        let world = try await renamed()
        world.rename("store", to: "gone")
        let first = try await run(world, "sync -q a")
        #expect(first.code == .away, "\(first)")
        #expect(first.talk.contains("e/secret: Withheld, not sent: a rule"), "\(first)")
        world.rename("gone", to: "store")
        #expect(try await run(world, "sync -q a").code == .done)
        #expect(try await run(world, "ls --root a e/secret").code == .negative)
    }

    @Test func `a command for one file in the folder says so, too`() async throws {
        let world = try await renamed()
        let saved = try await world.run(
            "save", "--root", "a", "e/text", input: Array("new".utf8))
        #expect(saved.code == .conflict, "\(saved)")
        #expect(saved.talk.contains(Self.refusal), "\(saved)")
        #expect(try await run(world, "sync a").code == .done)
        #expect(try await run(world, "ls --root a e/text").code == .done)
        #expect(try await run(world, "ls --root a e/secret").code == .negative)
    }

    @Test(arguments: [
        "undelete --root a d/more", "undelete --root a d/more d/other", "restore --root a d/text@2",
        "restore --root a d/text d/more --commit 2",
    ])
    func `so does one that brings back what was in the folder by its former name`(
        _ command: String
    ) async throws {
        let world = try await ReplicaTests.pair()
        try world.write("/d/secret\n", to: "a/.filesinkiignore")
        for name in ["secret", "text", "more", "other"] {
            try world.write(name, to: "a/d/\(name)")
        }
        try await world.expect("sync a")
        if command.hasPrefix("undelete") {
            try await world.expect("delete --root a d/more d/other")
        }
        world.rename("a/d", to: "a/e")
        let brought = try await world.expect(command, .conflict)
        #expect(brought.talk.contains("e/secret: Withheld, not sent: a rule"), "\(brought)")
        let restored = command.hasPrefix("undelete") ? "more" : "text"
        #expect(world.readText("a/d/\(restored)") == restored)
        try await world.expect("sync a")
        try await world.expect("ls --root a e/secret", .negative)
    }

    @Test(arguments: ["undelete --root a e/none", "delete --root a d/text"])
    func `where a command fails that has begun to withhold it, the next run says so`(
        _ command: String
    ) async throws {
        let world = try await renamed()
        let isAway = command.hasPrefix("delete")
        if isAway { world.rename("store", to: "gone") }
        try await world.expect(command, .negative)
        if isAway { world.rename("gone", to: "store") }
        let first = try await world.expect("sync -q a", .conflict)
        #expect(first.talk.contains("e/secret: Withheld, not sent: a rule"), "\(first)")
        try await world.expect("sync -q a")
        try await world.expect("ls --root a e/secret", .negative)
    }

    @Test func `so does the first run that is not away`() async throws {
        let world = try await renamed()
        world.rename("store", to: "gone")
        try await world.expect("delete --root a d/text", .negative)
        let told = "e/secret: Withheld, not sent: a rule"
        for _ in 1...2 {
            let away = try await world.expect("sync -q a", .away)
            #expect(away.talk.contains(told), "\(away)")
        }
        world.rename("gone", to: "store")
        let first = try await world.expect("sync -q a", .conflict)
        #expect(first.talk.contains(told), "\(first)")
        try await world.expect("sync -q a")
    }

    @Test func `status does not say that it waits to be sent, but that it is withheld`()
        async throws
    {
        let world = try await renamed()
        let status = try await run(world, "status -v a")
        #expect(status.code == .conflict)
        #expect(status.text.contains("e/text"), "\(status)")
        #expect(!status.text.contains("new      e/secret"), "\(status)")
        #expect(
            status.text.contains("1 withheld, ignored by a rule before:  e/secret"), "\(status)")
        let json = try await run(world, "status a --json")
        #expect(json.text.contains(#""withheld":["e/secret"]"#), "\(json)")
        // As after the run that begins to withhold it.
        #expect(try await run(world, "sync a").code == .conflict)
        #expect(try await run(world, "status a --json").text.contains(#""withheld":["e/secret"]"#))
    }

    @Test func `nor of a withheld file that was renamed by itself`() async throws {
        let world = try await renamed()
        _ = try await run(world, "sync a")
        world.rename("a/e/secret", to: "a/e/other")
        let status = try await run(world, "status -v a")
        #expect(!status.text.contains("new      e/other"), "\(status)")
        #expect(!status.text.contains("changed here"), "\(status)")
    }

    /// With the former name, by which a rule ignores it.
    private static let refusal =
        "e/secret: Withheld, not sent: a rule ignores it by the former name of its folder, d/secret."

    /// Expects that the secret is here as it was, and has never been sent.
    private func expectPrivate(_ world: World, _ name: String) async throws {
        #expect(world.readText("a/\(name)") == "mine")
        for _ in 1...2 { try await world.expect("sync a") }
        try await world.expect("ls --root a \(name)", .negative)
        let log = try await world.expect("log --root a")
        #expect(!log.text.contains(name), "\(log.text)")
    }

    @Test(arguments: [
        "delete --root a e/secret", "delete -n --root a e/secret", "mv --root a e/secret e/open",
        "mv --root a e x",
    ])
    func `a command that names it is refused, also as the first one`(
        _ command: String
    ) async throws {
        let world = try await renamed()
        let refused = try await world.expect(command, .usage)
        #expect(refused.talk.contains(Self.refusal), "\(refused.talk)")
        _ = try await run(world, "sync a")
        try await expectPrivate(world, "e/secret")
    }

    @Test(arguments: [false, true])
    func `a save does not replace it`(_ isAway: Bool) async throws {
        let world = try await renamed()
        if isAway { world.rename("store", to: "gone") }
        let saved = try await world.run(
            "save", "--root", "a", "e/secret", input: Array("new".utf8))
        #expect(saved.code == .usage, "\(saved)")
        #expect(saved.talk.contains(Self.refusal), "\(saved)")
        if isAway { world.rename("gone", to: "store") }
        _ = try await run(world, "sync a")
        try await expectPrivate(world, "e/secret")
    }

    @Test(arguments: [false, true])
    func `a path in a withheld folder is refused with the command that publishes the folder`(
        _ isKnown: Bool
    ) async throws {
        let world = try await ReplicaTests.pair()
        try world.write("/d/secret\n", to: "a/.filesinkiignore")
        try world.write("mine", to: "a/d/secret/sub/key")
        try world.write("text", to: "a/d/text")
        try await world.expect("sync a")
        world.rename("a/d", to: "a/e")
        if isKnown { try await world.expect("sync a", .conflict) }
        let key = "e/secret/sub/key"
        let saved = try await world.run("save", "--root", "a", key, input: Array("new".utf8))
        var refused = [saved]
        for command in ["delete --root a \(key)", "mv --root a \(key) e/open"] {
            refused.append(try await run(world, command))
        }
        for outcome in refused {
            #expect(outcome.code == .usage, "\(outcome)")
            #expect(outcome.talk.contains("To publish its folder, run"), "\(outcome)")
            #expect(outcome.talk.contains(" e/secret; to keep it private"), "\(outcome)")
        }
        // The command that is named works.
        try await world.expect("sync a/e/secret")
        try await world.expect("ls --root a \(key)")
    }

    @Test func `a save does not replace it either where it was withheld before`() async throws {
        let world = try await renamed()
        _ = try await run(world, "sync a")
        world.rename("a/e/secret", to: "a/e/other")
        let saved = try await world.run(
            "save", "--root", "a", "e/other", input: Array("new".utf8))
        #expect(saved.code == .usage, "\(saved)")
        try await expectPrivate(world, "e/other")
    }

    @Test func `a load only reads it`() async throws {
        let world = try await renamed()
        let loaded = try await run(world, "load --root a e/secret")
        #expect(loaded.text == "mine")
        _ = try await run(world, "sync a")
        try await expectPrivate(world, "e/secret")
    }

    @Test func `what is saved where nothing was is sent`() async throws {
        let world = try await renamed()
        world.remove("a/e/secret")
        let saved = try await world.run(
            "save", "--root", "a", "e/secret", input: Array("new".utf8))
        #expect(saved.code == .done, "\(saved)")
        try await world.expect("ls --root a e/secret")
    }
}
