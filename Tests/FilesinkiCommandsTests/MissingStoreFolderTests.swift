import FilesinkiModel
import FilesinkiRemote
import Testing

@testable import FilesinkiCommands

/// What is said of a store's folder that is not there: it may be mistyped where the store was never used.
@Suite struct MissingStoreFolderTests {
    private static let mount = ", or mount the disk or share that contains it."
    /// The words of a store that was used.
    private static let known = "The folder of the store was not found (unmounted?). Mount the disk"

    @Test(
        "a mistyped address is told from a similar folder, or one that has to be checked",
        arguments: [
            (["clone", "stoer", "c"], "Did you mean 'WORLD/store'? Check the spelling\(mount)"),
            (["clone", "./elsewhere", "c"], "found. Check the spelling\(mount)"),
            (
                ["clone", "bakc/old", "c"],
                "Did you mean 'WORLD/back/old'? Check the spelling of WORLD/bakc\(mount)"
            ),
            (
                ["clone", "desk/store", "c"],
                "Check the spelling of WORLD/desk\(mount) For a host with ssh write desk:store.\n"
            ),
            (
                ["clone", "back/none", "c"], "found. Check the spelling\(mount)\n"
            ),
            // There is no such folder in the similar one.
            (["clone", "bakc/none", "c"], "found. Check the spelling of WORLD/bakc\(mount)"),
            (
                ["remote", "set", "stoer", "--root", "a"],
                "Did you mean 'WORLD/store'? Check the spelling\(mount) To copy the store there"
            ),
            (
                ["remote", "set", "bakc/new", "--migrate", "--root", "a"],
                "Did you mean 'WORLD/back/new'? Check the spelling of WORLD/bakc, "
                    + "make this folder with mkdir -p WORLD/bakc\(mount)"
            ),
            (
                ["remote", "check", "stoer"],
                "Did you mean 'WORLD/store'? Check the spelling\(mount)"
            ),
            (
                ["init", "c", "--remote", "bakc/new"],
                "Did you mean 'WORLD/back/new'? Check the spelling of WORLD/bakc, "
                    + "make this folder with mkdir -p WORLD/bakc\(mount)"
            ),
            (
                ["init", "c", "--remote", "none/new"],
                "found. Check the spelling of WORLD/none, make this folder with mkdir -p WORLD/none\(mount)"
            ),
            (
                ["init", "c", "--remote", "none/new/deep"],
                "Check the spelling of WORLD/none, make this folder with mkdir -p WORLD/none/new\(mount)"
            ),
        ])
    func mistyped(_ arguments: [String], _ words: String) async throws {
        let world = try await ReplicaTests.pair()
        try world.makeFolder("back/old")
        // A file is no folder.
        try world.write("", to: "stoer.")
        let outcome = try await world.run(bytes: arguments.map { Array($0.utf8) })
        #expect(outcome.code == .away)
        let said = words.replacing("WORLD", with: world.folder)
        #expect(outcome.talk.contains(said), "\(outcome.talk)")
        #expect(!outcome.talk.contains("unmounted"), "\(outcome.talk)")
    }

    @Test(
        "a file in the place of the store is named as one, and nothing is made",
        arguments: [
            ["clone", "file", "c"], ["init", "c", "--remote", "file"],
            ["remote", "set", "file", "--root", "a"],
            ["remote", "set", "file", "--migrate", "--root", "a"], ["remote", "check", "file"],
        ])
    func file(_ arguments: [String]) async throws {
        let world = try await ReplicaTests.pair()
        try world.write("", to: "file")
        let remedy =
            " Give the address of a folder; for a new store, one that is empty or not there yet.\n"
        for (place, message) in [
            ("file", "This is a file, not the folder of a store."),
            ("file/below", "No folder can be there: \(world.folder)/file is a file."),
        ] {
            let line = arguments.map { $0 == "file" ? place : $0 }
            let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
            #expect(outcome.code == .usage, "\(line): \(outcome.talk)")
            #expect(
                outcome.talk == "filesinki: \(world.folder)/\(place): \(message)\(remedy)",
                "\(line)")
            #expect(!world.names().contains("c"), "\(line)")
        }
        let kept = try await world.expect("remote show --root a")
        #expect(kept.lines == ["\(world.folder)/store"])
    }

    @Test("a file in the place of a store that was used is named, and ends as a missing folder")
    func fileInPlaceOfUsed() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        try world.write("", to: "store")
        let outcome = try await world.expect("sync a", .away)
        let said = "The folder of the store was not found: a file is in its place. Mount the disk"
        #expect(outcome.talk.contains(said), "\(outcome.talk)")
    }

    @Test(
        "over ssh, a folder above a new store that is missing at the host is named",
        arguments: [
            ("desk:a/b/c", true, "a/b", ": a/b/c was looked for in the home folder there."),
            (
                "ssh://desk/a/b/", true, "/a",
                ": /a/b/ was looked for; what is below the home folder there is HOST:PATH."
            ),
            ("desk:a/b", false, "", ""), ("desk:b", true, "", ""),
        ])
    func overSSH(_ text: String, _ isMaking: Bool, _ folder: String, _ meaning: String) throws {
        let address = try RemoteAddress(absolute: text)
        let missing = Failure.storeFolderMissing(text)
        let worded = address.worded(missing, isMaking: isMaking)
        guard !folder.isEmpty else {
            #expect(worded.message == missing.message && worded.remedy == missing.remedy)
            return
        }
        #expect(worded.code == .away)
        #expect(worded.message == "The folder of the store was not found, and could not be made.")
        #expect(
            worded.remedy
                == "Make the folder above it at the host with mkdir -p \(folder). Mount the disk that contains it at "
                + "the host, or correct the address\(meaning) If it is lost, see filesinki help lost-store."
        )
    }

    @Test(
        "a folder of the store's tree is named below the store",
        arguments: [
            ("store/photos", "WORLD/store c --only photos."),
            ("./store/photos/a b/", "WORLD/store c --only 'photos/a b'."),
            // A folder of the store itself holds none of the tree.
            ("store/zones", "WORLD/store c."),
        ])
    func belowStore(_ address: String, _ words: String) async throws {
        let world = try await ReplicaTests.pair()
        let outcome = try await world.run("clone", address, "c")
        #expect(outcome.code == .negative)
        let said = "filesinki clone \(words)".replacing("WORLD", with: world.folder)
        #expect(
            outcome.talk.contains(said)
                && outcome.talk.contains("; the store is \(world.folder)/store. "),
            "\(outcome.talk)")
    }

    @Test("init with a missing folder above the store says what connects, and that does")
    func madeLater() async throws {
        let world = try World()
        let command = ["init", "a", "--remote", "none/new"]
        let outcome = try await world.run(bytes: command.map { Array($0.utf8) })
        #expect(outcome.code == .away)
        let again = "--remote \(world.folder)/none/new again, which connects to the store there or"
        #expect(outcome.talk.contains(again), "\(outcome.talk)")
        #expect(!outcome.talk.contains("next filesinki sync"), "\(outcome.talk)")
        let synced = try await world.run("sync", "a")
        let told = "a sync makes none. When the folder above it is there, run filesinki init --root"
        #expect(synced.talk.contains(told), "\(synced.talk)")
        try world.makeFolder("none")
        let made = try await world.run(bytes: command.map { Array($0.utf8) })
        #expect(made.code == .done && made.talk.contains("Created a store at"), "\(made.talk)")
    }

    @Test func `the folder of a store that was used is missing, whatever is beside it`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "stores")
        for arguments in [
            ["sync", "--root", "a"], ["init", "a", "--remote", "store"],
            ["remote", "set", "store", "--root", "a"], ["remote", "check", "--root", "a"],
        ] {
            let outcome = try await world.run(bytes: arguments.map { Array($0.utf8) })
            #expect(outcome.code == .away, "\(arguments)")
            #expect(outcome.talk.contains(Self.known), "\(arguments): \(outcome.talk)")
            #expect(!outcome.talk.contains("never reached"), "\(arguments): \(outcome.talk)")
        }
    }
}
