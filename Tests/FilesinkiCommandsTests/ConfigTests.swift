import Glibc
import Testing

@testable import FilesinkiCommands

@Suite("config")
struct ConfigTests {
    let world: World

    init() async throws {
        world = try World()
        try world.makeFolder("a")
        let outcome = try await world.run("init", "a", "--device", "a")
        #expect(outcome.code == .done, "\(outcome.talk)")
    }

    private func config(_ arguments: String...) async throws -> World.Outcome {
        let words = ["config"] + arguments + ["--root", "a"]
        return try await world.run(bytes: words.map { Array($0.utf8) })
    }

    @Test("set changes one value of the synced file, and a run goes by it")
    func set() async throws {
        try world.write("# ours\r\ngitignore=false # why\r\n", to: "a/.filesinki.toml")
        chmod(world.folder + "/a/.filesinki.toml", 0o664)
        #expect(try await config("set", "gitignore", "true").code == .done)
        let expected = "# ours\r\ngitignore=true # why\r\n"
        #expect(world.readText("a/.filesinki.toml") == expected)
        var status = stat()
        #expect(stat(world.folder + "/a/.filesinki.toml", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o664)
        try world.write("secret\n", to: "a/.gitignore")
        #expect(try await world.run("check-ignore", "--root", "a", "secret").code == .done)
        #expect(world.names(in: "a") == [".filesinki", ".filesinki.toml", ".gitignore"])
    }

    @Test("get prints the value, and exits with 1 without one")
    func get() async throws {
        let absent = try await config("get", "on-delete")
        #expect(absent.code == .negative)
        #expect(absent.output.isEmpty)
        #expect(world.names(in: "a") == [".filesinki"])
        #expect(try await config("get", "on-delete", "--defaults").lines == ["keep"])
        #expect(try await config("set", "on-delete", "ask").code == .done)
        #expect(try await config("get", "on-delete", "--defaults").lines == ["ask"])
    }

    @Test("unset removes it, and exits with 1 when it is not set")
    func unset() async throws {
        try world.write("on-delete = 'ask'\n", to: "a/.filesinki.toml")
        #expect(try await config("unset", "on-delete").code == .done)
        #expect(world.readText("a/.filesinki.toml") == "")
        #expect(try await config("unset", "on-delete").code == .negative)
        #expect(try await config("unset", "on-delet").code == .usage)
    }

    @Test(
        "a key or a value that the reader rejects exits with 2, and the file stays",
        arguments: [
            ("on-delet", "ask", "Did you mean 'on-delete'?"),
            ("on-delete", "often", "Invalid value of on-delete: 'often'."),
            ("max-delete", "-5", "Invalid limit of deletions"), ("a..b", "1", "Invalid key."),
            ("rule.1.match", "*", "Rules can be shown, but not changed"),
        ])
    func rejected(_ key: String, _ value: String, _ message: String) async throws {
        let text = "on-delete = 'ask'\n"
        try world.write(text, to: "a/.filesinki.toml")
        for place in [[], ["--device"], ["--replica"]] {
            let words = ["config", "set", key] + place + ["--root", "a", "--", value]
            let outcome = try await world.run(bytes: words.map { Array($0.utf8) })
            #expect(outcome.code == .usage, "\(outcome.talk)")
            #expect(outcome.talk.contains(message), "\(outcome.talk)")
        }
        #expect(world.readText("a/.filesinki.toml") == text)
        #expect(world.read("config/filesinki/config.toml") == nil)
        #expect(world.read("a/.filesinki/config.toml") == nil)
    }

    @Test("--device and --replica use this device's files, which override in this order")
    func ownFiles() async throws {
        // Needs no replica.
        let outcome = try await world.run("config", "set", "--device", "gitignore", "true")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.readText("config/filesinki/config.toml") == "gitignore = true\n")
        #expect(world.names(in: "config/filesinki") == ["config.toml"])
        try world.write("secret\n", to: "a/.gitignore")
        try world.write("1", to: "a/secret")
        #expect(try await config("get", "gitignore").code == .negative)
        #expect(try await config("get", "--device", "gitignore").lines == ["true"])
        #expect(try await world.run("sync", "a", "--dry-run").text.contains("secret") == false)
        #expect(try await config("set", "--replica", "gitignore", "false").code == .done)
        #expect(world.readText("a/.filesinki/config.toml") == "gitignore = false\n")
        #expect(try await config("list", "--device", "--replica").code == .usage)
    }

    @Test("a command in a strategy is refused in the synced file and taken in a device's")
    func commands() async throws {
        let refused = try await config("set", "strategy", "exec:cat %B")
        #expect(refused.code == .notAllowed)
        #expect(world.read("a/.filesinki.toml") == nil)
        #expect(try await config("set", "--device", "strategy", "exec:cat %B").code == .done)
    }

    @Test("list prints a file with mistakes, and exits with 2")
    func mistakes() async throws {
        try world.write("colour = 'red'\ngitignore = [1]\n", to: "a/.filesinki.toml")
        let outcome = try await config("list")
        #expect(outcome.code == .usage)
        #expect(outcome.lines == ["colour = \"red\"", "gitignore = (an array)"])
        #expect(outcome.talk.contains("Line 1: Unknown key: 'colour'."))
        #expect(outcome.talk.contains("Line 2: The value of 'gitignore' is an array."))
    }

    @Test("text of another device does not move the cursor of a terminal")
    func controlCharacters() async throws {
        try world.write("strategy = \"exec:\\u001b[2J\"\n", to: "a/.filesinki/config.toml")
        #expect(try await config("get", "--replica", "strategy").text == "exec:\u{1B}[2J\n")
        #expect(
            try await config("list", "--replica").text == "strategy = \"exec:\\u001B[2J\"\n")
        world.terminals.output = true
        #expect(try await config("get", "--replica", "strategy").text == "exec:\\x1b[2J\n")
    }

    @Test("a second command waits for the first, and both values are there")
    func concurrent() async throws {
        try await withThrowingTaskGroup(of: ExitCode.self) { group in
            for (key, value) in [
                ("gitignore", "true"), ("on-delete", "ask"), ("max-delete", "7"),
                ("strategy", "newest"),
            ] {
                for place in ["--device", "--replica"] {
                    group.addTask {
                        try await world.run("config", "set", place, key, value, "--root", "a").code
                    }
                }
            }
            for try await code in group { #expect(code == .done) }
        }
        for file in ["config/filesinki/config.toml", "a/.filesinki/config.toml"] {
            let text = try #require(world.readText(file))
            #expect(
                text.split(separator: "\n").sorted() == [
                    "gitignore = true", "max-delete = 7", "on-delete = \"ask\"",
                    "strategy = \"newest\"",
                ])
        }
    }

    @Test("a symlink in the place of this device's file is followed, and stays")
    func symlinked() async throws {
        try world.write("# mine\ngitignore = true\n", to: "dotfiles/sinki.toml")
        try world.makeFolder("config/filesinki")
        let link = world.folder + "/config/filesinki/config.toml"
        symlink("../../dotfiles/sinki.toml", link)
        try world.write("secret\n", to: "a/.gitignore")
        #expect(try await world.run("check-ignore", "--root", "a", "secret").code == .done)
        #expect(try await world.run("sync", "a").code == .negative)
        #expect(try await config("get", "--device", "gitignore").lines == ["true"])
        #expect(try await config("set", "--device", "gitignore", "false").code == .done)
        #expect(world.readText("dotfiles/sinki.toml") == "# mine\ngitignore = false\n")
        #expect(try await config("set", "--device", "on-delete", "often").code == .usage)
        #expect(try await config("unset", "--device", "gitignore").code == .done)
        #expect(world.readText("dotfiles/sinki.toml") == "# mine\n")
        #expect(FileCall.readLink(Array(link.utf8)) == Array("../../dotfiles/sinki.toml".utf8))
    }

    @Test("a run stops at a symlink that leads nowhere: the settings are not known")
    func dangling() async throws {
        try world.makeFolder("config/filesinki")
        symlink("/nowhere/sinki.toml", world.folder + "/config/filesinki/config.toml")
        let run = try await world.run("sync", "a")
        #expect(run.code == .io)
        #expect(run.talk.contains("leads to a file that does not exist"), "\(run.talk)")
    }
}
