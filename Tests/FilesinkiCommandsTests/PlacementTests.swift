import FilesinkiModel
import Glibc
import Testing

@testable import FilesinkiCommands

/// A store and a root that lie in each other, replicas inside replicas, and clones that fail.
@Suite("Placement of roots and stores")
struct PlacementTests {
    /// Root and store of a replica that must not be.
    static let places = [
        ("a", "a/store"), ("a", "a"), ("a", "a/deep/er/store"), ("a", "a/.filesinki/store"),
        ("store/a", "store"), ("store/deep/a", "store"), ("a", "link"), ("a", "link/store"),
        ("link", "a/store"), ("a/../b", "b/store"), ("a", "file://FOLDER/a/store"),
    ]

    private func world() async throws -> World {
        let world = try World()
        try world.write("x", to: "a/f")
        #expect(FileCall.makeSymlink(Array("a".utf8), at: Array("\(world.folder)/link".utf8)) == 0)
        return world
    }

    @Test("E2.4 init refuses a store inside the root, around it, or equal to it", arguments: places)
    func refusedByInit(_ root: String, _ store: String) async throws {
        let world = try await world()
        let address = store.replacing("FOLDER", with: world.folder)
        let outcome = try await world.run("init", root, "--remote", address)
        #expect(outcome.code == .usage, "\(outcome)")
        #expect(outcome.talk.contains("outside the root"), "\(outcome)")
        #expect(world.names() == ["a", "link"])
        #expect(world.names(in: "a") == ["f"])
    }

    @Test("a store that is made among other files is noticed, once and only then")
    func amongFiles() async throws {
        let world = try await world()
        try world.write("x", to: "work/f")
        try world.write("x", to: "disk/lost+found/f")
        let words = "among other files"
        let swapped = try await world.run("init", "z", "--remote", "work")
        #expect(swapped.code == .done && swapped.talk.contains(words), "\(swapped)")
        let other = try await world.run("init", "y", "--remote", "work")
        #expect(other.code == .done && !other.talk.contains(words), "\(other)")
        let disk = try await world.run("init", "x", "--remote", "disk")
        #expect(disk.code == .done && !disk.talk.contains(words), "\(disk)")
    }

    @Test("a store is not moved into a folder with other files")
    func moveAmongFiles() async throws {
        let world = try await world()
        try world.write("x", to: "other/f")
        try await world.expect(["init", "z", "--remote", "first"])
        let copy = try await world.run("remote", "set", "other", "--migrate", "--root", "z")
        #expect(copy.code == .usage && copy.text.isEmpty, "\(copy)")
        #expect(
            copy.talk
                == "filesinki: \(world.folder)/other: There are other files in this folder: nothing was copied. Give an "
                + "empty folder, or a new one, which may be in it.\n")
        #expect(world.names(in: "other") == ["f"])
        // What a copy leaves that was interrupted.
        for name in ["devices", "keys", "packs", "zones"] { try world.makeFolder("part/\(name)") }
        for place in ["other/store", "part", "part"] {
            let copy = try await world.run("remote", "set", place, "--migrate", "--root", "z")
            #expect(copy.code == .done, "\(copy)")
        }
    }

    @Test("remote check of a replica, or in one, says what it is, and tests nothing")
    func refusedByCheck() async throws {
        let world = try await ReplicaTests.pair()
        let replica = try await world.run("remote", "check", "b")
        #expect(replica.code == .usage && replica.text.isEmpty, "\(replica)")
        #expect(
            replica.talk
                == "filesinki: \(world.folder)/b: This is a replica, not a store. Give the address of its store, which "
                + "is \(world.folder)/store, or use a folder outside of every replica for a new store.\n"
        )
        let inside = try await world.run("remote", "check", "b/sub", "--json")
        #expect(inside.code == .usage, "\(inside)")
        #expect(inside.text.contains("which would sync the store."), "\(inside)")
        #expect(try await world.run("remote", "check", "store").code == .done)
    }

    @Test("E2.4 remote set refuses such a store and keeps the old remote")
    func refusedBySet() async throws {
        let world = try await ReplicaTests.pair()
        for place in ["a", "a/store", "a/../a/store", "."] {
            let outcome = try await world.run("remote", "set", place, "--root", "a")
            #expect(outcome.code == .usage, "\(outcome)")
        }
        let files = world.names(in: "a")
        let copy = try await world.run("remote", "set", "a/copy", "--migrate", "--root", "a")
        #expect(copy.code == .usage && world.names(in: "a") == files, "\(copy)")
        let absent = try await world.run("remote", "set", "absent", "--root", "a")
        #expect(absent.code == .away && absent.talk.contains("add --migrate."), "\(absent)")
        #expect(try await world.run("remote", "--root", "a").text == "\(world.folder)/store\n")
        _ = try await world.run("init", "lone")
        let none = try await world.run("remote", "--root", "lone")
        #expect(none.code == .negative && none.talk.contains("has no remote."), "\(none)")
    }

    @Test("E2.4 clone refuses such a store and creates nothing")
    func refusedByClone() async throws {
        let world = try await ReplicaTests.pair()
        for place in ["store", "store/c", "store/deep/c"] {
            let outcome = try await world.run("clone", "store", place)
            #expect(outcome.code == .usage, "\(outcome)")
        }
        let names = world.names(in: "store")
        #expect(!names.contains("c") && !names.contains("deep") && !names.contains(".filesinki"))
    }

    @Test(
        "E2.4 a store, and a folder in it, is made no replica",
        arguments: ["store", "store/zones/x"])
    func storeAsRoot(_ root: String) async throws {
        let world = try await ReplicaTests.pair()
        for line in [["init", root], ["init", root, "--remote", "other"]] {
            let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
            #expect(outcome.code == .usage, "\(outcome)")
            let remedy = "filesinki clone \(world.folder)/store DIR"
            #expect(outcome.talk.contains(remedy), "\(outcome)")
        }
        #expect(!world.names().contains("other"))
        #expect(!world.names(in: "store").contains(".filesinki"))
        #expect(!world.names(in: "store/zones").contains("x"))
        // Another file of that name is none.
        try world.write("int main;", to: "src/filesinki/c")
        #expect(try await world.run("init", "src").code == .done)
    }

    @Test("clone of what is no store names what to do")
    func noStore() async throws {
        let world = try await ReplicaTests.pair()
        try world.makeFolder("empty")
        let place = world.folder
        for (line, remedy) in [
            (["clone", "a", "c"], "which is \(place)/store."),
            (["clone", "empty", "c"], "filesinki init \(place)/c --remote \(place)/empty."),
            (
                ["remote", "set", "empty", "--root", "a"],
                "filesinki remote set --root \(place)/a \(place)/empty --migrate."
            ),
        ] {
            let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
            #expect(outcome.code == .negative, "\(outcome)")
            #expect(outcome.talk.contains(remedy), "\(outcome)")
        }
        #expect(!world.names().contains("c"))
    }

    @Test("E2.4 doctor reports a store inside the root")
    func doctor() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "a/store")
        #expect(
            FileCall.makeSymlink(Array("a/store".utf8), at: Array("\(world.folder)/store".utf8))
                == 0)
        let outcome = try await world.run("doctor", "a", "--offline")
        #expect(outcome.code == .negative)
        #expect(outcome.lines.contains { $0.hasPrefix("failed   placement  ") }, "\(outcome.text)")
    }

    @Test("E2.4 a replica inside another one is reported once by init, and by doctor")
    func inner() async throws {
        let world = try await ReplicaTests.pair()
        let made = try await world.run("init", "a/sub", "--remote", "other", "--json")
        #expect(made.code == .done, "\(made)")
        #expect(made.lines.count(where: { $0.contains(#""code":"nested-replica""#) }) == 1)
        #expect(made.talk.contains("\(world.folder)/a"))
        let again = try await world.run("init", "a/sub", "--remote", "other", "--json")
        #expect(!again.text.contains("nested-replica"))
        for root in ["a", "a/sub"] {
            let doctor = try await world.run("doctor", root, "--offline")
            #expect(
                doctor.lines.contains { $0.hasPrefix("warning  placement  ") }, "\(doctor.text)")
            #expect(doctor.code == .done)
        }
    }

    @Test("E2.4 a replica of the same store inside another one is refused, and creates nothing")
    func innerOfSameStore() async throws {
        let world = try await ReplicaTests.pair()
        for line in [["init", "a/sub", "--remote", "store"], ["clone", "store", "a/in/deep"]] {
            let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
            #expect(outcome.code == .usage, "\(outcome)")
            #expect(outcome.talk.contains("a replica of the same store"), "\(outcome)")
        }
        #expect(world.names(in: "a") == [".filesinki", "one", "sub"])
        #expect(world.names(in: "a/sub") == ["two"])
        _ = try await world.run("init", "a/sub", "--remote", "other")
        let other = try await world.run("remote", "set", "store", "--accept", "--root", "a/sub")
        #expect(other.code == .usage, "\(other)")
    }

    @Test("E2.4 what is in a replica of the same store that came into another one is left alone")
    func movedInside() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("b", to: "a/b")
        let first = try await world.run("sync", "a", "--json")
        #expect(first.code == .done, "\(first)")
        #expect(first.lines.count(where: { $0.contains(#""code":"nested-replica""#) }) == 1)
        for _ in 0..<2 {
            for line in [["sync", "a/b"], ["sync", "a"], ["sync", "a", "b/one"]] {
                _ = try await world.run(bytes: line.map { Array($0.utf8) })
            }
        }
        #expect(world.names(in: "a/b/b") == [])
        #expect(world.names(in: "a/b") == [".filesinki", "b", "one", "sub"])
        let doctor = try await world.run("doctor", "a/b", "--offline")
        #expect(doctor.lines.contains { $0.hasPrefix("failed   placement  ") }, "\(doctor.text)")
    }

    @Test("E2.4 a replica found below a new root is reported once by sync")
    func outer() async throws {
        let world = try World()
        try world.write("x", to: "a/sub/f")
        _ = try await world.run("init", "a/sub", "--remote", "other")
        _ = try await world.run("init", "a", "--remote", "store")
        let first = try await world.run("sync", "a", "--json")
        #expect(first.code == .done, "\(first)")
        #expect(first.lines.count(where: { $0.contains(#""code":"nested-replica""#) }) == 1)
        #expect(try await !world.run("sync", "a", "--json").text.contains("nested-replica"))
    }

    @Test("E7.8 a failed clone leaves nothing, and running it again continues")
    func failedClone() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "elsewhere")
        #expect(try await world.run("clone", "store", "c").code == .away)
        try world.makeFolder("store")
        #expect(try await world.run("clone", "store", "c").code == .negative)
        #expect(!world.names().contains("c"))
        try world.write("mine", to: "d/own")
        #expect(try await world.run("clone", "store", "d").code == .negative)
        #expect(world.names(in: "d") == ["own"])
        // A host whose path was forgotten is read as a folder of this one.
        let host = try await world.run("clone", "desk", "c")
        #expect(host.talk.contains(" For a host with ssh write desk:PATH."), "\(host)")
        world.network.connect = { address, _ in
            throw Failure(
                .notAllowed, path: address, "No.", remedy: "Use filesinki remote set URL.")
        }
        let refused = try await world.run("clone", "https://nas", "c")
        #expect(refused.talk.contains("Use filesinki remote set URL."), "\(refused)")
        let told = "In token is no token of filesinki serve: that begins with fsk_."
        for (token, isNone) in [("hello\n", true), ("fsk_1_2\n", false)] {
            try world.write(token, to: "token")
            chmod(world.folder + "/token", 0o600)
            let line = ["https://nas", "c", "--token-file", "token"].map { Array($0.utf8) }
            let outcome = try await world.run(bytes: [Array("clone".utf8)] + line)
            #expect(outcome.talk.contains(told) == isNone, "\(outcome)")
        }
        let retry = try await world.run("clone", "elsewhere", "c", "--device", "c")
        #expect(retry.code == .done, "\(retry)")
        #expect(world.readText("c/one") == "one\n")
        #expect(try await world.run("clone", "elsewhere", "d").code == .done)
        #expect(world.names(in: "d").contains("one"))
    }

    @Test("clone says that the files of a folder are merged and sent, and asks at a terminal")
    func cloneIntoFiles() async throws {
        let world = try await ReplicaTests.pair()
        let said = "/d has files, which are merged with the store's and sent to it."
        try world.write("private", to: "d/own")
        (world.terminals.input, world.terminals.talk) = (true, true)
        let words = ["clone", "store", "d"].map { Array($0.utf8) }
        let declined = try await world.run(bytes: words, input: Array("n\n".utf8))
        #expect(declined.code == .negative && world.names(in: "d") == ["own"], "\(declined)")
        let asked = declined.talk.replacing("\n", with: " ")
        #expect(asked.contains(said + " Go on? [y/N]"), "\(declined.talk)")
        let agreed = try await world.run(bytes: words, input: Array("y\n".utf8))
        #expect(agreed.code == .done, "\(agreed)")
        #expect(world.names(in: "d") == [".filesinki", "one", "own", "sub"])
        // By then it is a replica of the store. What a file system has in its root are nobody's files.
        try world.makeFolder("disk/lost+found")
        for folder in ["d", "disk"] {
            let again = try await world.run("clone", "store", folder)
            #expect(again.code == .done && !again.talk.contains("Go on?"), "\(again)")
        }
        (world.terminals.input, world.terminals.talk) = (false, false)
        try world.write("private", to: "e/other")
        let script = try await world.run("clone", "store", "e")
        #expect(script.code == .done && script.talk.contains("/e has files"), "\(script)")
    }

    @Test("clone does not say that files are merged with those of a store that is not there")
    func cloneIntoFilesWithoutStore() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("private", to: "d/own")
        try world.makeFolder("empty")
        for (place, code) in [("nowhere", ExitCode.away), ("empty", .negative)] {
            let failed = try await world.run("clone", place, "d")
            #expect(failed.code == code && !failed.talk.contains("has files"), "\(failed)")
            #expect(world.names(in: "d") == ["own"])
        }
    }

    @Test(
        "E7.8 clone continues an interrupted clone, and refuses a replica of another store"
    )
    func interruptedClone() async throws {
        let world = try await ReplicaTests.pair()
        _ = try await world.run("init", "c", "--device", "c")
        #expect(try await world.run("clone", "store", "c").code == .done)
        #expect(world.readText("c/one") == "one\n")
        #expect(try await world.run("clone", "store", "c").code == .done)
        _ = try await world.run("init", "x", "--remote", "other")
        let refused = try await world.run("clone", "other", "c")
        #expect(refused.code == .negative, "\(refused)")
        #expect(refused.talk.contains("remote set"))
    }
}
