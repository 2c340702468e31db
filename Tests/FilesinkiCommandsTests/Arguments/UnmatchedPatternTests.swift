import FilesinkiCommands
import Testing

/// A pattern counts from the root, also where it is given in a folder of the replica.
@Suite("A pattern in a folder of the replica that matches nothing")
struct UnmatchedPatternTests {
    private static let meant = "A pattern counts from the root of the replica. Did you mean "

    /// The store has `d/x.txt` as deleted, and `d/k.pem`, which is ignored here; `d/y.txt` was deleted since the last
    /// sync.
    private static func world(_ folder: String = "d") async throws -> World {
        let world = try await World.withStore()
        for name in ["x.txt", "y.txt", "k.pem"] {
            try world.write("text\n", to: "a/\(folder)/\(name)")
        }
        try await world.done("init", "a", "--remote", "store")
        try await world.done("sync", "a")
        try world.write("*.pem\n", to: "a/.filesinkiignore")
        world.currentFolder = world.folder + "/a/" + folder
        try await world.done("delete", "x.txt")
        try await world.done("sync")
        world.remove("a/\(folder)/y.txt")
        return world
    }

    @Test(
        "is told the one with the folder in front, if that matches",
        arguments: [
            (["undelete"], "./x*", "d/x*", "No deleted path was found."),
            (["undelete"], "./y*", "d/y*", "No deleted path was found."),
            (["ls", "--deleted"], "./x*", "d/x*", "No deleted path was found."),
            (["ls", "--deleted"], "./y*", "d/y*", "No deleted path was found."),
            (
                ["delete", "--keep"], "./k*", "d/k*",
                "No ignored path of the store matches this pattern, as of the last sync."
            ),
        ])
    func named(
        _ command: [String], _ given: String, _ pattern: String, _ cause: String
    ) async throws {
        let world = try await Self.world()
        let outcome = try await world.expect(command + [given], .negative)
        let told = "filesinki: \(given): \(cause) \(Self.meant)'\(pattern)'?\n"
        #expect(outcome.talk == told, "\(outcome.talk)")
        try await world.expect(command + [pattern])
    }

    @Test("names a folder with the characters of a pattern so that it is that folder")
    func escaped() async throws {
        let world = try await Self.world("[d]")
        let outcome = try await world.expect(["undelete", "./x*"], .negative)
        #expect(outcome.talk.hasSuffix(Self.meant + "'\\[d]/x*'?\n"), "\(outcome.talk)")
        try await world.expect(["undelete", "\\[d]/x*"])
        #expect(world.readText("a/[d]/x.txt") == "text\n")
    }

    @Test("is reported as it was typed, of conflicts and of resolved ones")
    func conflicts() async throws {
        let world = try await World.withConflicts()
        world.currentFolder = world.folder + "/b/d"
        for (options, cause) in [
            (["--take", "here"], "No open conflict was found."),
            (["--undo"], "No resolved conflict that matches was found here."),
        ] {
            let outcome = try await world.expect(["resolve", "./thr*"] + options, .negative)
            let told = "filesinki: ./thr*: \(cause) \(Self.meant)'d/thr*'?\n"
            #expect(outcome.talk == told, "\(outcome.talk)")
            try await world.expect(["resolve", "d/thr*"] + options)
        }
    }

    @Test("is told where it counts from, if the folder in front would not help")
    func nowhere() async throws {
        let world = try await World.withConflicts()
        world.currentFolder = world.folder + "/b/d"
        let outcome = try await world.expect(["resolve", "e/*", "--take", "here"], .negative)
        let told = """
            filesinki: e/*: No open conflict was found. A pattern counts from the root of the replica, not from the \
            current folder. See the open ones with filesinki conflicts.\n
            """
        #expect(outcome.talk == told, "\(outcome.talk)")
        // One without a slash matches in all folders.
        let plain = try await world.expect(["resolve", "x*", "--take", "here"], .negative)
        #expect(!plain.talk.contains("counts from"), "\(plain.talk)")
    }

    @Test("a folder of one conflict names that")
    func folderOfOne() async throws {
        let world = try await World.withConflicts()
        let outcome = try await world.expect("resolve d --take here", .negative)
        let told = """
            filesinki: d: It has no open conflict itself; 1 is open below it: d/three. Run filesinki resolve d/three \
            --take here.\n
            """
        #expect(outcome.talk == told, "\(outcome.talk)")
        try await world.expect("resolve d/three --take here")
    }

    @Test(
        "a folder of several conflicts names them, and the pattern that resolves them",
        arguments: [("d", "d/**", "'d/**'"), ("[d]", "\\[d]/**", "'\\[d]/**'")])
    func folderOfSeveral(_ folder: String, _ pattern: String, _ word: String) async throws {
        let world = try await World.withStore()
        let names = ["1", "2", "3", "4"].map { folder + "/" + $0 }
        for name in names { try world.write("base\n", to: "a/" + name) }
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        try await world.done("clone", "store", "b", "--device", "b")
        for replica in ["a", "b"] {
            for name in names { try world.write(replica + "\n", to: replica + "/" + name) }
            _ = try await world.run("sync", replica)
        }
        world.currentFolder = world.folder + "/b"
        let cause =
            "filesinki: \(folder): It has no open conflict itself; 4 are open below it: "
            + names.prefix(3).joined(separator: ", ") + " and 1 more. "
        try world.write("text\n", to: "given")
        let text = try await world.expect("resolve \(folder) --with ../given", .negative)
        #expect(
            text.talk == cause + "Name one of them; filesinki conflicts lists them.\n",
            "\(text.talk)")
        let outcome = try await world.expect("resolve \(folder) --take here", .negative)
        let next = "To resolve all of them, run filesinki resolve \(word) --take here.\n"
        #expect(outcome.talk == cause + next, "\(outcome.talk)")
        try await world.expect(["resolve", pattern, "--take", "here"])
        for name in names { #expect(world.readText("b/" + name) == "b\n") }
        try await world.expect("conflicts")
    }
}
