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
            var cutter = CheckpointCutter(length: 1024 + room)
            let full = cutter.add(checkpoint.rows)
            return (full + cutter.finish()).map(\.count)
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

    @Test("E1.5 an older checkpoint replaces one whose last part is missing")
    func damagedLaterPart() async throws {
        try await shelf.save(checkpoint(3, rows: 2))
        try await shelf.save(checkpoint(50, rows: 300))
        try await fixture.remote.removeLastPart(of: 50, zone: "files", fixture.format)
        var reader = shelf.newestReader()
        var rows: [(sequence: UInt64, count: Int)] = []
        while let step = try await reader.next() {
            switch step {
            case .begin(let token): rows.append((token.sequence, 0))
            case .rows(let found): rows[rows.count - 1].count += found.count
            }
        }
        #expect(rows.map(\.sequence) == [50, 3])
        #expect((300..<525).contains(rows[0].count) && rows[1].count == 3)
        #expect(reader.token?.sequence == 3)
        #expect(reader.skipped.map(\.code) == [.corrupt])
    }

    @Test(
        "E1.5 a checkpoint that comes in batches is cut into the same parts as before",
        arguments: [1, 7, 1_000])
    func sameParts(batch: Int) async throws {
        for rows in stride(from: 0, through: 300, by: 13) {
            let sequence = UInt64(rows + 1)
            let written = try checkpoint(sequence, rows: rows)
            try await shelf.save(written.source(inBatchesOf: batch), at: written.token)
            let coder = CheckpointCoder(store: StoreFixture.id, zone: "files")
            let stored = try #require(
                fixture.remote.objects[fixture.checkpointSlot(sequence)])
            let former = FormerCut.parts(of: written, length: Self.partLength)
            guard former.count > 1 else {
                #expect(try stored == coder.encode(written), "\(rows) rows")
                continue
            }
            let index = try coder.decodeIndex(stored, sequence: sequence, key: "k")
            let hashes = try former.map {
                ContentHasher.hash(
                    try coder.encode($0, of: written.token, as: .checkpointPart))
            }
            #expect(index.parts.map(\.hash) == hashes, "\(rows) rows")
        }
    }

    @Test("E1.5 a checkpoint whose paths are out of order is not published", arguments: [1, 50])
    func order(batch: Int) async throws {
        var written = try checkpoint(50, rows: 300)
        let last = written.entries.removeLast()
        written.entries.insert(last, at: 150)
        let source = written.source(inBatchesOf: batch)
        let failure = await failure { try await shelf.save(source, at: written.token) }
        #expect(failure?.code == .limit)
        #expect(fixture.remote.objects[try fixture.checkpointSlot(50)] == nil)
    }

    @Test("E1.5 too many paths are refused before anything is stored")
    func tooMany() async throws {
        let written = try checkpoint(50, rows: 300)
        let source = CheckpointSource(
            minimumEntries: CheckpointRows.maximumEntries + 1, written.batches(of: 10))
        let failure = await failure { try await shelf.save(source, at: written.token) }
        #expect(failure?.code == .limit)
        #expect(fixture.remote.objects.isEmpty)
    }

    @Test("E1.5 a checkpoint whose source fails is not published")
    func failingSource() async throws {
        let written = try checkpoint(50, rows: 300)
        let batches = written.batches(of: 10)
        let source = CheckpointSource {
            if let rows = batches() { return rows }
            throw Failure(.corrupt, "The manifest lacks rows.", remedy: "This is a test.")
        }
        let failure = await failure { try await shelf.save(source, at: written.token) }
        #expect(failure?.code == .corrupt)
        #expect(!parts.isEmpty)
        #expect(fixture.remote.objects[try fixture.checkpointSlot(50)] == nil)
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

extension Checkpoint {
    /// The rows in batches of one column each.
    fileprivate func batches(of size: Int) -> () -> CheckpointRows? {
        var batches: [CheckpointRows] = []
        for start in stride(from: 0, to: entries.count, by: size) {
            batches.append(CheckpointRows(entries: Array(entries[start...].prefix(size))))
        }
        for start in stride(from: 0, to: packs.count, by: size) {
            batches.append(CheckpointRows(packs: Array(packs[start...].prefix(size))))
        }
        for start in stride(from: 0, to: inline.count, by: size) {
            batches.append(CheckpointRows(inline: Array(inline[start...].prefix(size))))
        }
        var next = batches.makeIterator()
        return { next.next() }
    }

    fileprivate func source(inBatchesOf size: Int) -> CheckpointSource {
        CheckpointSource(batches(of: size))
    }
}

/// How earlier versions cut a checkpoint, all of it in memory.
private enum FormerCut {
    static func parts(of checkpoint: Checkpoint, length: Int) -> [CheckpointRows] {
        let room = length - 1024
        var parts = slices(of: checkpoint.entries, room, size).map { CheckpointRows(entries: $0) }
        parts += slices(of: checkpoint.packs, room) { _ in 72 }.map { CheckpointRows(packs: $0) }
        parts += slices(of: checkpoint.inline, room) { _ in 48 }.map { CheckpointRows(inline: $0) }
        var joined: [CheckpointRows] = []
        for part in parts {
            if let last = joined.last, size(last) + size(part) <= room,
                last.entries.isEmpty || part.entries.isEmpty,
                last.packs.isEmpty || part.packs.isEmpty,
                last.inline.isEmpty || part.inline.isEmpty
            {
                joined[joined.count - 1] = CheckpointRows(
                    entries: last.entries + part.entries, packs: last.packs + part.packs,
                    inline: last.inline + part.inline)
            } else {
                joined.append(part)
            }
        }
        return joined.isEmpty ? [CheckpointRows()] : joined
    }

    private static func slices<Element>(
        of elements: [Element], _ room: Int, _ size: (Element) -> Int
    ) -> [[Element]] {
        var found: [[Element]] = []
        var used = room
        for element in elements {
            if used + size(element) > room {
                found.append([])
                used = 0
            }
            found[found.count - 1].append(element)
            used += size(element)
        }
        return found
    }

    private static func size(_ rows: CheckpointRows) -> Int {
        rows.entries.reduce(0) { $0 + size($1) } + rows.packs.count * 72 + rows.inline.count * 48
    }

    private static func size(_ row: CheckpointRow) -> Int {
        87 + row.path.bytes.count + row.entry.entry.target.count + row.formerContents.count * 48
    }
}
