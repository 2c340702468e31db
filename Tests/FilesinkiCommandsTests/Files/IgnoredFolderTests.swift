import FilesinkiCommands
import Testing

/// What the commands that bring something back say of a folder that a rule ignores.
@Suite("Bringing back an ignored folder")
struct IgnoredFolderTests {
    @Test(
        "the step writes it into another folder",
        arguments: [
            "undelete --root a sub", "restore --root a sub@1", "restore --root a --commit 1 sub",
        ],
        [true, false])
    func step(_ line: String, _ isDeleted: Bool) async throws {
        let world = try await ReplicaTests.pair()
        if isDeleted { try await world.expect("rm --root a -r sub") }
        try world.write("sub\n", to: "a/.filesinki/ignore")
        let refused = try await world.expect(line, .usage)
        let place = "--root \(world.folder)/a"
        let told =
            "filesinki restore \(place) sub --commit 1 -o DIR, of which filesinki log \(place) sub lists the versions; "
            + "see the rule with filesinki check-ignore \(place) sub."
        #expect(refused.talk.contains(told), "\(refused.talk)")
        try await world.expect("restore --root a sub --commit 1 -o out")
        #expect(world.readText("out/sub/two") == "two\n")
    }
}
