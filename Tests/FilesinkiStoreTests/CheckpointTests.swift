import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Synchronization
import Testing

@testable import FilesinkiStore

@Suite("Checkpoints")
struct CheckpointTests {
    static func checkpoint(_ sequence: UInt64) throws -> Checkpoint {
        let (one, two) = (StoreFixture.content("one"), StoreFixture.content("two"))
        return Checkpoint(
            token: ChangeToken(sequence: sequence, hash: ContentHasher.hash([9])),
            entries: [
                CheckpointRow(
                    path: try RelativePath("a"),
                    entry: VersionedEntry(StoreFixture.file(one), version: 1)),
                CheckpointRow(
                    path: try RelativePath("b"),
                    entry: VersionedEntry(.tombstone, version: sequence),
                    formerContents: [one.id, two.id]),
                CheckpointRow(
                    path: try RelativePath("b/c"),
                    entry: VersionedEntry(.tombstone, version: 2), formerContents: [two.id]),
            ],
            packs: [PackReference(id: StoreFixture.commitID(3), size: 99, indexHash: one.id)],
            inline: [InlineLocation(id: one.id, sequence: 1)], lost: [two.id, one.id])
    }

    @Test("a checkpoint makes the round trip, with tombstones and their former contents")
    func roundTrip() async throws {
        let fixture = try StoreFixture()
        let written = try Self.checkpoint(5)
        try await fixture.shelf.save(written)
        let read = try #require(try await fixture.shelf.latest())
        #expect(read.token == written.token)
        #expect(read.entries == written.entries)
        #expect(read.packs == written.packs)
        #expect(read.inline == written.inline)
        #expect(read.lost == written.lost)
        #expect(read.refused.isEmpty)
    }

    @Test("contents that are lost fill parts of their own, and are read in batches")
    func lost() async throws {
        let fixture = try StoreFixture()
        let shelf = try CheckpointStore(
            remote: fixture.remote, zone: "files", store: fixture.format, partLength: 8 << 10)
        var written = try Self.checkpoint(5)
        written.lost = (0..<1_000).map { ContentHasher.hash([UInt8($0 % 256), UInt8($0 / 256)]) }
        try await shelf.save(written)
        #expect(fixture.remote.objects.keys.count { $0.description.contains("/parts/") } > 3)
        let read = try #require(try await shelf.latest())
        #expect(read.lost == written.lost && read.entries == written.entries)
    }

    @Test("entries that are not in the order of paths are not stored")
    func order() async throws {
        let fixture = try StoreFixture()
        var checkpoint = try Self.checkpoint(5)
        checkpoint.entries.reverse()
        #expect(await failure { try await fixture.shelf.save(checkpoint) }?.code == .limit)
        #expect(fixture.remote.objects.isEmpty)
    }

    @Test("the newest one is read, and nil without any")
    func newest() async throws {
        let fixture = try StoreFixture()
        #expect(try await fixture.shelf.latest() == nil)
        for sequence: UInt64 in [9, 200, 30] {
            try await fixture.shelf.save(Self.checkpoint(sequence))
        }
        #expect(try await fixture.shelf.sequences() == [200, 30, 9])
        #expect(try await fixture.shelf.latest()?.token.sequence == 200)
        for (last, newest): (UInt64, UInt64?) in [
            (200, 200), (199, 30), (30, 30), (9, 9), (8, nil),
        ] {
            #expect(try await fixture.shelf.latest(upTo: last)?.token.sequence == newest)
        }
        for (known, newest): (UInt64, UInt64) in [
            (0, 200), (9, 200), (199, 200), (200, 200), (201, 201),
        ] {
            #expect(try await fixture.shelf.newest(after: known) == newest)
        }
    }

    @Test(
        "a checkpoint is one part up to 16 MiB, estimated by upper bounds",
        arguments: [(4010, 1), (4011, 2)])
    func standardParts(rows: Int, parts: Int) {
        // 87 bytes and the path for each row, 1,024 for each part.
        let row = CheckpointRow(
            path: RelativePath(unchecked: Array(repeating: 0x61, count: 4096)),
            entry: VersionedEntry(.tombstone, version: 1))
        let checkpoint = Checkpoint(
            token: ChangeToken(sequence: 1, hash: .none),
            entries: Array(repeating: row, count: rows),
            packs: [], inline: [])
        var cutter = CheckpointCutter(length: CheckpointCutter.standardLength)
        let full = cutter.add(checkpoint.rows)
        #expect((full + cutter.finish()).count == parts)
    }

    @Test("a damaged one is skipped and reported when an older one can be used")
    func olderServes() async throws {
        let fixture = try StoreFixture()
        try await fixture.shelf.save(Self.checkpoint(3))
        try await fixture.replace(fixture.checkpointSlot(4), by: Array("fsk1 no".utf8))
        let skipped = Mutex<[Failure.Code]>([])
        let latest = try await fixture.shelf.latest { failure in
            skipped.withLock { $0.append(failure.code) }
        }
        #expect(latest?.token.sequence == 3)
        #expect(skipped.withLock { $0 } == [.corrupt])
    }

    @Test("a damaged one is skipped when the whole log can be used")
    func logServes() async throws {
        let fixture = try StoreFixture()
        try await fixture.append(StoreFixture.draft(writing: "one", to: "a"))
        try await fixture.replace(fixture.checkpointSlot(1), by: [])
        #expect(try await fixture.shelf.latest() == nil)
    }

    @Test("a damaged one is a failure when nothing else can be used")
    func nothingServes() async throws {
        let fixture = try StoreFixture()
        try await fixture.replace(fixture.checkpointSlot(4), by: [])
        #expect(await failure { try await fixture.shelf.latest() }?.code == .corrupt)
    }

    @Test("one of a newer format is a failure and not skipped")
    func newerFormat() async throws {
        let fixture = try StoreFixture()
        try await fixture.shelf.save(Self.checkpoint(3))
        var stored = try CheckpointCoder(store: StoreFixture.id, zone: "files").encode(
            Self.checkpoint(4))
        stored[3] = UInt8(ascii: "2")
        try await fixture.replace(fixture.checkpointSlot(4), by: stored)
        #expect(await failure { try await fixture.shelf.latest() }?.code == .newerFormat)
    }

    @Test("any single flipped bit gives the same checkpoint or a failure")
    func flippedBits() throws {
        let coder = CheckpointCoder(store: StoreFixture.id, zone: "files")
        let written = try Self.checkpoint(5)
        let stored = try coder.encode(written)
        for bit in 0..<(stored.count * 8) {
            var damaged = stored
            damaged[bit / 8] ^= 1 << (bit % 8)
            let read = try? coder.decode(damaged, sequence: 5, key: "k")
            #expect(read == nil || read?.entries == written.entries, "bit \(bit)")
        }
    }

    @Test("invalid rows are refused and the rest is kept")
    func badRows() throws {
        let coder = CheckpointCoder(store: StoreFixture.id, zone: "files")
        let stored = try coder.encode(Self.checkpoint(5))
        let plain = try Envelope.open(stored, as: .checkpoint, key: "k")
        var message: StoredCheckpoint = try parsed(plain, key: "k")
        message.entries.paths = PathColumn.encode(["b", "../x", "a"].map { Array($0.utf8) })
        let disordered = try coder.decode(
            Envelope.seal(serialized(message), as: .checkpoint), sequence: 5, key: "k")
        #expect(disordered.entries.map(\.path.description) == ["b"])
        #expect(
            disordered.refused.map { String(decoding: $0.path, as: UTF8.self) } == ["../x", "a"])
        message = try parsed(plain, key: "k")
        message.entries.versions = [0, 5, 6]
        let future = try coder.decode(
            Envelope.seal(serialized(message), as: .checkpoint), sequence: 5, key: "k")
        #expect(future.entries.map(\.path.description) == ["b"])
        #expect(future.refused.count == 2)
    }

    @Test(
        "an inconsistent one is refused",
        arguments: [
            { $0.sequence = 6 }, { $0.hash = field([1]) }, { $0.formerRows.removeLast() },
            { $0.inlineSequences = [] }, { $0.entries.count = 4 }, { $0.store = field([]) },
        ] as [@Sendable (inout StoredCheckpoint) -> Void])
    func badColumns(forge: @Sendable (inout StoredCheckpoint) -> Void) throws {
        let coder = CheckpointCoder(store: StoreFixture.id, zone: "files")
        let plain = try Envelope.open(
            coder.encode(Self.checkpoint(5)), as: .checkpoint, key: "k")
        var message: StoredCheckpoint = try parsed(plain, key: "k")
        forge(&message)
        let stored = try Envelope.seal(serialized(message), as: .checkpoint)
        #expect(throws: Failure.self) { try coder.decode(stored, sequence: 5, key: "k") }
    }
}
