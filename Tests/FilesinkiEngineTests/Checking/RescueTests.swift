import FilesinkiCompression
import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// What a repair copies out of a damaged pack, here one of three blocks.
@Suite("Rescue of the contents of a damaged pack")
struct RescueTests {
    let world: World
    let a: Machine
    let pack: PackReference
    private let key: ObjectKey

    private static let blocks = [["one"], ["two", "three"], ["four"]]

    init() async throws {
        world = try World()
        a = try await world.replica("a")
        pack = try await Self.store(Self.blocks, in: world)
        key = try ObjectKey(pack.keyText)
    }

    /// A content that is long enough to be compressed.
    private static func bytes(_ text: String) -> [UInt8] {
        Array(String(repeating: text, count: 1000).utf8)
    }

    private static func id(_ text: String) -> ContentID { ContentHasher.hash(bytes(text)) }

    private static func store(_ blocks: [[String]], in world: World) async throws -> PackReference {
        let writer = PackWriter(remote: world.store, systemContext: world.clock.systemContext)
        for texts in blocks {
            var builder = BlockBuilder(compressor: ZstdCompressor(level: 1))
            for text in texts {
                Self.bytes(text).withUnsafeBytes {
                    builder.add(Self.id(text), kind: .chunk, bytes: $0)
                }
            }
            try await writer.add(try #require(try builder.finish()))
        }
        return try #require(try await writer.finish().first)
    }

    /// Damages all of a block of the pack.
    private func damageBlock(_ number: Int) async throws {
        let index = try await PackReader(remote: world.store, reference: pack).index()
        let stored = index.blocks[number].stored
        for offset in stored { world.store.objects[key]?[Int(offset)] ^= 0xFF }
    }

    private func damageIndex() throws {
        let count = try #require(world.store.objects[key]?.count)
        world.store.objects[key]?[count - 70] ^= 1
    }

    /// The device's copy of the index.
    private func copyIndex() async throws -> IndexFolder {
        let cache = IndexFolder(path: world.folder.path("indexes"))
        _ = try await PackReader(remote: world.store, reference: pack, cache: cache).index()
        return cache
    }

    /// The contents that are copied, and those that the new pack holds.
    private func rescue(
        _ cache: IndexFolder? = nil, beyond other: PackReference? = nil
    ) async throws -> (copied: [String], stored: [String]) {
        let reader = PackReader(remote: world.remote, reference: pack, cache: cache)
        let sound = ContentLocator(
            packs: other.map { [PackReader(remote: world.store, reference: $0)] } ?? [])
        let writer = PackWriter(remote: world.store, systemContext: world.clock.systemContext)
        let copied = try await a.with { replica in
            try await replica.perform(StoreRepair.self) { repair in
                var rescued = Rescued()
                try await repair.rescue(reader, beyond: sound, &rescued, writer)
                return rescued.chunks
            }
        }
        let packs = try await writer.finish().map {
            PackReader(remote: world.store, reference: $0)
        }
        let locator = ContentLocator(packs: packs)
        let texts = Self.blocks.joined()
        var stored: [String] = []
        for text in texts where try await locator.find(Self.id(text)) != nil { stored.append(text) }
        return (texts.filter { copied.contains(Self.id($0)) }, stored)
    }

    @Test("all blocks but a damaged one are copied", arguments: 0..<3)
    func block(_ number: Int) async throws {
        try await damageBlock(number)
        let found = try await rescue()
        let left = Self.blocks.enumerated().filter { $0.offset != number }.flatMap(\.element)
        #expect(found.copied == left && found.stored == left)
    }

    @Test(
        "a device with a copy of a damaged index copies all blocks but a damaged one",
        arguments: 0..<3)
    func blockAndIndex(_ number: Int) async throws {
        let cache = try await copyIndex()
        try await damageBlock(number)
        try damageIndex()
        let found = try await rescue(cache)
        let left = Self.blocks.enumerated().filter { $0.offset != number }.flatMap(\.element)
        #expect(found.copied == left && found.stored == left)
    }

    @Test("without a copy of a damaged index nothing is found, and nothing fails")
    func index() async throws {
        try damageIndex()
        let found = try await rescue()
        #expect(found.copied.isEmpty && found.stored.isEmpty)
    }

    @Test("what a sound pack holds is not copied")
    func elsewhere() async throws {
        try await damageBlock(0)
        let other = try await Self.store([["three"], ["one"]], in: world)
        let found = try await rescue(beyond: other)
        #expect(found.copied == ["two", "four"] && found.stored == ["two", "four"])
    }

    @Test("a store that cannot be reached is a failure, no damage", arguments: [true, false])
    func away(_ hasIndex: Bool) async throws {
        let cache = hasIndex ? try await copyIndex() : nil
        world.remote.plan(.init(.away(requests: 1), verb: .get, prefix: "packs/"))
        let failure = await #expect(throws: Failure.self) { try await rescue(cache) }
        #expect(failure?.code == .away)
    }
}
