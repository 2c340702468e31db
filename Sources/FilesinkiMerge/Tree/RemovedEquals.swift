/// Whether it is plain which of equal elements each side removed.
///
/// In `a b a b` it is a choice of the comparison which `a` a side removed: if both removed the same one, it would be gone
/// twice. An element between the two places that nobody changed, and that each version has once, tells them apart. So does
/// that no longest common subsequence of the base and the side has the element. Where a side also added an equal element,
/// it may have moved one, which the other side removed.
struct RemovedEquals {
    /// The changes of a side to equal elements.
    private struct Count {
        var added = 0
        var removed = 0

        var isMoved: Bool { added > 0 && removed > 0 }
        var isChanged: Bool { added > 0 || removed > 0 }
    }

    /// An element that is not in every version any more.
    private struct Removal {
        let place: Int
        let change: SequenceMerge.Side
        /// How many elements stand before it that tell places apart.
        let anchors: Int
    }

    private let groups: [SequenceMerge.Group]
    /// Base, ours, theirs.
    private let versions: [[Int]]
    private let counts: [[Int: Int]]

    init(_ groups: [SequenceMerge.Group], base: [Int], ours: [Int], theirs: [Int]) {
        self.groups = groups
        versions = [base, ours, theirs]
        counts = versions.map(ElementSequence.counts)
    }

    var isPlain: Bool {
        // Without equal ones in the base there is nothing to tell apart.
        guard counts[0].count < versions[0].count else { return true }
        return areApart && !isAnyMoved
    }

    private func isRepeated(_ element: Int) -> Bool { (counts[0][element] ?? 0) > 1 }

    /// Whether a side moved one of equal elements that the other side added or removed.
    private var isAnyMoved: Bool {
        var changes: [Int: [Count]] = [:]
        for group in groups where group.change != .none {
            let sides = [versions[1][group.ours], versions[2][group.theirs]]
            guard sides[0] != sides[1] else { continue }
            for (side, isChanged) in [group.change != .theirs, group.change != .ours].enumerated()
            where isChanged {
                for element in versions[0][group.base] where isRepeated(element) {
                    changes[element, default: [Count(), Count()]][side].removed += 1
                }
                for element in sides[side] where isRepeated(element) {
                    changes[element, default: [Count(), Count()]][side].added += 1
                }
            }
        }
        return changes.values.contains { sides in
            sides[0].isMoved && sides[1].isChanged || sides[1].isMoved && sides[0].isChanged
        }
    }

    /// Whether equal elements that each side removed are different ones.
    private var areApart: Bool {
        let doubtful = doubtfulRemovals
        return [(MergeVersion.ours, SequenceMerge.Side.theirs), (.theirs, .ours)]
            .allSatisfy { version, other in
                let places = doubtful.filter { $0.change != other }.map(\.place)
                return places.isEmpty || isPlain(places, of: version)
            }
    }

    /// The removals of elements of which the other side removed an equal one, where nothing stands between them that
    /// tells places apart.
    private var doubtfulRemovals: [Removal] {
        var result: [Removal] = []
        var last: [Int: Removal] = [:]
        var anchors = 0
        for group in groups {
            if group.change == .none {
                anchors += versions[0][group.base].count { element in
                    counts.allSatisfy { $0[element] == 1 }
                }
                continue
            }
            for place in group.base where areFewer(versions[0][place]) {
                let removal = Removal(place: place, change: group.change, anchors: anchors)
                let element = versions[0][place]
                if let last = last[element], last.anchors == anchors, last.change != group.change {
                    result += [last, removal]
                }
                last[element] = removal
            }
        }
        return result
    }

    /// Whether each side has fewer of equal elements than the base.
    private func areFewer(_ element: Int) -> Bool {
        isRepeated(element)
            && counts[1...].allSatisfy { ($0[element] ?? 0) < counts[0][element] ?? 0 }
    }

    /// Whether no longest common subsequence of the base and a side has one of these elements.
    private func isPlain(_ places: [Int], of version: MergeVersion) -> Bool {
        let (base, side) = (versions[0], versions[version.rawValue])
        guard let start = CommonLengths(base[...], side[...]),
            let end = CommonLengths(base.reversed()[...], side.reversed()[...])
        else { return false }
        let longest = start[base.count, side.count]
        return places.allSatisfy { place in
            side.indices.allSatisfy { other in
                side[other] != base[place]
                    || start[place, other] + 1
                        + end[base.count - place - 1, side.count - other - 1] < longest
            }
        }
    }
}

/// The lengths of the longest common subsequences of all beginnings of two sequences.
private struct CommonLengths {
    private static let mostCells = 1 << 22

    private let width: Int
    private var lengths: [UInt16]

    /// - Returns: nil for long sequences.
    init?(_ one: ArraySlice<Int>, _ other: ArraySlice<Int>) {
        width = other.count + 1
        guard (one.count + 1) * width <= Self.mostCells, min(one.count, other.count) < 1 << 16
        else { return nil }
        lengths = [UInt16](repeating: 0, count: (one.count + 1) * width)
        for (row, left) in one.enumerated() {
            for (column, right) in other.enumerated() {
                let here = (row + 1) * width + column + 1
                lengths[here] =
                    left == right
                    ? lengths[here - width - 1] + 1 : max(lengths[here - 1], lengths[here - width])
            }
        }
    }

    /// - Parameter one: How many elements of the first sequence.
    subscript(one: Int, other: Int) -> Int { Int(lengths[one * width + other]) }
}
