/// Numbers for the elements of one name in three versions: those with one number are the same element.
///
/// Elements are aligned as lines of text are: equal ones first, and between these the ones that a side edited.
struct ElementAlignment {
    /// The elements of each version as numbers, equal ones with the same number.
    private let values: [[Int]]
    /// The result, for each element of each version.
    private(set) var numbers: [[Int]]
    private var next = 0

    /// - Parameters:
    ///   - isStable: Whether the result, merged again with a side, must have the same elements.
    ///   - isRecognizable: Whether an element that both sides changed is still the same on both.
    /// - Returns: nil where both sides changed the same part of the sequence.
    init?(
        _ values: [[Int]], isStable: Bool = true, isRecognizable: (MergeTrio<Int>) -> Bool
    ) {
        self.values = values
        numbers = values.map { [Int](repeating: -1, count: $0.count) }
        let groups = SequenceMerge.groups(base: values[0], ours: values[1], theirs: values[2])
        for group in groups {
            switch group.change {
            case .none: number([group.base, group.ours, group.theirs])
            // What replaced an element is numbered as the element, so that it stays at its place.
            case .ours, .theirs: number([group.base, group.ours, group.theirs])
            case .unclear: return nil
            case .both:
                guard numberBoth(group, isRecognizable) else { return nil }
            }
        }
        let removed = RemovedEquals(
            groups, base: values[0], ours: values[1], theirs: values[2])
        guard removed.isPlain, areCountsPlain, !isStable || isStableAgain(groups) else {
            return nil
        }
    }

    /// Of each element, how often base, ours, theirs and the result have it. One that both sides changed, or one changed
    /// and the other removed, is left out: it is merged as a value, or declined.
    private var counts: [Int: [Int]] {
        let found = (0..<3).map { version in
            Dictionary(zip(numbers[version], values[version]), uniquingKeysWith: { one, _ in one })
        }
        var counts: [Int: [Int]] = [:]
        func count(_ value: Int?, _ place: Int) {
            if let value { counts[value, default: [0, 0, 0, 0]][place] += 1 }
        }
        for number in Set(numbers.joined()) {
            let (base, ours, theirs) = (found[0][number], found[1][number], found[2][number])
            if let base, ours != theirs, ours != base, theirs != base { continue }
            for (version, value) in [base, ours, theirs].enumerated() { count(value, version) }
            if base == nil || ours != nil && theirs != nil {
                count(ours == base ? theirs : ours ?? theirs, 3)
            }
        }
        return counts
    }

    /// Whether the result has each element as often as the side that changed how often it is there.
    ///
    /// Anything else is a guess: both sides added an element at different places, which may be one or two, or one
    /// removed an element and the other added an equal one.
    private var areCountsPlain: Bool {
        counts.values.allSatisfy { count in
            let (base, ours, theirs) = (count[0], count[1], count[2])
            // Each side can remove, or edit, another one of equal elements.
            if ours < base, theirs < base {
                return max(0, ours + theirs - base)...min(ours, theirs) ~= count[3]
            }
            if ours == base { return count[3] == theirs }
            return (theirs == base || theirs == ours) && count[3] == ours
        }
    }

    // MARK: Stability

    /// Whether the result, merged again with a side, has the same elements, or is declined.
    ///
    /// Of equal elements the comparison may find others in the result than those that a side removed or moved.
    private func isStableAgain(_ groups: [SequenceMerge.Group]) -> Bool {
        guard Set(values[0]).count < values[0].count else { return true }
        let expected = counts.compactMapValues { $0[3] > 0 ? $0[3] : nil }
        let results = Set([true, false].map { result(groups, $0) })
        return results.allSatisfy { result in
            values[1...].allSatisfy { side in
                let again = ElementAlignment(
                    [values[0], result, side], isStable: false, isRecognizable: { _ in true })
                guard let again else { return true }
                return again.counts.allSatisfy { $0.value[3] == expected[$0.key] ?? 0 }
            }
        }
    }

    /// The merged sequence; what both sides changed has numbers of its own.
    ///
    /// - Parameter areOursFirst: Which of the elements stand first that both sides added at one place.
    private func result(_ groups: [SequenceMerge.Group], _ areOursFirst: Bool) -> [Int] {
        let known = 1 + values.joined().reduce(0, max)
        var result: [Int] = []
        for group in groups {
            let (base, ours, theirs) = (
                values[0][group.base], values[1][group.ours], values[2][group.theirs]
            )
            switch group.change {
            case .theirs: result += theirs
            case .none, .ours, .unclear: result += ours
            case .both where ours == theirs: result += ours
            case .both where base.isEmpty:
                let (first, last) = areOursFirst ? (ours, theirs) : (theirs, ours)
                result += first + last.filter { !first.contains($0) }
            case .both where ours.isEmpty || theirs.isEmpty: break
            case .both:
                for (old, (our, their)) in zip(base, zip(ours, theirs)) {
                    let isOne = our == their || our == old || their == old
                    result.append(!isOne ? known + result.count : our == old ? their : our)
                }
            }
        }
        return result
    }

    /// Numbers the elements of each version in their order.
    private mutating func number(_ ranges: [Range<Int>]) {
        for (version, range) in ranges.enumerated() {
            for (index, place) in range.enumerated() { numbers[version][place] = next + index }
        }
        next += ranges.map(\.count).max() ?? 0
    }

    private mutating func numberBoth(
        _ group: SequenceMerge.Group, _ isRecognizable: (MergeTrio<Int>) -> Bool
    ) -> Bool {
        if values[1][group.ours] == values[2][group.theirs] {
            number([group.base, group.ours, group.theirs])
            return true
        }
        if group.base.isEmpty { return numberAdded(group) }
        // One side removed them, which is a conflict of each that the other side edited.
        let isRemoved =
            group.ours.isEmpty && group.theirs.count == group.base.count
            || group.theirs.isEmpty && group.ours.count == group.base.count
        if isRemoved {
            number([group.base, group.ours, group.theirs])
            return true
        }
        let isInPlace =
            group.ours.count == group.base.count && group.theirs.count == group.base.count
            && group.base.indices.allSatisfy { place in
                let index = place - group.base.lowerBound
                return isRecognizable(
                    MergeTrio(
                        base: place, ours: group.ours.lowerBound + index,
                        theirs: group.theirs.lowerBound + index))
            }
        if isInPlace { number([group.base, group.ours, group.theirs]) }
        return isInPlace
    }

    /// Numbers what both sides added at one place: equal ones alike.
    ///
    /// - Returns: False where nothing says that there may be several of them.
    private mutating func numberAdded(_ group: SequenceMerge.Group) -> Bool {
        guard values.contains(where: { $0.count > 1 }) else { return false }
        let parts = [values[1][group.ours], values[2][group.theirs]]
        guard parts.allSatisfy({ Set($0).count == $0.count }) else { return false }
        var ours: [Int: Int] = [:]
        for place in group.ours {
            numbers[1][place] = next
            ours[values[1][place]] = next
            next += 1
        }
        for place in group.theirs {
            if let same = ours.removeValue(forKey: values[2][place]) {
                numbers[2][place] = same
            } else {
                numbers[2][place] = next
                next += 1
            }
        }
        return true
    }
}

/// The elements of one name in a map.
extension ItemMatcher {
    /// What distinguishes elements of one name; nil where both sides changed them in ways that do not go together.
    func identity(ofChildren lists: [[SyntaxItem]]) -> Identity? {
        if let member = format.identities.first(where: { isUnique(.member($0), lists) }) {
            return isAddedApart(by: .member(member), lists) ? nil : .member(member)
        }
        // Not ``ByteNumbers``, which would keep a copy of each element.
        var numbers: [ByteKey: Int] = [:]
        numbers.reserveCapacity(lists[1].count)
        let values = zip(MergeVersion.allCases, lists).map { version, items in
            items.map { item in
                let bytes = ByteKey(trees[version]?.slice(item.value.range) ?? [])
                if let found = numbers[bytes] { return found }
                numbers[bytes] = numbers.count
                return numbers.count - 1
            }
        }
        let isOnly = lists.allSatisfy { $0.count <= 1 }
        let alignment = ElementAlignment(values) { entry in
            isRecognizable(entry.map { $0 }, lists, isOnly: isOnly)
        }
        let late = LateIdentities(self, lists)
        if let alignment, late?.isSplit(by: alignment.numbers) != true {
            return identity(alignment.numbers, lists)
        }
        return late?.numbers.map { identity($0, lists) }
    }

    /// Whether both sides added an element that has only its identity, at different places.
    ///
    /// It may be one thing, or one at each place, such as the separators of a menu.
    private func isAddedApart(by identity: Identity, _ lists: [[SyntaxItem]]) -> Bool {
        let isBare = lists[1...].allSatisfy { list in
            list.indices.contains { list[$0].value.items.count == 1 }
        }
        guard isBare, !lists[0].isEmpty else { return false }
        let known = Set(
            lists[0].compactMap { self.identity($0, identity, .base).map { ByteKey($0) } })
        /// The elements that a side added, each with the one of the base that it follows.
        func added(_ version: MergeVersion) -> [ByteKey: ByteKey?] {
            var result: [ByteKey: ByteKey?] = [:]
            var previous: ByteKey?
            for item in lists[version.rawValue] {
                guard let key = self.identity(item, identity, version).map({ ByteKey($0) }) else {
                    continue
                }
                if known.contains(key) {
                    previous = key
                } else if item.value.items.count == 1 {
                    result[key] = .some(previous)
                }
            }
            return result
        }
        let ours = added(.ours)
        return added(.theirs).contains { key, place in ours[key].map { $0 != place } ?? false }
    }

    /// What distinguishes sections of one name that nothing identifies; nil where both sides changed them in ways
    /// that do not go together.
    ///
    /// - Parameter values: What each of them says.
    func alignment(ofRepeated lists: [[SyntaxItem]], _ values: [[[UInt8]]]) -> Identity? {
        var numbers = ByteNumbers(capacity: values[0].count)
        let alignment = ElementAlignment(values.map { $0.map { numbers.number(of: $0) } }) {
            entry in
            guard let base = entry.base, let ours = entry.ours, let theirs = entry.theirs else {
                return false
            }
            let old = lists[0][base].value
            return isSimilar(old, lists[1][ours].value, .ours)
                && isSimilar(old, lists[2][theirs].value, .theirs)
        }
        return alignment.map { identity($0.numbers, lists) }
    }

    private func identity(_ numbers: [[Int]], _ lists: [[SyntaxItem]]) -> Identity {
        var result = MergeTrio<[Int: Int]>()
        for version in MergeVersion.allCases {
            let starts = lists[version.rawValue].map(\.value.range.lowerBound)
            result[version] = Dictionary(
                uniqueKeysWithValues: zip(starts, numbers[version.rawValue]))
        }
        return .alignment(result)
    }

    /// Whether an element that both sides changed is still the same on both: half of what it says is as it
    /// was. Of an element that is the only one of its name, something must be.
    private func isRecognizable(
        _ entry: MergeTrio<Int>, _ lists: [[SyntaxItem]], isOnly: Bool
    ) -> Bool {
        func leaves(_ version: MergeVersion) -> ElementLeaves? {
            guard let ordinal = entry[version], let tree = trees[version] else { return nil }
            return ElementLeaves(lists[version.rawValue][ordinal].value, tree)
        }
        guard let base = leaves(.base), let ours = leaves(.ours), let theirs = leaves(.theirs)
        else { return false }
        return [ours, theirs].allSatisfy { side in
            let kept = side.count(of: base)
            return isOnly ? base.count < 2 || kept > 0 : kept > 0 && kept * 2 >= base.count
        }
    }
}

/// The first values in an element and in all below it.
private struct ElementLeaves {
    private static let most = 1000

    private var counts: [[UInt8]: Int] = [:]
    private(set) var count = 0

    init(_ node: SyntaxNode, _ tree: SyntaxTree) {
        var nodes = [(node, [UInt8]())]
        while let (node, name) = nodes.popLast(), count < Self.most {
            let items = tree.items(of: node)
            let isParent = items.contains { $0.value.form.isElement || $0.value.form == .pair }
            for item in items where item.role == .value {
                guard count + nodes.count < Self.most else { break }
                let key = Array(tree.slice(item.key))
                if item.value.kind != .scalar {
                    nodes.append((item.value, key))
                } else if item.value.form != .content || !isParent {
                    counts[name + [0] + key + [0] + tree.slice(item.value.meaning), default: 0] += 1
                    count += 1
                }
            }
        }
    }

    /// How many of another element's values are here, too.
    func count(of other: ElementLeaves) -> Int {
        other.counts.reduce(0) { $0 + min($1.value, counts[$1.key] ?? 0) }
    }
}
