package import FilesinkiCompression
import FilesinkiHashing
package import FilesinkiModel
import Glibc

/// The position of a member in a pack.
package struct PackMember: Hashable, Sendable {
    package var kind: MemberKind
    /// The number of the block, from 0.
    package var block: Int
    /// The offset in the block's plain bytes.
    package var offset: Int
    /// The length in bytes.
    package var length: Int

    /// The range in the block's plain bytes.
    package var range: Range<Int> { offset..<(offset + length) }
}

/// The verified index of a pack: its blocks and members.
///
/// | bytes | meaning |
/// |---|---|
/// | 4 | the number of blocks |
/// | 4 | the number of members |
/// | 20 for each block | the block table |
/// | 48 for each member | the member table |
///
/// A block: offset in the object (8), stored length (4), plain length (4),
/// ``FilesinkiCompression/Codec`` (1), zeros (3). A member: id (32), number of the block (4), offset
/// in the block's plain bytes (4), length (4), ``MemberKind`` (1), zeros (3).
///
/// The blocks follow each other without gaps from byte 8 of the object to its index. Members are in
/// strictly ascending order of their ids.
package struct PackIndex: Sendable {
    /// One block of a pack.
    package struct Block: Hashable, Sendable {
        /// The range in the object.
        package var stored: Range<Int64>
        /// The number of plain bytes.
        package var plainLength: Int
        package var codec: Codec
    }

    /// The blocks of the pack, in their order.
    package let blocks: [Block]
    /// The number of members.
    package let memberCount: Int

    /// The plain index. Searches read it in place.
    let bytes: [UInt8]
    private let membersStart: Int

    static let headLength = 8
    static let blockLength = 20
    static let memberLength = 48

    /// Reads the index from the end of a pack.
    ///
    /// - Parameter tail: The last bytes of the pack: at least the index and the trailer.
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when anything contradicts
    ///   `reference` or the layout; `newer-format` for a later version of the layout.
    package init(decoding tail: [UInt8], verifying reference: PackReference) throws(Failure) {
        let plain = try tail.withUnsafeBufferPointer { (tail) throws(Failure) in
            try Self.decompress(UnsafeRawBufferPointer(tail), of: reference)
        }
        try self.init(plain: plain, verifying: reference)
    }

    /// Reads a plain index, such as one from an ``IndexCache``.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when its hash differs from that
    ///   of `reference`.
    package init(plain: [UInt8], verifying reference: PackReference) throws(Failure) {
        let key = reference.keyText
        guard ContentHasher.hash(plain) == reference.indexHash else {
            throw .damagedPack(key, "The pack's index does not match its hash.")
        }
        let parsed = try plain.withUnsafeBufferPointer { (plain) throws(Failure) in
            try PackIndexChecker(
                bytes: UnsafeRawBufferPointer(plain), packSize: reference.size, key: key
            ).check()
        }
        bytes = plain
        blocks = parsed.blocks
        memberCount = parsed.memberCount
        membersStart = Self.headLength + blocks.count * Self.blockLength
    }

    private static func decompress(
        _ tail: UnsafeRawBufferPointer, of reference: PackReference
    ) throws(Failure) -> [UInt8] {
        let trailer = try PackTrailer(endOf: tail, of: reference)
        let end = tail.count - PackTrailer.length
        guard trailer.storedLength <= end else {
            throw .damagedPack(reference.keyText, "The pack's index is longer than the pack.")
        }
        let stored = UnsafeRawBufferPointer(rebasing: tail[(end - trailer.storedLength)..<end])
        do {
            return try Compression.decode(stored, codec: .zstd, plainLength: trailer.plainLength)
        } catch {
            throw .damagedPack(reference.keyText, "The pack's index is damaged.", cause: error)
        }
    }

    /// The member with this id; nil when the pack does not have it. O(log n).
    package func find(_ id: ContentID) -> PackMember? {
        id.withBytes { wanted in
            bytes.withUnsafeBytes { bytes in
                var low = 0
                var high = memberCount
                while low < high {
                    let middle = (low + high) / 2
                    let order = compare(wanted, withIDAt: middle, in: bytes)
                    if order == 0 { return member(at: middle, in: bytes) }
                    if order > 0 { low = middle + 1 } else { high = middle }
                }
                return nil
            }
        }
    }

    /// Compares the 32 bytes of `wanted` with the id of a member, as memcmp(3) does.
    private func compare(
        _ wanted: UnsafeRawBufferPointer, withIDAt index: Int, in bytes: UnsafeRawBufferPointer
    ) -> Int32 {
        guard let left = wanted.baseAddress, let right = bytes.baseAddress else { return 0 }
        return memcmp(left, right + membersStart + index * Self.memberLength, ContentID.byteCount)
    }

    /// Calls `body` with each member, in ascending order of the ids.
    package func forEachMember(_ body: (ContentID, PackMember) throws -> Void) rethrows {
        try bytes.withUnsafeBytes { bytes in
            for index in 0..<memberCount {
                try body(id(at: index, in: bytes), member(at: index, in: bytes))
            }
        }
    }

    /// The members of each block, in ascending order of the ids.
    package var membersByBlock: [Int: [(id: ContentID, place: PackMember)]] {
        var members: [Int: [(id: ContentID, place: PackMember)]] = [:]
        forEachMember { members[$1.block, default: []].append(($0, $1)) }
        return members
    }

    private func id(at index: Int, in bytes: UnsafeRawBufferPointer) -> ContentID {
        let start = membersStart + index * Self.memberLength
        let part = bytes[start..<(start + ContentID.byteCount)]
        return ContentID(UnsafeRawBufferPointer(rebasing: part)) ?? .none
    }

    private func member(at index: Int, in bytes: UnsafeRawBufferPointer) -> PackMember {
        PackIndexChecker.member(at: membersStart + index * Self.memberLength, in: bytes)
    }
}

/// Validates a plain index once, so that searches need no checks.
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

    private var damage: Failure { .damagedPack(key, "The pack's index is inconsistent.") }

    private func checkBlocks(_ count: Int) throws(Failure) -> [PackIndex.Block] {
        var blocks: [PackIndex.Block] = []
        blocks.reserveCapacity(count)
        var next = Int64(PackFormat.magic.count)
        for index in 0..<count {
            let start = PackIndex.headLength + index * PackIndex.blockLength
            let offset: UInt64 = bytes.littleEndian(at: start)
            let stored = Int(bytes.littleEndian(at: start + 8, as: UInt32.self))
            let plain = Int(bytes.littleEndian(at: start + 12, as: UInt32.self))
            // Codec and zeros are read as one integer; a value above one byte is invalid.
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

    /// Whether the id of the record at `start` is greater than that of the record before it.
    private func isAscending(at start: Int) -> Bool {
        guard let id = bytes.baseAddress.map({ $0 + start }) else { return false }
        return memcmp(id - PackIndex.memberLength, id, ContentID.byteCount) < 0
    }

    /// Decodes the record at `start`. The caller checks its kind.
    static func member(at start: Int, in bytes: UnsafeRawBufferPointer) -> PackMember {
        PackMember(
            kind: MemberKind(rawValue: bytes[start + 44]) ?? .chunk,
            block: Int(bytes.littleEndian(at: start + 32, as: UInt32.self)),
            offset: Int(bytes.littleEndian(at: start + 36, as: UInt32.self)),
            length: Int(bytes.littleEndian(at: start + 40, as: UInt32.self)))
    }
}
