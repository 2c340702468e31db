import FilesinkiHashing
import FilesinkiModel
import FilesinkiRules
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// A run that is killed after its commit came into the log, and before it was recorded here.
@Suite("Own commits that were not recorded")
struct OwnCommitTests {
    let world: World
    let (a, b): (Machine, Machine)
    let dying: DyingRemote

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["f": .file("base"), "g": .file("g")])
        dying = DyingRemote(remote: world.remote)
    }

    /// A sync of `a` that ends as its commit is in the log.
    private func syncAndDie() async throws {
        var machine = a
        machine.options.connect = { [dying] _ in dying }
        dying.willDie(afterPublishing: 1)
        let failure = await #expect(throws: Failure.self) { try await machine.sync() }
        #expect(failure?.code == .interrupted)
    }

    @Test("an edit based on one is no conflict")
    func edited() async throws {
        try a.write(["f": .file("one")])
        try await syncAndDie()
        try a.write(["f": .file("one two")])
        let report = try await a.sync()
        #expect(report.copies == [])
        try await world.converge()
        #expect(try b.tree() == ["f": .file("one two"), "g": .file("g")])
    }

    @Test("the same when others published before the next run, and that run is killed, too")
    func among() async throws {
        try a.write(["f": .file("one")])
        try await syncAndDie()
        try b.write(["new": .file("b's")])
        try await b.sync()
        try a.write(["f": .file("one two"), "g": .file("gg")])
        try await syncAndDie()
        try a.write(["f": .file("one two three")])
        #expect(try await a.sync().copies == [])
        try await world.converge()
        #expect(
            try b.tree() == [
                "f": .file("one two three"), "g": .file("gg"), "new": .file("b's"),
            ])
    }

    @Test("an edit by others based on it conflicts with an edit here")
    func conflict() async throws {
        try a.write(["f": .file("one")])
        try await syncAndDie()
        try await b.sync()
        try b.write(["f": .file("b's")])
        try await b.sync()
        try a.write(["f": .file("a's")])
        #expect(try await a.sync().copies.count == 1)
    }

    @Test("a file deleted by it and created again is a new file")
    func deleted() async throws {
        a.remove("g")
        try await syncAndDie()
        try a.write(["g": .file("g")])
        #expect(try await a.sync().copies == [])
        try await world.converge()
        #expect(try b.tree() == ["f": .file("base"), "g": .file("g")])
    }

    @Test("a save that is killed in this way is recognised by the next sync")
    func save() async throws {
        var machine = a
        machine.options.connect = { [dying] _ in dying }
        dying.willDie(afterPublishing: 1)
        await #expect(throws: Failure.self) { try await machine.save("saved", at: "f") }
        try a.write(["f": .file("saved and edited")])
        #expect(try await a.sync().copies == [])
        try await world.converge()
        #expect(b.text("f") == "saved and edited")
    }

    @Test("E3.6 after a kill in a first sync, deletions stay and a save is an edit")
    func firstSync() async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write([
            "f": .file("base"), "gone": .file("to go"), "d": .directory(["x": .file("1")]),
            "same": .file("same"),
        ])
        let dying = DyingRemote(remote: world.remote)
        var machine = a
        machine.options.connect = { _ in dying }
        dying.willDie(afterPublishing: 1)
        await #expect(throws: Failure.self) { try await machine.sync() }
        try #require(try await world.commits().count == 1)
        a.remove("gone")
        a.remove("d")
        try a.write(["f": .file("saved since")])
        let b = try await world.replica("b")
        try await b.sync()
        let report = try await a.sync()
        #expect(report.copies == [])
        #expect(report.problems.isEmpty)
        try await world.converge()
        for machine in [a, b] {
            #expect(try machine.tree() == ["f": .file("saved since"), "same": .file("same")])
        }
    }

    @Test("E3.6 the same when others have edited since, and when it was a save")
    func firstSave() async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write(["other": .file("o")])
        let dying = DyingRemote(remote: world.remote)
        var machine = a
        machine.options.connect = { _ in dying }
        dying.willDie(afterPublishing: 1)
        await #expect(throws: Failure.self) { try await machine.save("one", at: "f") }
        let b = try await world.replica("b")
        try await b.sync()
        try b.write(["theirs": .file("t")])
        try await b.sync()
        try a.write(["f": .file("two")])
        #expect(try await a.save("three", at: "g").sync.copies == [])
        #expect(try await a.sync().copies == [])
        try await world.converge()
        #expect(
            try b.tree() == [
                "f": .file("two"), "g": .file("three"), "other": .file("o"),
                "theirs": .file("t"),
            ])
    }

    @Test("E3.6 a position is covered while all commits since are this replica's and in the root")
    func covered() throws {
        func position(
            _ sequence: UInt64, _ open: [RelativePath] = []
        ) -> PublishingNote.Position {
            .init(token: ChangeToken(sequence: sequence, hash: ContentHasher.hash([])), open: open)
        }
        var note = PublishingNote()
        #expect(!note.covers(position(7)))
        note.move(to: position(7))
        note.add(.init(sequence: 8, id: [UInt8](repeating: 1, count: 16)))
        note.add(.init(sequence: 9, id: [UInt8](repeating: 2, count: 16)))
        note.add(.init(sequence: 10, id: [UInt8](repeating: 3, count: 16), isApplied: false))
        note.add(.init(sequence: 11, id: [UInt8](repeating: 4, count: 16)))
        let cases: [(UInt64, Bool)] = [
            (6, false), (7, true), (8, true), (9, true), (10, false), (11, false), (12, false),
        ]
        for (sequence, isCovered) in cases {
            #expect(note.covers(position(sequence)) == isCovered, "\(sequence)")
            #expect(try !note.covers(position(sequence, [RelativePath("open")])))
        }
        #expect(note.names(8, [UInt8](repeating: 1, count: 16)))
        #expect(!note.names(8, [UInt8](repeating: 2, count: 16)))
        #expect(!note.names(9, [UInt8](repeating: 1, count: 16)))
        note.move(to: position(9))
        #expect(note.items.map(\.sequence) == [10, 11])
    }

    @Test("E3.6 a note keeps the last 256 commits")
    func latest() {
        var note = PublishingNote()
        for number in 1...300 {
            note.add(.init(sequence: UInt64(number), id: [UInt8](repeating: 1, count: 16)))
        }
        #expect(note.items.map(\.sequence) == (45...300).map { UInt64($0) })
    }

    @Test(
        "E3.6 a malformed line of a note is skipped",
        arguments: [
            "", "8", "8 0101", "x 01010101010101010101010101010101",
            "8 01010101010101010101010101010101 apart more", "base 7 00 0", "open zz",
            "8 0101010101010101010101010101010101",
        ])
    func malformed(_ line: String) {
        var note = PublishingNote()
        note.add(.init(sequence: 9, id: [UInt8](repeating: 2, count: 16)))
        #expect(PublishingNote(Array("\(line)\n".utf8) + note.bytes) == note)
    }

    @Test("E3.6 a note makes the round trip; a truncated one holds less, never more")
    func note() throws {
        var note = PublishingNote()
        let token = ChangeToken(sequence: 7, hash: ContentHasher.hash(Array("x".utf8)))
        let here = try RelativePath("open/here")
        let short = try ["w", "x", "y", "z"].map { try RelativePath($0) }
        let time = Timestamp(nanoseconds: -5)
        let file = Entry.file(token.hash, size: 1, mode: 0o640, modified: time)
        let bases = [
            here: VersionedEntry(file, version: 6),
            short[0]: VersionedEntry(.directory(mode: 0o755, modified: time), version: 5),
            short[1]: VersionedEntry(.symlink(to: [0, 0x20], modified: time), version: 4),
            short[2]: VersionedEntry(file, version: 3),
        ]
        note.move(
            to: PublishingNote.Position(token: token, open: [here] + short, bases: bases))
        let choices = [
            PathChoice([try RelativePath("a/b"), try RelativePath("c")]),
            PathChoice([try RelativePath("d")]),
        ]
        for choice in choices + choices { note.leaveOut(outside: choice) }
        #expect(note.choices == choices)
        note.add(.init(sequence: 8, id: [UInt8](repeating: 1, count: 16)))
        note.add(.init(sequence: 9, id: [UInt8](repeating: 2, count: 16), isApplied: false))
        #expect(PublishingNote(note.bytes) == note)
        let text = note.bytes
        for length in 0..<text.count {
            let cut = PublishingNote(Array(text[..<length]))
            if let position = cut.position {
                #expect(position == note.position, "cut at \(length)")
                #expect(cut.choices == choices, "cut at \(length)")
            }
            #expect(cut.items.allSatisfy { $0.sequence == 8 || $0.sequence == 9 })
        }
    }

    @Test("E3.6 a note that is cut in its last open path has no position")
    func cutInOpenPath() throws {
        let token = ChangeToken(sequence: 7, hash: ContentHasher.hash([]))
        var note = PublishingNote()
        note.move(to: PublishingNote.Position(token: token, open: [try RelativePath("secret")]))
        // Without its end, the last line would name another path.
        for length in 0..<note.bytes.count {
            let cut = PublishingNote(Array(note.bytes[..<length]))
            #expect(cut.position == nil, "cut at \(length)")
        }
        #expect(PublishingNote(note.bytes) == note)
    }

    @Test("E3.6 a commit whose line is cut is not taken for applied")
    func cutInCommit() {
        var note = PublishingNote()
        note.add(.init(sequence: 8, id: [UInt8](repeating: 1, count: 16), isApplied: false))
        for length in 0..<note.bytes.count {
            #expect(PublishingNote(Array(note.bytes[..<length])).items == [])
        }
    }

    @Test("E3.6 a note of an older version does not have what the base had at open paths")
    func older() throws {
        let token = ChangeToken(sequence: 7, hash: ContentHasher.hash([]))
        let path = try RelativePath("x")
        let text = "base 7 \(token.hash) 1\nopen 78\n"
        let note = PublishingNote(Array(text.utf8))
        var position = PublishingNote.Position(token: token, open: [path])
        #expect(note.position == position)
        #expect(note.bytes == Array(text.utf8))
        #expect(note.covers(position))
        let entry = Entry.directory(mode: 0o755, modified: Timestamp(nanoseconds: 0))
        position.bases = [path: VersionedEntry(entry, version: 6)]
        #expect(!note.covers(position))
    }

    @Test(
        "E3.6 a malformed line of what the base had is skipped",
        arguments: [
            "based", "based 78", "based 78 6", "based 7 6 2 \(ContentID.none) 0 493 0",
            "based 78 x 2 \(ContentID.none) 0 493 0", "based 78 6 2 \(ContentID.none) 0 493",
            "based 78 6 2 \(ContentID.none) 0 493 0 00", "based 78 6 3 \(ContentID.none) 0 0 0 0",
            "based 78 6 4 \(ContentID.none) 0 0 0", "based 78 6 9 \(ContentID.none) 0 0 0",
        ])
    func malformedBase(_ line: String) throws {
        let token = ChangeToken(sequence: 7, hash: ContentHasher.hash([]))
        let text = "base 7 \(token.hash) 1\n\(line)\nopen 78\n"
        let open = [try RelativePath("x")]
        let expected = PublishingNote.Position(token: token, open: open)
        #expect(PublishingNote(Array(text.utf8)).position == expected)
    }
}
