import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Testing

@Suite struct ChunkerTests {
    static let content = noise(2 << 20)

    @Test("chunks keep to the size limits and add up to the content")
    func sizes() {
        let found = chunks(of: Self.content)
        #expect(found.flatMap { $0 } == Self.content)
        for chunk in found.dropLast() {
            #expect(chunk.count > Chunker.minimumSize)
            #expect(chunk.count <= Chunker.maximumSize)
        }
        let average = Self.content.count / found.count
        #expect((50_000...100_000).contains(average), "\(average)")
    }

    @Test("the chunk ends are where any implementation finds them")
    func goldenEnds() {
        // The second chunk is shorter than 64 KiB, where the condition is the strict one.
        let ends = ReferenceChunker.ends(of: Self.content)
        #expect(ends.starts(with: [84_638, 115_932, 183_469, 283_223]))
        #expect(chunks(of: Self.content).map(\.endIndex).starts(with: ends))
    }

    @Test(
        "the pieces in which a content arrives do not matter", arguments: [1000, 16_384, 300_001])
    func pieces(size: Int) {
        let whole = chunks(of: Self.content).map(\.endIndex)
        #expect(chunks(of: Self.content, piece: size).map(\.endIndex) == whole)
    }

    @Test("content without features is split at the largest size")
    func zeros() {
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        for piece in [1000, 100_000, 200_000, .max] {
            let sizes = chunks(of: zeros, piece: piece).map(\.count)
            #expect(sizes == Array(repeating: Chunker.maximumSize, count: 4), "\(piece)")
        }
    }

    @Test("an inserted byte changes the chunks around it only", arguments: [0, 1 << 20, 2 << 20])
    func insertion(place: Int) {
        var changed = Self.content
        changed.insert(7, at: place)
        let before = Set(chunks(of: Self.content).map { ContentHasher.hash(Array($0)) })
        let after = Set(chunks(of: changed).map { ContentHasher.hash(Array($0)) })
        #expect(before.intersection(after).count >= before.count * 9 / 10)
    }
}

/// The format document's words, one byte after the other.
enum ReferenceChunker {
    static func ends(of bytes: [UInt8]) -> [Int] {
        let table = words()
        var ends: [Int] = []
        var hash: UInt64 = 0
        var start = 0
        for (index, byte) in bytes.enumerated() {
            let position = index - start
            if position >= 16_384 - 64 { hash = hash << 1 &+ table[Int(byte)] }
            let zeroBits = position >= 65_536 ? 14 : 18
            let isEnd = position >= 16_384 && hash.leadingZeroBitCount >= zeroBits
            guard isEnd || position + 1 == 262_144 else { continue }
            ends.append(index + 1)
            start = index + 1
            hash = 0
        }
        return ends
    }

    private static func words() -> [UInt64] {
        var state: UInt64 = 0x6669_6C65_7369_6E6B
        return (0..<256).map { _ in
            state &+= 0x9E37_79B9_7F4A_7C15
            let first = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            let second = (first ^ first >> 27) &* 0x94D0_49BB_1331_11EB
            return second ^ second >> 31
        }
    }
}
