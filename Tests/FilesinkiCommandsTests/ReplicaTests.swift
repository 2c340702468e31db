import FilesinkiCommands
import FilesinkiModel
import Glibc
import Testing

@Suite("init, clone, sync and status")
struct ReplicaTests {
    /// Two replicas, `a` with two files, and a store between them.
    static func pair() async throws -> World {
        let world = try World()
        try world.write("one\n", to: "a/one")
        try world.write("two\n", to: "a/sub/two")
        try await world.makeStore("store")
        let commands = [
            ["init", "a", "--remote", "store", "--device", "a"], ["sync", "a"],
            ["clone", "store", "b", "--device", "b"],
        ]
        for command in commands {
            let outcome = try await world.run(bytes: command.map { Array($0.utf8) })
            try #require(outcome.code == .done, "\(command): \(outcome.talk)")
        }
        return world
    }

    @Test("init can be run again, and refuses another remote with 1")
    func initAgain() async throws {
        let world = try World()
        #expect(try await world.run("init", "a", "--remote", "store").code == .done)
        let again = try await world.run("init", "a", "--remote", "store", "--json")
        #expect(again.code == .done)
        #expect(again.text.contains(#""existed":true,"created_store":false"#))
        let other = try await world.run("init", "a", "--remote", "elsewhere")
        #expect(other.code == .negative)
        #expect(other.talk.contains("filesinki remote set"))
    }

    @Test("init and clone create a folder with the mode that the umask gives; init says so")
    func createdFolder() async throws {
        let world = try await Self.pair()
        let made = try await world.run("init", "wrok/deep")
        #expect(made.code == .done, "\(made)")
        #expect(made.talk.contains("Created the folder \(world.folder)/wrok/deep.\n"), "\(made)")
        #expect(try await !world.run("init", "wrok/deep").talk.contains("Created"))
        try await world.done("clone", "store", "c")
        mkdir(world.folder + "/plain", 0o777)
        let modes = ["plain", "wrok", "wrok/deep", "c"].map { name in
            var status = Glibc.stat()
            return stat(world.folder + "/" + name, &status) == 0 ? status.st_mode : 0
        }
        #expect(Set(modes).count == 1, "\(modes)")
    }

    @Test("status counts a symlink as a file, as a run does")
    func countedSymlink() async throws {
        let world = try await Self.pair()
        symlink("one", world.folder + "/a/link")
        let sent = try await world.run("sync", "a")
        #expect(sent.talk.contains("Sent 1 file"), "\(sent)")
        let status = try await world.run("status", "a")
        #expect(status.text.contains("3 files, 8 B"), "\(status)")
    }

    @Test("init is connected to a store only if it has seen it")
    func notSeen() async throws {
        let world = try await Self.pair()
        let again = try await world.run("init", "a", "--remote", "store")
        #expect(again.code == .done && again.talk.contains("Connected to the store"), "\(again)")
        world.rename("store", to: "gone")
        try world.makeFolder("store")
        let other = try await world.run("init", "a", "--remote", "store")
        #expect(other.code == .notAllowed || other.code == .negative, "\(other)")
        #expect(!other.talk.contains("Connected"), "\(other.talk)")
        let fresh = try await world.run("init", "new", "--remote", "no/such/place")
        if fresh.code != .done { #expect(!fresh.talk.contains("Connected"), "\(fresh.talk)") }
    }

    @Test("sync -q says why it fails")
    func quietErrors() async throws {
        let world = try World()
        #expect(try await world.run("init", "x").code == .done)
        let outcome = try await world.run("sync", "x", "-q")
        #expect(outcome.code == .negative)
        #expect(outcome.talk.contains("No remote is set."), "\(outcome)")
        // Outside of all replicas.
        let other = try await world.run("sync")
        #expect(other.code == .negative)
        let told =
            "filesinki: The current folder is in no replica. Yours is \(world.folder)/x: go there, or add --root "
            + "DIR. The default replica, \(world.folder)/data/filesinki, has no remote.\n"
        #expect(other.talk.hasSuffix(told), "\(other.talk)")
    }

    @Test("a device that was renamed has its new name on the others")
    func renamedDevice() async throws {
        let world = try await Self.pair()
        let told =
            "Its device was b and is laptop now. Others see that after the next change that is"
        let renamed = try await world.run("init", "b", "--device", "laptop")
        #expect(renamed.code == .done && renamed.talk.contains(told), "\(renamed)")
        // Without a change there is nothing to publish.
        #expect(try await world.run("sync", "b").code == .done)
        let names = {
            try await world.run("devices", "--root", "a").lines.map { $0.prefix { $0 != " " } }
        }
        #expect(try await names() == ["a", "b"])
        try world.write("2", to: "b/two")
        #expect(try await world.run("sync", "b").code == .done)
        #expect(try await names() == ["a", "laptop"])
        let again = try await world.run("init", "b", "--device", "laptop")
        #expect(again.code == .done && !again.talk.contains("Its device"), "\(again)")
        let alone = try await world.run("init", "alone", "--device", "x")
        #expect(alone.code == .done && !alone.talk.contains("Its device"), "\(alone)")
        let without = try await world.run("init", "alone", "--device", "y")
        #expect(without.talk.hasSuffix("Its device was x and is y now.\n"), "\(without)")
    }

    @Test("init of a replica that has lost its marker gives it back", arguments: [false, true])
    func lostMarker(isRemoteNamed: Bool) async throws {
        let world = try await Self.pair()
        world.remove("a/.filesinki/root")
        let lost = try await world.run("sync", "a")
        #expect(lost.code == .io && lost.talk.contains("run filesinki init there again"))
        let again =
            try await isRemoteNamed
            ? world.run("init", "a", "--remote", "store") : world.run("init", "a")
        #expect(again.code == .done && again.talk.contains("is marked as a replica again"))
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("init", "a").talk.contains("is a replica already"))
    }

    @Test("a path beside the replica itself is refused, however it is wrong")
    func besideTheRoot() async throws {
        let world = try await Self.pair()
        for other in ["nope", "b", "a/nope", "a/one"] {
            let outcome = try await world.run("sync", "a", other)
            #expect(outcome.code == .usage, "\(other): \(outcome.talk)")
        }
        // As find prints it, in the replica.
        try world.write(".\n./one\n./sub\n", to: "list")
        let listed = try await world.run("sync", "--root", "a", "--paths-from", "list")
        #expect(listed.code == .done, "\(listed.talk)")
    }

    @Test("clone of an address without a store creates none, and exits with 1")
    func cloneNothing() async throws {
        let world = try World()
        try world.makeFolder("empty")
        let outcome = try await world.run("clone", "empty", "b")
        #expect(outcome.code == .negative)
        #expect(world.names(in: "empty").isEmpty)
    }

    @Test("clone has all files; a second sync has nothing to do and says so without --json")
    func cloned() async throws {
        let world = try await Self.pair()
        #expect(world.readText("b/one") == "one\n")
        #expect(world.readText("b/sub/two") == "two\n")
        let quiet = try await world.run("sync", "b")
        #expect(quiet.code == .done)
        #expect(quiet.output.isEmpty)
        #expect(quiet.talk.isEmpty)
        #expect(try await world.run("sync", "-v", "b").talk.hasPrefix("Up to date (commit "))
        world.terminals.talk = true
        #expect(try await world.run("sync", "b").talk.contains("Up to date"))
        #expect(try await world.run("sync", "-q", "b").talk.isEmpty)
    }

    @Test("-q prints nothing for a successful run, and prints a plan as usual")
    func quiet() async throws {
        let world = try await Self.pair()
        try world.write("edited", to: "a/one")
        #expect(try await !world.run("sync", "-q", "a", "--dry-run").output.isEmpty)
        for command in [["sync", "a", "-q"], ["sync", "b", "-q"], ["clone", "store", "c", "-q"]] {
            let outcome = try await world.run(bytes: command.map { Array($0.utf8) })
            #expect(outcome.code == .done, "\(command): \(outcome.talk)")
            #expect(outcome.output.isEmpty && outcome.talk.isEmpty, "\(command): \(outcome)")
        }
        #expect(world.readText("c/one") == "edited")
    }

    @Test("--dry-run prints the plan and its id, and changes nothing")
    func dryRun() async throws {
        let world = try await Self.pair()
        try world.write("edited", to: "a/one")
        let plan = try await world.run("sync", "a", "--dry-run")
        #expect(plan.code == .done)
        #expect(plan.lines == ["  send      edited     one  6 B"])
        #expect(plan.talk.contains("Nothing was changed. Plan "))
        let again = try await world.run("sync", "a", "--dry-run")
        #expect(again.talk == plan.talk)
        let idle = try await world.run("sync", "b", "--dry-run")
        #expect(idle.talk == "Up to date: a run would do nothing (commit 1).\n", "\(idle.talk)")
        #expect(try await world.run("load", "--root", "b", "one").text == "one\n")
        let run = try await world.run("sync", "a")
        #expect(run.lines == ["  sent      edited     one  6 B"])
        // A run that receives new rules sends by them, and a plan does not.
        let rules = "A run receives the ignore file first: it may send less than this."
        try world.write("*.env\n", to: "a/.filesinkiignore")
        #expect(try await !world.expect("sync a -n").talk.contains(rules))
        try await world.expect("sync a")
        #expect(try await !world.expect("sync b -n").talk.contains(rules))
        try world.write("secret", to: "b/x.env")
        let ahead = try await world.expect("sync b -n")
        #expect(ahead.talk.contains(rules), "\(ahead.talk)")
    }

    @Test("--json prints a step for each path and a result at the end")
    func json() async throws {
        let world = try await Self.pair()
        try world.write("new", to: "a/new")
        let outcome = try await world.run("sync", "a", "--json")
        #expect(
            outcome.lines.first
                == #"{"type":"step","path":"new","action":"publish","reason":"created","#
                + #""text":"new"}"#)
        #expect(outcome.lines.last?.hasPrefix(#"{"type":"result","exit":0,"plan":""#) == true)
        #expect(outcome.lines.count == 2)
    }

    @Test("a conflict exits with 3, is listed, and is resolved")
    func conflict() async throws {
        let world = try await Self.pair()
        try world.write("from a\n", to: "a/one")
        try world.write("from b\n", to: "b/one")
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("sync", "b").code == .conflict)
        #expect(world.readText("b/one") == "from a\n")
        let open = try await world.run("conflicts", "--root", "b", "--json")
        #expect(open.code == .conflict)
        #expect(open.lines.count == 1)
        #expect(open.text.hasPrefix(#"{"type":"conflict","path":"one","time":""#))
        #expect(try await world.run("status", "b").code == .conflict)
        let resolved = try await world.run("resolve", "--root", "b", "one", "--take", "here")
        #expect(resolved.code == .done, "\(resolved.talk)")
        #expect(world.readText("b/one") == "from b\n")
        #expect(world.names(in: "b") == [".filesinki", "one", "sub"])
        #expect(try await world.run("conflicts", "--root", "b").code == .done)
        #expect(try await world.run("sync", "a").code == .done)
        #expect(world.readText("a/one") == "from b\n")
    }

    @Test("--strategy decides conflicts, and an invalid one exits with 2")
    func strategy() async throws {
        let world = try await Self.pair()
        try world.write("from a\n", to: "a/one")
        try world.write("from b\n", to: "b/one")
        #expect(try await world.run("sync", "a", "--strategy", "newset").code == .usage)
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("sync", "b", "--strategy", "here").code == .done)
        #expect(try await world.run("sync", "a").code == .done)
        #expect(world.readText("a/one") == "from b\n")
    }

    @Test("many deletions stop with 6; --max-delete and --approve allow them")
    func guarded() async throws {
        let world = try World()
        for number in 0..<60 { try world.write("\(number)", to: "a/f\(number)") }
        #expect(try await world.run("init", "a", "--remote", "store").code == .done)
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("clone", "store", "b").code == .done)
        for number in 0..<59 { world.remove("a/f\(number)") }
        let stopped = try await world.run("sync", "a")
        #expect(stopped.code == .limit)
        #expect(stopped.talk.contains("--approve"))
        let dry = try await world.run("sync", "a", "--dry-run", "--json")
        let plan = dry.lines.last?.split(separator: "\"").drop { $0 != "plan" }.dropFirst(2).first
        #expect(try await world.run("sync", "a", "--approve", "0000").code == .limit)
        #expect(try await world.run("sync", "a", "--approve", String(plan ?? "")).code == .done)
        #expect(try await world.run("sync", "b").code == .limit)
        #expect(try await world.run("sync", "b", "--max-delete", "59").code == .done)
        #expect(world.names(in: "b") == [".filesinki", "f59"])
    }

    @Test("devices and remote show; a wrong store is refused with 7")
    func remotes() async throws {
        let world = try await Self.pair()
        let remote = try await world.run("remote", "show", "--root", "a")
        #expect(remote.text == world.folder + "/store\n")
        #expect(try await world.run("init", "c", "--remote", "other").code == .done)
        #expect(try await world.run("remote", "set", "other", "--root", "a").code == .notAllowed)
        #expect(try await world.run("remote", "show", "--root", "a").text == remote.text)
        try world.makeFolder("fresh")
        let check = try await world.run("remote", "check", "fresh")
        #expect(check.code == .done, "\(check.talk)")
        #expect(check.lines.count > 3)
        #expect(check.lines.count(where: { $0.contains("  holds   ") }) == check.lines.count / 2)
        #expect(world.names(in: "fresh").isEmpty)
        #expect(try await world.run("remote", "check", "absent").code == .away)
        let devices = try await world.run("devices", "--root", "b", "--json")
        #expect(devices.code == .done)
        #expect(devices.lines.contains { $0.contains(#""device":"b""#) })
    }

    @Test("status exits with 1 when the last success is older than --max-age")
    func status() async throws {
        let world = try await Self.pair()
        #expect(try await world.run("status", "a", "--max-age", "2h").code == .done)
        world.hoursLater += 3
        let stale = try await world.run("status", "a", "--max-age", "2h", "--json")
        #expect(stale.code == .negative)
        #expect(stale.text.contains(#""stale":true,"paths":3,"files":2,"bytes":8,"pending":[]"#))
        #expect(try await world.run("status", "a", "--max-age", "soon").code == .usage)
    }
}
