import FilesinkiCommands
import Testing

/// `undelete` of a folder from which another device had renamed something, on a replica whose journal does not tell of that.
@Suite("undelete of a folder and what another device has renamed out of it")
struct RenamedOutOfFolderTests {
    private static func world() async throws -> World {
        let world = try await World.withStore()
        for name in ["p/photos/2024/a", "p/photos/2025/b", "p/photos/k", "kept"] {
            try world.write("content of \(name)", to: "a/" + name)
        }
        for line in ["init a --remote store --device a", "sync a"] { try await world.expect(line) }
        return world
    }

    private static let told =
        "p/photos: 1 file that had been moved out of it stays there: p/photos/2024/a is top24/a now."

    private func restore(_ world: World, in root: String) async throws {
        for option in [" -n", ""] {
            let outcome = try await world.expect("undelete --root \(root) p/photos" + option)
            #expect(outcome.talk.contains(Self.told), "\(outcome.talk)")
            #expect(!outcome.talk.contains("deleted in it earlier"), "\(outcome.talk)")
        }
        #expect(world.names(in: root + "/p/photos") == ["2025", "k"])
    }

    @Test("a partial replica says where it is, and neither lists it as deleted nor brings it back")
    func partial() async throws {
        let world = try await Self.world()
        for line in [
            "clone store b --only p/photos --device b", "mv --root a p/photos/2024 top24", "sync b",
        ] { try await world.expect(line) }
        #expect(try await world.expect("ls --deleted --root b", .negative).text.isEmpty)
        // An edit behind the rename is of the same file.
        try world.write("edited", to: "a/top24/a")
        for line in ["sync a", "sync b"] { try await world.expect(line) }
        #expect(try await world.expect("ls --deleted --root b", .negative).text.isEmpty)
        try await world.expect("rm --root b -r p/photos")
        #expect(
            try await world.expect("ls --deleted --root b").lines == [
                "p/photos", "p/photos/2025", "p/photos/2025/b", "p/photos/k",
            ])
        try await restore(world, in: "b")
        try await world.expect("undelete --root b p/photos/2024*", .negative)
        #expect(world.names(in: "b/p/photos") == ["2025", "k"])
        // Who names it gets a copy, and is told so.
        let copy = try await world.expect("undelete --root b p/photos/2024/a")
        let told = "p/photos/2024/a: It was renamed to top24/a, where it still is; this is a copy."
        #expect(copy.talk.contains(told), "\(copy.talk)")
    }

    @Test("so does a replica that was made after the rename")
    func clone() async throws {
        let world = try await Self.world()
        try await world.expect("mv --root a p/photos/2024 top24")
        // Another commit in between: the rename and the deletion are not of one series.
        try world.write("edited", to: "a/kept")
        for line in [
            "sync a", "clone store c --device c", "rm --root a -r p/photos", "sync c",
        ] { try await world.expect(line) }
        let listed = try await world.expect("ls --deleted -l --root c")
        #expect(!listed.text.contains("2024/a"), "\(listed.text)")
        try await restore(world, in: "c")
        try await world.expect("undelete --root c p/photos/*", .negative)
        #expect(world.names(in: "c/p/photos") == ["2025", "k"])
    }

    @Test("what was deleted in it is told from what was renamed")
    func both() async throws {
        let world = try await Self.world()
        for line in [
            "clone store b --only p/photos --device b", "rm --root a p/photos/k",
            "mv --root a p/photos/2024 top24", "sync b", "rm --root b -r p/photos",
        ] { try await world.expect(line) }
        let outcome = try await world.expect("undelete --root b p/photos")
        #expect(outcome.talk.contains(Self.told), "\(outcome.talk)")
        let deleted = "p/photos: p/photos/k was deleted in it earlier, and stays deleted."
        #expect(outcome.talk.contains(deleted), "\(outcome.talk)")
        try await world.expect("undelete --root b p/photos/*")
        #expect(world.names(in: "b/p/photos") == ["2025", "k"])
    }
}
