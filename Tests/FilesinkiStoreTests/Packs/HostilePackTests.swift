import FilesinkiCompression
import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

@Suite struct HostilePackTests {
    static let contents = [Array("one small file\n".utf8), [UInt8](repeating: 5, count: 4000)]

    /// What reading everything from these bytes in the pack's place ends with: nil when all is
    /// well.
    private func outcome(
        of damaged: [UInt8], _ reference: PackReference
    ) async throws -> Failure.Code? {
        let remote = ShelfRemote()
        try await remote.put(damaged, to: ObjectKey(reference.keyText))
        let locator = ContentLocator(packs: [PackReader(remote: remote, reference: reference)])
        return await packFailure {
            for content in Self.contents {
                let bytes = try await locator.read(
                    ContentHasher.hash(content), size: Int64(content.count))
                #expect(compare(bytes, content) == 0)
            }
        }
    }

    @Test("a pack truncated at any length is damage that names the pack")
    func truncation() async throws {
        let store = try await PackFixture(Self.contents, blockSize: 100)
        let bytes = try #require(store.remote.objects.values.first)
        for length in 0..<bytes.count {
            let code = try await outcome(of: Array(bytes[..<length]), store.references[0])
            #expect(code == .corrupt, "cut at \(length)")
        }
    }

    @Test("a pack with any bit flipped gives the right bytes or a failure")
    func flippedBits() async throws {
        let store = try await PackFixture(Self.contents, blockSize: 100)
        let bytes = try #require(store.remote.objects.values.first)
        var unnoticed = 0
        for bit in 0..<(bytes.count * 8) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            let code = try await outcome(of: damaged, store.references[0])
            if code == nil { unnoticed += 1 }
            #expect(code == nil || code == .corrupt || code == .newerFormat, "bit \(bit)")
        }
        // The first magic is not read, and some bits of a frame's header change nothing.
        #expect(unnoticed <= 8 * 8 + 8)
    }

    @Test("a missing pack is damage, and the failure names its key")
    func missing() async throws {
        let store = try await PackFixture(Self.contents)
        let reader = PackReader(remote: ShelfRemote(), reference: store.references[0])
        do {
            _ = try await reader.index()
            Issue.record("A missing pack was read.")
        } catch let failure as Failure {
            #expect(failure.code == .corrupt)
            #expect(failure.path == Array(store.references[0].keyText.utf8))
        }
    }

    /// Ways to write an index that contradicts itself or its pack: a name, and what to do to a good
    /// index of two blocks and two members.
    enum Lie: CaseIterable {
        case moreBlocks, moreMembers, gap, longBlock, hugeBlock, unknownCodec, shrunkPlain
        case emptyBlock, noBlock, beyondBlock, unknownKind, wrongOrder, sameTwice, cutShort, longer

        func apply(to index: inout [UInt8]) {
            let firstMember = 8 + 2 * 20
            switch self {
            case .moreBlocks: index[0] = 3
            case .moreMembers: index.replaceSubrange(4..<8, with: [255, 255, 255, 255])
            case .gap: index[8 + 20] += 1
            case .longBlock: index.replaceSubrange(36..<40, with: [255, 255, 0, 0])
            case .hugeBlock: index.replaceSubrange(40..<44, with: [255, 255, 255, 255])
            case .unknownCodec: index[44] = 3
            case .shrunkPlain: index[20] -= 1
            case .emptyBlock: index.replaceSubrange(16..<20, with: [0, 0, 0, 0])
            case .noBlock: index[firstMember + 32] = 2
            case .beyondBlock: index[firstMember + 37] = 255
            case .unknownKind: index[firstMember + 44] = 2
            case .wrongOrder: index[firstMember] = 255
            case .sameTwice:
                index.replaceSubrange(
                    (firstMember + 48)..<(firstMember + 80),
                    with: index[firstMember..<(firstMember + 32)])
            case .cutShort: index.removeLast()
            case .longer: index.append(0)
            }
        }
    }

    @Test(
        "an index with wrong entries is refused although its hash is right", arguments: Lie.allCases
    )
    func lies(lie: Lie) async throws {
        let store = try await PackFixture(Self.contents, blockSize: 100)
        let cache = ShelfCache()
        var reference = store.references[0]
        let reader = PackReader(remote: store.remote, reference: reference, cache: cache)
        _ = try await reader.index()
        var index = try #require(cache.load(reference.id))
        _ = try PackIndex(plain: index, verifying: reference)
        lie.apply(to: &index)
        reference.indexHash = ContentHasher.hash(index)
        let code = await packFailure { _ = try PackIndex(plain: index, verifying: reference) }
        #expect(code == .corrupt)
    }

    @Test("a recipe that names another recipe, or a chunk of another length, is damage")
    func recipes() async throws {
        let content = noise(600_000)
        let id = ContentHasher.hash(content)
        let store = try await PackFixture([content])
        let chunk = ContentHasher.hash(Array(chunks(of: content)[0]))
        let real = try #require(try await store.locator.recipe(of: id))
        #expect(real.size == 600_000)
        for parts in [
            [Recipe.Part(id: id, length: 600_000)],
            [Recipe.Part(id: chunk, length: real.parts[0].length + 1)],
            [Recipe.Part(id: chunk, length: real.parts[0].length)],
            [Recipe.Part(id: ContentHasher.hash([9]), length: 1)],
        ] {
            let liar = ContentHasher.hash([UInt8(parts[0].length & 255), 77])
            let recipe = Recipe(parts)
            let code = try await outcome(ofReading: liar, recipe: recipe, in: store)
            #expect(code == .corrupt)
        }
    }

    private func outcome(
        ofReading id: ContentID, recipe: Recipe, in store: PackFixture
    ) async throws -> Failure.Code? {
        var builder = BlockBuilder(compressor: ZstdCompressor(level: 3))
        try recipe.encoded().withUnsafeBytes { builder.add(id, kind: .recipe, bytes: $0) }
        let writer = PackWriter(remote: store.remote, systemContext: lateSystemContext())
        if let block = try builder.finish() { try await writer.add(block) }
        let more = try await writer.finish().map { PackReader(remote: store.remote, reference: $0) }
        let locator = ContentLocator(packs: store.readers + more)
        return await packFailure { _ = try await locator.read(id, size: recipe.size) }
    }

    /// Ids that differ from those of the fixture's own packs.
    private func lateSystemContext() -> SystemContext {
        SystemContext(
            now: { Timestamp(nanoseconds: 0) }, randomBytes: { Array(repeating: 0xEE, count: $0) },
            sleep: { _ in })
    }

    @Test("an invalid recipe is refused", arguments: ["", "02", "0100", "01" + "00"])
    func recipeBytes(digits: String) async throws {
        let start = try #require(bytes(hexadecimal: digits))
        let zeroLength = start + [UInt8](repeating: 0, count: 36)
        let code = await packFailure { _ = try Recipe(decoding: zeroLength) }
        #expect(code == (digits == "02" ? .newerFormat : .corrupt))
    }

    @Test("bombs in blocks stop at the declared length")
    func bombs() throws {
        let zeros = [UInt8](repeating: 0, count: 8 << 20)
        for codec in [Codec.zstd, .xz] {
            let bomb = try Compression.encode(zeros, codec: codec, level: 1).bytes
            #expect(throws: Failure.self) {
                try Compression.decode(bomb, codec: codec, plainLength: 4096)
            }
        }
    }
}
