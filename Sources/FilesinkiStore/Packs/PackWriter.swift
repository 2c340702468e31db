package import FilesinkiCompression
import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote

/// Collects blocks into packs, and stores each full pack.
///
/// Packs are stored concurrently. ``add(_:)`` waits only while ``maximumUnderWay`` packs are being
/// stored, so memory is bounded by these, the pack that grows, and a block of each caller.
package actor PackWriter {
    private let remote: any Remote
    private let systemContext: SystemContext
    private let zone: String?
    private let cache: (any IndexCache)?
    private let targetSize: Int
    /// Chooses the size of each pack; nil where ``targetSize`` is the size of all.
    package nonisolated let sizing: PackSizing?
    private let willStore: @Sendable (PackReference) -> Void
    private let onStored: @Sendable (PackReference) -> Void
    private var current = PackBuilder()
    /// The ids that were added.
    private var known: Set<ContentID> = []
    private var packs: [PackReference] = []
    private var underWay: [(id: [UInt8], task: Task<Void, any Error>)] = []

    /// The maximum number of packs that are stored at once.
    private static let maximumUnderWay = 2

    /// The stored size from which on a pack is full, unless ``sizing`` says less: 16 MiB.
    package static let targetSize = 16 << 20

    /// How long ``abandon()`` lets uploads go on, so that what is nearly stored is not sent twice.
    private static let grace = Duration.milliseconds(150)

    /// The number of members from which on a pack is full.
    private static let maximumMemberCount = 500_000

    /// - Parameters:
    ///   - zone: The zone whose commits are to name the packs; nil for that of files.
    ///   - sizing: Chooses the size of each pack; nil for `targetSize`.
    ///   - cache: Receives the indexes of stored packs.
    ///   - willStore: Called with each pack before it is sent, one call at a time.
    ///   - onStored: Called with each pack after the remote has stored it, one call at a time.
    package init(
        remote: any Remote, systemContext: SystemContext, zone: String? = nil,
        targetSize: Int = PackWriter.targetSize, sizing: PackSizing? = nil,
        cache: (any IndexCache)? = nil,
        willStore: @escaping @Sendable (PackReference) -> Void = { _ in },
        onStored: @escaping @Sendable (PackReference) -> Void = { _ in }
    ) {
        self.remote = remote
        self.systemContext = systemContext
        self.zone = zone
        self.targetSize = targetSize
        self.sizing = sizing
        self.cache = cache
        self.willStore = willStore
        self.onStored = onStored
    }

    /// Adds a block, and starts to store the pack that it fills. A block without new members is
    /// skipped.
    ///
    /// - Throws: A failure of the remote, also for an earlier pack, or with code `limit`. Then
    ///   call ``abandon()``.
    package func add(_ block: EncodedBlock) async throws {
        let fresh = block.members.filter { known.insert($0.id).inserted }
        guard !fresh.isEmpty else { return }
        try await storeIf {
            $0.memberCount > 0 && sizing?.closes($0.size, before: block.bytes.count) == true
        }
        current.add(block, members: fresh)
        try await storeIf(isFull)
    }

    private func isFull(_ pack: borrowing PackBuilder) -> Bool {
        pack.size >= sizing?.packSize ?? targetSize
            || pack.memberCount >= Self.maximumMemberCount
    }

    /// Starts to store the pack that grows if it meets a condition, once fewer than ``maximumUnderWay`` are under way.
    private func storeIf(_ condition: (borrowing PackBuilder) -> Bool) async throws {
        while condition(current), underWay.count >= Self.maximumUnderWay { try await finishOne() }
        // Another caller may have stored it meanwhile.
        if condition(current) { try store() }
    }

    /// Stores the last pack. Must be called after every ``add(_:)`` has returned.
    ///
    /// - Returns: All packs of this writer, for the commit.
    /// - Throws: As ``add(_:)`` does.
    package func finish() async throws -> [PackReference] {
        if current.memberCount > 0 { try store() }
        while !underWay.isEmpty { try await finishOne() }
        return packs
    }

    /// Cancels all uploads, after a moment in which they may end. When this returns, the writer no longer uses
    /// the remote.
    package func abandon() async {
        let tasks = underWay.map(\.task)
        let cancelling = Task { [systemContext] in
            try await systemContext.sleep(Self.grace)
            for task in tasks { task.cancel() }
        }
        while let (id, task) = underWay.first {
            _ = await task.result
            underWay.removeAll { $0.id == id }
        }
        cancelling.cancel()
    }

    private func finishOne() async throws {
        guard let (id, task) = underWay.first else { return }
        try await task.value
        underWay.removeAll { $0.id == id }
    }

    private func store() throws {
        var full = PackBuilder()
        swap(&full, &current)
        let id = systemContext.randomBytes(PackReference.idLength)
        let sealed = try full.seal(id: id, zone: zone)
        let key = try ObjectKey(sealed.reference.keyText)
        packs.append(sealed.reference)
        cache?.store(id, sealed.index)
        willStore(sealed.reference)
        let task = Task { [remote, bytes = sealed.bytes] in
            try await remote.put(bytes, to: key)
            self.sizing?.addStored(bytes.count)
            self.onStored(sealed.reference)
        }
        underWay.append((id, task))
    }
}

/// A pack that is assembled in memory.
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

    /// Adds a block. Only its `fresh` members are listed in the index.
    mutating func add(_ block: EncodedBlock, members fresh: [EncodedBlock.Member]) {
        blockTable.appendLittleEndian(UInt64(bytes.count))
        blockTable.appendLittleEndian(UInt32(block.bytes.count))
        blockTable.appendLittleEndian(UInt32(block.plainLength))
        blockTable.appendLittleEndian(UInt32(block.codec.rawValue))
        bytes += block.bytes
        members += fresh.map { Member(id: $0.id, block: blockCount, place: $0) }
        blockCount += 1
    }

    /// A complete pack.
    struct Sealed {
        let bytes: [UInt8]
        let reference: PackReference
        /// The plain index.
        let index: [UInt8]
    }

    /// Completes the pack.
    consuming func seal(id: [UInt8], zone: String? = nil) throws(Failure) -> Sealed {
        members.sort { $0.id < $1.id }
        let index = plainIndex()
        let frame = try ZstdCompressor(level: 3).compress(index)
        let trailer = PackTrailer(
            indexOffset: Int64(bytes.count), storedLength: frame.count, plainLength: index.count,
            indexHash: ContentHasher.hash(index))
        bytes += frame
        bytes += trailer.bytes
        let reference = PackReference(
            id: id, size: Int64(bytes.count), indexHash: trailer.indexHash, zone: zone)
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

/// Chunks and recipes that were compressed together.
package struct EncodedBlock: Sendable {
    /// A chunk or recipe, and its position in the block's plain bytes.
    package struct Member: Hashable, Sendable {
        package var id: ContentID
        package var kind: MemberKind
        /// The offset in the plain bytes.
        package var offset: Int
        package var length: Int
    }

    package var codec: Codec
    /// How many plain bytes the block holds.
    package var plainLength: Int
    /// The stored bytes.
    package var bytes: [UInt8]
    package var members: [Member]
}

/// Joins chunks to blocks and compresses each block as one zstd frame, because small files compress
/// well only together. Use one builder per worker.
package struct BlockBuilder {
    /// The plain length of a full block: 4 MiB.
    package static let targetSize = 4 << 20

    /// The maximum number of members of a block.
    package static let maximumMemberCount = 1 << 16

    private let compressor: ZstdCompressor
    private let targetSize: Int
    private var plain: [UInt8] = []
    private var members: [EncodedBlock.Member] = []

    /// - Parameters:
    ///   - compressor: Compresses the blocks. Must not be used elsewhere at the same time.
    ///   - targetSize: The plain length of a full block, in bytes; at most 8 MiB.
    package init(compressor: ZstdCompressor, targetSize: Int = Self.targetSize) {
        self.compressor = compressor
        self.targetSize = min(targetSize, PackFormat.maximumBlockLength)
    }

    /// The number of plain bytes since the last ``finish()``.
    package var plainCount: Int { plain.count }

    /// Whether the block has room for `count` more bytes; if not, call ``finish()`` first. An empty
    /// block accepts any length.
    package func fits(_ count: Int) -> Bool {
        members.isEmpty
            || (plain.count + count <= targetSize && members.count < Self.maximumMemberCount)
    }

    /// Adds a chunk or an encoded recipe.
    package mutating func add(_ id: ContentID, kind: MemberKind, bytes: UnsafeRawBufferPointer) {
        if plain.capacity < targetSize { plain.reserveCapacity(targetSize) }
        members.append(
            EncodedBlock.Member(id: id, kind: kind, offset: plain.count, length: bytes.count))
        plain.append(contentsOf: bytes)
    }

    /// Closes the block and starts the next; nil when nothing was added.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` when there is not enough memory.
    package mutating func finish() throws(Failure) -> EncodedBlock? {
        guard !members.isEmpty else { return nil }
        defer {
            plain.removeAll(keepingCapacity: plain.count <= PackFormat.maximumBlockLength)
            members.removeAll(keepingCapacity: true)
        }
        return EncodedBlock(plain, try compressor.compress(plain), .zstd, members)
    }

    /// Closes the block as ``finish()`` does, and leaves it to the caller when and where it is compressed.
    package mutating func takePlain() -> PlainBlock? {
        guard !members.isEmpty else { return nil }
        defer {
            plain = []
            members = []
        }
        return PlainBlock(plain: plain, members: members)
    }
}

/// A block that is not compressed yet.
package struct PlainBlock: Sendable {
    let plain: [UInt8]
    let members: [EncodedBlock.Member]

    /// Compresses the block as one .xz stream. Takes about twelve times its length of memory.
    ///
    /// - Parameter preset: 0 to 9, as of `xz`.
    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` when there is not enough memory.
    package func compressed(xz preset: UInt32) throws(Failure) -> EncodedBlock {
        let smaller = try plain.withUnsafeBufferPointer { (buffer) throws(Failure) in
            try XZ.compress(UnsafeRawBufferPointer(buffer), preset: preset)
        }
        return EncodedBlock(plain, smaller, .xz, members)
    }
}

extension EncodedBlock {
    /// A block whose bytes are the smaller ones.
    fileprivate init(_ plain: [UInt8], _ encoded: [UInt8], _ codec: Codec, _ members: [Member]) {
        let isSmaller = encoded.count < plain.count
        self.init(
            codec: isSmaller ? codec : .plain, plainLength: plain.count,
            bytes: isSmaller ? encoded : plain, members: members)
    }
}
