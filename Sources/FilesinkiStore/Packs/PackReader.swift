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
    let remote: any Remote
    private let cache: (any IndexCache)?
    private let state = Mutex(State())

    private struct State {
        var index: PackIndex?
        /// Whether the cache was looked into.
        var isLookedUp = false
    }

    /// How much of a pack's end is fetched in the hope that it holds the whole index: 256 KiB.
    static let tailLength: Int64 = 256 << 10

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
        if let index = keptIndex { return index }
        return try keep(try await fetchTail())
    }

    /// The index as far as no request is needed for it: remembered, or from the cache.
    package var keptIndex: PackIndex? {
        let (index, isLookedUp) = state.withLock { ($0.index, $0.isLookedUp) }
        if let index { return index }
        guard !isLookedUp, let cache else { return nil }
        let found = cache.load(reference.id).flatMap {
            try? PackIndex(plain: $0, verifying: reference)
        }
        state.withLock { state in
            state.index = found
            state.isLookedUp = true
        }
        return found
    }

    /// Removes the index from memory when the cache has it.
    func releaseIndex() {
        guard cache != nil else { return }
        state.withLock { $0 = State() }
    }

    /// Where the pack's end is, which mostly holds the whole index; nil for a pack that is too short
    /// to be one.
    var tailRange: Range<Int64>? {
        let size = reference.size
        guard size >= Int64(PackFormat.magic.count + PackTrailer.length) else { return nil }
        return max(0, size - Self.tailLength)..<size
    }

    /// Takes over the index of the pack's end.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the end does not hold the index
    ///   that was stored, be it that the index is longer.
    @discardableResult
    func keep(_ tail: [UInt8]) throws(Failure) -> PackIndex {
        let index = try PackIndex(decoding: tail, verifying: reference)
        cache?.store(reference.id, index.bytes)
        state.withLock { $0.index = index }
        return index
    }

    /// The end of the pack, at least the index and the trailer.
    private func fetchTail() async throws -> [UInt8] {
        guard let range = tailRange else {
            throw Failure.damagedPack(reference.keyText, "The pack is too short to be one.")
        }
        let tail = try await fetch(range)
        let trailer = try tail.withUnsafeBytes { try PackTrailer(endOf: $0, of: reference) }
        let needed = trailer.storedLength + PackTrailer.length
        if needed <= tail.count { return tail }
        return try await fetch(trailer.indexOffset..<range.lowerBound) + tail
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

    /// The plain bytes of a block that was fetched.
    func decode(_ block: PackIndex.Block, _ bytes: ArraySlice<UInt8>) throws -> [UInt8] {
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
