import FilesinkiCompression
import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore

/// Copies the needed members of packs into new packs, and verifies those that other packs hold as well.
///
/// Memory holds two blocks, and the ids of what was copied or verified; with xz also what two encoders take, about
/// 50 MiB each.
struct UnitCopier {
    /// Whether a member is needed.
    var isNeeded: (ContentID) -> Bool
    let writer: PackWriter
    /// What new packs hold, and what was read from packs that stay.
    private(set) var safe: Set<ContentID> = []
    private var builder = BlockBuilder(compressor: ZstdCompressor(level: ContentUploader.level))
    /// Whether blocks are compressed with xz.
    private let usesXZ: Bool
    /// Blocks that are being compressed, in the order of the pack.
    private var compressing: [Task<EncodedBlock, any Error>] = []

    /// The preset of xz: with blocks of 4 MiB, higher ones take longer and save nothing.
    static let preset: UInt32 = 6
    /// So many blocks are compressed at once.
    private static let encoders = 2

    init(
        _ writer: PackWriter, usesXZ: Bool = false, isNeeded: @escaping (ContentID) -> Bool
    ) {
        self.writer = writer
        self.usesXZ = usesXZ
        self.isNeeded = isNeeded
    }

    /// Whether nothing is lost with a pack: each needed member is safe.
    func covers(_ pack: PackReader) async throws -> Bool {
        var covers = true
        try await pack.index().forEachMember { id, _ in
            if covers, isNeeded(id), !safe.contains(id) { covers = false }
        }
        pack.releaseIndex()
        return covers
    }

    /// Reads what packs that stay have of the members of packs that go, so that it need not be copied.
    mutating func verify(_ leaving: [PackReader], in staying: [PackReader]) async throws {
        var wanted: Set<ContentID> = []
        for pack in leaving {
            try await pack.index().forEachMember { id, _ in
                if isNeeded(id) { wanted.insert(id) }
            }
            pack.releaseIndex()
        }
        for pack in staying where !wanted.isEmpty { try await verify(&wanted, in: pack) }
    }

    /// - Parameter wanted: Those that are found sound are removed.
    private mutating func verify(_ wanted: inout Set<ContentID>, in pack: PackReader) async throws {
        let blocks = Self.blocks(of: try await pack.index()) { wanted.contains($0) }
        for (number, members) in blocks {
            // Another pack may have a sound copy of what is damaged here.
            _ = try await read(pack, number, members) { id, _, _ in
                safe.insert(id)
                wanted.remove(id)
            }
        }
        pack.releaseIndex()
    }

    /// Copies what a pack has of the needed members.
    ///
    /// - Returns: The failure of the first damaged member; the others are copied all the same.
    mutating func copy(_ pack: PackReader) async throws -> Failure? {
        let blocks = Self.blocks(of: try await pack.index()) { isNeeded($0) && !safe.contains($0) }
        var failure: Failure?
        for (number, members) in blocks {
            var copied: [(id: ContentID, kind: MemberKind, bytes: [UInt8])] = []
            let damage = try await read(pack, number, members) {
                copied.append(($0, $1, Array($2)))
            }
            failure = failure ?? damage
            for (id, kind, bytes) in copied where safe.insert(id).inserted {
                if !builder.fits(bytes.count) { try await flush() }
                bytes.withUnsafeBytes { builder.add(id, kind: kind, bytes: $0) }
            }
        }
        pack.releaseIndex()
        return failure
    }

    /// Ends the last pack.
    ///
    /// - Returns: All new packs.
    mutating func finish() async throws -> [PackReference] {
        try await flush()
        while !compressing.isEmpty { try await addCompressed() }
        return try await writer.finish()
    }

    private mutating func flush() async throws {
        guard usesXZ else {
            if let block = try builder.finish() { try await writer.add(block) }
            return
        }
        guard let block = builder.takePlain() else { return }
        if compressing.count >= Self.encoders { try await addCompressed() }
        compressing.append(Task.detached { try block.compressed(xz: Self.preset) })
    }

    /// Adds the block whose compression began first.
    private mutating func addCompressed() async throws {
        try await writer.add(try await compressing.removeFirst().value)
    }

    /// Reads members of one block.
    ///
    /// - Parameter body: Receives the sound ones.
    /// - Returns: The first damage.
    private func read(
        _ pack: PackReader, _ number: Int, _ members: [(id: ContentID, member: PackMember)],
        _ body: (ContentID, MemberKind, ArraySlice<UInt8>) -> Void
    ) async throws -> Failure? {
        let block: [UInt8]
        do { block = try await pack.readBlock(number) } catch let damage as Failure
            where damage.code == .corrupt
        {
            return damage
        }
        var damage: Failure?
        for (id, member) in members {
            let bytes = block[member.range]
            if Self.isSound(id, member.kind, bytes) {
                body(id, member.kind, bytes)
            } else {
                damage = Failure(
                    .corrupt, path: pack.reference.keyText, "The pack holds damaged contents.",
                    remedy: "Run filesinki repair.")
            }
        }
        return damage
    }

    private static func isSound(
        _ id: ContentID, _ kind: MemberKind, _ bytes: ArraySlice<UInt8>
    ) -> Bool {
        switch kind {
        case .chunk: bytes.withUnsafeBytes { ContentHasher.hash($0) } == id
        case .recipe: (try? Recipe(decoding: bytes)) != nil
        }
    }

    /// Some members of a pack, by block and in the order of their places.
    private static func blocks(
        of index: PackIndex, _ isWanted: (ContentID) -> Bool
    ) -> [(Int, [(id: ContentID, member: PackMember)])] {
        var blocks: [Int: [(id: ContentID, member: PackMember)]] = [:]
        index.forEachMember { id, member in
            if isWanted(id) { blocks[member.block, default: []].append((id, member)) }
        }
        return blocks.sorted { $0.key < $1.key }.map { number, members in
            (number, members.sorted { $0.member.offset < $1.member.offset })
        }
    }
}
