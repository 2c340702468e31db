import Synchronization

/// Chooses the sizes of packs and blocks in a run, so that an interruption wastes little.
///
/// A pack that is being sent when its run is interrupted is sent again by the next run. So packs begin small
/// and grow with what the run has stored: a pack has at most 1/128 of that, but at least ``minimumPackSize``.
/// With two packs under way, an interruption wastes at most 1/64 of what the run has stored, or 2 MiB.
/// A run that stores 2 GiB or more reaches ``PackWriter/targetSize``, so that a large store has large packs.
///
/// One value belongs to one run, with all its batches.
package final class PackSizing: Sendable {
    /// The minimum stored size of a pack that is not the last one: 1 MiB.
    package static let minimumPackSize = 1 << 20
    /// Contents of up to so many plain bytes in all become one pack: 4 MiB.
    package static let singlePackLimit: Int64 = 4 << 20

    /// A pack has at most this part of the stored bytes.
    private static let part = 128
    /// The minimum plain size of a full block: 1 MiB.
    private static let minimumBlockSize = 1 << 20

    private let stored = Mutex(0)

    package init() {}

    /// The stored size from which on a pack is full, in bytes.
    package var packSize: Int {
        let wanted = stored.withLock { $0 } / Self.part
        return min(max(wanted, Self.minimumPackSize), PackWriter.targetSize)
    }

    /// Counts a pack that was stored.
    func addStored(_ bytes: Int) { stored.withLock { $0 += bytes } }

    /// The plain size from which on a block is full: such that its stored bytes fit a pack. Smaller blocks compress less
    /// well, so a content that compresses well gets larger ones.
    ///
    /// - Parameter last: The previous block; nil for the first one.
    package func blockSize(after last: EncodedBlock?) -> Int {
        guard let last, !last.bytes.isEmpty else { return Self.minimumBlockSize }
        let wanted = packSize * last.plainLength / last.bytes.count
        return min(max(wanted, Self.minimumBlockSize), BlockBuilder.targetSize)
    }

    /// Whether a pack of `size` bytes is stored before `more` bytes are added, because it would become too large.
    func closes(_ size: Int, before more: Int) -> Bool { size + more > packSize + packSize / 4 }
}
