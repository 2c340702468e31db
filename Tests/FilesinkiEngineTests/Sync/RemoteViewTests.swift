import FilesinkiHashing
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import Testing

@testable import FilesinkiEngine
@testable import FilesinkiManifest

/// The remote tree as commits and checkpoints make it.
@Suite struct RemoteViewTests {
    private var empty: RemoteView { RemoteView(token: ChangeToken(sequence: 0, hash: .none)) }

    private func path(_ text: String) -> RelativePath { RelativePath(unchecked: Array(text.utf8)) }

    private func id(_ text: String) -> ContentID { ContentHasher.hash(Array(text.utf8)) }

    private func link(_ target: String) -> Entry {
        .symlink(to: Array(target.utf8), modified: Timestamp(nanoseconds: 1))
    }

    private func change(_ path: String, _ entry: Entry) -> Change {
        Change(path: self.path(path), entry: entry, basedOn: 0)
    }

    private func pack(_ byte: UInt8) -> PackReference {
        PackReference(id: [UInt8](repeating: byte, count: 16), size: 1, indexHash: .none)
    }

    @Test func `the last commit of a path counts, with all that the path had before`() throws {
        var view = empty
        view.fold(Commit(1, [Change("f", "1"), Change("g", "a")]))
        view.fold(Commit(2, [change("f", link("t"))], by: 2))
        view.fold(Commit(3, [Change("f", "22", movedFrom: "g"), Change("g", nil)], by: 3))
        let found = try #require(view.changes[path("f")])
        #expect(found.entry == VersionedEntry(.made("22"), version: 3))
        #expect(found.movedFrom == path("g") && found.device?.name == "3")
        #expect(found.formerContents == [id("1")] && found.formerTargets == [Array("t".utf8)])
        #expect(found.identities == [id("1"), id("t")])
        #expect(view.changes[path("g")]?.entry.entry.kind == .tombstone)
        #expect(view.changes[path("g")]?.formerContents == [id("a")])
        #expect(view.token.sequence == 3 && view.authors.items.count == 3)
    }

    @Test func `what came back and what a user saved again is told`() {
        var view = empty
        view.fold(Commit(1, [Change("f", "1", reason: Change.savedAgain), Change("g", "1")]))
        #expect(
            view.changes[path("f")]?.isSaved == true && view.changes[path("g")]?.isSaved == false)
        #expect(view.changes[path("f")]?.cameBack == false)
        view.fold(Commit(2, [Change("f", "1")]))
        #expect(view.changes[path("f")]?.isSaved == false)
        #expect(view.changes[path("f")]?.cameBack == true)
    }

    @Test func `a deletion is no former content`() {
        var view = empty
        view.fold(Commit(1, [Change("f", nil)]))
        view.fold(Commit(2, [Change("f", "1")]))
        #expect(view.changes[path("f")]?.formerContents == [])
    }

    @Test func `a prune retires packs, those of earlier commits and its own`() {
        var view = empty
        view.fold(Commit(1, packs: [pack(1), pack(2)]))
        let pruning = Pruning(
            retired: [pack(1).id], kept: KeptVersions(), lost: [id("x")], ended: 1)
        view.fold(Commit(2, packs: [pack(3)], pruning: pruning))
        #expect(view.packs.map(\.pack) == [pack(2), pack(3)])
        #expect(view.packs.map(\.sequence) == [1, 2])
        #expect(view.retired == [pack(1).id] && view.lost == [id("x")])
        #expect(view.pruned == 2 && view.ended == 1 && !view.hasUnseenPrune)
        view.fold(Commit(3, pruning: Pruning(retired: [], kept: KeptVersions())))
        #expect(view.pruned == 3 && view.ended == 1)
    }

    @Test func `a path that cannot be used is a problem`() {
        var view = empty
        let failure = Failure(.badPath, path: "..", "Bad.", remedy: "")
        view.fold(Commit(1, refused: [RefusedRow(path: [0x2E, 0x2E], failure: failure)]))
        #expect(view.refused.map(\.path.bytes) == [[0x2E, 0x2E]])
        #expect(view.changes.isEmpty)
    }

    private func row(_ path: String, _ text: String?, _ version: UInt64, former: [String] = [])
        -> CheckpointRow
    {
        CheckpointRow(
            path: self.path(path),
            entry: VersionedEntry(text.map { .made($0) } ?? .tombstone, version: version),
            formerContents: former.map(id))
    }

    private func base(_ path: String, _ text: String, _ version: UInt64) -> BaseRow {
        BaseRow(path: self.path(path), entry: .made(text), version: version)
    }

    private func pages(_ rows: [BaseRow]...) -> RowPages<BaseRow> {
        var rest = rows[...]
        return RowPages { () throws(Failure) in rest.popFirst() ?? [] }
    }

    @Test func `a checkpoint tells what there is, and by what it lacks what was deleted`() throws {
        var view = empty
        let token = ChangeToken(sequence: 9, hash: id("token"))
        view.load(
            CheckpointRows(
                entries: [row("f", "1", 4), row("gone", nil, 5, former: ["a"])], packs: [pack(1)],
                inline: [InlineLocation(id: id("1"), sequence: 4)], lost: [id("x")]),
            of: token)
        view.refused = [.refused(Array("odd".utf8), Failure(.badPath, "", remedy: ""))]
        try view.endCheckpoint(
            token,
            upon: pages(
                [base("f", "0", 3), base("lacking", "x", 9)],
                [base("newer", "x", 10), base("odd", "x", 2)]))
        #expect(view.changes[path("f")]?.entry == VersionedEntry(.made("1"), version: 4))
        #expect(view.changes[path("gone")]?.formerContents == [id("a")])
        #expect(
            view.changes[path("lacking")]?.entry == VersionedEntry(.tombstone, version: 9))
        // What is newer than the checkpoint, or stands in it as something that cannot be read, is not known.
        #expect(view.changes.count == 3)
        #expect(view.token == token && view.packs.map(\.sequence) == [9])
        #expect(view.inline.map(\.sequence) == [4] && view.lost == [id("x")])
        #expect(!view.hasUnseenPrune && view.pruned == 0)
    }

    @Test func `a checkpoint that includes a prune says so`() {
        var view = empty
        view.load(CheckpointRows(pruned: 5), of: ChangeToken(sequence: 9, hash: .none))
        view.load(CheckpointRows(), of: ChangeToken(sequence: 9, hash: .none))
        #expect(view.hasUnseenPrune && view.pruned == 5)
    }

    @Test(
        "what the base has already is no change",
        arguments: [
            ("1", 3, 0o644, true), ("1", 4, 0o644, false), ("2", 3, 0o644, false),
            ("1", 3, 0o600, false),
        ] as [(String, UInt64, UInt16, Bool)])
    func agreed(_ text: String, _ version: UInt64, _ mode: UInt16, _ isAgreed: Bool) {
        var view = empty
        view.fold(Commit(3, [Change("f", "1"), Change("new", "1")]))
        view.dropAgreed(
            BaseIndex([BaseRow(path: path("f"), entry: .made(text, mode: mode), version: version)]))
        #expect((view.changes[path("f")] == nil) == isAgreed)
        #expect(view.changes[path("new")] != nil)
    }

    @Test func `own commits are no changes`() {
        var view = empty
        let own = Commit(1, [Change("f", "1"), Change("g", "1")])
        view.fold(own)
        view.fold(Commit(2, [Change("g", "2")]))
        view.dropOwn([])
        #expect(view.changes.count == 2)
        view.dropOwn([own, Commit(3, [Change("h", "1")])])
        #expect(view.changes.keys.map(\.description) == ["g"])
    }

    @Test func `what a checkpoint lacks stays deleted, though it ends with an own commit`() {
        let own = Commit(2, [Change("g", "1")])
        var view = empty
        view.changes[path("f")] = RemoteChange(VersionedEntry(.tombstone, version: 2))
        view.dropOwn([own])
        #expect(view.changes.keys.map(\.description) == ["f"])
    }

    @Test func `a link in the root is recognised by the hash of its target`() {
        var view = empty
        view.changes[path("l")] = RemoteChange(
            VersionedEntry(.tombstone, version: 2), formerContents: [id("t")])
        view.changes[path("m")] = RemoteChange(
            VersionedEntry(.tombstone, version: 2), formerContents: [id("t")])
        var seen = Observation()
        seen.changes[path("l")] = LocalChange(link("t"))
        seen.changes[path("m")] = LocalChange(link("u"))
        seen.changes[path("none")] = LocalChange(link("t"))
        view.recogniseLinks(seen)
        #expect(view.changes[path("l")]?.formerTargets == [Array("t".utf8)])
        #expect(view.changes[path("m")]?.formerTargets == [])
        #expect(view.changes.count == 2)
    }

    @Test func `what a deletion remembers`() {
        #expect(Entry.made("1").identity == id("1"))
        #expect(link("t").identity == id("t"))
        #expect(
            Entry.directory(mode: 0, modified: Timestamp(nanoseconds: 0)).identity == ContentID.none
        )
        #expect(Entry.tombstone.identity == nil)
    }
}

/// The base tree in memory.
@Suite struct BaseIndexTests {
    private func path(_ text: String) -> RelativePath { RelativePath(unchecked: Array(text.utf8)) }

    private func index(_ names: [String]) -> BaseIndex {
        BaseIndex(
            names.enumerated().map {
                BaseRow(path: path($1), entry: .made($1), version: UInt64($0))
            })
    }

    private static let names = ["a", "a-", "a/b", "a/b/c", "a/d", "a0", "b", "\u{FF}"]

    @Test func `each path is found, in whatever order the rows come`() {
        for names in [Self.names, Self.names.reversed(), Self.names.shuffled()] {
            let index = index(names)
            #expect(index.count == 8)
            #expect(index.rows.map(\.path.description) == Self.names)
            for name in names {
                #expect(index.row(path(name))?.path == path(name))
                #expect(index.entry(path(name))?.entry == .made(name))
            }
        }
    }

    @Test(
        "a path that is not there is not found",
        arguments: ["", "a/", "a/a", "a/b/", "c", "A", "z"])
    func absent(_ name: String) {
        #expect(index(Self.names).row(path(name)) == nil)
        #expect(index([]).entry(path(name)) == nil)
    }

    @Test(
        "what is below a folder",
        arguments: [
            ("a", ["a/b", "a/b/c", "a/d"]), ("a/b", ["a/b/c"]), ("a/d", []), ("b", []),
            ("a-", []), ("none", []),
        ])
    func below(_ folder: String, _ names: [String]) {
        #expect(index(Self.names).rows(below: path(folder)).map(\.path.description) == names)
    }

    @Test(
        "what begins with some bytes",
        arguments: [
            ("a", ["a", "a-", "a/b", "a/b/c", "a/d", "a0"]), ("a/b", ["a/b", "a/b/c"]),
            ("b", ["b"]), ("c", []), ("", []),
        ])
    func beginning(_ prefix: String, _ names: [String]) {
        #expect(
            index(Self.names).paths(beginning: Array(prefix.utf8)).map(\.description) == names)
    }
}
