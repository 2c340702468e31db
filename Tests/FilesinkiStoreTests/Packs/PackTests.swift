import FilesinkiCompression
import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Synchronization
import Testing

@Suite struct PackTests {
    static let small: [[UInt8]] = (0..<50).map { Array("file number \($0)\n".utf8) }

    @Test("stored contents are read, small and large, from one pack and from several")
    func roundTrip() async throws {
        let contents =
            Self.small + [[], noise(100_000), noise(Chunker.maximumSize), noise(900_000, seed: 2)]
        for packSize in [1 << 10, 200 << 10, 16 << 20] {
            let store = try await PackFixture(contents, blockSize: 64 << 10, packSize: packSize)
            #expect((store.references.count == 1) == (packSize == 16 << 20))
            for content in contents {
                let read = try await store.read(content)
                #expect(compare(read, content) == 0)
            }
        }
    }

    @Test("a content is streamed in pieces, in order")
    func streaming() async throws {
        let content = noise(900_000)
        let store = try await PackFixture([content])
        var pieces: [[UInt8]] = []
        try await store.locator.stream(ContentHasher.hash(content), size: 900_000) {
            pieces.append(Array($0))
        }
        #expect(pieces.map { $0.count } == chunks(of: content).map(\.count))
        #expect(compare(pieces.flatMap { $0 }, content) == 0)
    }

    @Test("equal contents are stored once, whoever adds them")
    func dedupe() async throws {
        let content = noise(10_000)
        let once = try await PackFixture([content])
        let twice = try await PackFixture(
            Array(repeating: content, count: 10), blockSize: 1 << 10)
        #expect(once.references == twice.references)
    }

    @Test("an unknown content is not found, and a wrong size is damage")
    func unknown() async throws {
        let store = try await PackFixture(Self.small)
        let absent = ContentHasher.hash([1, 2, 3])
        #expect(try await store.locator.find(absent)?.member == nil)
        #expect(await packFailure { _ = try await store.locator.read(absent, size: 3) } == .corrupt)
        let present = ContentHasher.hash(Self.small[0])
        let code = await packFailure { _ = try await store.locator.read(present, size: 3) }
        #expect(code == .corrupt)
        // The most that is read at once: 64 MiB.
        for (size, code) in [(64 << 20, Failure.Code.corrupt), ((64 << 20) + 1, .limit)] {
            let found = await packFailure {
                _ = try await store.locator.read(present, size: Int64(size))
            }
            #expect(found == code)
        }
    }

    @Test("a content is read from another pack when its copy in one is damaged", arguments: [0, 1])
    func copies(damaged: Int) async throws {
        let (small, large, only) = (noise(1000), noise(600_000, seed: 2), noise(3000, seed: 3))
        let store = try await PackFixture(separately: [small, large, only], [small, large])
        #expect(store.references.count == 2)
        let key = try ObjectKey(store.references[damaged].keyText)
        store.remote.damage(key, at: 200)
        let bytes = try #require(store.remote.objects[key])
        if let place = bytes.firstRange(of: only) { store.remote.damage(key, at: place.lowerBound) }
        let locator = store.locator
        for content in [small, large, small] {
            let id = ContentHasher.hash(content)
            let read = try await locator.read(id, size: Int64(content.count))
            #expect(compare(read, content) == 0)
        }
        // Of what has no copy the failure is that of the damaged pack.
        let id = ContentHasher.hash(only)
        let code = await packFailure { _ = try await locator.read(id, size: 3000) }
        #expect(code == (damaged == 0 ? .corrupt : nil))
        // A wrong size is no damage of the copies.
        let wrong = await packFailure {
            _ = try await locator.read(ContentHasher.hash(small), size: 7)
        }
        #expect(wrong == .corrupt)
        #expect(try await locator.read(ContentHasher.hash(small), size: 1000) == small)
    }

    @Test("the verification of a pack returns its recipes")
    func verifiedRecipes() async throws {
        let content = noise(600_000)
        let store = try await PackFixture([content])
        let result = try await store.readers[0].verify()
        let recipe = try #require(result.recipes.first)
        #expect(result.recipes.count == 1)
        #expect(recipe.id == ContentHasher.hash(content))
        #expect(recipe.recipe.size == 600_000)
        #expect(try result.bytes == 600_000 + Int64(recipe.recipe.encoded().count))
    }

    @Test("a store without packs holds no content")
    func noPacks() async throws {
        let locator = ContentLocator(packs: [])
        let id = ContentHasher.hash([1])
        #expect(try await locator.find(id)?.member == nil)
        #expect(await packFailure { _ = try await locator.read(id, size: 1) } == .corrupt)
    }

    @Test("adjacent blocks are read with one range of exactly their bytes")
    func rangedReads() async throws {
        let contents = (1...8).map { noise(5000, seed: UInt64($0)) }
        let store = try await PackFixture(contents, blockSize: 5000)
        let reader = store.readers[0]
        let index = try await reader.index()
        #expect(index.blocks.count == 8)
        let before = store.remote.reads.count
        let blocks = try await reader.readBlocks(2..<5)
        #expect(blocks == Array(contents[2..<5]))
        let stored = index.blocks[2].stored.lowerBound..<index.blocks[4].stored.upperBound
        #expect(Array(store.remote.reads[before...]) == [stored])
        #expect(await packFailure { _ = try await reader.readBlock(8) } == .corrupt)
        #expect(try await reader.readBlocks(3..<3).isEmpty)
    }

    @Test("an index is fetched once, and not at all when it is cached")
    func indexCache() async throws {
        let store = try await PackFixture(Self.small)
        let cache = ShelfCache()
        let first = PackReader(
            remote: store.remote, reference: store.references[0], cache: cache)
        _ = try await first.index()
        _ = try await first.index()
        #expect(store.remote.reads.count == 1)
        let second = PackReader(
            remote: store.remote, reference: store.references[0], cache: cache)
        #expect(try await second.index().memberCount == Self.small.count)
        #expect(store.remote.reads.count == 1)
        cache.damage()
        let third = PackReader(
            remote: store.remote, reference: store.references[0], cache: cache)
        #expect(try await third.index().memberCount == Self.small.count)
        #expect(store.remote.reads.count == 2)
    }

    @Test("an index longer than the first guess takes a second read")
    func longIndex() async throws {
        let contents = (0..<9000).map { Array("\($0)".utf8) }
        let store = try await PackFixture(contents)
        let index = try await store.readers[0].index()
        #expect(index.memberCount == 9000)
        #expect(store.remote.reads.count == 2)
        var previous: ContentID?
        index.forEachMember { id, member in
            #expect(previous.map { $0 < id } ?? true)
            #expect(index.find(id) == member)
            previous = id
        }
    }

    @Test("a pack of one small content has exactly these bytes")
    func golden() async throws {
        let store = try await PackFixture([Array("hello\n".utf8)])
        let bytes = try #require(store.remote.objects.values.first)
        #expect(store.references[0].keyText == "packs/01/01010101010101010101010101010101")
        #expect(hexadecimal(bytes.prefix(14)) == "66737061636b0d0a" + "68656c6c6f0a")
        #expect(hexadecimal(bytes.suffix(16)) == "0100000000000000" + "66737061636b0d0a")
        let index = try await store.readers[0].index()
        #expect(index.blocks.map(\.stored) == [8..<14])
        #expect(index.blocks.map(\.codec) == [.plain])
        let member = try #require(index.find(ContentHasher.hash(Array("hello\n".utf8))))
        #expect(member.kind == .chunk)
        #expect(member.block == 0)
        #expect(member.range == 0..<6)
    }
}

/// A cache in memory.
final class ShelfCache: IndexCache {
    private let kept = Mutex<[[UInt8]: [UInt8]]>([:])

    func load(_ id: [UInt8]) -> [UInt8]? { kept.withLock { $0[id] } }
    func store(_ id: [UInt8], _ bytes: [UInt8]) { kept.withLock { $0[id] = bytes } }
    func damage() { kept.withLock { $0 = $0.mapValues { $0.dropLast() + [1] } } }
}
