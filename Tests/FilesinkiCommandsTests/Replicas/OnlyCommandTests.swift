import FilesinkiCommands
import Testing

@Suite("only")
struct OnlyCommandTests {
    @Test("list prints the choice, and exits with 1 where the replica holds everything")
    func choice() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ only --root b
            ! The replica holds everything.
            = 1
            $ only list --root b --json
            ! The replica holds everything.
            = 1
            $ only set sub --root b
            ! Removed 1 file here. The store keeps it.
            ! The replica holds 1 chosen path. The next sync writes what of it is not here yet.
            $ only --root b
            sub
            $ only list --root b --json
            {"type":"chosen","path":"sub"}
            $ only list --root b -0
            sub␀¬
            $ names b
            .filesinki sub
            $ only add one --root b --json
            {"type":"choice","exit":0,"only":["one","sub"],"removed":[]}
            ! The replica holds 2 chosen paths. The next sync writes what of it is not here yet.
            $ only list --root b
            one
            sub
            $ names b
            .filesinki sub
            $ sync b -q
            $ names b
            .filesinki one sub
            $ only disable --root b --json
            {"type":"choice","exit":0,"removed":[]}
            ! The replica holds everything. The next sync writes what of it is not here yet, and sends what else is in the folder.
            $ only list --root b
            ! The replica holds everything.
            = 1
            $ only disable --root b
            ! The replica holds everything. The next sync writes what of it is not here yet, and sends what else is in the folder.
            """#)
    }

    @Test("what is no longer chosen leaves this folder, and no other")
    func removed() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ only set one --root b --json
            {"type":"choice","exit":0,"only":["one"],"removed":["sub/two"]}
            ! Removed 1 file here. The store keeps it.
            ! The replica holds 1 chosen path. The next sync writes what of it is not here yet.
            $ names b
            .filesinki one
            $ names a
            .filesinki one sub
            $ names b/sub

            $ sync a -q
            $ names a
            .filesinki one sub
            $ only remove one --root b
            ! filesinki: one: No path would be left. For a complete replica use filesinki only disable --root WORLD/b; to end it, filesinki deinit --root WORLD/b.
            = 2
            $ only remove sub --root b
            ! filesinki: sub: Not one of the chosen paths. List them with filesinki only list --root WORLD/b.
            = 1
            $ only set one sub --root b
            ! The replica holds 2 chosen paths. The next sync writes what of it is not here yet.
            $ sync b -q
            $ only remove sub/two --root b
            ! filesinki: sub/two: Only a part of the chosen folder sub. To leave it out on this device, write it into .filesinki/ignore. What is here stays; removing it then deletes nothing elsewhere.
            = 2
            $ only remove sub --root b --json
            {"type":"choice","exit":0,"only":["one"],"removed":["sub/two"]}
            ! Removed 1 file here. The store keeps it.
            ! The replica holds 1 chosen path.
            $ only list --root b
            one
            $ only add one --root b
            ! The replica holds 1 chosen path. The next sync writes what of it is not here yet.
            """#)
    }

    @Test("what is not as it was published is not removed, and new files stay")
    func refused() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ write b/one edited\n
            $ only set sub --root b
            ! filesinki: one: It has changes that are not published. Run filesinki sync --root WORLD/b, or resolve the conflict, and run the command again.
            = 1
            $ names b
            .filesinki one sub
            $ write b/new file\n
            $ write b/other file\n
            $ only set one --root b
            ! Removed 1 file here. The store keeps it.
            ! new and 1 more file were never sent: they stay here, and are not synced.
            ! The replica holds 1 chosen path. The next sync writes what of it is not here yet.
            $ names b
            .filesinki new one other
            $ only list --root b
            one
            """#)
    }

    @Test("what a replica without its manifest has is not said to be new")
    func lostManifest() async throws {
        let world = try await ReplicaTests.pair()
        for end in ["", "-wal", "-shm"] { world.remove("b/.filesinki/manifest.sqlite" + end) }
        try await world.follow(
            #"""
            $ only set sub --root b
            ! one was not compared with the store yet: it stays here, and is not synced.
            ! The replica holds 1 chosen path. The next sync writes what of it is not here yet.
            """#)
    }

    @Test("what was removed by hand is deleted nowhere else")
    func removedByHand() async throws {
        let world = try await ReplicaTests.pair()
        world.remove("b/sub/two")
        let talk = try await world.expect("only set one --root b").talk
        #expect(talk.contains("1 file was removed here already. The store keeps it.\n"), "\(talk)")
        for line in ["sync b", "sync a"] { try await world.expect(line) }
        #expect(world.readText("a/sub/two") == "two\n")
        try await world.expect("only disable --root b")
        try await world.expect("sync b")
        world.remove("b/sub/two")
        let json = try await world.expect("only set one --root b --json").text
        #expect(json.contains(#""removed":[],"gone":["sub/two"]}"#), "\(json)")
    }

    @Test("a deletion by delete that waits is refused, and undelete keeps the folder")
    func deletedWhileAway() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        _ = try await world.run("rm", "--root", "b", "-r", "sub")
        world.rename("gone", to: "store")
        let talk = try await world.expect("only set one --root b", .negative).talk
        #expect(talk.contains("sub: Deleted with filesinki delete"), "\(talk)")
        let step = "filesinki undelete --root \(world.folder)/b sub to keep it"
        #expect(talk.contains(step), "\(talk)")
        try await world.expect("undelete --root b sub")
        let set = try await world.expect("only set one --root b").talk
        #expect(set.contains("Removed 1 file here."), "\(set)")
        for line in ["sync b", "sync a"] { try await world.expect(line) }
        #expect(world.readText("a/sub/two") == "two\n")
    }

    @Test("a folder that stays with ignored files is named, and not reported as outside")
    func ignored() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ write b/.filesinki/ignore *.bak\n
            $ write b/sub/q.bak file\n
            $ only set one --root b
            ! Removed 1 file here. The store keeps it.
            ! The folder sub stays here: it holds ignored files. Remove it by hand when they are no longer needed.
            ! The replica holds 1 chosen path. The next sync writes what of it is not here yet.
            $ sync b
            $ check-ignore sub/q.bak --root b
            sub/q.bak: not one of the paths of filesinki only list --root WORLD/b, and ignored by WORLD/b/.filesinki/ignore, line 1: *.bak
            """#)
    }

    @Test("several folders that stay with ignored files are counted")
    func ignoredInSeveral() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("x", to: "a/more/x")
        try await world.expect("sync a")
        try await world.expect("sync b")
        try world.write("*.bak\n", to: "b/.filesinki/ignore")
        for folder in ["more", "sub"] { try world.write("q", to: "b/\(folder)/q.bak") }
        let told =
            "The folder more and 1 more folder stay here: they hold ignored files. "
            + "Remove them by hand when these are no longer needed."
        let talk = try await world.expect("only set one --root b").talk
        #expect(talk.contains(told), "\(talk)")
        let status = try await world.expect("status b").text
        #expect(!status.contains("outside of what this replica holds"), "\(status)")
        let json = try await world.expect("check-ignore sub/q.bak --root b --json").text
        #expect(json.contains(#""ignored":true,"held":false,"file":"#), "\(json)")
        #expect(json.contains(#""line":1,"pattern":"*.bak","matched":"sub/q.bak""#), "\(json)")
        // What no rule ignores is reported.
        try world.write("new", to: "b/sub/new")
        let sync = try await world.expect("sync b").talk
        #expect(sync.contains("sub: Not synced") && !sync.contains("more: "), "\(sync)")
    }

    @Test("with --root, a path from the current folder is answered with the one from the root")
    func fromFolder() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("deep\n", to: "a/sub/deep/three")
        try await world.done("sync", "a")
        try await world.done("sync", "b")
        world.currentFolder = world.folder + "/b/sub"
        for name in ["deep", "two"] {
            let outcome = try await world.expect(
                ["only", "set", "--root", world.folder + "/b", name], .negative)
            #expect(
                outcome.talk.contains("last sync. Did you mean sub/\(name)? Check the path;"),
                "\(outcome.talk)")
        }
        let unknown = try await world.expect(
            ["only", "set", "--root", world.folder + "/b", "none"], .negative)
        #expect(!unknown.talk.contains("Did you mean"), "\(unknown.talk)")
        try await world.expect(["only", "set", "--root", world.folder + "/b", "sub/two"])
        // What is not here is known, too.
        let unheld = try await world.expect(
            ["only", "add", "--root", world.folder + "/b", "deep"], .negative)
        #expect(unheld.talk.contains("Did you mean sub/deep?"), "\(unheld.talk)")
        try await world.expect("only add deep")
    }

    @Test("a path has to be here or in the store, and not the whole replica")
    func wrong() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ only set none --root b
            ! filesinki: none: Found neither here nor in the store as of the last sync. Check the path; filesinki ls --root WORLD/b lists what the store has.
            = 1
            $ only add none --root b
            ! filesinki: WORLD/b: The replica holds everything. To hold only some paths, use filesinki only set --root WORLD/b PATH….
            = 1
            $ only set . --root b
            ! filesinki: .: The path is the root itself. To hold everything, run filesinki only disable --root WORLD/b.
            = 2
            $ only set /etc --root b
            ! filesinki: /etc: Not below the root WORLD/b. Give a path inside the root, or another root with --root.
            = 2
            $ only set ../a --root b
            ! filesinki: ../a: The path has . or .. in it. Use a path below the root, such as notes/a.txt.
            = 2
            $ only set --root b
            ! filesinki: Give a path, or --paths-from.
            ! Usage: filesinki only set [<paths> ...] [--paths-from <file>] [--null]
            !          [--root <dir>] [--state <dir>] [--lock-wait <time>] [--timeout <time>]
            !          [--json] [--quiet] [--verbose] [--color <when>] [--progress <when>]
            !   See 'filesinki only set --help' for more information.
            = 2
            $ only add one --root b
            ! filesinki: WORLD/b: The replica holds everything. To hold only some paths, use filesinki only set --root WORLD/b PATH….
            = 1
            $ only remove one --root b
            ! filesinki: WORLD/b: The replica holds everything. To hold only some paths, use filesinki only set --root WORLD/b PATH….
            = 1
            $ only set --paths-from - --root b
            = 1
            $ only set --paths-from - --root b < sub\n
            ! Removed 1 file here. The store keeps it.
            ! The replica holds 1 chosen path. The next sync writes what of it is not here yet.
            $ only --root b
            sub
            $ only list one --root b
            ! filesinki: Unexpected argument 'one'
            ! To name the replica, add --root DIR.
            ! Usage: filesinki only list [--null] [--root <dir>] [--state <dir>]
            !          [--lock-wait <time>] [--timeout <time>] [--json] [--quiet] [--verbose]
            !          [--color <when>] [--progress <when>]
            !   See 'filesinki only list --help' for more information.
            = 2
            """#)
    }
}
