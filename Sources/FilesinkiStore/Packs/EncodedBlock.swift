package import FilesinkiCompression
package import FilesinkiModel

/// Chunks and recipes that were joined and compressed as one.
package struct EncodedBlock: Sendable {
    /// What lies where among the block's plain bytes.
    package struct Member: Hashable, Sendable {
        package var id: ContentID
        package var kind: MemberKind
        /// In the plain bytes.
        package var offset: Int
        package var length: Int
    }

    package var codec: Codec
    /// How many plain bytes the block holds.
    package var plainLength: Int
    /// The block as it is stored.
    package var bytes: [UInt8]
    package var members: [Member]
}

/// Joins chunks to blocks and compresses each block as one zstd frame: many small files shrink well
/// only together. One for each worker; for one thread at a time.
package struct BlockBuilder {
    /// How many plain bytes a block holds before it is closed: 4 MiB.
    package static let targetSize = 4 << 20

    /// The most members of a block, so that an index stays small even of empty or tiny files.
    package static let maximumMemberCount = 1 << 16

    private let compressor: ZstdCompressor
    private let targetSize: Int
    private var plain: [UInt8] = []
    private var members: [EncodedBlock.Member] = []

    /// - Parameters:
    ///   - compressor: What compresses the blocks; not used elsewhere at the same time.
    ///   - targetSize: When ``fits(_:)`` begins to say no, in plain bytes; at most 8 MiB.
    package init(compressor: ZstdCompressor, targetSize: Int = Self.targetSize) {
        self.compressor = compressor
        self.targetSize = min(targetSize, PackFormat.maximumBlockLength)
    }

    /// How many plain bytes were added since the last ``finish()``.
    package var plainCount: Int { plain.count }

    /// Whether so many more bytes belong into this block; when not, ``finish()`` comes first. An
    /// empty builder takes anything.
    package func fits(_ count: Int) -> Bool {
        members.isEmpty
            || (plain.count + count <= targetSize && members.count < Self.maximumMemberCount)
    }

    /// Adds the bytes of a chunk, or of an encoded recipe.
    package mutating func add(_ id: ContentID, kind: MemberKind, bytes: UnsafeRawBufferPointer) {
        if plain.capacity < targetSize { plain.reserveCapacity(targetSize) }
        members.append(
            EncodedBlock.Member(id: id, kind: kind, offset: plain.count, length: bytes.count))
        plain.append(contentsOf: bytes)
    }

    /// Closes the block and begins the next; nil when nothing was added.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` when the compressor refuses.
    package mutating func finish() throws(Failure) -> EncodedBlock? {
        guard !members.isEmpty else { return nil }
        defer {
            plain.removeAll(keepingCapacity: plain.count <= PackFormat.maximumBlockLength)
            members.removeAll(keepingCapacity: true)
        }
        let smaller = try compressor.compress(plain)
        let isSmaller = smaller.count < plain.count
        return EncodedBlock(
            codec: isSmaller ? .zstd : .plain, plainLength: plain.count,
            bytes: isSmaller ? smaller : plain, members: members)
    }
}
