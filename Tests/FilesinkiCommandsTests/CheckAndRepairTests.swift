import FilesinkiCommands
import FilesinkiTesting
import Testing

@Suite("Check and repair from the command line")
struct CheckAndRepairTests {
    @Test("check accepts a sound store, and exits with 8 for a damaged one")
    func check() async throws {
        let world = try await World.withHistory()
        let good = try await world.run("check", "--root", "a", "--read-data")
        #expect(good.code == .done, "\(good.talk)")
        let commit = "store/zones/files/log/00000000000000000001/c"
        var bytes = try #require(world.read(commit))
        bytes[bytes.count / 2] ^= 1
        try world.write(bytes, to: commit)
        let damaged = try await world.run("check", "--root", "a", "--json")
        #expect(damaged.code == .corrupt)
        #expect(damaged.text.contains(#""code":"corrupt""#))
    }

    @Test("check --read-data takes a part of the packs, and rejects what is none")
    func checkPart() async throws {
        let world = try await World.withHistory()
        let large = noise(700_000, seed: 2)
        #expect(try await world.run("save", "--root", "a", "large", input: large).code == .done)
        let share = try await world.run("check", "--root", "a", "--read-data=50%")
        #expect(share.code == .done, "\(share.talk)")
        #expect(share.talk.contains(" of 1 pack and all other objects, "), "\(share.talk)")
        #expect(share.talk.hasSuffix(" The next run reads the next part.\n"), "\(share.talk)")
        var read = 0
        for number in 1...3 {
            let part = try await world.run(
                "check", "--root", "a", "--read-data", "\(number)/3", "--json")
            #expect(part.text.contains(#""read_data":"part""#))
            if part.text.contains(#""read_packs":1,"#) { read += 1 }
        }
        #expect(read == 1)
        for all in [["--read-data"], ["--read-data=100%"], ["--read-data", "1/1"]] {
            let line = ["check", "--root", "a"] + all + ["--json"]
            let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
            #expect(outcome.text.contains(#""read_data":"all","read_packs":1,"#))
        }
        for part in ["0%", "101%", "x%", "10", "4/3", "0/3"] {
            let outcome = try await world.run("check", "--root", "a", "--read-data=\(part)")
            #expect(outcome.code == .usage, "\(part)")
            #expect(
                outcome.talk.contains("--read-data takes a percentage up to 100%"),
                "\(outcome.talk)")
        }
        let mixed = try await world.run("check", "--root", "a", "--read-data=5%", "--current")
        #expect(mixed.code == .usage)
        let both = try await world.run("check", "--root", "a", "--read-data", "--current")
        #expect(both.code == .done, "\(both.talk)")
    }

    @Test("repair stores what a lost pack held; a damaged commit ends it with 8")
    func repair() async throws {
        let world = try await World.withHistory()
        let large = noise(700_000, seed: 2)
        #expect(try await world.run("save", "--root", "a", "large", input: large).code == .done)
        let whole = try await world.run("repair", "--root", "a")
        #expect(whole.code == .done)
        #expect(whole.talk.contains("no problems, nothing to repair."), "\(whole.talk)")
        removeTree(Array("\(world.folder)/store/packs".utf8))
        let lost = try await world.run("check", "--root", "a", "--read-data")
        #expect(lost.code == .corrupt)
        let outcome = try await world.run("repair", "--root", "a")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(outcome.talk.contains("Stored 1 new pack, "), "\(outcome.talk)")
        #expect(outcome.talk.contains("; no problems remain."), "\(outcome.talk)")
        #expect(try await world.run("check", "--root", "a", "--read-data").code == .done)
        let log = try await world.run("log", "--root", "a")
        #expect(log.lines.first?.hasSuffix("  repair") == true, "\(log.lines)")
        let commit = "store/zones/files/log/00000000000000000001/c"
        var bytes = try #require(world.read(commit))
        bytes[bytes.count / 2] ^= 1
        try world.write(bytes, to: commit)
        let damaged = try await world.run("repair", "--root", "a")
        #expect(damaged.code == .corrupt)
        #expect(
            damaged.talk.contains("Nothing could be repaired; 1 problem remains."),
            "\(damaged.talk)")
    }

    @Test("repair --forget-damaged gives up what nobody has, and says which versions that are")
    func forgetDamaged() async throws {
        let world = try await World.withHistory()
        for version in 1...2 {
            let large = noise(700_000, seed: UInt64(version))
            #expect(try await world.run("save", "--root", "a", "large", input: large).code == .done)
        }
        try #require(try await world.run("sync", "a").code == .done)
        removeTree(Array("\(world.folder)/store/packs".utf8))
        #expect(try await world.run("repair", "--root", "a").code == .corrupt)
        #expect(try await world.run("check", "--root", "a", "--read-data").code == .corrupt)
        let given = try await world.run("repair", "--root", "a", "--forget-damaged")
        #expect(given.code == .done, "\(given.talk)")
        #expect(given.talk.contains(": lost.\n"), "\(given.talk)")
        #expect(given.talk.contains("ave up 1 version; no problems remain."), "\(given.talk)")
        let check = try await world.run("check", "--root", "a", "--read-data")
        #expect(check.code == .done)
        #expect(check.talk.contains(" Given up as lost: 1 version."), "\(check.talk)")
        let log = try await world.run("log", "--root", "a", "large")
        #expect(log.lines.last?.hasSuffix("lost") == true, "\(log.text)")
        // Of what is current nothing is deleted, and check lists it.
        world.remove("a/large")
        removeTree(Array("\(world.folder)/store/packs".utf8))
        let current = try await world.run("repair", "--root", "b", "--forget-damaged", "--json")
        #expect(current.code == .done, "\(current.talk)")
        #expect(current.text.contains(#"{"type":"lost","path":"large","version":"#))
        #expect(current.text.contains(#","current":true}"#))
        let again = try await world.run("check", "--root", "b", "--json")
        #expect(again.code == .done && again.text.contains(#""current":true}"#))
        #expect(again.text.contains(#""lost_versions":1"#), "\(again.text)")
    }
}

extension World {
    /// `one` has version 1, `one\n`, by device a, and version 2, by device b.
    static func withHistory() async throws -> World {
        let world = try await ReplicaTests.pair()
        let saved = try await world.run(
            "save", "--root", "b", "one", input: Array("one\nmore\n".utf8))
        try #require(saved.code == .done)
        #expect(try await world.run("sync", "a").code == .done)
        return world
    }
}
