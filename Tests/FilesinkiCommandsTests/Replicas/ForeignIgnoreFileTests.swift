import Testing

@testable import FilesinkiCommands

@Suite("Ignore files of other programs in a new replica")
struct ForeignIgnoreFileTests {
    @Test("init says that git's ignore file does not apply, unless the settings say that it does")
    func gitIgnoreFile() async throws {
        let world = try World()
        for (root, settings) in [("a", nil), ("b", "gitignore = true\n")] as [(String, String?)] {
            try world.write(".env", to: "\(root)/.gitignore")
            if let settings { try world.write(settings, to: "\(root)/.filesinki.toml") }
            let outcome = try await world.run("init", root)
            let next = "filesinki config set --root \(world.folder)/a gitignore true"
            #expect(outcome.code == .done)
            #expect(outcome.talk.contains(next) == (root == "a"), "\(outcome.talk)")
            #expect(outcome.talk.contains("What git ignores") == (root == "a"), "\(outcome.talk)")
        }
    }

    @Test("init of a store that is there leaves open what its settings say of git's ignore file")
    func gitIgnoreFileOfStore() async throws {
        let world = try World()
        let unless =
            "is synced, unless the store's settings have gitignore = true. If it is not to be, before"
        for (root, isKnown) in [("a", false), ("b", true)] {
            try world.write(".env", to: "\(root)/.gitignore")
            let outcome = try await world.run("init", root, "--remote", "store")
            #expect(outcome.talk.contains(unless) == isKnown, "\(outcome.talk)")
            #expect(outcome.talk.contains("What git ignores by this file is synced"))
        }
    }

    @Test(
        "clone says afterwards what git leaves out and is synced, and at a terminal before it asks",
        arguments: [true, false], [true, false])
    func gitIgnoreFileOfClone(_ applies: Bool, _ isTerminal: Bool) async throws {
        let world = try World()
        try world.write("1", to: "a/one")
        if applies { try world.write("gitignore = true\n", to: "a/.filesinki.toml") }
        try await world.done("init", "a", "--remote", "store")
        try await world.done("sync", "a")
        try world.write(".env", to: "b/.gitignore")
        try world.write("secret", to: "b/.env")
        world.terminals = Console.Terminals(
            input: isTerminal, talk: isTerminal, columns: { 1000 })
        let words = ["clone", "store", "b"].map { Array($0.utf8) }
        let outcome = try await world.run(bytes: words, input: Array("y\n".utf8))
        #expect(outcome.code == .done, "\(outcome)")
        let talk = outcome.talk.replacing("\n", with: " ")
        let before =
            "is synced, unless the store's settings have gitignore = true. If it is not to be, answer no, "
        #expect(talk.contains(before) == isTerminal, "\(talk)")
        let step = "filesinki config set --root \(world.folder)/b gitignore true"
        #expect(talk.contains(step) == (!isTerminal && !applies), "\(talk)")
        if !isTerminal, !applies {
            let sent = try #require(talk.firstRange(of: "Sent "))
            #expect(talk[sent.upperBound...].contains(step), "\(talk)")
        }
        #expect(!talk.contains("before the first sync"), "\(talk)")
    }

    @Test("a new folder does not get the notice for the ignore file that a clone receives")
    func gitIgnoreFileReceived() async throws {
        let world = try World()
        try world.write(".env", to: "a/.gitignore")
        try await world.done("init", "a", "--remote", "store")
        try await world.done("sync", "a")
        let outcome = try await world.run("clone", "store", "b")
        #expect(outcome.code == .done && !outcome.talk.contains("What git ignores"), "\(outcome)")
    }

    @Test func `init names a git repository that would be synced, once`() async throws {
        let world = try World()
        for (root, file, isNamed) in [
            ("a", ".gitignore", true), ("b", "other", true), ("c", ".filesinkiignore", false),
        ] {
            try world.write("ref: refs/heads/main\n", to: "\(root)/.git/HEAD")
            try world.write(".git\n", to: "\(root)/\(file)")
            let outcome = try await world.run("init", root)
            let line = "write the line .git into .filesinkiignore."
            let count = outcome.talk.ranges(of: line).count
            #expect(outcome.code == .done && count == (isNamed ? 1 : 0), "\(outcome.talk)")
        }
    }

    @Test("init names Syncthing's ignore file, which is not read, unless there is one of its own")
    func foreignIgnoreFile() async throws {
        let world = try World()
        for (root, isNamed) in [("a", true), ("b", false)] {
            try world.write("*.tmp", to: "\(root)/.stignore")
            if !isNamed { try world.write("*.tmp", to: "\(root)/.filesinkiignore") }
            let outcome = try await world.run("init", root)
            #expect(outcome.code == .done, "\(outcome)")
            #expect(outcome.talk.contains("/\(root)/.stignore") == isNamed, "\(outcome)")
            #expect(outcome.talk.contains(".filesinkiignore") == isNamed, "\(outcome)")
            #expect(try await !world.run("init", root).talk.contains(".stignore"))
        }
    }

    @Test("sync says once that Syncthing's ignore file is not read, unless init has said so")
    func foreignIgnoreFileLater() async throws {
        let world = try World()
        try world.write("*.tmp", to: "b/.stignore")
        for root in ["a", "b", "c"] { try await world.done("init", root, "--remote", "of-\(root)") }
        for root in ["a", "c"] { try world.write("*.tmp", to: "\(root)/.stignore") }
        try world.write("*.tmp", to: "c/.filesinkiignore")
        let told =
            ".stignore: This ignore file of another program is not read. Write what filesinki is to leave out into "
            + ".filesinkiignore, in the syntax of .gitignore."
        func count(_ line: String) async throws -> Int {
            try await world.expect(line).talk.ranges(of: told).count
        }
        for (line, expected) in [
            ("sync a/.stignore", 0), ("sync a --dry-run", 1), ("sync a", 1), ("sync a", 0),
            ("sync a --dry-run", 0), ("sync b", 0), ("sync c", 0),
        ] {
            #expect(try await count(line) == expected, "\(line)")
        }
        // It is said again of one that comes back, and where the file of this program is gone.
        world.remove("a/.stignore")
        #expect(try await count("sync a") == 0)
        try world.write("*.bak", to: "a/.stignore")
        #expect(try await count("sync a") == 1)
        world.remove("c/.filesinkiignore")
        let json = try await world.expect("sync c --json").lines
        let notices = json.filter { $0.contains("another program") }
        #expect(notices.count == 1, "\(json)")
        #expect(
            notices.first?.hasPrefix(#"{"type":"notice","path":".stignore","code":"usage","#)
                == true)
    }
}
