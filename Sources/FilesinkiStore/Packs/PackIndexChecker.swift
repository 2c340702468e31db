import FilesinkiCompression
import FilesinkiModel
import Glibc

/// Holds the bytes of a plain index to the layout, once, so that nothing needs to be checked when
/// it is searched.
struct PackIndexChecker {
    var bytes: UnsafeRawBufferPointer
    var packSize: Int64
    var key: String

    func check() throws(Failure) -> (blocks: [PackIndex.Block], memberCount: Int) {
        guard bytes.count >= PackIndex.headLength, bytes.count <= PackFormat.maximumIndexLength
        else { throw damage }
        let blockCount = Int(bytes.littleEndian(at: 0, as: UInt32.self))
        let memberCount = Int(bytes.littleEndian(at: 4, as: UInt32.self))
        let tables = blockCount * PackIndex.blockLength + memberCount * PackIndex.memberLength
        guard bytes.count == PackIndex.headLength + tables else { throw damage }
        let blocks = try checkBlocks(blockCount)
        try checkMembers(memberCount, blocks)
        return (blocks, memberCount)
    }

    private var damage: Failure { .damagedPack(key, "The pack's index contradicts itself.") }

    private func checkBlocks(_ count: Int) throws(Failure) -> [PackIndex.Block] {
        var blocks: [PackIndex.Block] = []
        blocks.reserveCapacity(count)
        var next = Int64(PackFormat.magic.count)
        for index in 0..<count {
            let start = PackIndex.headLength + index * PackIndex.blockLength
            let offset: UInt64 = bytes.littleEndian(at: start)
            let stored = Int(bytes.littleEndian(at: start + 8, as: UInt32.self))
            let plain = Int(bytes.littleEndian(at: start + 12, as: UInt32.self))
            // Codec and zeros are one integer: a codec beyond one byte is none.
            let word: UInt32 = bytes.littleEndian(at: start + 16)
            guard let codec = Codec(rawValue: UInt8(truncatingIfNeeded: word)), word <= 0xFF,
                offset == UInt64(next), plain <= PackFormat.maximumRecipeLength,
                stored > 0, stored <= plain, codec != .plain || stored == plain
            else { throw damage }
            let end = next + Int64(stored)
            guard end <= packSize - Int64(PackTrailer.length) else { throw damage }
            blocks.append(PackIndex.Block(stored: next..<end, plainLength: plain, codec: codec))
            next = end
        }
        return blocks
    }

    private func checkMembers(_ count: Int, _ blocks: [PackIndex.Block]) throws(Failure) {
        let first = PackIndex.headLength + blocks.count * PackIndex.blockLength
        for index in 0..<count {
            let start = first + index * PackIndex.memberLength
            guard index == 0 || isAscending(at: start),
                bytes.littleEndian(at: start + 44, as: UInt32.self)
                    <= UInt32(MemberKind.recipe.rawValue)
            else { throw damage }
            let member = Self.member(at: start, in: bytes)
            guard member.block < blocks.count else { throw damage }
            let plainLength = blocks[member.block].plainLength
            guard member.offset + member.length <= plainLength,
                member.kind == .recipe || plainLength <= PackFormat.maximumBlockLength
            else { throw damage }
        }
    }

    /// Whether the id of the record at `start` comes behind that of the record before it.
    private func isAscending(at start: Int) -> Bool {
        guard let id = bytes.baseAddress.map({ $0 + start }) else { return false }
        return memcmp(id - PackIndex.memberLength, id, ContentID.byteCount) < 0
    }

    /// The member whose record begins at `start`; its kind has been or will be checked.
    static func member(at start: Int, in bytes: UnsafeRawBufferPointer) -> PackMember {
        PackMember(
            kind: MemberKind(rawValue: bytes[start + 44]) ?? .chunk,
            block: Int(bytes.littleEndian(at: start + 32, as: UInt32.self)),
            offset: Int(bytes.littleEndian(at: start + 36, as: UInt32.self)),
            length: Int(bytes.littleEndian(at: start + 40, as: UInt32.self)))
    }
}
