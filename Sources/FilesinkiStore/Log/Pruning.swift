package import FilesinkiModel

/// What a prune has taken out of use. The commit of a prune carries it.
///
/// A commit follows all commits before it in the log, so every device that publishes later has read which packs are
/// retired: neither a lock nor a clock is needed.
package struct Pruning: Hashable, Sendable {
    /// The packs that no later commit may need: the ids, 16 bytes each. Their objects may be gone.
    package var retired: [[UInt8]]
    /// The versions that were kept.
    package var kept: KeptVersions
    /// Contents that versions of earlier commits need and that are in no pack and no commit any more: a repair has
    /// given them up. One that a later commit stores again is there again.
    package var lost: [ContentID]
    /// The tombstones of commits up to this one have ended: no version of what they deleted is kept. 0 for none.
    package var ended: UInt64

    package init(
        retired: [[UInt8]], kept: KeptVersions, lost: [ContentID] = [], ended: UInt64 = 0
    ) {
        self.retired = retired
        self.kept = kept
        self.lost = lost
        self.ended = ended
    }
}

/// The versions of paths that a prune keeps, besides those of the current tree.
package struct KeptVersions: Hashable, Sendable {
    /// The trees after these commits are kept; ascending and disjoint.
    package var trees: [ClosedRange<UInt64>]
    /// So many of the last versions of each path are kept; 0 to 2^31.
    package var versions: Int

    package init(trees: [ClosedRange<UInt64>] = [], versions: Int = 0) {
        self.trees = trees
        self.versions = versions
    }

    /// Whether a tree is kept in which a version was current.
    ///
    /// - Parameters:
    ///   - first: The commit that set the version.
    ///   - end: The commit that replaced it.
    package func containsTree(from first: UInt64, before end: UInt64) -> Bool {
        // The first range that does not end before the version begins.
        var (low, high) = (0, trees.count)
        while low < high {
            let middle = (low + high) / 2
            if trees[middle].upperBound < first { low = middle + 1 } else { high = middle }
        }
        return low < trees.count && trees[low].lowerBound < end
    }

    /// The ranges as they are joined and put in order.
    package static func joined(_ ranges: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
        var joined: [ClosedRange<UInt64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound <= last.upperBound.saturatingNext {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}

extension UInt64 {
    fileprivate var saturatingNext: UInt64 { self == .max ? self : self + 1 }
}

extension StoredPrune {
    init(_ pruning: Pruning) {
        self.init()
        retired = field(pruning.retired.flatMap { $0 })
        kept = pruning.kept.trees.flatMap { [$0.lowerBound, $0.upperBound] }
        versions = UInt64(clamping: pruning.kept.versions)
        lost = field(pruning.lost.flatMap(\.bytes))
        ended = pruning.ended
    }
}

extension Pruning {
    /// - Parameter sequence: The number of the commit.
    /// - Throws: `Failure` with code `corrupt` for ids of another length, and for ranges that are not ascending or that
    ///   do not end before the commit, as the ended tombstones must.
    init(_ message: StoredPrune, before sequence: UInt64, key: String) throws(Failure) {
        let ids = array(message.retired)
        let length = PackReference.idLength
        guard ids.count.isMultiple(of: length), message.kept.count.isMultiple(of: 2),
            message.versions <= 1 << 31, message.ended < sequence,
            let trees = Self.ranges(message.kept, before: sequence),
            let lost = ContentID.list(array(message.lost))
        else { throw Envelope.damaged(key, "The commit's record of a prune is inconsistent.") }
        retired = stride(from: 0, to: ids.count, by: length).map {
            Array(ids[$0..<($0 + length)])
        }
        kept = KeptVersions(trees: trees, versions: Int(message.versions))
        self.lost = lost
        ended = message.ended
    }

    private static func ranges(
        _ numbers: [UInt64], before sequence: UInt64
    ) -> [ClosedRange<UInt64>]? {
        var ranges: [ClosedRange<UInt64>] = []
        for index in stride(from: 0, to: numbers.count, by: 2) {
            let (first, last) = (numbers[index], numbers[index + 1])
            guard first <= last, last < sequence, ranges.last.map({ $0.upperBound < first }) ?? true
            else { return nil }
            ranges.append(first...last)
        }
        return ranges
    }
}
