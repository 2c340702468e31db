import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import FilesinkiWatch
import Glibc
import Testing

extension Machine {
    /// A run for the changes that a watch would have reported.
    @discardableResult
    func syncChanges(
        _ paths: String..., folders: [String] = [], hinted: Bool = false,
        _ change: (inout SyncOptions) -> Void = { _ in }
    ) async throws -> ChangeReport {
        var options = SyncOptions()
        change(&options)
        let changes = LocalChanges(
            paths: Set(try paths.map { try RelativePath($0) }),
            folders: Set(try folders.map { try RelativePath($0) }))
        return try await with {
            try await $0.syncChanges(changes, isRemoteHinted: hinted, options)
        }
    }
}

@Suite("Runs for reported changes")
struct ChangeRunTests {
    @Test("an edit is sent, and one is received")
    func edit() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["d": .directory(["f": .file("1")]), "g": .file("2")])
        try a.write(["d": .directory(["f": .file("edited")])])
        let sent = try await a.syncChanges("d/f")
        #expect(sent.report.publishedCommits == 1)
        #expect(sent.report.scannedFiles == 0)
        #expect(!sent.isWhole)
        let received = try await b.syncChanges(hinted: true)
        #expect(received.report.steps.map { "\($0.path)" } == ["d/f"])
        #expect(b.text("d/f") == "edited")
        try await world.converge()
    }

    /// A file is read once more while its clock has not ticked since it was written: some milliseconds
    /// go by. Nothing is published meanwhile.
    private func eventuallyIdle(_ run: () async throws -> ChangeReport) async throws -> Bool {
        for _ in 0..<10_000 {
            let change = try await run()
            if change.isIdle { return true }
            if !change.report.steps.isEmpty { return false }
        }
        return false
    }

    @Test("the mode of a folder is sent, and an unchanged folder is no change")
    func folderMode() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["d": .directory(["f": .file("1")])])
        #expect(try await eventuallyIdle { try await a.syncChanges("d") })
        a.setMode("d", 0o700)
        #expect(try await a.syncChanges("d").report.publishedCommits == 1)
        try await b.sync()
        #expect(try b.tree()["d"] == .directory(["f": .file("1")], mode: 0o700))
    }

    @Test("a run's own writes are no changes: the remote is not asked")
    func echo() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(["f": .file("edited"), "d": .directory(["n": .file("new")])])
        try await a.syncChanges("f", folders: ["d"])
        try await b.syncChanges(hinted: true)
        #expect(try await eventuallyIdle { try await b.syncChanges("f", "d/n", folders: ["d"]) })
        #expect(try await eventuallyIdle { try await a.syncChanges("f", "never/there") })
    }

    @Test("a new folder is scanned whole, and a removed one is deleted whole")
    func folders() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "old": .directory(["x": .file("1"), "y": .directory(["z": .file("2")])]),
            "keep": .file("k"), "more": .file("m"), "still": .file("s"),
        ])
        a.remove("old")
        try a.write(["new": .directory(["p": .file("3"), "q": .directory(["r": .file("4")])])])
        try await a.syncChanges(folders: ["old", "new"])
        try await b.syncChanges(hinted: true)
        #expect(try b.tree() == a.tree())
        try await world.converge()
    }

    @Test("a renamed folder transfers no content")
    func renamedFolder() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["x": .file("one"), "y": .file("two")]), "k": .file("k"),
        ])
        a.rename("d", "e")
        let sent = try await a.syncChanges(folders: ["d", "e"])
        let moved = sent.report.steps.compactMap(\.movedFrom).map { "\($0)" }
        #expect(Set(moved).isSuperset(of: ["d/x", "d/y"]), "\(sent.report.steps)")
        let received = try await b.syncChanges(hinted: true)
        #expect(received.report.receivedBytes == 0)
        #expect(try b.tree() == a.tree())
    }

    @Test("an edit here and a remote rename of one file are combined")
    func editMeetsRename() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("one\ntwo\n"), "g": .file("g")])
        a.rename("f", "h")
        try await a.syncChanges("f", "h")
        try b.write(["f": .file("one\ntwo\nthree\n")])
        let report = try await b.syncChanges("f", hinted: true)
        #expect(report.report.copies.isEmpty)
        #expect(b.text("h") == "one\ntwo\nthree\n")
        #expect(b.text("f") == nil)
        try await a.syncChanges(hinted: true)
        #expect(try a.tree() == b.tree())
    }

    @Test("a folder deleted remotely stays for new files in it here, reported or not")
    func deletedFolder() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["x": .file("1"), "y": .file("2")]), "k": .file("k"), "l": .file("l"),
        ])
        a.remove("d")
        try await a.syncChanges(folders: ["d"])
        try b.write(["d": .directory(["new": .file("3")])])
        try await b.syncChanges(hinted: true)
        #expect(b.text("d/new") == "3")
        #expect(b.text("d/x") == nil)
        try await a.syncChanges(hinted: true)
        #expect(a.text("d/new") == "3")
        try await world.converge()
    }

    @Test("the ignore rules of a folder apply to its reported changes")
    func ignoredInFolder() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory([".filesinkiignore": .file("secret\n"), "f": .file("1")])
        ])
        try a.write(["d": .directory(["secret": .file("private"), "open": .file("public")])])
        try await a.syncChanges("d/secret", "d/open")
        try await b.syncChanges(hinted: true)
        #expect(b.text("d/open") == "public")
        #expect(b.text("d/secret") == nil)
    }

    @Test("--max-delete holds for a few deletions, too", arguments: [(2, true), (3, false)])
    func maxDelete(_ limit: Int, _ stops: Bool) async throws {
        let world = try World()
        let (a, _) = try await world.pair([
            "d": .directory(["x": .file("1"), "y": .file("2"), "z": .file("3")]),
            "k": .file("k"), "l": .file("l"), "m": .file("m"),
        ])
        for name in ["x", "y", "z"] { a.remove("d/\(name)") }
        do {
            try await a.syncChanges("d/x", "d/y", "d/z") { $0.maxDelete = .count(limit) }
            #expect(!stops)
        } catch let failure as Failure {
            #expect(stops)
            #expect(failure.code == .limit)
        }
    }

    @Test("the guards check many deletions")
    func guards() async throws {
        let world = try World()
        let tree = (0..<60).map { (TreeFixture.Name(Array("f\($0)".utf8)), "\($0)") }
        let (a, b) = try await world.pair(
            TreeFixture(Dictionary(tree.map { ($0.0, .file($0.1)) }) { first, _ in first }))
        for number in 0..<40 { a.remove("f\(number)") }
        let gone = Set((0..<40).map { RelativePath(unchecked: Array("f\($0)".utf8)) })
        let failure = await #expect(throws: Failure.self) {
            try await a.with {
                try await $0.syncChanges(
                    LocalChanges(paths: gone), isRemoteHinted: false, SyncOptions())
            }
        }
        #expect(failure?.code == .limit)
        // The same on the side that would lose them.
        try await a.sync { $0.maxDelete = .count(100) }
        let other = await #expect(throws: Failure.self) {
            try await b.syncChanges(hinted: true)
        }
        #expect(other?.code == .limit)
        #expect(try b.names.count == 60)
    }

    @Test("deleting all of a small tree is an emptied root")
    func emptied() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("1"), "g": .file("2")])
        for name in ["f", "g"] { a.remove(name) }
        let failure = await #expect(throws: Failure.self) { try await a.syncChanges("f", "g") }
        #expect(failure?.code == .limit)
    }

    @Test("rules apply as they are at the time of the run")
    func ignored() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        try a.write([
            ".filesinkiignore": .file("*.o\n"), "x.o": .file("object"), "x.c": .file("source"),
        ])
        try await a.syncChanges("x.o", "x.c", ".filesinkiignore")
        try await b.syncChanges(hinted: true)
        #expect(b.text("x.c") == "source")
        #expect(b.text("x.o") == nil)
        // What is left out here does not come here.
        try b.write([".filesinkiignore": .file("")])
        try b.write(["y.o": .file("theirs")])
        try await b.syncChanges("y.o")
        try a.write([".filesinkiignore": .file("*.o\n# edited\n")])
        let report = try await a.syncChanges(hinted: true)
        #expect(a.text("y.o") == nil)
        #expect(!report.hasMore)
    }

    @Test("a change pending since a run of other paths is received, too")
    func waiting() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        try a.write(["f": .file("edited")])
        try await a.sync()
        // Reads the log, and leaves what it did not ask for.
        try await b.save("mine", at: "g")
        #expect(b.text("f") == "1")
        try await b.syncChanges(hinted: true)
        #expect(b.text("f") == "edited")
    }

    @Test("an unavailable remote throws nothing: the changes stay pending")
    func away() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(["f": .file("edited")])
        world.remote.isAway = true
        let report = try await a.syncChanges("f")
        #expect(report.report.away != nil)
        world.remote.isAway = false
        try await a.syncChanges("f")
        try await b.syncChanges(hinted: true)
        #expect(b.text("f") == "edited")
    }

    @Test("an open conflict is not decided again by each run")
    func openConflict() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        let rule = "[[rule]]\nmatch = \"f\"\nstrategy = \"ask\"\n"
        try a.write([".filesinki.toml": .file(rule)])
        try await world.converge()
        try a.write(["f": .file("from a")])
        try await a.syncChanges("f")
        try b.write(["f": .file("from b")])
        let met = try await b.syncChanges("f", hinted: true)
        #expect(met.report.conflicts.map { "\($0)" } == ["f"])
        let again = try await b.syncChanges(hinted: true)
        #expect(again.isIdle)
        #expect(!again.hasMore)
        #expect(b.text("f") == "from b")
        try a.write(["g": .file("edited")])
        try await a.syncChanges("g")
        let other = try await b.syncChanges(hinted: true)
        #expect(other.report.conflicts.isEmpty)
        #expect(b.text("g") == "edited")
    }

    @Test("a paused replica releases its lock, and resumes")
    func pausing() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        let held = try await Replica.open(a.options, writable: true)
        await held.pause()
        try a.write(["f": .file("by another process")])
        try await a.sync()
        #expect(try await held.resume())
        try a.write(["f": .file("heard of")])
        let report = try await held.syncChanges(
            LocalChanges(paths: [try RelativePath("f")]), isRemoteHinted: false, SyncOptions())
        #expect(report.report.publishedCommits == 1)
        await held.pause()
        try await b.sync()
        #expect(b.text("f") == "heard of")
        // Another manifest is in its place.
        a.loseManifest()
        try await a.sync()
        #expect(try await !held.resume())
        await held.close()
    }
}
