import FilesinkiCommands
import FilesinkiTesting
import Foundation
import Testing

/// `prune` on the command line. The JSON is held by a golden file.
@Suite("prune")
struct PruneTests {
    private let world: World

    init() throws { world = try World() }

    /// Four versions of a file, each in a pack of its own, and a fifth in the tree.
    private func makeVersions(_ options: [String] = []) async throws {
        try world.write("keep\n", to: "a/keep")
        if options.isEmpty { try await world.makeStore("store") }
        try await world.expect(["init", "a", "--remote", "store", "--device", "a"] + options)
        try await world.expect(["sync", "a"])
        for version in 1...5 {
            let bytes = noise(400_000, seed: UInt64(version))
            try world.write(bytes, to: "a/photo")
            try await world.expect(["sync", "a"])
        }
    }

    private var packs: Int {
        world.names(in: "store/packs").reduce(0) { $0 + world.names(in: "store/packs/" + $1).count }
    }

    @Test(
        "old versions go, the tree and what the device has acknowledged stay",
        arguments: [false, true])
    func removed(isEncrypted: Bool) async throws {
        world.set("FILESINKI_PASSPHRASE", to: isEncrypted ? "correct horse" : nil)
        try await makeVersions(isEncrypted ? ["--encrypt"] : [])
        let dry = try await world.expect(["prune", "--root", "a", "--keep-last", "1", "-n"])
        #expect(dry.lines.prefix(2) == ["2 versions kept, 4 dropped.", "  2 in the current tree"])
        #expect(dry.lines.last?.hasPrefix("Would remove 4 packs; about ") == true)
        #expect(!dry.talk.contains("photo"), "\(dry.talk)")
        let named = try await world.expect(["prune", "--root", "a", "--keep-last", "1", "-n", "-v"])
        #expect(named.talk.contains("  4 versions  photo\n"), "\(named.talk)")
        #expect(packs == 5)
        try await world.expect(["prune", "--root", "a", "--keep-last", "1"])
        #expect(packs == 1)
        try await world.expect(["check", "--root", "a", "--read-data"])
        let left = try await world.expect(["stats", "--root", "a", "--json"]).text
        #expect(left.contains(#""versions":2,"version_bytes":400005,"contents":2,"#), "\(left)")
        let gone = try await world.expect(["show", "--root", "a", "photo@3"], .negative)
        #expect(gone.talk.contains("/a photo lists the versions"), "\(gone.talk)")
        #expect(gone.talk.contains("removed by a prune"))
        try await world.expect(["restore", "--root", "a", "photo@3"], .negative)
        let compared = try await world.expect(["diff", "--root", "a", "photo", "3"], .negative)
        #expect(compared.talk.contains("removed by a prune"))
        let log = try await world.expect(["log", "--root", "a", "photo"]).lines
        #expect(log.count == 5 && log.count { $0.hasSuffix("removed by a prune") } == 4)
        #expect(log.first?.hasSuffix("removed by a prune") == false)
        let json = try await world.expect(["log", "--root", "a", "photo", "--json"]).lines
        #expect(json.count { $0.contains(#""pruned":true"#) } == 4)
        try await world.expect(["clone", "store", "b", "--device", "b"])
        #expect(world.read("b/photo") == world.read("a/photo"))
        guard !isEncrypted else { return }
        let reader = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Reader/filesinki_reader.py")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", reader.path, "verify", world.folder + "/store"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test(
        "a pack that is rewritten is not said to be removed, also beside one that is",
        arguments: [false, true])
    func rewritten(_ isBesideOther: Bool) async throws {
        try world.write("keep\n", to: "a/keep")
        try await world.makeStore("store")
        try await world.expect(["init", "a", "--remote", "store", "--device", "a"])
        try await world.expect(["sync", "a"])
        for (name, factor) in [("gone", 7), ("kept", 3)] {
            let bytes = noise(400_000, seed: UInt64(factor))
            try world.write(bytes, to: "a/\(name)")
        }
        try await world.expect(["sync", "a"])
        #expect(packs == 1)
        if isBesideOther {
            let bytes = noise(400_000, seed: 11)
            try world.write(bytes, to: "a/other")
            try await world.expect(["sync", "a"])
            world.remove("a/other")
        }
        world.remove("a/gone")
        try await world.expect(["sync", "a"])
        let prune = ["prune", "--root", "a", "--keep-last", "1"]
        let plan = try await world.expect(prune + ["-n"])
        let planned = isBesideOther ? "Would remove 1 pack, rewrite 1; " : "Would rewrite 1 pack; "
        #expect(plan.text.contains("\n" + planned + "about "), "\(plan.text)")
        let pruned = try await world.expect(prune)
        let words = pruned.text + pruned.talk
        let told = isBesideOther ? "\nRemoved 1 pack, rewrote 1; " : "\nRewrote 1 pack; "
        #expect(words.contains(told), "\(words)")
    }

    @Test("what was deleted and is removed is marked in the list of deleted paths")
    func deleted() async throws {
        try await makeVersions()
        try world.write("small\n", to: "a/small")
        try await world.expect(["sync", "a"])
        try await world.expect(["delete", "--root", "a", "photo", "small"])
        let before = try await world.expect(["ls", "--root", "a", "--deleted", "-l"])
        #expect(!before.text.contains("prune"), "\(before.text)")
        try await world.expect(["prune", "--root", "a", "--keep-last", "1"])
        let lines = try await world.expect(["ls", "--root", "a", "--deleted", "-l"]).lines
        // A small content lies in its commit.
        #expect(lines.count == 2 && lines.last?.hasSuffix("  small") == true, "\(lines)")
        #expect(lines.first?.hasSuffix("  photo  (removed by a prune)") == true, "\(lines)")
        let json = try await world.expect(["ls", "--root", "a", "--deleted", "-l", "--json"]).lines
        #expect(json.map { $0.contains(#""pruned":true"#) } == [true, false], "\(json)")
    }

    @Test("deletions that are forgotten are listed until the next sync, as the prune says")
    func forgotten() async throws {
        for name in ["gone", "keep"] { try world.write(name, to: "a/" + name) }
        try await world.makeStore("store")
        try await world.expect(["init", "a", "--remote", "store", "--device", "a"])
        try await world.expect(["sync", "a"])
        world.remove("a/gone")
        try await world.expect(["sync", "a"])
        try world.write("again", to: "a/keep")
        try await world.expect(["sync", "a"])
        let told =
            " 1 old deletion: after the next sync of a device, undelete and ls --deleted do not know it there any more."
        let prune = ["prune", "--root", "a", "--keep-last", "1"]
        let plan = try await world.expect(prune + ["-n"])
        #expect(plan.text.contains("Would forget" + told), "\(plan.text)")
        let pruned = try await world.expect(prune)
        #expect(pruned.talk.contains("Forgot" + told), "\(pruned.talk)")
        #expect(try await world.expect(["ls", "--root", "a", "--deleted"]).lines == ["gone"])
        try await world.expect(["sync", "a"])
        let left = try await world.expect(["ls", "--root", "a", "--deleted"], .negative)
        #expect(left.lines.isEmpty, "\(left.text)")
    }

    @Test("a dry run says why it keeps what it keeps, and for whom")
    func reasons() async throws {
        try await makeVersions()
        try await world.expect(["clone", "store", "b", "--device", "b"])
        let more = noise(400_000, seed: 77)
        for version in 6...7 {
            try world.write(more + [UInt8(version)], to: "a/photo")
            try await world.expect(["sync", "a"])
        }
        let dry = try await world.expect(["prune", "--root", "a", "--keep-last", "2", "-n"])
        #expect(dry.lines[0] == "4 versions kept, 4 dropped.")
        #expect(dry.lines[1...2] == ["  2 in the current tree", "  1 by the rules"])
        #expect(
            dry.lines[3].hasPrefix("  1 for b, which has acknowledged commit 6, on 20"),
            "\(dry.text)")
        // It has published nothing.
        #expect(!dry.lines[3].contains("published"))
        #expect(dry.lines[3].contains("; a sync from 20"), "\(dry.text)")
        #expect(dry.lines[3].hasSuffix(" on acknowledges a later one"), "\(dry.text)")
        let json = try await world.expect([
            "prune", "--root", "a", "--keep-last", "2", "-n", "--json",
        ])
        .text
        #expect(
            json.contains(
                #"{"reason":"rules","versions":1},{"reason":"device","versions":1,"device":"b","#))
        #expect(
            try await !world.expect(["prune", "--root", "a", "--keep-last", "2", "--json"]).text
                .contains(
                    "reason"))
        let devices = try await world.expect(["devices", "--root", "a"]).lines
        #expect(
            devices[0].contains("seen @8") && devices[0].contains("acknowledged @1"), "\(devices)")
        #expect(
            devices[1].contains("seen @6") && devices[1].contains("acknowledged @6"), "\(devices)")
        world.wait(seconds: 86_401)
        let later = try await world.expect(["prune", "--root", "a", "--keep-last", "2", "-n"])
        #expect(
            later.lines[3].hasSuffix("; its next sync acknowledges a later one"), "\(later.text)")
    }

    @Test("a prune that frees nothing says why, and for which devices it keeps what it keeps")
    func nothingFreed() async throws {
        try world.write("1\n", to: "a/one")
        try await world.makeStore("store")
        try await world.expect(["init", "a", "--remote", "store", "--device", "a"])
        try await world.expect(["sync", "a"])
        try await world.expect(["clone", "store", "b", "--device", "b"])
        for content in ["2\n", "3\n"] {
            try world.write(content, to: "a/one")
            try await world.expect(["sync", "a"])
        }
        let done = try await world.expect(["prune", "--root", "a", "--keep-last", "1"])
        #expect(
            done.talk.hasPrefix("2 versions kept, 1 dropped.\n  1 in the current tree\n  1 for b, ")
        )
        #expect(done.talk.contains("Nothing to free: what was dropped lies in the commits"))
        #expect(
            done.talk.hasSuffix("filesinki devices forget --root \(world.folder)/a NAME.\n"),
            "\(done.talk)")
        #expect(try await world.expect(["show", "--root", "a", "one@2"]).text == "2\n")
        for name in ["b", "a"] {
            try await world.expect(["devices", "forget", name, "--root", "a"])
        }
        let none = try await world.expect(["devices", "--root", "a"], .negative)
        #expect(none.text.isEmpty && none.talk.hasPrefix("The store knows no device. "), "\(none)")
    }

    @Test("of the device that prunes what it has received is named, and a sync as the step")
    func ownDevice() async throws {
        try world.write("1\n", to: "a/one")
        try await world.makeStore("store")
        try await world.expect(["init", "a", "--remote", "store", "--device", "a"])
        try await world.expect(["sync", "a"])
        try await world.expect(["clone", "store", "b", "--device", "b"])
        for content in ["2\n", "3\n"] {
            try world.write(content, to: "b/one")
            try await world.expect(["sync", "b"])
        }
        let line = ["prune", "--root", "a", "--keep-last", "1", "-n"]
        let lasting = "What this device has published last is kept until it publishes again.\n"
        let behind = try await world.expect(line)
        #expect(
            behind.lines.contains(
                "  1 for a, this device, which has received commit 1, and published commit 1; "
                    + "a sync receives a later one"
            ), "\(behind.text)")
        #expect(
            behind.talk.hasPrefix(
                "This device has not received the last commit: run filesinki sync --root \(world.folder)/a first. "
                    + lasting), "\(behind.talk)")
        try await world.expect(["sync", "a"])
        let synced = try await world.expect(line)
        #expect(
            synced.lines.contains(
                "  1 for a, this device, which has received commit 3, and published commit 1"),
            "\(synced.text)")
        #expect(synced.talk.hasPrefix(lasting), "\(synced.talk)")
    }

    @Test("a prune that frees something says what can still be read, too", arguments: [1, 2])
    func readable(_ count: Int) async throws {
        try await makeVersions()
        for version in 0...count {
            try world.write("\(version)\n", to: "a/small")
            try await world.expect(["sync", "a"])
        }
        let told =
            "Of what was dropped, \(count) \(count == 1 ? "lies" : "lie") in the commits, as small contents do, and can "
            + "still be read."
        let line = ["prune", "--root", "a", "--keep-last", "1"]
        let plan = try await world.expect(line + ["-n"])
        #expect(plan.lines.last == told, "\(plan.text)")
        let done = try await world.expect(line)
        #expect(done.talk.contains("\(4 + count) dropped.\n"), "\(done.talk)")
        #expect(done.talk.contains("are free.\n\(told)\n"), "\(done.talk)")
        #expect(try await world.expect(["show", "--root", "a", "small@7"]).text == "0\n")
    }

    @Test("a content that was pruned names the prune, one that never was does not")
    func prunedContent() async throws {
        try await makeVersions()
        let log = try await world.expect(["log", "--root", "a", "photo", "--json"]).lines
        let old = try #require(log.last?.split(separator: #""content":""#).last?.prefix(64))
        try await world.expect(["show", "--root", "a", "--content", String(old), "-o", "out"])
        try await world.expect(["prune", "--root", "a", "--keep-last", "1"])
        let gone = try await world.expect(
            ["show", "--root", "a", "--content", String(old)], .negative)
        #expect(gone.talk.contains("A prune removed this content: commit 7 of 20"), "\(gone.talk)")
        #expect(gone.talk.contains(", by a. It was photo@2."), "\(gone.talk)")
        let none = String(repeating: "0", count: 64)
        let never = try await world.expect(["show", "--root", "a", "--content", none], .negative)
        #expect(
            never.talk.contains("The store holds no such content. filesinki log"), "\(never.talk)")
    }

    @Test(
        "a prune without a rule, and a wrong rule, are refused with 2",
        arguments: [
            [], ["--keep-last", "0"], ["--keep-daily", "-1"], ["--keep-within", "soon"],
            ["--keep-within", "0d"], ["--keep-within", "30"], ["--keep-versions", "2000000000"],
        ])
    func refused(_ arguments: [String]) async throws {
        try await makeVersions()
        try await world.expect(["prune", "--root", "a"] + arguments, .usage)
        #expect(packs == 5)
    }

    @Test("without options the rules of the settings apply, with one they do not")
    func settings() async throws {
        try await makeVersions()
        try await world.expect(["config", "set", "prune.keep-versions", "3", "--root", "a"])
        let dry = try await world.expect(["prune", "--root", "a", "-n"])
        #expect(dry.lines.first == "4 versions kept, 2 dropped.")
        #expect(dry.talk == "Keeps by the settings: keep-versions = 3.\n")
        let other = try await world.expect(["prune", "--root", "a", "-n", "--keep-last", "4"])
        #expect(other.lines.first == "5 versions kept, 1 dropped.")
        #expect(other.talk == "The rules in the settings do not apply, as there are options.\n")
        #expect(packs == 5)
        let json = try await world.expect(["prune", "--root", "a", "--json"])
        #expect(json.text.contains(#""rules":"settings","settings":["keep-versions = 3"]"#))
        #expect(packs == 3)
    }

    @Test(
        "a mistake that may hide a rule of the settings stops a prune by it, not one by options",
        arguments: [
            ("[prune]\nkeep-last = 1\nkeep-dayly = 7\n", "keep-dayly"),
            ("[prune]\nkeep-last = 1\nkeep-daily = 0\n", "keep-daily"),
        ])
    func mistake(_ text: String, _ name: String) async throws {
        try await makeVersions()
        try world.write(text, to: "a/.filesinki.toml")
        let refused = try await world.expect(["prune", "--root", "a"], .usage)
        #expect(
            refused.talk.contains("Line 3: ") && refused.talk.contains("'\(name)")
                || refused.talk.contains("of \(name): "), "\(refused.talk)")
        #expect(refused.talk.contains("nothing was removed"))
        #expect(packs == 5)
        try await world.expect(["prune", "--root", "a", "--keep-last", "1"])
        #expect(packs == 1)
    }

    @Test("a remote that is away: 75")
    func away() async throws {
        try await makeVersions()
        world.rename("store", to: "gone")
        try await world.expect(["prune", "--root", "a", "--keep-last", "1"], .away)
    }
}
