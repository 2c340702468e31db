import FilesinkiModel
import Testing

@testable import FilesinkiCommands

@Suite("merge --install-git-driver")
struct GitDriverTests {
    private static let user = "# mine\n*.json -diff\n"

    /// A world whose current folder is a git repository.
    private func repository() throws -> World {
        let world = try World()
        world.set("PATH", to: "/usr/local/bin:/usr/bin:/bin")
        world.set("GIT_CONFIG_NOSYSTEM", to: "1")
        try world.makeFolder("r/sub")
        world.currentFolder = world.folder + "/r"
        let git = GitProgram(world.environment, in: world.currentFolder)
        try #require(try git.run(["init", "-q"]).code == 0)
        return world
    }

    private func setting(_ world: World, _ name: String) throws -> String? {
        try GitProgram(world.environment, in: world.currentFolder).line(["config", "--get", name])
    }

    private func run(_ world: World, _ options: String...) async throws -> World.Outcome {
        try await world.run(bytes: (["merge"] + options).map { Array($0.utf8) })
    }

    @Test("sets the driver and writes all patterns before the user's lines, from any folder")
    func installs() async throws {
        let world = try repository()
        try world.write(Self.user, to: "r/.git/info/attributes")
        world.currentFolder += "/sub"
        let outcome = try await run(world, "--install-git-driver")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(
            try setting(world, "merge.filesinki.driver")
                == "filesinki merge --markers --marker-size %L --label=%X --label=%Y --path %P -o %A %O %A %B"
        )
        let text = try #require(world.readText("r/.git/info/attributes"))
        #expect(text.hasPrefix("# begin filesinki"))
        #expect(text.hasSuffix("# end filesinki\n" + Self.user))
        for pattern in [
            "*.json", "*.yml", "*.csv", "*.ipynb", "*.docx", "*.sqlite", ".editorconfig",
        ] {
            #expect(text.contains("\n\(pattern) merge=filesinki\n"), "\(pattern)")
        }
    }

    @Test("installing twice is the same as once, and removing it leaves what was there")
    func removes() async throws {
        let world = try repository()
        try world.write(Self.user, to: "r/.git/info/attributes")
        _ = try await run(world, "--install-git-driver")
        let once = world.readText("r/.git/info/attributes")
        _ = try await run(world, "--install-git-driver")
        #expect(world.readText("r/.git/info/attributes") == once)
        for _ in 0..<2 {
            let outcome = try await run(world, "--uninstall-git-driver")
            #expect(outcome.code == .done, "\(outcome.talk)")
            #expect(world.readText("r/.git/info/attributes") == Self.user)
            #expect(try setting(world, "merge.filesinki.driver") == nil)
            #expect(try setting(world, "merge.filesinki.name") == nil)
        }
    }

    @Test("--attributes writes the committed file, which goes if nothing else is in it")
    func versioned() async throws {
        let world = try repository()
        let outcome = try await run(world, "--install-git-driver", "--attributes", "--json")
        #expect(
            outcome.text
                == #"{"type":"git-driver","installed":true,"global":false,"attributes":"\#(world.folder)/r/.gitattributes"}"#
                + "\n")
        #expect(world.readText("r/.gitattributes")?.contains("*.toml merge=filesinki") == true)
        _ = try await run(world, "--uninstall-git-driver", "--attributes")
        #expect(world.read("r/.gitattributes") == nil)
    }

    @Test("--global needs no repository, and uses the file that git does")
    func global() async throws {
        let world = try repository()
        world.currentFolder = world.folder
        try world.makeFolder("home")
        #expect(try await run(world, "--install-git-driver", "--global").code == .done)
        #expect(world.readText("config/git/attributes")?.contains("*.xml merge") == true)
        #expect(try setting(world, "merge.filesinki.driver") != nil)
        #expect(world.readText("r/.git/config")?.contains("filesinki") == false)
        let git = GitProgram(world.environment)
        _ = try git.run(["config", "--global", "core.attributesFile", "~/mine"])
        #expect(try await run(world, "--install-git-driver", "--global").code == .done)
        #expect(world.readText("home/mine")?.contains("*.xml merge") == true)
    }

    @Test("damaged markers change nothing, and name the file")
    func damaged() async throws {
        let world = try repository()
        _ = try await run(world, "--install-git-driver", "--attributes")
        let text = try #require(world.readText("r/.gitattributes"))
        let broken = String(text.dropLast("# end filesinki\n".count))
        try world.write(broken, to: "r/.gitattributes")
        for action in ["--install-git-driver", "--uninstall-git-driver"] {
            let outcome = try await run(world, action, "--attributes")
            #expect(outcome.code == .usage)
            #expect(outcome.talk.contains("/r/.gitattributes: The lines between the markers"))
            #expect(world.readText("r/.gitattributes") == broken)
            #expect(try setting(world, "merge.filesinki.driver") != nil)
        }
    }

    @Test(
        "invalid usage exits with 2",
        arguments: [
            ["--install-git-driver", "--uninstall-git-driver"], ["--global"],
            ["--install-git-driver", "--global", "--attributes"], ["--attributes", "a", "b", "c"],
            ["--install-git-driver", "a", "b", "c"], [], ["a", "b"],
            ["--marker-size", "0", "a", "b", "c"], ["--check", "--explain", "a", "b", "c"],
        ])
    func usage(_ options: [String]) async throws {
        let world = try repository()
        let outcome = try await world.run(bytes: (["merge"] + options).map { Array($0.utf8) })
        #expect(outcome.code == .usage)
        #expect(try setting(world, "merge.filesinki.driver") == nil)
    }

    @Test("outside a repository, and without git, it says what is missing")
    func missing() async throws {
        let world = try repository()
        world.currentFolder = world.folder
        let outside = try await run(world, "--install-git-driver")
        #expect(outside.code == .usage && outside.talk.contains("git repository"))
        world.set("PATH", to: "/nowhere")
        let without = try await run(world, "--install-git-driver")
        #expect(without.code == .negative && without.talk.contains("git was not found"))
    }
}
