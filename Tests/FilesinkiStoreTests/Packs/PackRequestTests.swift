import FilesinkiCompression
import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Synchronization
import Testing

@testable import FilesinkiStore

/// What packs cost in requests.
@Suite("Requests for packs")
struct PackRequestTests {
    private func encoded(_ bytes: [UInt8]) throws -> EncodedBlock {
        var builder = BlockBuilder(compressor: ZstdCompressor(level: 3))
        bytes.withUnsafeBytes { builder.add(ContentHasher.hash(bytes), kind: .chunk, bytes: $0) }
        return try #require(try builder.finish())
    }

    @Test("the indexes of many packs are read with one request for 32 of them")
    func indexes() async throws {
        let contents = (0..<40).map { noise(2000, seed: UInt64($0)) }
        let store = try await PackFixture(contents, blockSize: 1, packSize: 1)
        let counting = CountingRemote(store.remote)
        let readers = store.references.map { PackReader(remote: counting, reference: $0) }
        let locator = ContentLocator(packs: readers)
        for content in contents {
            #expect(try await locator.find(ContentHasher.hash(content)) != nil)
        }
        #expect(try await locator.find(ContentHasher.hash([1])) == nil)
        #expect(counting.counts.requests == 2)
    }

    @Test("a search without requests uses only cached indexes")
    func local() async throws {
        let contents = [noise(2000, seed: 1), noise(2000, seed: 2)]
        let store = try await PackFixture(contents, blockSize: 1, packSize: 1)
        let locator = store.locator
        let id = ContentHasher.hash(contents[0])
        #expect(try await locator.find(id, isLocal: true) == nil)
        #expect(store.remote.reads.isEmpty)
        _ = try await locator.find(id)
        #expect(try await locator.find(id, isLocal: true) != nil)
    }

    @Test("a writer caches the indexes of its packs, so that they are not fetched")
    func keptIndexes() async throws {
        let remote = ShelfRemote()
        let cache = MemoryIndexCache()
        let writer = PackWriter(
            remote: remote, systemContext: countingSystemContext(), cache: cache)
        let bytes = noise(2000)
        try await writer.add(encoded(bytes))
        let reference = try #require(try await writer.finish().first)
        let reader = PackReader(remote: remote, reference: reference, cache: cache)
        #expect(try await reader.index().find(ContentHasher.hash(bytes)) != nil)
        #expect(remote.reads.isEmpty)
    }

    @Test("a cache that does not have the index is asked once")
    func askedOnce() async throws {
        let store = try await PackFixture([noise(2000)])
        let cache = MemoryIndexCache()
        let reader = PackReader(
            remote: store.remote, reference: try #require(store.references.first), cache: cache)
        for _ in 1...3 { #expect(reader.keptIndex?.memberCount == nil) }
        #expect(cache.loads == 1)
        #expect(try await reader.index().memberCount == 1)
        #expect(cache.loads == 1)
    }

    @Test("an object that is too short for a pack is refused without a request")
    func tooShort() async throws {
        let remote = CountingRemote(MemoryRemote())
        var reference = PackReference(
            id: [UInt8](repeating: 7, count: 16), size: 71, indexHash: .none)
        let reader = PackReader(remote: remote, reference: reference)
        #expect(await packFailure { _ = try await reader.index() } == .corrupt)
        #expect(remote.counts.requests == 0)
        // The first bytes and the trailer.
        reference.size = 72
        #expect(PackReader(remote: remote, reference: reference).tailRange == 0..<72)
    }

    @Test("adjacent blocks, and blocks of several packs, are read with one request")
    func shipment() async throws {
        var random = SeededRandom(seed: 1)
        let contents = (0..<20).map { _ in random.bytes(2000) }
        let store = try await PackFixture(contents, blockSize: 1, packSize: 20_000)
        let counting = CountingRemote(store.remote)
        let packs = store.references.map { PackReader(remote: counting, reference: $0) }
        for pack in packs { _ = try await pack.index() }
        var blocks: [BlockBatchRead.Block] = []
        for pack in packs {
            // One in the middle is not wanted.
            for number in try await pack.index().blocks.indices where number != 2 {
                blocks.append(.init(pack: pack, number: number))
            }
        }
        counting.reset()
        let before = store.remote.reads.count
        let shipments = try await BlockBatchRead.plan(blocks)
        try #require(shipments.count == 1)
        var found: Set<[UInt8]> = []
        for position in blocks.indices { found.insert(try await shipments[0].read(position)) }
        #expect(found == Set(contents).subtracting([contents[2], contents[12]]))
        #expect(counting.counts.requests == 1)
        #expect(counting.counts.reads == 1)
        // Two parts of each pack.
        #expect(store.remote.reads.count == before + 4)
    }

    @Test("a batch has at most 8 MiB, and the next one is requested meanwhile")
    func largeShipments() async throws {
        // The first two are exactly 8 MiB together.
        let sizes = [4 << 20, 4 << 20, 4 << 20, (4 << 20) + 1, 1 << 20]
        let pack = try await pack(of: sizes)
        let shipments = try await plan(pack.reader)
        try #require(shipments.map(\.count) == [2, 1, 2])
        let places = [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)]
        for ((shipment, position), content) in zip(places, pack.contents) {
            let read = try await shipments[shipment].read(position)
            #expect(compare(read, content) == 0)
        }
    }

    /// A pack of plain blocks of these sizes, whose index is loaded.
    private func pack(
        of sizes: [Int]
    ) async throws -> (reader: PackReader, remote: ArrivalRemote, contents: [[UInt8]]) {
        let remote = ArrivalRemote()
        let writer = PackWriter(
            remote: remote, systemContext: countingSystemContext(), targetSize: 64 << 20)
        let contents = sizes.enumerated().map { number, size in
            [UInt8](repeating: UInt8(number), count: size)
        }
        for content in contents { try await writer.add(plainBlock(content)) }
        let reader = PackReader(
            remote: remote, reference: try #require(try await writer.finish().first))
        _ = try await reader.index()
        return (reader, remote, contents)
    }

    private func plan(_ pack: PackReader) async throws -> [BlockBatchRead] {
        let numbers = try await pack.index().blocks.indices
        return try await BlockBatchRead.plan(
            numbers.map { BlockBatchRead.Block(pack: pack, number: $0) })
    }

    @Test(
        "the next shipment is requested with the first block of the one before it",
        .timeLimit(.minutes(10)))
    func early() async throws {
        let pack = try await pack(of: [4 << 20, 4 << 20, 4 << 20, 4 << 20, 4 << 20])
        let shipments = try await plan(pack.reader)
        try #require(shipments.map(\.count) == [2, 2, 1])
        var arrivals = pack.remote.arrivals.makeAsyncIterator()
        let blocks = try await pack.reader.index().blocks.map(\.stored.lowerBound)
        _ = try await shipments[0].read(0)
        let early = [await arrivals.next(), await arrivals.next()]
        #expect(Set(early) == [blocks[0], blocks[2]])
        // All of the second is read before the rest of the first: it is not requested again.
        for position in 0...1 { _ = try await shipments[1].read(position) }
        #expect(await arrivals.next() == blocks[4])
        _ = try await shipments[0].read(1)
        _ = try await shipments[2].read(0)
        for _ in 1...100 { await Task.yield() }
        #expect(pack.remote.count == 3)
    }

    @Test("a shipment is released with its last block, and requested anew after that")
    func released() async throws {
        let pack = try await pack(of: [1000, 1000])
        let shipments = try await plan(pack.reader)
        for position in [0, 1, 0] {
            #expect(try await shipments[0].read(position) == pack.contents[position])
        }
        #expect(pack.remote.count == 2)
    }

    @Test("a pack is verified with requests of at most 8 MiB of blocks")
    func verification() async throws {
        let remote = ShelfRemote()
        let writer = PackWriter(
            remote: remote, systemContext: countingSystemContext(), targetSize: 64 << 20)
        // Two of 4 MiB are exactly 8 MiB.
        for (number, size) in [4 << 20, 4 << 20, 4 << 20, 4 << 20, 4 << 20, 5 << 20].enumerated() {
            try await writer.add(plainBlock([UInt8](repeating: UInt8(number), count: size)))
        }
        let reference = try #require(try await writer.finish().first)
        let result = try await PackReader(remote: remote, reference: reference).verify()
        #expect(result.bytes == 25 << 20)
        #expect(result.failures.isEmpty)
        // The first bytes and the index come before the blocks.
        #expect(remote.reads.dropFirst(2).map(\.count) == [8 << 20, 8 << 20, 4 << 20, 5 << 20])
    }

    @Test("packs at the remote are recognised by their ends, 256 with one request")
    func present() async throws {
        let remote = ShelfRemote()
        let trailer = PackTrailer(
            indexOffset: 8, storedLength: 0, plainLength: 0, indexHash: ContentHasher.hash([]))
        var packs = (0..<257).map { number in
            PackReference(
                id: [UInt8(number & 255), UInt8(number >> 8)] + Array(repeating: 0, count: 14),
                size: 72, indexHash: trailer.indexHash)
        }
        for pack in packs {
            try await remote.put(PackFormat.magic + trailer.bytes, to: ObjectKey(pack.keyText))
        }
        let counting = CountingRemote(remote)
        #expect(try await PackReference.present(packs, at: counting) == packs)
        #expect(counting.counts.reads == 2)
        // One is missing, one has another index, one another size, one none that a pack can have.
        try await remote.delete(ObjectKey(packs[1].keyText))
        packs[2].indexHash = .none
        packs[3].size = 73
        packs[4].size = 63
        let sound = [packs[0]] + packs[5...]
        #expect(try await PackReference.present(packs, at: remote) == sound)
    }

    @Test("a missing or damaged pack fails its own blocks only")
    func damaged() async throws {
        let contents = (0..<6).map { noise(2000, seed: UInt64($0)) }
        let store = try await PackFixture(contents, blockSize: 1, packSize: 1)
        let packs = store.readers
        for pack in packs { _ = try await pack.index() }
        try await store.remote.delete(ObjectKey(packs[1].reference.keyText))
        let damaged = try ObjectKey(packs[2].reference.keyText)
        var bytes = try #require(try await store.remote.get(damaged, range: nil))
        bytes.removeSubrange(9..<bytes.count)
        try await store.remote.put(bytes, to: damaged)
        let shipments = try await BlockBatchRead.plan(packs.map { .init(pack: $0, number: 0) })
        var sound: [Int] = []
        for position in packs.indices {
            let code = await packFailure { _ = try await shipments[0].read(position) }
            if let code { #expect(code == .corrupt) } else { sound.append(position) }
        }
        #expect(sound == [0, 3, 4, 5])
    }

    @Test("an unreadable object fails its own blocks only")
    func unreadable() async throws {
        let contents = (0..<3).map { noise(2000, seed: UInt64($0)) }
        let store = try await PackFixture(contents, blockSize: 1, packSize: 1)
        let bad = try ObjectKey(store.references[1].keyText)
        let remote = BadSectorRemote(base: store.remote, bad: bad)
        for reader in store.readers { _ = try await reader.index() }
        let cache = MemoryIndexCache()
        for (reader, reference) in zip(store.readers, store.references) {
            cache.store(reference.id, try await reader.index().bytes)
        }
        let packs = store.references.map {
            PackReader(remote: remote, reference: $0, cache: cache)
        }
        let shipment = try #require(
            try await BlockBatchRead.plan(packs.map { .init(pack: $0, number: 0) }).first)
        #expect(try await shipment.read(0) == contents[0])
        #expect(await packFailure { _ = try await shipment.read(1) } == .io)
        #expect(try await shipment.read(2) == contents[2])
    }

    @Test("a pack that cannot be stored ends the writer, which then sends no more requests")
    func refused() async throws {
        let remote = FaultyRemote(MemoryRemote())
        remote.plan(.init(.before(.full), verb: .put, skip: 1))
        let writer = PackWriter(
            remote: remote, systemContext: countingSystemContext(), targetSize: 1)
        let failure = await packFailure {
            for seed in 1...9 { try await writer.add(encoded(noise(2000, seed: UInt64(seed)))) }
            _ = try await writer.finish()
        }
        #expect(failure == .full)
        await writer.abandon()
        let requests = remote.log.count
        await Task.yield()
        #expect(remote.log.count == requests)
    }
}

/// A block that is stored as it is.
func plainBlock(_ bytes: [UInt8]) -> EncodedBlock {
    let member = EncodedBlock.Member(
        id: ContentHasher.hash(bytes), kind: .chunk, offset: 0, length: bytes.count)
    return EncodedBlock(
        codec: .plain, plainLength: bytes.count, bytes: bytes, members: [member])
}

/// A remote that reports the start of each range that a batch asks for.
private final class ArrivalRemote: RemoteWrapper {
    private let base = ShelfRemote()
    private let counted = Mutex(0)
    private let stream = AsyncStream.makeStream(of: Int64.self)

    var wrapped: any Remote { base }
    var arrivals: AsyncStream<Int64> { stream.stream }
    var count: Int { counted.withLock { $0 } }

    func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        counted.withLock { $0 += 1 }
        for request in requests { stream.continuation.yield(request.range?.lowerBound ?? 0) }
        return try await base.read(requests)
    }
}

/// Keeps indexes in memory.
private final class MemoryIndexCache: IndexCache {
    private let kept = Mutex<[[UInt8]: [UInt8]]>([:])
    private let count = Mutex(0)

    /// How often an index was asked for.
    var loads: Int { count.withLock { $0 } }

    func load(_ id: [UInt8]) -> [UInt8]? {
        count.withLock { $0 += 1 }
        return kept.withLock { $0[id] }
    }
    func store(_ id: [UInt8], _ bytes: [UInt8]) { kept.withLock { $0[id] = bytes } }
}

/// A remote one object of which cannot be read.
private struct BadSectorRemote: Remote {
    let base: ShelfRemote
    let bad: ObjectKey
    var address: String { "bad" }

    func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        if key == bad { throw Failure(.io, path: key.description, "Bad sector.", remedy: "") }
        return try await base.get(key, range: range)
    }
    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome { .mine }
    func put(_ bytes: [UInt8], to key: ObjectKey) async throws {}
    func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] { [] }
    func delete(_ key: ObjectKey) async throws {}
    func wait(prefix: String, timeout: Duration) async throws {}
}
