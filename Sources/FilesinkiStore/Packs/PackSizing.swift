import Synchronization

/// Chooses the sizes of packs and blocks in a run, so that an interruption wastes little.
///
/// A pack that is being sent when its run is interrupted is sent again by the next run. Small packs waste less, and
/// cost every reader of the store more. So a run that goes on after an interruption begins with small packs, any other
/// one with larger ones, and in both packs grow with what the run has stored: a pack has at most 1/128 of that, or the
/// minimum. With two packs under way, an interruption wastes at most 1/64 of what the run has stored, or two packs of
/// the minimum size.
///
/// One value belongs to one run, with all its batches.
package final class PackSizing: Sendable {
    /// The minimum stored size of a pack that is not the last one: 8 MiB.
    package static let minimum = 8 << 20
    /// The same in a run that goes on after an interruption: 512 KiB.
    package static let resumedMinimum = 512 << 10

    /// A pack has at most this part of the stored bytes.
    private static let part = 128

    private struct State {
        var stored = 0
        var minimum = PackSizing.minimum
    }

    private let state = Mutex(State())

    package init() {}

    /// Makes packs small, because an earlier run was interrupted while it stored packs.
    package func resume() { state.withLock { $0.minimum = Self.resumedMinimum } }

    /// The stored size from which on a pack is full, in bytes.
    package var packSize: Int {
        let size = state.withLock { max($0.stored / Self.part, $0.minimum) }
        return min(size, PackWriter.targetSize)
    }

    /// Counts a pack that was stored.
    func addStored(_ bytes: Int) { state.withLock { $0.stored += bytes } }

    /// The plain size from which on a block is full: such that its stored bytes are no more than a pack. A content that
    /// compresses well gets larger blocks, because they compress better.
    ///
    /// - Parameter last: The previous block; nil for the first one.
    package func blockSize(after last: EncodedBlock?) -> Int {
        let packSize = packSize
        guard let last, !last.bytes.isEmpty else { return min(packSize, BlockBuilder.targetSize) }
        return min(packSize * last.plainLength / last.bytes.count, BlockBuilder.targetSize)
    }

    /// Whether a pack of `size` bytes is stored before `more` bytes are added, because it would become too large.
    func closes(_ size: Int, before more: Int) -> Bool {
        let packSize = packSize
        return size + more > packSize + packSize / 4
    }
}
