import FilesinkiCommands
import Testing

@Suite("mv")
struct MoveTests {
    private func run(_ world: World, _ line: String) async throws -> World.Outcome {
        try await world.run(bytes: line.split(separator: " ").map { Array($0.utf8) })
    }

    @Test("a rename is published as one, and the history follows it")
    func file() async throws {
        let world = try await ReplicaTests.pair()
        let outcome = try await run(world, "mv --root a one sub/uno")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.read("a/one") == nil && world.read("a/sub/uno") != nil)
        #expect(try await run(world, "log --root a -n 1").text.contains("R one -> sub/uno"))
        #expect(try await run(world, "log --root a sub/uno").text.contains("renamed from one"))
        #expect(try await run(world, "sync b").code == .done)
        #expect(world.read("b/one") == nil)
        #expect(world.read("b/sub/uno") == world.read("a/sub/uno"))
    }

    @Test("the old name is no deleted path, here and on other devices, also after an edit")
    func oldNames() async throws {
        let world = try await ReplicaTests.pair()
        for line in ["mv --root a one d/uno", "sync b", "mv --root a d e", "sync b"] {
            #expect(try await run(world, line).code == .done)
        }
        try world.write("edited", to: "a/e/uno")
        for line in ["sync a", "sync b"] { #expect(try await run(world, line).code == .done) }
        for root in ["a", "b"] {
            let listed = try await run(world, "ls --deleted --root \(root)")
            #expect(listed.code == .negative && listed.text.isEmpty, "\(listed.text)")
        }
        #expect(try await run(world, "rm --root a -r e").code == .done)
        #expect(try await run(world, "sync b").code == .done)
        for root in ["a", "b"] {
            #expect(try await run(world, "ls --deleted --root \(root)").lines == ["e", "e/uno"])
        }
        // A pattern brings back what was deleted, and says nothing of old names.
        let back = try await run(world, "undelete --root a *uno")
        #expect(back.code == .done, "\(back.talk)")
        #expect(world.readText("a/e/uno") == "edited")
    }

    @Test("nor is that of a file which two devices renamed, on any of them")
    func oldNameOfBoth() async throws {
        let world = try await ReplicaTests.pair()
        try await world.expect("clone store c --device c")
        world.rename("a/one", to: "a/one.a")
        world.rename("b/one", to: "b/one.b")
        for root in ["a", "b", "a", "c"] { try await world.expect("sync \(root)") }
        for root in ["a", "b", "c"] {
            #expect(world.read("\(root)/one.a") != nil && world.read("\(root)/one.b") != nil)
            for option in ["", " -l", " --all"] {
                let line = "ls --deleted --root \(root)\(option)"
                let listed = try await world.expect(line, .negative)
                #expect(listed.text.isEmpty, "\(line): \(listed.text)")
            }
            let explained = try await world.expect("explain --root \(root) one")
            #expect(explained.text.contains("renamed to one.a"), "\(explained.text)")
        }
    }

    @Test("an edit of another device follows the rename")
    func edited() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("edited\n", to: "b/one")
        #expect(try await run(world, "mv --root a one uno").code == .done)
        #expect(try await run(world, "sync b").code == .done)
        #expect(world.readText("b/uno") == "edited\n")
        #expect(world.read("b/one") == nil)
    }

    @Test("an empty file is renamed, too: only its inode tells it from another one")
    func empty() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("", to: "a/empty")
        #expect(try await run(world, "sync a").code == .done)
        #expect(try await run(world, "sync b").code == .done)
        #expect(try await run(world, "mv --root a empty new").code == .done)
        #expect(try await run(world, "log --root a -n 1").text.contains("R empty -> new"))
        try world.write("edited", to: "b/empty")
        #expect(try await run(world, "sync b").code == .done)
        #expect(world.readText("b/new") == "edited")
        #expect(world.read("b/empty") == nil)
    }

    @Test("a folder moves as a whole, more files than a guard allows to be deleted")
    func folder() async throws {
        let world = try await ReplicaTests.pair()
        for number in 0..<200 { try world.write("\(number)", to: "a/d/\(number)") }
        try world.write("max-delete = 1\n", to: "a/.filesinki.toml")
        #expect(try await run(world, "sync a").code == .done)
        let outcome = try await run(world, "mv --root a d e/")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.names(in: "a/e/d").count == 200)
        let log = try await run(world, "log --root a -n 1").text
        #expect(log.contains("R d/ -> e/d/ (200 files)"), "\(log)")
        #expect(try await run(world, "sync b").code == .done)
        #expect(world.names(in: "b/e/d").count == 200)
        #expect(!world.names(in: "b").contains("d"))
    }

    @Test("several paths go into a folder, also into the root")
    func several() async throws {
        let world = try await ReplicaTests.pair()
        let two = world.names(in: "a").filter { $0 != ".filesinki" }
        #expect(
            try await run(world, "mv --root a \(two.joined(separator: " ")) new/").code == .done)
        #expect(world.names(in: "a/new") == two)
        #expect(try await run(world, "mv --root a new/\(two[0]) .").code == .done)
        #expect(world.names(in: "a") == [".filesinki", "new", two[0]].sorted())
    }

    @Test(
        "nothing is replaced, and nothing is moved if one path cannot be",
        arguments: [
            ("mv --root a one sub", "exists"), ("mv --root a none other", "not-found"),
            ("mv --root a sub sub/inner", "usage"), ("mv --root a one two none/", "not-found"),
            ("mv --root a one sub/one other", "usage"),
            ("mv --root a one sub/one other/", "exists"),
            ("mv --root a sub sub/one other/", "usage"),
            ("mv --root a one .filesinki/x", "bad-path"),
            ("mv --root a one theirs", "exists"), ("mv --root a one --wait 5m", "usage"),
        ])
    func refused(_ line: String, _ code: String) async throws {
        let world = try await ReplicaTests.pair()
        try world.write("mine", to: "a/one")
        try world.write("x", to: "a/sub/one")
        try world.write("x", to: "a/sub/sub/y")
        #expect(try await run(world, "sync a").code == .done)
        try world.write("theirs", to: "b/theirs")
        #expect(try await run(world, "sync b").code == .done)
        let outcome = try await run(world, line + " --json")
        #expect(outcome.code != .done)
        #expect(outcome.text.contains(#""code":"\#(code)""#), "\(outcome)")
        #expect(world.readText("a/one") == "mine")
        #expect(world.readText("a/sub/one") == "x")
        #expect(!world.names(in: "a").contains("other"))
    }

    @Test("without the remote, the rename is queued and published later as a rename")
    func away() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        #expect(try await run(world, "mv --root a one uno").code == .done)
        #expect(world.read("a/uno") != nil)
        #expect(try await run(world, "status a --short").text.contains("pending"))
        world.rename("gone", to: "store")
        #expect(try await run(world, "sync a").code == .done)
        #expect(try await run(world, "log --root a uno").text.contains("renamed from one"))
    }

    @Test("what was renamed while the remote is away can be deleted, and what then waits is said")
    func deletedWhileAway() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        #expect(try await run(world, "mv --root a one uno").code == .done)
        let old = try await run(world, "rm --root a one")
        #expect(old.code == .negative)
        #expect(
            old.talk == "filesinki: one: Deleted or renamed here already; not yet published. "
                + "The next filesinki sync --root \(world.folder)/a sends that.\n")
        let new = try await run(world, "rm --root a uno")
        #expect(new.code == .done)
        #expect(
            new.talk.hasSuffix(
                "The changes are kept here: the next filesinki sync --root \(world.folder)/a sends them.\n"
            ),
            "\(new.talk)")
        world.rename("gone", to: "store")
        #expect(try await run(world, "sync a").talk == "Deleted 1 file.\n")
        #expect(try await run(world, "undelete --root a one").code == .done)
        world.rename("store", to: "gone")
        try world.write("y", to: "a/young")
        let young = try await run(world, "rm --root a young")
        #expect(young.code == .usage)
        #expect(
            young.talk
                == "filesinki: young: This was not synced yet, and the store cannot be reached: nothing could bring it "
                + "back. Nothing was deleted. Run the command again when the store can be reached, or remove the file with rm.\n"
        )
        try world.makeFolder("a/empty")
        let empty = try await run(world, "rm --root a -r empty")
        #expect(empty.code == .done)
        #expect(
            empty.talk.hasSuffix(
                "Deleted here; the store does not have it, so nothing waits to be sent.\n"),
            "\(empty.talk)")
    }

    @Test("a file that is ignored and was never synced stays private")
    func ignored() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("*.tmp\n", to: "a/.filesinkiignore")
        try world.write("secret", to: "a/x.tmp")
        #expect(try await run(world, "sync a").code == .done)
        let exposing = try await run(world, "mv --root a x.tmp y.txt")
        #expect(exposing.code == .usage && exposing.talk.contains("publish"), "\(exposing.talk)")
        #expect(try await run(world, "mv --root a x.tmp y.tmp").code == .done)
        #expect(world.readText("a/y.tmp") == "secret")
        #expect(try await run(world, "sync b").code == .done)
        #expect(!world.names(in: "b").contains { $0.hasSuffix(".tmp") })
    }

    @Test("of a new name that a rule ignores, the command says that others see a deletion")
    func hidden() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("*.tmp\n", to: "a/.filesinkiignore")
        #expect(try await run(world, "sync a").code == .done)
        let moved = try await run(world, "mv --root a one one.tmp")
        #expect(moved.code == .done, "\(moved.talk)")
        let told = "one.tmp: A rule ignores this name, so it stays here only"
        #expect(moved.talk.contains(told), "\(moved.talk)")
        #expect(moved.talk.contains("run filesinki undelete --root"), "\(moved.talk)")
        #expect(world.names(in: "a").contains("one.tmp"))
        let again = try await run(world, "mv --root a one.tmp two.tmp")
        #expect(again.code == .done && !again.talk.contains("A rule ignores"), "\(again.talk)")
    }
}
