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
        var random = SeededRandom(seed: 2)
        let contents = (0..<5).map { _ in random.bytes(3 << 20) }
        let store = try await PackFixture([], blockSize: 1)
        let writer = PackWriter(remote: store.remote, systemContext: countingSystemContext())
        for content in contents { try await writer.add(encoded(content)) }
        let pack = PackReader(
            remote: store.remote, reference: try #require(try await writer.finish().first))
        let blocks = try await pack.index().blocks.indices.map {
            BlockBatchRead.Block(pack: pack, number: $0)
        }
        let shipments = try await BlockBatchRead.plan(blocks)
        try #require(shipments.map(\.count) == [2, 2, 1])
        for (number, content) in contents.enumerated() {
            #expect(try await shipments[number / 2].read(number % 2) == content)
        }
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

/// Keeps indexes in memory.
private final class MemoryIndexCache: IndexCache {
    private let kept = Mutex<[[UInt8]: [UInt8]]>([:])

    func load(_ id: [UInt8]) -> [UInt8]? { kept.withLock { $0[id] } }
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
