import FilesinkiCommands
import FilesinkiTesting
import Glibc
import Testing

@Suite("Conflicts from the command line")
struct ConflictTests {
    @Test("diff --conflict prints both sides' changes to the base, and exits with 1")
    func diff() async throws {
        let outcome = try await World.withConflicts().run("diff", "--conflict", "one.txt")
        #expect(outcome.code == .negative)
        #expect(
            outcome.lines == [
                "--- one.txt base", "+++ one.txt here", "@@ -1 +1 @@", "-base", "+b",
                "--- one.txt base", "+++ one.txt there", "@@ -1 +1 @@", "-base", "+a",
            ])
        #expect(try await World.withConflicts().run("diff", "--conflict", "gone").code == .negative)
    }

    @Test func `diff --conflict --explain prints what a merge decides, and what it cannot`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        try world.write(#"{"a":1,"b":1,"c":1}"#, to: "a/x.json")
        for replica in ["a", "b"] { _ = try await world.run("sync", replica) }
        try world.write(#"{"a":2,"b":1,"c":2}"#, to: "a/x.json")
        try world.write(#"{"a":3,"b":2,"c":1}"#, to: "b/x.json")
        for replica in ["a", "b"] { _ = try await world.run("sync", replica) }
        let line = ["diff", "--root", "b", "--conflict", "--explain", "x.json"]
        let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
        #expect(outcome.code == .negative)
        let words = outcome.lines.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
        #expect(words.first == "Format: json, by")
        for step in ["/b here edited", "/c there edited"] { #expect(words.contains(step)) }
        #expect(words.contains { $0.hasPrefix("/a conflict") }, "\(outcome.lines)")
        let json = try await world.run(bytes: (line + ["--json"]).map { Array($0.utf8) })
        #expect(json.text.hasPrefix(#"{"type":"explanation","path":"x.json","format":"json","#))
        // Nothing is changed, and no file is left.
        #expect(try await world.run("conflicts", "--root", "b").lines.count > 0)
        for wrong in [["--explain", "--stat"], ["--explain", "--conflict", "--stat"]] {
            let bytes = (["diff", "--root", "b", "x.json"] + wrong).map { Array($0.utf8) }
            #expect(try await world.run(bytes: bytes).code == .usage)
        }
    }

    @Test func `diff --conflict --explain says of a binary that it has no format`() async throws {
        let world = try await ReplicaTests.pair()
        try world.write([0, 1, 0xFF] as [UInt8], to: "a/x.bin")
        for replica in ["a", "b"] { _ = try await world.run("sync", replica) }
        try world.write([0, 2, 0xFF] as [UInt8], to: "a/x.bin")
        try world.write([0, 3, 0xFF, 0] as [UInt8], to: "b/x.bin")
        for replica in ["a", "b"] { _ = try await world.run("sync", replica) }
        let outcome = try await world.run("diff", "--root", "b", "--conflict", "--explain", "x.bin")
        #expect(outcome.code == .negative)
        #expect(
            outcome.lines == [
                "The contents are neither databases, nor documents, nor JSON, nor text."
            ])
    }

    @Test(
        "show --conflict prints a version of an open conflict",
        arguments: [
            ("base", "base\n"), ("here", "b\n"), ("there", "a\n"),
            ("merge", "<<<<<<< here\nb\n=======\na\n>>>>>>> there\n"),
        ])
    func show(_ side: String, _ text: String) async throws {
        let world = try await World.withConflicts()
        #expect(try await world.run("show", "one.txt", "--conflict", side).text == text)
        #expect(try await world.run("show", "gone", "--conflict", side).code == .negative)
        let options = ["show", "one.txt", "--conflict", side, "--at", "2024-05-01"]
        let both = try await world.run(bytes: options.map { Array($0.utf8) })
        #expect(both.code == .usage)
    }

    @Test func `show --conflict has no merge of what is not text`() async throws {
        let world = try await ReplicaTests.pair()
        for (replica, byte) in [("a", UInt8(1)), ("b", 2)] {
            try world.write([0, byte], to: "\(replica)/one")
            _ = try await world.run("sync", replica)
        }
        let here = try await world.run("show", "--root", "b", "one", "--conflict", "here")
        #expect(here.output == [0, 2])
        let merge = try await world.run("show", "--root", "b", "one", "--conflict", "merge")
        #expect(merge.code == .usage && merge.output.isEmpty, "\(merge)")
        let next =
            "Choose a side with filesinki resolve --root \(world.folder)/b one --take here|there."
        #expect(merge.talk.contains(next), "\(merge.talk)")
    }

    @Test(
        "resolve accepts paths, patterns or --all",
        arguments: [
            (["one.txt"], ["d/three", "two.txt"]), (["*.txt"], ["d/three"]),
            (["d/*", "one.txt"], ["two.txt"]), (["--all"], []),
        ])
    func resolve(_ arguments: [String], _ left: [String]) async throws {
        let world = try await World.withConflicts()
        let command = ["resolve", "--take", "here"] + arguments
        #expect(try await world.run(bytes: command.map { Array($0.utf8) }).code == .done)
        let open = try await world.run("conflicts", "-0")
        #expect(open.text.split(separator: "\0").map(String.init).sorted() == left)
    }

    @Test(
        "a pattern that no open conflict matches is an error, and nothing is resolved",
        arguments: [["x*"], ["one.txt", "x*"]])
    func unmatched(_ arguments: [String]) async throws {
        let world = try await World.withConflicts()
        let outcome = try await world.expect(["resolve", "--take", "here"] + arguments, .negative)
        #expect(
            outcome.talk == "filesinki: x*: No open conflict was found. "
                + "See the open ones with filesinki conflicts.\n")
        #expect(try await world.run("conflicts", "-0").text.split(separator: "\0").count == 3)
    }

    @Test("a pattern of several conflicts does not give all of them one text")
    func patternWithText() async throws {
        let world = try await World.withConflicts()
        try world.write("merged", to: "text")
        let text = world.folder + "/text"
        let outcome = try await world.expect(["resolve", "*", "--with", text], .usage)
        // The usage of the whole program would say nothing of resolve.
        let told = """
            filesinki: *: --with is for one path, and this pattern matches 3 open conflicts. Name one of them; \
            filesinki conflicts lists them.\n
            """
        #expect(outcome.talk == told, "\(outcome.talk)")
        #expect(try await world.run("conflicts", "-0").text.split(separator: "\0").count == 3)
    }

    /// `a`, which found nothing, and `c`, which wrote neither version, have received the conflicts of `b`.
    private func received() async throws -> World {
        let world = try await World.withConflicts()
        world.currentFolder = world.folder
        try await world.done("sync", "a")
        try await world.done("clone", "store", "c", "--device", "c")
        return world
    }

    @Test(
        "here is the version of the device that looks, also if another one found the conflict",
        arguments: [
            ("a", "here", "a\n"), ("a", "mine", "a\n"), ("a", "there", "b\n"), ("a", "b", "b\n"),
            ("a", "a", "a\n"), ("b", "here", "b\n"), ("b", "theirs", "a\n"), ("b", "a", "a\n"),
            ("c", "a", "a\n"), ("c", "b", "b\n"),
        ])
    func whose(_ device: String, _ side: String, _ text: String) async throws {
        let world = try await received()
        let shown = try await world.run(
            "show", "--root", device, "one.txt", "--conflict", side)
        #expect(shown.text == text, "\(shown)")
        try await world.done("resolve", "--root", device, "one.txt", "--take", side)
        #expect(world.readText("\(device)/one.txt") == text)
        #expect(!world.names(in: device).contains { $0.hasPrefix("one (") })
    }

    @Test("--take both says how both are kept")
    func both() async throws {
        let world = try await ReplicaTests.pair()
        for name in ["a", "b"] { try world.write(name, to: name + "/one") }
        for name in ["a", "b"] { _ = try await world.run("sync", name) }
        let outcome = try await world.run("resolve", "--root", "b", "one", "--take", "both")
        #expect(outcome.code == .usage)
        #expect(
            outcome.talk.hasSuffix(
                "choose b in filesinki resolve --root \(world.folder)/b -i one.\n"),
            "\(outcome.talk)")
    }

    @Test("a device that wrote neither version names them by their devices")
    func third() async throws {
        let world = try await received()
        let list = try await world.run("conflicts", "--root", "c")
        #expect(list.text.contains("the version of a is in place, the one of b is  d/three ("))
        #expect(list.text.contains("d/three --take b|a"), "\(list.text)")
        // The version that all had is known from the log.
        #expect(list.text.contains("base 5 B"), "\(list.text)")
        for word in ["here", "theirs", "x"] {
            let outcome = try await world.run("resolve", "--root", "c", "one.txt", "--take", word)
            #expect(outcome.code == .usage, "\(outcome.talk)")
            #expect(outcome.talk.contains("Name one by its device: b or a."), "\(outcome.talk)")
        }
        let json = try await world.run("conflicts", "--root", "c", "--json")
        #expect(json.lines[0].contains(#""sides":[{"side":"b","place":"#), "\(json.text)")
    }

    @Test("--json says which device wrote which version, and where it is")
    func devices() async throws {
        let world = try await received()
        for (device, other) in [("a", "b"), ("b", "a")] {
            let json = try await world.run("conflicts", "--root", device, "--json")
            let line = try #require(json.lines.first { $0.contains(#""path":"one.txt""#) })
            #expect(line.contains(#""here_device":"\#(device)""#), "\(line)")
            #expect(line.contains(#""there_device":"\#(other)""#), "\(line)")
            // What a committed first is in place.
            let inPlace = device == "a" ? "here" : "there"
            #expect(line.contains(#""\#(inPlace)":{"place":"one.txt","#), "\(line)")
        }
    }

    @Test("an edit of what is in place makes it the version of the device that edited")
    func edited() async throws {
        let world = try await received()
        try world.write("edited\n", to: "c/one.txt")
        try await world.done("sync", "c")
        let shown = try await world.run("show", "--root", "c", "one.txt", "--conflict", "here")
        #expect(shown.text == "edited\n", "\(shown)")
    }

    @Test("both versions are in the folder: the remote is not needed to show or resolve")
    func offline() async throws {
        let world = try await World.withConflicts()
        world.rename("store", to: "gone")
        let diff = try await world.run("show", "one.txt", "--conflict", "there")
        #expect(diff.text == "a\n", "\(diff)")
        #expect(try await world.run("show", "one.txt", "--conflict", "here").text == "b\n")
        try await world.done("resolve", "one.txt", "--take", "here")
        #expect(world.readText("b/one.txt") == "b\n")
    }

    @Test("a conflict that was left open and gets a copy later is listed once, with its base")
    func onceListed() async throws {
        let world = try await World.withConflicts()
        try await world.done("resolve", "--all", "--take", "here")
        world.currentFolder = world.folder
        try await world.done("sync", "a")
        for replica in ["a", "b"] {
            try world.write("\(replica) again\n", to: "\(replica)/one.txt")
        }
        try await world.done("sync", "a")
        #expect(try await world.run("sync", "b", "--strategy", "leave").code == .conflict)
        #expect(try await world.run("sync", "b").code == .conflict)
        let list = try await world.run("conflicts", "--root", "b", "--json")
        #expect(list.lines.count == 1, "\(list.text)")
        #expect(list.text.contains(#""base":"#))
    }

    @Test("log names the link that merged, and both merged versions")
    func merged() async throws {
        let world = try await World.withConflicts()
        for (replica, text) in [("a", #"{"a": 2, "b": 1}"#), ("b", #"{"a": 1, "b": 2}"#)] {
            if replica == "a" {
                try world.write(#"{"a": 1, "b": 1}"#, to: "a/f.json")
                for root in ["../a", "."] { _ = try await world.run("sync", root) }
            }
            try world.write(text, to: "\(replica)/f.json")
        }
        for root in ["../a", "."] { _ = try await world.run("sync", root) }
        #expect(world.readText("b/f.json") == #"{"a": 2, "b": 2}"#)
        let log = try await world.run("log", "f.json")
        let versions = log.lines.compactMap { $0.split(separator: " ").first }
        #expect(versions.count == 4)
        #expect(log.lines[0].hasSuffix("merged as json with \(versions[1])"), "\(log.text)")
        #expect(log.lines[1].hasSuffix("kept aside, merged as json"))
        let json = try await world.run("log", "--json", "f.json")
        #expect(json.lines[0].contains(#""merged_with":\#(versions[1].dropFirst())"#))
        #expect(json.lines[0].contains(#""based_on":\#(versions[2].dropFirst())"#))
        #expect(json.lines[1].contains(#""reason":"auto:json","superseded":true"#))
        let commit = versions[1].dropFirst()
        let kept = try await world.run("log", "--commit", String(commit))
        #expect(kept.lines.last == "    kept aside  f.json", "\(kept.text)")
        let object = try await world.run("log", "--json", "--commit", String(commit))
        #expect(object.text.contains(#""kept_aside":["f.json"]"#), "\(object.text)")
    }

    /// Replicas `a` and `b`, with what each of them has made of `p` since they had the same.
    private func divided(
        _ base: String, _ ofA: (World) throws -> Void, _ ofB: (World) throws -> Void
    ) async throws -> World {
        let world = try await World.withStore()
        try world.write("base\n", to: "a/\(base)")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        try await world.done("clone", "store", "b", "--device", "b")
        try ofA(world)
        try ofB(world)
        try await world.done("sync", "a")
        #expect(try await world.run("sync", "b").code == .conflict)
        world.currentFolder = world.folder + "/b"
        return world
    }

    @Test("a folder that keeps its name is this replica's version, and the copy the other one")
    func folderInPlace() async throws {
        let world = try await divided(
            "p/q",
            { world in
                removeTree(Array((world.folder + "/a/p").utf8))
                symlink("/etc", world.folder + "/a/p")
            }, { try $0.write("edit\n", to: "b/p/q") })
        let list = try await world.run("conflicts").text
        for part in ["here folder", "there symlink to /etc", "the version from here is in place"] {
            #expect(list.contains(part), "\(list)")
        }
        try await world.done("resolve", "p", "--take", "here")
        #expect(world.readText("b/p/q") == "edit\n")
        #expect(world.names(in: "b").filter { $0.hasPrefix("p") } == ["p"])
    }

    @Test("a file may be chosen where the other side has a folder, and undo brings that back")
    func fileForFolder() async throws {
        let world = try await divided(
            "z",
            { world in
                unlink(world.folder + "/a/z")
                try world.write("inside\n", to: "a/z/in")
            }, { try $0.write("edit\n", to: "b/z") })
        try await world.done("resolve", "z", "--take", "here")
        #expect(world.readText("b/z") == "edit\n")
        #expect(world.names(in: "b").filter { $0.hasPrefix("z") } == ["z"])
        #expect(try await world.run("conflicts").code == .done)
        _ = try await world.run("resolve", "--undo", "z")
        #expect(world.readText("b/z/in") == "inside\n")
        #expect(try await world.run("conflicts", "-0").text == "z\0")
    }

    @Test("the commands for a conflict can be pasted, whatever its name and the folder")
    func pasted() async throws {
        let world = try await divided(
            "sub/\u{1B}x", { try $0.write("a\n", to: "a/sub/\u{1B}x") },
            { try $0.write("b\n", to: "b/sub/\u{1B}x") })
        let top = try await world.run("conflicts").text
        #expect(top.contains("--conflict $'sub/\\033x'"), "\(top)")
        world.currentFolder = world.folder + "/b/sub"
        let below = try await world.run("conflicts").text
        #expect(below.contains("filesinki resolve $'./\\033x' --take"), "\(below)")
    }

    @Test("a base that a prune has removed is said to be so, and no other version is shown as it")
    func prunedBase() async throws {
        let world = try await World.withStore()
        let bytes = { (seed: Int) in
            noise(300_000, seed: UInt64(seed))
        }
        try world.write("keep\n", to: "a/keep")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        for version in 1...4 {
            try world.write(bytes(version), to: "a/t")
            try await world.done("sync", "a")
            if version == 2 { try await world.done("clone", "store", "b", "--device", "b") }
        }
        try world.write(bytes(9), to: "b/t")
        try await world.done("devices", "forget", "b", "--root", "a")
        try await world.done("prune", "--root", "a", "--keep-last", "1")
        let sync = try await world.run("sync", "b")
        #expect(sync.code == .conflict)
        let why = "The version that both sides started from"
        #expect(sync.talk.contains("\(why) was removed by a prune."), "\(sync.talk)")
        let diff = try await world.run("diff", "--root", "b", "--conflict", "t")
        #expect(diff.talk.contains("t: \(why) cannot be read. A prune removed"), "\(diff.talk)")
        #expect(!diff.text.contains("t base"), "\(diff.text)")
        let base = try await world.run("show", "--root", "b", "t", "--conflict", "base")
        #expect(base.code == .negative && base.output.isEmpty, "\(base.talk)")
        let taken = try await world.run("resolve", "--root", "b", "t", "--take", "base")
        #expect(taken.talk.contains("t: This version was removed by a prune."), "\(taken.talk)")
    }
}
