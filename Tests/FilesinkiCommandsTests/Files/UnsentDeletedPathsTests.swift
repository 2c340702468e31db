import FilesinkiCommands
import FilesinkiTesting
import Testing

/// What was deleted in the folder, and no run has sent.
@Suite("ls --deleted of what is not yet sent")
struct UnsentDeletedPathsTests {
    /// `a` has sent the deletion of `old`; since then `d` with two files and `e/1` were removed, and `r` was renamed to `s`.
    private static func world() async throws -> World {
        let world = try await World.withStore()
        for name in ["d/1", "d/2", "e/1", "e/2", "old", "r/1", "top"] {
            try world.write(name, to: "a/" + name)
        }
        try await world.expect("init a --remote store --device a")
        world.hoursLater = 1
        try await world.expect("sync a")
        try await world.expect("rm -q --root a old")
        for name in ["d", "e/1"] { removeTree(Array("\(world.folder)/a/\(name)".utf8)) }
        world.rename("a/r", to: "a/s")
        return world
    }

    @Test(
        "it is listed and counted, also after a killed run",
        arguments: [
            (
                "", ["d", "d/1", "d/2", "e/1", "old"],
                "4 of these were deleted here, and are not yet sent.\n"
            ),
            (" d", ["d", "d/1", "d/2"], "They were deleted here, and are not yet sent.\n"),
            (" e", ["e/1"], "It was deleted here, and is not yet sent.\n"),
            (" e/1 old", ["e/1", "old"], "1 of these was deleted here, and is not yet sent.\n"),
            (" ?/1", ["d/1", "e/1"], "They were deleted here, and are not yet sent.\n"),
            (" old", ["old"], ""),
        ], [false, true])
    func listed(_ given: (String, [String], String), isKilled: Bool) async throws {
        let (arguments, paths, told) = given
        let world = try await Self.world()
        if isKilled { try world.write("A run is in progress.\n", to: "a/.filesinki/lock") }
        let plain = try await world.expect("ls --deleted --root a" + arguments)
        #expect(plain.lines == paths)
        #expect(plain.talk == told)
        let bare = try await world.expect("ls --deleted -0 --root a" + arguments)
        #expect(bare.text == paths.map { $0 + "\0" }.joined())
    }

    @Test("with -l and --json it is marked")
    func marked() async throws {
        let world = try await Self.world()
        let long = try await world.expect("ls --deleted -l --root a")
        let marked = ["d", "d/1", "d/2", "e/1"].map { "\($0)  (deleted here, not yet sent)" }
        #expect(
            long.lines.dropLast().map { $0.drop { $0 == " " } }.map(String.init) == marked,
            "\(long.text)")
        #expect(long.lines.last?.hasPrefix("@2  ") == true && long.text.hasSuffix("  old\n"))
        #expect(long.talk.isEmpty, "\(long.talk)")
        let json = try await world.expect("ls --deleted --json --root a e/1 old")
        #expect(
            json.lines == [
                #"{"type":"deleted","path":"e/1","version":0,"unsent":true}"#,
                #"{"type":"deleted","path":"old","version":2}"#,
            ])
        #expect(json.talk.isEmpty, "\(json.talk)")
    }

    @Test("what is listed comes back, and is not listed then")
    func back() async throws {
        let world = try await Self.world()
        for path in ["d", "e/1"] { try await world.expect("undelete -q --root a \(path)") }
        #expect(try await world.expect("ls --deleted --root a").lines == ["old"])
    }

    @Test("what a run could not send is listed, too")
    func recorded() async throws {
        let world = try await Self.world()
        world.rename("store", to: "gone")
        #expect(try await world.run("sync", "a").code == .away)
        let listed = try await world.expect("ls --deleted --root a")
        #expect(listed.lines == ["d", "d/1", "d/2", "e/1", "old"])
        #expect(listed.talk == "4 of these were deleted here, and are not yet sent.\n")
    }
}
