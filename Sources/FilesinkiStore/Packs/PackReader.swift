import FilesinkiCompression
import FilesinkiModel
package import FilesinkiRemote
import Synchronization

/// Caches plain indexes of packs between runs, so that each is fetched once. Readers verify what it
/// returns by its hash, so it may lose or damage entries.
package protocol IndexCache: Sendable {
    /// The cached plain index of a pack; nil if it does not exist.
    func load(_ id: [UInt8]) -> [UInt8]?
    /// Stores a plain index.
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
        /// Whether the cache was asked.
        var isLookedUp = false
    }

    /// The length of a pack's end that is fetched first; it mostly holds the whole index: 256 KiB.
    static let tailLength: Int64 = 256 << 10

    package init(remote: any Remote, reference: PackReference, cache: (any IndexCache)? = nil) {
        self.remote = remote
        self.reference = reference
        self.cache = cache
    }

    /// The index of the pack: from memory, from the cache, or fetched with one or two ranged reads.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the pack is missing or its
    ///   index is damaged; errors of the remote.
    package func index() async throws -> PackIndex {
        if let index = keptIndex { return index }
        return try keep(try await fetchTail())
    }

    /// The index from memory or from the cache; nil when it must be fetched.
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
    package func releaseIndex() {
        guard cache != nil else { return }
        state.withLock { $0 = State() }
    }

    /// The range of the pack's end, which mostly holds the whole index; nil for an object that is
    /// too short for a pack.
    var tailRange: Range<Int64>? {
        let size = reference.size
        guard size >= Int64(PackFormat.magic.count + PackTrailer.length) else { return nil }
        return max(0, size - Self.tailLength)..<size
    }

    /// Decodes the index from the pack's end and stores it in memory and in the cache.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the index is damaged, or
    ///   longer than the given end.
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
            throw Failure.damagedPack(reference.keyText, "The object is too short to be a pack.")
        }
        let tail = try await fetch(range)
        let trailer = try tail.withUnsafeBytes { try PackTrailer(endOf: $0, of: reference) }
        let needed = trailer.storedLength + PackTrailer.length
        if needed <= tail.count { return tail }
        return try await fetch(trailer.indexOffset..<range.lowerBound) + tail
    }

    /// The plain bytes of one block.
    ///
    /// - Parameter number: The number of a block of the index, from 0.
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the block is missing, damaged
    ///   or no block of the pack; what the remote throws.
    package func readBlock(_ number: Int) async throws -> [UInt8] {
        guard let block = try await readBlocks(number..<(number + 1)).first else {
            throw Failure.damagedPack(reference.keyText, "The pack has no block \(number).")
        }
        return block
    }

    /// Reads the plain bytes of neighbouring blocks with one ranged read.
    ///
    /// - Parameter numbers: The numbers of blocks, from 0. All of them must fit into memory,
    ///   stored and plain.
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

    /// Decodes a fetched block.
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

/// Caches the blocks that were decoded last, so that several files of one block cost one read.
final class BlockCache: Sendable {
    struct Key: Hashable {
        var pack: [UInt8]
        var block: Int
    }

    private struct State {
        /// The most recently used block is last.
        var blocks: [(key: Key, bytes: [UInt8])] = []
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: The maximum number of blocks.
    init(capacity: Int) { self.capacity = capacity }

    func find(_ key: Key) -> [UInt8]? {
        state.withLock { state in
            guard let place = state.blocks.lastIndex(where: { $0.key == key }) else { return nil }
            let block = state.blocks.remove(at: place)
            state.blocks.append(block)
            return block.bytes
        }
    }

    func keep(_ key: Key, _ bytes: [UInt8]) {
        state.withLock { state in
            state.blocks.removeAll { $0.key == key }
            if state.blocks.count >= capacity { state.blocks.removeFirst() }
            state.blocks.append((key, bytes))
        }
    }
}
