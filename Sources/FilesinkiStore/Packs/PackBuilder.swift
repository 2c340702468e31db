import FilesinkiCompression
import FilesinkiHashing
import FilesinkiModel

/// One pack while it grows in memory.
struct PackBuilder {
    private struct Member {
        var id: ContentID
        var block: Int
        var place: EncodedBlock.Member
    }

    private var bytes = PackFormat.magic
    private var blockTable: [UInt8] = []
    private var blockCount = 0
    private var members: [Member] = []

    /// The stored size so far, without the index.
    var size: Int { bytes.count }

    var memberCount: Int { members.count }

    /// Adds a block of which only `fresh` members are to be found in this pack.
    mutating func add(_ block: EncodedBlock, members fresh: [EncodedBlock.Member]) {
        blockTable.appendLittleEndian(UInt64(bytes.count))
        blockTable.appendLittleEndian(UInt32(block.bytes.count))
        blockTable.appendLittleEndian(UInt32(block.plainLength))
        blockTable.appendLittleEndian(UInt32(block.codec.rawValue))
        bytes += block.bytes
        members += fresh.map { Member(id: $0.id, block: blockCount, place: $0) }
        blockCount += 1
    }

    /// A pack that grows no more.
    struct Sealed {
        let bytes: [UInt8]
        let reference: PackReference
        /// The plain index.
        let index: [UInt8]
    }

    /// The whole pack's bytes, and what to remember of it.
    consuming func seal(id: [UInt8]) throws(Failure) -> Sealed {
        members.sort { $0.id < $1.id }
        let index = plainIndex()
        let frame = try ZstdCompressor(level: 3).compress(index)
        let trailer = PackTrailer(
            indexOffset: Int64(bytes.count), storedLength: frame.count, plainLength: index.count,
            indexHash: ContentHasher.hash(index))
        bytes += frame
        bytes += trailer.bytes
        let reference = PackReference(
            id: id, size: Int64(bytes.count), indexHash: trailer.indexHash)
        return Sealed(bytes: bytes, reference: reference, index: index)
    }

    private func plainIndex() -> [UInt8] {
        var index: [UInt8] = []
        index.reserveCapacity(
            PackIndex.headLength + blockTable.count + members.count * PackIndex.memberLength)
        index.appendLittleEndian(UInt32(blockCount))
        index.appendLittleEndian(UInt32(members.count))
        index += blockTable
        for member in members {
            member.id.withBytes { index.append(contentsOf: $0) }
            index.appendLittleEndian(UInt32(member.block))
            index.appendLittleEndian(UInt32(member.place.offset))
            index.appendLittleEndian(UInt32(member.place.length))
            index.appendLittleEndian(UInt32(member.place.kind.rawValue))
        }
        return index
    }
}
