import FilesinkiModel
import FilesinkiStore
import Testing

@testable import FilesinkiItems

/// What becomes one commit, within its limits.
@Suite struct PendingCommitTests {
    private typealias Commit = PendingCommit<ToyKind.State>

    private func item(_ key: String, _ text: String? = "x", version: UInt64 = 0) -> Item<
        ToyKind.State
    > {
        Item(key, ours: text, base: "base", version: version)
    }

    private func loser(_ key: String) -> Superseded<ToyKind.State> {
        Superseded(
            key: ItemKey(unchecked: Array(key.utf8)), held: ToyKind.State(text: "lost", time: 6),
            version: 3, reason: "shorter")
    }

    private func draft(_ commit: Commit) -> CommitDraft {
        commit.draft(
            by: Device(id: [], name: "a"), at: Timestamp(nanoseconds: 5), operation: "toy sync")
    }

    @Test func `changes are in the order of their paths, with what they are based on`() {
        var commit = Commit(limits: .standard)
        #expect(commit.isEmpty)
        #expect(commit.add([item("b", version: 7)]) == .added)
        #expect(commit.add([item("a", nil)]) == .added)
        #expect(!commit.isEmpty && !commit.isFull)
        let draft = draft(commit)
        #expect(draft.changes.map(\.path.description) == ["a", "b"])
        #expect(draft.changes.map(\.entry.kind) == [.tombstone, .file])
        #expect(draft.changes.map(\.basedOn) == [0, 7])
        #expect(draft.changes.map(\.entry.modified.nanoseconds) == [7, 7])
        #expect(draft.changes[1].entry.mode == 0o600 && draft.changes[1].entry.size == 2)
        #expect(draft.operation == "toy sync" && draft.time.nanoseconds == 5)
        #expect(commit.items.map(\.key.description) == ["b", "a"])
    }

    @Test func `a content that several items have is carried once, of a removal none`() {
        var commit = Commit(limits: .standard)
        #expect(commit.add([item("a"), item("b")]) == .added)
        #expect(commit.add([item("c"), item("d", nil), item("e", "y")]) == .added)
        let draft = draft(commit)
        #expect(Set(draft.inline.map(\.bytes)) == [[1, 0x78], [1, 0x79]])
        #expect(draft.inline.count == 2)
        #expect(draft.inline.map(\.id) == draft.inline.map(\.id).sorted())
    }

    @Test func `what gave way goes with its row, its reason and its content`() {
        var commit = Commit(limits: .standard)
        #expect(commit.add(loser("a"), row: 12) == .added)
        #expect(!commit.isEmpty)
        let draft = draft(commit)
        #expect(draft.changes.isEmpty)
        #expect(draft.superseded.map(\.reason) == ["shorter"])
        #expect(draft.superseded.map(\.basedOn) == [3])
        #expect(draft.inline.count == 1)
        #expect(commit.losers.map(\.row) == [12])
    }

    @Test func `a batch that has no room left is left out as a whole, and the commit is full`() {
        var commit = Commit(limits: CommitLimits(rows: 3))
        #expect(commit.add([item("a"), item("b")]) == .added)
        #expect(commit.add([item("c"), item("d")]) == .full)
        #expect(commit.isFull)
        #expect(commit.items.map(\.key.description) == ["a", "b"])
        #expect(draft(commit).changes.count == 2)
    }

    @Test func `a batch that no commit has room for does not make this one full`() {
        var commit = Commit(limits: CommitLimits(rows: 2))
        #expect(commit.add([item("a")]) == .added)
        #expect(commit.add([item("b"), item("c"), item("d")]) == .exceedsLimits)
        #expect(!commit.isFull)
        #expect(commit.add([item("e")]) == .added)
        #expect(commit.items.count == 2)
    }

    @Test func `a loser that has no room left makes the commit full, too`() {
        var commit = Commit(limits: CommitLimits(rows: 1))
        #expect(commit.add(loser("a"), row: 1) == .added)
        #expect(commit.add(loser("b"), row: 2) == .full)
        #expect(commit.isFull && commit.losers.count == 1)
    }

    @Test func `contents count by their bytes`() {
        let large = String(repeating: "x", count: 10_000)
        var commit = Commit(limits: CommitLimits(plainBytes: 15_000))
        #expect(commit.add([item("a", large)]) == .added)
        // The same content again costs a row only.
        #expect(commit.add([item("b", large)]) == .added)
        #expect(commit.add([item("c", large + "y")]) == .full)
        var other = Commit(limits: CommitLimits(plainBytes: 5_000))
        #expect(other.add([item("a", large)]) == .exceedsLimits)
        #expect(other.isEmpty && !other.isFull)
    }

    @Test func `whether a batch fits is found without its contents, as when it is added`() {
        let large = String(repeating: "x", count: 10_000)
        let batch = [item("a", large), item("b", large), item("c", nil)]
        for (more, fits) in [([], true), ([item("d", large + "y")], false)] {
            let limits = CommitLimits(plainBytes: 15_000)
            #expect(Commit.fits(batch + more, limits: limits) == fits)
            var commit = Commit(limits: limits)
            #expect((commit.add(batch + more) == .added) == fits)
        }
        #expect(!Commit.fits(batch, limits: CommitLimits(rows: 2)))
    }
}

/// What of fetched commits can be applied.
@Suite struct FetchedItemsTests {
    private let id = [UInt8](repeating: 5, count: 16)

    private func rows(_ entries: [(String, Entry)]) -> CheckpointRows {
        CheckpointRows(
            entries: entries.map {
                CheckpointRow(
                    path: RelativePath(unchecked: Array($0.0.utf8)),
                    entry: VersionedEntry($0.1, version: 4))
            })
    }

    private func file(_ byte: UInt8) -> Entry {
        .file(
            ContentID([UInt8](repeating: byte, count: 32)) ?? .none, size: 2, mode: 0o600,
            modified: Timestamp(nanoseconds: 8))
    }

    private func read(
        _ entries: [(String, Entry)], _ contents: [UInt8: [UInt8]]
    ) throws -> FetchedItems<ToyKind> {
        var items = FetchedItems<ToyKind>()
        let hash = ContentID.none
        items.restart(from: ChangeToken(sequence: 9, hash: hash))
        items.add(rows(entries))
        let pairs = contents.map { (file($0.key).content, $0.value) }
        try items.endCheckpoint(contents: Dictionary(uniqueKeysWithValues: pairs))
        return items
    }

    @Test func `a checkpoint is a whole tree, of items at their versions`() throws {
        let items = try read([("a", file(1)), ("b", .tombstone)], [1: [1, 0x78]])
        let batch = try #require(items.batches.first)
        #expect(items.batches.count == 1 && items.problems.isEmpty)
        #expect(batch.isWhole && batch.sequence == 9 && batch.commit.isEmpty)
        #expect(batch.changes.map(\.key.description) == ["a", "b"])
        #expect(batch.changes.map(\.state.text) == ["x", nil])
        #expect(batch.changes.map(\.state.time) == [8, 0])
        #expect(batch.changes.map(\.version) == [4, 4])
    }

    @Test func `what cannot be read is a problem, and keeps its key`() throws {
        let items = try read(
            [("a", file(1)), ("b", file(2)), ("c", file(3)), ("a.b", file(1))],
            [1: [1, 0x78], 2: [1, 0xFF]])
        #expect(items.batches.first?.changes.map(\.key.description) == ["a"])
        #expect(items.batches.first?.unread.map(\.description).sorted() == ["b", "c"])
        #expect(items.problems.map(\.code) == [.corrupt, .corrupt, .corrupt])
        #expect(
            items.problems.map(\.message) == [
                "The text cannot be read.", "The text cannot be read.",
                "The path is not the path of a toy.",
            ])
    }

    @Test func `a newer layout ends the exchange`() {
        let failure = #expect(throws: Failure.self) { try read([("a", file(1))], [1: [2, 0x78]]) }
        #expect(failure?.code == .newerFormat)
        #expect(failure?.message == "The text has a newer layout.")
    }

    @Test func `a checkpoint takes the place of what was read before`() throws {
        var items = try read([("a", file(1))], [1: [1, 0x78]])
        items.restart(from: nil)
        #expect(items.isEmpty && items.problems.isEmpty)
        // Rows without a checkpoint are of none.
        items.add(rows([("a", file(1))]))
        try items.endCheckpoint(contents: [:])
        #expect(items.isEmpty)
    }
}
