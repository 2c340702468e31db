import FilesinkiCompression
import FilesinkiModel
import FilesinkiStore

/// The contents, recipes and chunks in packs that a set of contents needs.
///
/// Memory grows with their number, 32 bytes and the overhead of a set each; the indexes of packs are read one at a
/// time.
struct NeededUnits {
    private(set) var ids: Set<ContentID> = []

    func contains(_ id: ContentID) -> Bool { ids.contains(id) }

    /// Adds contents, and the chunks of those that have a recipe: one request for the recipes of neighbouring blocks,
    /// and one for each index that is not in the cache.
    ///
    /// - Throws: What the remote throws, and code `corrupt` for a damaged index or recipe.
    mutating func add(
        _ contents: some Sequence<ContentID>, in packs: [PackReader]
    ) async throws {
        let fresh = Set(contents).subtracting(ids)
        guard !fresh.isEmpty else { return }
        ids.formUnion(fresh)
        for pack in packs {
            var recipes: [(id: ContentID, member: PackMember)] = []
            try await pack.index().forEachMember { id, member in
                if member.kind == .recipe, fresh.contains(id) { recipes.append((id, member)) }
            }
            pack.releaseIndex()
            var chunks: [ContentID] = []
            try await pack.readRecipes(recipes) { _, recipe in chunks += recipe.parts.map(\.id) }
            ids.formUnion(chunks)
        }
    }
}

/// What of a pack is needed.
struct PackShare {
    let pack: PackReference
    /// The number of its members that are needed, and of those that no earlier pack holds.
    var needed = 0
    var first = 0
    /// Of its bytes, those of the members in ``first``: in proportion to their part of their blocks.
    var usedBytes: Int64 = 0
    /// Of its bytes, those in blocks: without headers and the index, which are most of a very small pack.
    var blockBytes: Int64 = 0
    /// Of its bytes, those in blocks that zstd has compressed.
    var zstdBytes: Int64 = 0
    /// Whether it is rewritten only to be compressed better.
    var isRecompressed = false

    /// A pack of which more than a quarter is unused is rewritten.
    private static let unusedPart: Int64 = 4
    /// Smaller packs are joined, once there are many of them: 1 MiB.
    private static let smallSize: Int64 = 1 << 20
    /// So many small packs are many.
    private static let manySmall = 32

    var unusedBytes: Int64 { max(0, pack.size - usedBytes) }

    var isMostlyUnused: Bool { blockBytes - usedBytes > pack.size / Self.unusedPart }

    /// Whether xz might save enough: a pack of photos has hardly any block that can be compressed, and one that was
    /// compressed again has none of zstd.
    var mayRecompress: Bool {
        first > 0 && zstdBytes > pack.size / Self.unusedPart
    }

    /// The packs to be taken out of use: those without a needed member first, then those that are mostly unused, and
    /// small ones if there are many.
    static func candidates(of shares: [PackShare]) -> [PackShare] {
        let small = shares.filter { $0.pack.size < smallSize }
        let joined = small.count >= manySmall ? Set(small.map(\.pack.id)) : []
        let chosen = shares.filter {
            $0.first == 0 || $0.isMostlyUnused || joined.contains($0.pack.id)
        }
        return chosen.filter { $0.first == 0 } + chosen.filter { $0.first > 0 }
    }

    /// Measures packs, in the order of the log. A unit that several packs hold counts in the first one.
    ///
    /// - Throws: What the remote throws, and code `corrupt` for a damaged index.
    static func measure(
        _ packs: [PackReader], _ needed: NeededUnits
    ) async throws -> [PackShare] {
        var shares: [PackShare] = []
        var seen: Set<ContentID> = []
        for pack in packs {
            var share = PackShare(pack: pack.reference)
            let index = try await pack.index()
            for block in index.blocks {
                share.blockBytes += Int64(block.stored.count)
                if block.codec == .zstd { share.zstdBytes += Int64(block.stored.count) }
            }
            var used: [Int: Int64] = [:]
            index.forEachMember { id, member in
                guard needed.contains(id) else { return }
                share.needed += 1
                guard seen.insert(id).inserted else { return }
                share.first += 1
                used[member.block, default: 0] += Int64(member.length)
            }
            for (number, length) in used {
                let block = index.blocks[number]
                share.usedBytes +=
                    Int64(block.stored.count) * length / Int64(max(1, block.plainLength))
            }
            pack.releaseIndex()
            shares.append(share)
        }
        return shares
    }
}
