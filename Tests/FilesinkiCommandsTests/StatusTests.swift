import FilesinkiCommands
import FilesinkiModel
import FilesinkiStore
import FilesinkiSystem
import FilesinkiTesting
import Testing

@Suite("Output of status and sync")
struct StatusTests {
    @Test func `a replica that is up to date prints two lines`() async throws {
        let world = try await ReplicaTests.pair()
        world.hoursLater = 3
        let status = try await world.run("status", "a")
        #expect(status.code == .done)
        let folder = world.folder
        #expect(
            status.lines.first == "\(folder)/a  <->  \(folder)/store    as \"a\"", "\(status.text)")
        #expect(
            status.lines.dropFirst() == [
                "Up to date. Last synced 3 hours ago (commit 1), 2 files, 8 B"
            ])
    }

    @Test func `pending changes are counted and named, five of them`() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        for name in "abcdefg" { try world.write("x", to: "a/\(name)") }
        #expect(try await world.run("sync", "a").code == .away)
        let status = try await world.run("status", "a")
        #expect(
            status.lines.last == "7 changed here, not yet sent:  a  b  c  d  e  and 2 more",
            "\(status.text)")
        #expect(!status.text.contains("Up to date"))
    }

    @Test func `what the next run would find in the folder is counted, and --short does not look`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        #expect(try await world.run("status", "a").text.contains("Up to date. "))
        try world.write("uno\n", to: "a/one")
        try world.write("x", to: "a/new")
        world.remove("a/sub/two")
        let status = try await world.run("status", "a")
        #expect(
            status.lines.last
                == "3 changed here, 1 of them deleted, not yet sent:  new  one  sub/two",
            "\(status.text)")
        #expect(
            try await world.run("status", "a", "-v").lines.suffix(4) == [
                "3 changed here, 1 of them deleted, not yet sent:", "  new      new",
                "  changed  one", "  deleted  sub/two",
            ])
        #expect(!status.text.contains("Up to date"))
        #expect(try await world.run("status", "a", "--short").lines.isEmpty)
        let json = try await world.run("status", "a", "--json")
        #expect(
            json.text.contains(
                #""pending":[],"changed":["new","one","sub/two"],"new":["new"],"deleted":["sub/two"],"#
            ),
            "\(json.text)")
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("status", "a").text.contains("Up to date. "))
    }

    @Test func `deletions alone are said to be deletions, also those that a run has recorded`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        world.remove("a/one")
        #expect(try await world.run("sync", "a").code == .away)
        #expect(
            try await world.run("status", "a").lines.last == "1 deleted here, not yet sent:  one")
        let json = try await world.run("status", "a", "--json")
        #expect(json.text.contains(#""pending":["one"],"changed":["#), "\(json.text)")
        #expect(json.text.contains(#""deleted":["one"],"incoming":"#), "\(json.text)")
        #expect(!json.text.contains(#""new":"#), "\(json.text)")
        // While a run is in progress, only what was recorded is known.
        try world.write("A run is in progress.\n", to: "a/.filesinki/lock")
        #expect(
            try await world.run("status", "a").lines.last == "1 deleted here, not yet sent:  one")
    }

    @Test func `what a conflict leaves as it is counts as the conflict only`() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("a", to: "a/one")
        try world.write("b", to: "b/one")
        _ = try await world.run("sync", "a")
        #expect(try await world.run("sync", "b", "--strategy", "leave").code == .conflict)
        let json = try await world.run("status", "b", "--json")
        #expect(json.text.contains(#""changed":[],"#), "\(json.text)")
        #expect(json.text.contains(#""pending":[],"#), "\(json.text)")
        #expect(json.text.contains(#""incoming":[],"conflicts":1"#), "\(json.text)")
        #expect(try await !world.run("status", "b").text.contains("not yet"))
    }

    @Test func `the folder is looked at after a killed run, and not while one is in progress`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        try world.write("x", to: "a/new")
        try world.write("A run is in progress.\n", to: "a/.filesinki/lock")
        let killed = try await world.run("status", "a", "--json")
        #expect(killed.text.contains(#""last_failure":"interrupted""#), "\(killed.text)")
        #expect(killed.text.contains(#""changed":["new"]"#), "\(killed.text)")
        let lock = try #require(try KernelLock.tryAcquire(world.folder + "/a/.filesinki/lock"))
        lock.writeHolder("A run is in progress.\n")
        let json = try await world.run("status", "a", "--json")
        #expect(json.code == .done && !json.text.contains(#""changed""#), "\(json.text)")
        #expect(try await !world.run("status", "a").text.contains("Up to date"))
    }

    @Test func `explain and diff see what is edited or gone and not yet sent`() async throws {
        let world = try await ReplicaTests.pair()
        #expect(try await !world.run("explain", "--root", "a", "one").text.contains(" since;"))
        world.remove("a/one")
        let back = "filesinki undelete --root \(world.folder)/a one."
        let gone = try await world.run("explain", "--root", "a", "one")
        #expect(
            gone.lines[1]
                == "Deleted here since; not yet published. To bring it back, use \(back)",
            "\(gone.text)")
        let diff = try await world.run("diff", "--root", "a", "one")
        #expect(
            diff.talk.contains("one: Deleted here since the last sync. Bring it back with \(back)"),
            "\(diff.talk)")
        try world.write("uno\n", to: "a/one")
        let edited = try await world.run("explain", "--root", "a", "one")
        #expect(edited.lines[1] == "Changed here since; not yet published.", "\(edited.text)")
        let json = try await world.run("explain", "--root", "a", "one", "--json")
        #expect(json.lines.first?.contains(#""unsent":"edited""#) == true, "\(json.text)")
    }

    @Test func `explain looks after a killed run, and not while one is in progress`() async throws {
        let world = try await ReplicaTests.pair()
        let mark = "A run is in progress.\n"
        world.remove("a/one")
        try world.write(mark, to: "a/.filesinki/lock")
        let root = "--root \(world.folder)/a"
        let killed = try await world.run("explain", "--root", "a", "one")
        #expect(
            Array(killed.lines.prefix(2)) == [
                "one: synced, version 1, a file.",
                "Deleted here since; not yet published. To bring it back, use filesinki undelete \(root) one.",
            ], "\(killed.text)")
        let lock = try #require(try KernelLock.tryAcquire(world.folder + "/a/.filesinki/lock"))
        lock.writeHolder(mark)
        let running = try await world.run("explain", "--root", "a", "one")
        #expect(!running.text.contains(" since;"), "\(running.text)")
    }

    @Test func `explain leaves out after a killed run what waits to be received`() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("from b\n", to: "b/one")
        try await world.done("sync", "b")
        // A run of another path has read the commit, and has not received this one.
        try world.write("x", to: "a/new")
        try await world.done("sync", "--root", "a", "new")
        try world.write("from b\n", to: "a/one")
        try world.write("A run is in progress.\n", to: "a/.filesinki/lock")
        let killed = try await world.run("explain", "--root", "a", "one", "--json")
        #expect(!killed.text.contains(#""unsent""#), "\(killed.text)")
    }

    @Test func `settings that stop every run are said`() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("gitignore = yes\n", to: "a/.filesinki.toml")
        let sync = try await world.run("sync", "a", "-q")
        #expect(sync.code == .usage && sync.talk.contains("Nothing is synced until"))
        let status = try await world.run("status", "a")
        #expect(status.code == .done && !status.text.contains("Up to date"))
        #expect(status.lines.last?.hasPrefix(".filesinki.toml: Line 1: ") == true, "\(status.text)")
        let json = try await world.run("status", "a", "--json")
        #expect(json.text.contains(#""unreadable_settings":".filesinki.toml: Line 1: "#))
        let explained = try await world.run("explain", "one", "--root", "a")
        #expect(explained.talk.contains("Line 1: "), "\(explained.talk)")
    }

    @Test func `a run that failed is said, also to monitors, until one succeeds`() async throws {
        let world = try await ReplicaTests.pair()
        func gauge() async throws -> String? {
            try await world.run("status", "a", "--prometheus").lines
                .first { $0.hasPrefix("filesinki_last_run_exit_code{") }?
                .split(separator: " ").last.map(String.init)
        }
        world.rename("store", to: "gone")
        #expect(try await world.run("sync", "a").code == .away)
        let away = try await world.run("status", "a")
        #expect(
            away.lines.last?.hasPrefix(
                "The last run did not complete: store unavailable. Run filesinki sync") == true,
            "\(away.text)")
        #expect(!away.text.contains("Up to date"))
        #expect(try await gauge() == "75")
        world.rename("gone", to: "store")
        for name in ["a/one", "a/sub/two"] { world.remove(name) }
        #expect(try await world.run("sync", "a", "--max-delete", "1").code == .limit)
        #expect(try await world.run("sync", "a", "-n").code == .done)
        #expect(try await world.run("sync", "a", "--strategy", "none").code == .usage)
        let json = try await world.run("status", "a", "--json")
        #expect(json.text.contains(#""last_failure":"limit""#), "\(json.text)")
        let text = """
            "last_failure_text":"a limit stopped it. See the changes with filesinki sync -n; it says how to go on."
            """
        #expect(json.text.contains(text), "\(json.text)")
        #expect(try await gauge() == "6")
        try world.write("one\n", to: "a/one")
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await gauge() == "0")
    }

    /// A replica of a store that a network leads to.
    private func served() async throws -> (World, FaultyRemote) {
        let world = try World()
        let store = MemoryRemote(address: "https://nas")
        _ = try await StoreFormat.create(at: store, systemContext: ManualClock().systemContext)
        let remote = FaultyRemote(store)
        world.network.connect = { _, _ in remote }
        try world.write("one\n", to: "a/one")
        try await world.done("init", "a", "--remote", "https://nas")
        try await world.done("sync", "a")
        return (world, remote)
    }

    @Test func `who was denied access reads in status what sync said`() async throws {
        let (world, remote) = try await served()
        let (message, remedy) = (
            "The token 0123456789ab was revoked.",
            "Use filesinki remote set https://nas --token-file FILE."
        )
        remote.failure = Failure(.notAllowed, path: "https://nas", message, remedy: remedy)
        try world.write("two\n", to: "a/two")
        #expect(try await world.run("sync", "a").code == .notAllowed)
        let status = try await world.run("status", "a")
        let here = remedy.replacing("remote set", with: "remote set --root \(world.folder)/a")
        #expect(
            status.lines.contains(
                "The last run did not complete: https://nas: \(message) \(here)"), "\(status.text)")
        let json = try await world.run("status", "a", "--json")
        #expect(
            json.text.contains(#""refusal":"https://nas: \#(message) \#(remedy)""#), "\(json.text)")
        remote.failure = nil
        try await world.done("sync", "a")
        #expect(try await !world.run("status", "a", "--json").text.contains("refusal"))
    }

    @Test func `what an interrupted upload has left is counted, of this store and complete`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        let config = try #require(world.readText("a/.filesinki/replica"))
        let store = try #require(
            config.split(separator: "\n").first { $0.hasPrefix("store = ") }?.dropFirst(8))
        func line(_ id: String, _ size: Int, of store: Substring) -> String {
            "\(store) \(String(repeating: id, count: 16)) \(size) \(String(repeating: "00", count: 32))"
        }
        let lines = [
            line("01", 7_000_000, of: store) + " begun",
            line("02", 5_000_000, of: store) + " begun",
            line("01", 7_000_000, of: store), line("03", 9_000_000, of: "00"),
        ]
        try world.write(
            lines.joined(separator: "\n") + "\n", to: "a/.filesinki/unpublished-packs")
        let over = try await world.run("status", "a")
        #expect(
            over.lines.last
                == "7.0 MB uploaded, not published, and no longer needed: a prune frees it",
            "\(over.text)")
        try world.write("new", to: "a/new")
        let status = try await world.run("status", "a")
        #expect(
            status.lines.last
                == "7.0 MB uploaded, not yet published: the next sync uses what it needs of it",
            "\(status.text)")
        let json = try await world.run("status", "a", "--json")
        #expect(json.text.contains(#""uploaded_bytes":7000000"#))
    }

    @Test func `an open conflict is named with its age and the next command`() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("a", to: "a/one")
        try world.write("b", to: "b/one")
        _ = try await world.run("sync", "a")
        let run = try await world.run("sync", "b")
        #expect(run.code == .conflict)
        #expect(run.lines.count == 1, "\(run.text)")
        #expect(
            run.lines.first?.hasPrefix("  conflict             one  both sides") == true,
            "\(run.text)")
        #expect(
            run.talk.hasSuffix(
                "1 conflict to resolve:  filesinki diff --root \(world.folder)/b --conflict one;"
                    + "  filesinki resolve --root \(world.folder)/b one --take here|there\n"),
            "\(run.talk)")
        world.hoursLater = 2
        let status = try await world.run("status", "b")
        #expect(status.code == .conflict)
        #expect(
            status.lines.last
                == "1 open conflict: one (2 hours ago)    see: filesinki conflicts --root \(world.folder)/b",
            "\(status.text)")
        let list = try await world.run("conflicts", "--root", "b")
        #expect(list.lines.count == 3, "\(list.text)")
        #expect(list.lines.first?.hasPrefix("one   since ") == true, "\(list.text)")
    }

    @Test(arguments: [".filesinki/ignore", ".filesinkiignore"])
    func `what a rule ignores is counted also before a run has read the rule`(_ file: String)
        async throws
    {
        let world = try await ReplicaTests.pair()
        try world.write("one\n", to: "a/" + file)
        for _ in 1...2 {
            let status = try await world.run("status", "a")
            #expect(
                status.text.contains("1 file of the store ignored here    see: filesinki ls"),
                "\(status.text)")
            let json = try await world.run("status", "a", "--json")
            #expect(json.text.contains(#""ignored":1"#), "\(json.text)")
            try await world.done("sync", "a")
        }
        world.remove("a/" + file)
        try await world.done("sync", "a")
        let json = try await world.run("status", "a", "--json")
        #expect(!json.text.contains(#""ignored":"#), "\(json.text)")
    }

    @Test func `what is ignored and not here is counted, and is no deletion`() async throws {
        let world = try await ReplicaTests.pair()
        for name in ["sub/two", "sub/three", "more/one"] { try world.write("x", to: "a/" + name) }
        try await world.done("sync", "a")
        try world.write("one\nsub\n", to: "a/.filesinki/ignore")
        for name in ["one", "sub", "more"] { world.rename("a/" + name, to: "away-" + name) }
        let status = try await world.run("status", "a")
        #expect(status.text.contains("4 files of the store ignored here"), "\(status.text)")
        #expect(status.text.contains("1 deleted here, not yet sent:  more"), "\(status.text)")
    }

    @Test func `many changes are counted by kind, and -v lists them`() async throws {
        let world = try await ReplicaTests.pair()
        for number in 0..<60 { try world.write("xx", to: "a/f\(number)") }
        try world.write("x", to: "a/one")
        let run = try await world.run("sync", "a")
        #expect(
            run.lines == [
                "  sent      edited     1 file      1 B",
                "  sent      new        60 files  120 B",
                "  -v lists all 61 changes.",
            ])
        #expect(run.talk == "Sent 61 files (121 B).\n")
        #expect(try await world.run("sync", "b", "-v").lines.count == 61)
    }
}
