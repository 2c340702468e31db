import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiStore

/// Checkpoints that are larger than what a store takes as one publication.
@Suite("Checkpoints in parts")
struct LargeCheckpointTests {
    let fixture: StoreFixture
    let shelf: CheckpointStore

    /// About so many plain bytes of a part.
    private static let partLength = 8 << 10
    /// What the store of the tests takes as one publication.
    private static let publicationLimit = 4 << 10

    init() throws {
        fixture = try StoreFixture()
        shelf = try CheckpointStore(
            remote: NarrowRemote(base: fixture.remote, limit: Self.publicationLimit),
            zone: "files", store: fixture.format, partLength: Self.partLength)
    }

    @Test("rows that fit exactly are one part; the next byte begins another")
    func exactFit() throws {
        let hash = ContentHasher.hash([1])
        func row(_ path: String, former: [ContentID] = []) throws -> CheckpointRow {
            CheckpointRow(
                path: try RelativePath(path), entry: VersionedEntry(.tombstone, version: 1),
                formerContents: former)
        }
        func parts(_ checkpoint: Checkpoint, room: Int) -> [Int] {
            CheckpointPart.cut(checkpoint, length: 1024 + room).map {
                $0.entries.count + $0.packs.count + $0.inline.count
            }
        }
        let target = [UInt8](repeating: 0x61, count: 10)
        let link = CheckpointRow(
            path: try RelativePath("c"),
            entry: VersionedEntry(
                .symlink(to: target, modified: Timestamp(nanoseconds: 0)), version: 1))
        var checkpoint = Checkpoint(
            token: ChangeToken(sequence: 1, hash: hash),
            entries: [try row("a"), try row("bb", former: [hash, hash]), link], packs: [],
            inline: [])
        // Each 87 and its path; 48 for each former content; 10 for the link's target.
        let entries = (87 + 1) + (87 + 2 + 2 * 48) + (87 + 1 + 10)
        #expect(parts(checkpoint, room: entries) == [3])
        #expect(parts(checkpoint, room: entries - 1) == [2, 1])
        checkpoint.packs = [PackReference(id: StoreFixture.commitID(3), size: 9, indexHash: hash)]
        checkpoint.inline = [InlineLocation(id: hash, sequence: 1)]
        #expect(parts(checkpoint, room: entries + 72 + 48) == [5])
        #expect(parts(checkpoint, room: entries + 72 + 47) == [4, 1])
        #expect(parts(checkpoint, room: entries + 71) == [3, 2])
    }

    private func checkpoint(_ sequence: UInt64, rows: Int) throws -> Checkpoint {
        var random = SeededRandom(seed: sequence)
        let contents = (0..<rows).map { _ in ContentHasher.hash(random.bytes(8)) }
        return Checkpoint(
            token: ChangeToken(sequence: sequence, hash: ContentHasher.hash([9])),
            entries: try (0..<rows).map { number in
                let isGone = number % 3 == 0
                let entry: Entry =
                    isGone
                    ? .tombstone
                    : .file(
                        contents[number], size: 1, mode: 0o644, modified: Timestamp(nanoseconds: 7))
                return CheckpointRow(
                    path: try RelativePath("folder/\(100_000 + number)"),
                    entry: VersionedEntry(entry, version: UInt64(number) % sequence + 1),
                    formerContents: isGone ? Array(contents.prefix(number % 4)) : [])
            },
            packs: (0..<rows / 4).map {
                PackReference(
                    id: random.bytes(16), size: Int64($0), indexHash: contents[$0])
            },
            inline: (0..<rows / 2).map { InlineLocation(id: contents[$0], sequence: 1) })
    }

    private var parts: [ObjectKey] {
        fixture.remote.objects.keys.filter { $0.description.hasPrefix("zones/files/parts/") }
            .sorted()
    }

    private func expect(_ read: Checkpoint?, equals written: Checkpoint) throws {
        let read = try #require(read)
        #expect(read.token == written.token)
        #expect(read.entries == written.entries)
        #expect(read.packs == written.packs)
        #expect(read.inline == written.inline)
        #expect(read.refused.isEmpty)
    }

    @Test("E1.5 one that is larger than a publication makes the round trip")
    func roundTrip() async throws {
        let written = try checkpoint(50, rows: 1_000)
        try await shelf.save(written)
        #expect(parts.count > 10)
        for key in parts {
            #expect(fixture.remote.objects[key]?.count ?? .max <= Self.partLength + 48)
        }
        try expect(try await shelf.read(50), equals: written)
        try expect(try await shelf.latest(), equals: written)
        #expect(try await shelf.sequences() == [50])
        // Again, as after a lost answer, it is the same objects.
        let before = fixture.remote.objects
        try await shelf.save(written)
        #expect(fixture.remote.objects == before)
    }

    @Test("E1.5 one of any size reads back exactly, and only a small one is a single object")
    func sizes() async throws {
        for rows in [0, 1, 5, 40, 70, 90, 200] {
            let sequence = UInt64(rows + 1)
            let written = try checkpoint(sequence, rows: rows)
            try await shelf.save(written)
            let slot = try fixture.checkpointSlot(sequence)
            let stored = try #require(fixture.remote.objects[slot])
            #expect(Envelope.hasKind(stored, .checkpoint) == (rows < 70), "\(rows) rows")
            try expect(try await shelf.read(sequence), equals: written)
        }
    }

    @Test("E1.5 single objects of any size, as the first version wrote them, are read")
    func former() async throws {
        let written = try checkpoint(50, rows: 1_000)
        let stored = try CheckpointCoder(store: StoreFixture.id, zone: "files").encode(written)
        try await fixture.replace(fixture.checkpointSlot(50), by: stored)
        try expect(try await shelf.latest(), equals: written)
    }

    @Test(
        "E1.5 one with a missing, truncated or wrong part is skipped when an older one can be used")
    func damagedPart() async throws {
        try await shelf.save(checkpoint(3, rows: 2))
        try await shelf.save(checkpoint(50, rows: 300))
        let (first, second) = (parts[0], parts[1])
        let good = fixture.remote.objects
        for bytes in [nil, Array((good[first] ?? []).dropLast()), good[second]] {
            fixture.remote.objects[first] = bytes
            #expect(await failure { try await shelf.read(50) }?.code == .corrupt)
            #expect(try await shelf.latest()?.token.sequence == 3)
            fixture.remote.objects = good
        }
        #expect(try await shelf.latest()?.token.sequence == 50)
    }

    @Test("E1.5 any single flipped bit of a list gives the same checkpoint or a failure")
    func flippedBits() async throws {
        let written = try checkpoint(50, rows: 80)
        try await shelf.save(written)
        let slot = try fixture.checkpointSlot(50)
        let stored = try #require(fixture.remote.objects[slot])
        for bit in 0..<(stored.count * 8) {
            var damaged = stored
            damaged[bit / 8] ^= 1 << (bit % 8)
            fixture.remote.objects[slot] = damaged
            let read = try? await shelf.read(50)
            #expect(read == nil || read?.entries == written.entries, "bit \(bit)")
        }
    }

    @Test(
        "E1.5 one whose list has invalid names is refused",
        arguments: [
            { $0.parts[0].hash = field([1]) }, { $0.parts[0].size = 0 },
            { $0.parts[0].size = .max },
            { $0.parts = [] }, { $0.sequence = 51 }, { $0.hash = field([2]) },
            { $0.parts.append($0.parts[0]) }, { $0.parts.swapAt(0, 1) },
        ] as [@Sendable (inout StoredCheckpointIndex) -> Void])
    func badList(forge: @Sendable (inout StoredCheckpointIndex) -> Void) async throws {
        try await shelf.save(checkpoint(50, rows: 200))
        let slot = try fixture.checkpointSlot(50)
        let plain = try Envelope.open(
            try #require(fixture.remote.objects[slot]), as: .checkpointIndex, key: "k")
        var message: StoredCheckpointIndex = try parsed(plain, key: "k")
        forge(&message)
        fixture.remote.objects[slot] = try Envelope.seal(serialized(message), as: .checkpointIndex)
        let read = try? await shelf.read(50)
        // Parts in another order have their rows refused by name.
        #expect(read == nil || read?.refused.isEmpty == false)
    }

    @Test("E1.5 one in parts is of a newer format for a reader without parts")
    func formByte() async throws {
        try await shelf.save(checkpoint(50, rows: 200))
        let stored = try #require(fixture.remote.objects[fixture.checkpointSlot(50)])
        #expect(stored[7] == 1)
        let coder = CheckpointCoder(store: StoreFixture.id, zone: "files")
        let failure = #expect(throws: Failure.self) {
            try coder.decode(stored, sequence: 50, key: "k")
        }
        #expect(failure?.code == .newerFormat)
    }

    /// Checkpoints that no reader would take as they are meant.
    static let unreadable: [(String, @Sendable (inout Checkpoint) -> Void)] = [
        ("an entry without a version", { $0.entries[1].entry.version = 0 }),
        ("an entry of a later commit", { $0.entries[1].entry.version = 51 }),
        ("a path twice", { $0.entries.append($0.entries[1]) }),
        ("a path outside", { $0.entries[1].path = RelativePath(unchecked: Array("..".utf8)) }),
        ("a pack with a short id", { $0.packs[0].id = [1] }),
    ]

    @Test(
        "E1.1 one that does not read back exactly is not published",
        arguments: unreadable.indices, [4, 400])
    func notReadable(index: Int, rows: Int) async throws {
        let (name, spoil) = Self.unreadable[index]
        var checkpoint = try checkpoint(50, rows: rows)
        spoil(&checkpoint)
        let failure = await failure { try await shelf.save(checkpoint) }
        #expect(failure?.code == .limit, "\(name)")
        #expect(fixture.remote.objects[try fixture.checkpointSlot(50)] == nil, "\(name)")
    }
}

/// A store that takes small publications only, and any object by `put`.
private struct NarrowRemote: RemoteWrapper {
    let base: MemoryRemote
    let limit: Int
    var wrapped: any Remote { base }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        guard bytes.count <= limit else {
            throw Failure(.limit, path: slot.description, "Too large.", remedy: "This is a test.")
        }
        return try await base.publish(bytes, to: slot)
    }
}
