import FilesinkiCommands
import Testing

/// `undelete` of a folder from which files had been moved before it was deleted.
@Suite("undelete of a folder and what was moved out of it")
struct MovedOutOfFolderTests {
    private static func world() async throws -> World {
        let world = try await World.withStore()
        for name in ["m/1", "m/2", "z", "kept"] {
            try world.write("content of \(name)", to: "a/" + name)
        }
        try await world.done("init", "a", "--remote", "store")
        try await world.done("sync", "a")
        return world
    }

    private static let told = "1 file that had been moved out of it stays there: m/1 is kept2 now."

    @Test(
        "what is still at its new name does not come back, and is named",
        arguments: [["m"], ["m", "z"]], [true, false])
    func leftOut(_ paths: [String], _ isInOneRun: Bool) async throws {
        let world = try await Self.world()
        if isInOneRun {
            world.rename("a/m/1", to: "a/kept2")
            world.rename("a/m", to: "gone")
            try await world.done("sync", "a")
        } else {
            try await world.done("mv", "--root", "a", "m/1", "kept2")
            try await world.done("rm", "--root", "a", "-r", "m")
        }
        try await world.done("rm", "--root", "a", "z")
        let line = ["undelete", "--root", "a"] + paths
        let dry = try await world.run(bytes: (line + ["-n"]).map { Array($0.utf8) })
        #expect(dry.talk.contains(Self.told), "\(dry.talk)")
        let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.names(in: "a/m") == ["2"])
        #expect(outcome.talk.contains(Self.told), "\(outcome.talk)")
        try await world.done("undelete", "--root", "a", "m/1")
        #expect(world.readText("a/m/1") == "content of m/1")
        #expect(world.readText("a/kept2") == "content of m/1")
    }

    @Test("what was deleted at its new name comes back with the folder")
    func deletedSince() async throws {
        let world = try await Self.world()
        try await world.done("mv", "--root", "a", "m/1", "kept2")
        try await world.done("rm", "--root", "a", "-r", "m")
        try await world.done("rm", "--root", "a", "kept2")
        let outcome = try await world.run("undelete", "--root", "a", "m")
        #expect(world.names(in: "a/m") == ["1", "2"])
        #expect(!outcome.talk.contains("moved out"), "\(outcome.talk)")
    }

    @Test(
        "of a folder that was renamed, undelete makes a copy and says where the folder is",
        arguments: [["m"], ["m", "z"]], [["n"], ["n", "o/p"]])
    func renamed(_ paths: [String], _ places: [String]) async throws {
        let world = try await Self.world()
        var old = "m"
        for place in places {
            try await world.expect("mv --root a \(old) \(place)")
            old = place
        }
        try await world.expect("rm --root a z")
        let told = """
            m: What was in it is in \(old) now; this is a copy. To remove the copy, run filesinki rm
            """
        let line = ["undelete", "--root", "a"] + paths
        let dry = try await world.expect(line + ["-n"])
        #expect(dry.talk.contains(told), "\(dry.talk)")
        let outcome = try await world.expect(line)
        #expect(outcome.talk.contains(told), "\(outcome.talk)")
        #expect(outcome.talk.ranges(of: "this is a copy").count == 1, "\(outcome.talk)")
        #expect(world.names(in: "a/m") == ["1", "2"])
        #expect(world.names(in: "a/\(old)") == ["1", "2"])
        // The command does what it says.
        try await world.expect("rm --root a -r m")
        #expect(world.names(in: "a/\(old)") == ["1", "2"])
    }

    @Test("of a folder whose files are in several places now, the first one is named")
    func scattered() async throws {
        let world = try await Self.world()
        for line in ["mv --root a m/1 one", "mv --root a m/2 two", "rm --root a -r m"] {
            try await world.expect(line)
        }
        let outcome = try await world.expect("undelete --root a m")
        let told =
            "m: What was in it is elsewhere: m/1 is one now, and others elsewhere; this is a copy."
        #expect(outcome.talk.contains(told), "\(outcome.talk)")
        #expect(world.names(in: "a/m") == ["1", "2"])
    }
}
