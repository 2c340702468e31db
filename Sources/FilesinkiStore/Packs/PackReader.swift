import FilesinkiCompression
import FilesinkiModel
package import FilesinkiRemote
import Synchronization

/// Keeps plain indexes of packs between runs, so that each is fetched once. What it gives back is
/// checked by its hash, so it may forget and even be damaged.
package protocol IndexCache: Sendable {
    /// The plain index of the pack with this id, if it was kept.
    func load(_ id: [UInt8]) -> [UInt8]?
    /// Keeps a plain index.
    func store(_ id: [UInt8], _ bytes: [UInt8])
}

/// Reads one pack.
package final class PackReader: Sendable {
    package let reference: PackReference
    private let remote: any Remote
    private let cache: (any IndexCache)?
    private let loaded = Mutex<PackIndex?>(nil)

    /// How much of a pack's end is fetched in the hope that it holds the whole index: 256 KiB.
    private static let tailLength: Int64 = 256 << 10

    package init(remote: any Remote, reference: PackReference, cache: (any IndexCache)? = nil) {
        self.remote = remote
        self.reference = reference
        self.cache = cache
    }

    /// The pack's index: remembered, from the cache, or fetched with one or two ranged reads.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the pack is missing or its
    ///   index is not the one that was stored; what the remote throws.
    package func index() async throws -> PackIndex {
        if let index = loaded.withLock({ $0 }) { return index }
        let index = try await findIndex()
        loaded.withLock { $0 = index }
        return index
    }

    private func findIndex() async throws -> PackIndex {
        if let kept = cache?.load(reference.id),
            let index = try? PackIndex(plain: kept, verifying: reference)
        {
            return index
        }
        let index = try PackIndex(decoding: try await fetchTail(), verifying: reference)
        cache?.store(reference.id, index.bytes)
        return index
    }

    /// The end of the pack, at least the index and the trailer.
    private func fetchTail() async throws -> [UInt8] {
        let size = reference.size
        guard size >= Int64(PackFormat.magic.count + PackTrailer.length) else {
            throw Failure.damagedPack(reference.keyText, "The pack is too short to be one.")
        }
        let tail = try await fetch(max(0, size - Self.tailLength)..<size)
        let trailer = try tail.withUnsafeBytes { try PackTrailer(endOf: $0, of: reference) }
        let needed = trailer.storedLength + PackTrailer.length
        if needed <= tail.count { return tail }
        return try await fetch(trailer.indexOffset..<(size - Int64(tail.count))) + tail
    }

    /// The plain bytes of one block.
    ///
    /// - Parameter number: From 0; one that the index names.
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the block is missing, damaged
    ///   or no block of the pack; what the remote throws.
    package func readBlock(_ number: Int) async throws -> [UInt8] {
        guard let block = try await readBlocks(number..<(number + 1)).first else {
            throw Failure.damagedPack(reference.keyText, "The pack has no block \(number).")
        }
        return block
    }

    /// The plain bytes of neighbouring blocks, with one ranged read.
    ///
    /// - Parameter numbers: From 0. The caller keeps the range so short that its blocks fit into
    ///   memory, as stored and as plain bytes.
    /// - Throws: As ``readBlock(_:)`` does.
    package func readBlocks(_ numbers: Range<Int>) async throws -> [[UInt8]] {
        let blocks = try await index().blocks
        guard let first = numbers.first, let last = numbers.last else { return [] }
        guard blocks.indices.contains(first), blocks.indices.contains(last) else {
            throw Failure.damagedPack(reference.keyText, "The pack has no block \(last).")
        }
        let start = blocks[first].stored.lowerBound
        let bytes = try await fetch(start..<blocks[last].stored.upperBound)
        return try blocks[numbers].map { block in
            let lower = Int(block.stored.lowerBound - start)
            let upper = Int(block.stored.upperBound - start)
            return try decode(block, bytes[lower..<upper])
        }
    }

    private func decode(_ block: PackIndex.Block, _ bytes: ArraySlice<UInt8>) throws -> [UInt8] {
        do {
            return try bytes.withUnsafeBytes {
                try Compression.decode($0, codec: block.codec, plainLength: block.plainLength)
            }
        } catch let failure as Failure {
            throw Failure.damagedPack(
                reference.keyText, "A block of the pack is damaged.", cause: failure)
        }
    }

    /// Exactly the bytes of `range`.
    private func fetch(_ range: Range<Int64>) async throws -> [UInt8] {
        let bytes = try await remote.get(ObjectKey(reference.keyText), range: range)
        guard let bytes, bytes.count == range.count else {
            throw Failure.missingPack(reference.keyText)
        }
        return bytes
    }
}
