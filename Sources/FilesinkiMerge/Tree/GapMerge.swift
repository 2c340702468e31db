/// The white space between the items of a merged container.
///
/// Between two neighbours stays what was between them, or what one side changed it to. New neighbours get the
/// least that some version has beside one of them.
struct GapMerge {
    private let trees: MergeTrio<SyntaxTree>
    private let nodes: MergeTrio<SyntaxNode>
    /// Whether the result has a comma behind its last item.
    let hasLastComma: Bool
    /// The items of the base that both sides still have.
    private let kept: Set<Int>

    /// - Parameter items: The items of the result.
    init(
        _ trees: MergeTrio<SyntaxTree>, _ nodes: MergeTrio<SyntaxNode>,
        of items: some Sequence<MergeTrio<Int>>
    ) {
        self.trees = trees
        self.nodes = nodes
        kept = Set(items.compactMap { $0.ours == nil || $0.theirs == nil ? nil : $0.base })
        var commas = MergeTrio<Bool>()
        for version in MergeVersion.allCases {
            commas[version] = nodes[version].flatMap { trees[version]?.hasLastComma($0) }
        }
        switch (commas.ours, commas.theirs) {
        case (let ours?, let theirs?):
            hasLastComma =
                ours == theirs ? ours : commas.base.map { $0 == ours ? theirs : ours } ?? false
        case (let side?, nil), (nil, let side?): hasLastComma = side
        case (nil, nil): hasLastComma = false
        }
    }

    private func items(_ version: MergeVersion) -> SyntaxItems {
        guard let node = nodes[version], let tree = trees[version] else { return .empty }
        return tree.items(of: node)
    }

    /// The white space between two neighbours; nil stands for the beginning or the end of the container.
    func gap(after left: MergeTrio<Int>?, before right: MergeTrio<Int>?) -> ArraySlice<UInt8> {
        func between(_ version: MergeVersion) -> ArraySlice<UInt8>? {
            guard let node = nodes[version], let from = left.map({ $0[version] }) ?? -1,
                let to = right.map({ $0[version] }) ?? node.items.count, to == from + 1
            else { return nil }
            return gap(before: to, version)
        }
        switch (between(.ours), between(.theirs)) {
        case (let ours?, let theirs?):
            if ours == theirs { return ours }
            let base = between(.base)
            return base == ours ? theirs : base == theirs ? ours : Self.lesser(ours, theirs)
        case (let ours?, nil):
            return besideReplaced(.ours, left, right) ?? indented(ours, of: .ours, before: right)
        case (nil, let theirs?):
            return besideReplaced(.theirs, left, right)
                ?? indented(theirs, of: .theirs, before: right)
        case (nil, nil): return least(after: left, before: right)
        }
    }

    /// The white space that a side has between new neighbours, with the indentation that the other side gave
    /// what stands behind it.
    private func indented(
        _ space: ArraySlice<UInt8>, of side: MergeVersion, before right: MergeTrio<Int>?
    ) -> ArraySlice<UInt8> {
        func indentation(_ space: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
            space.lastIndex(of: 10).map { space[($0 + 1)...] }
        }
        let right = right ?? nodes.map(\.items.count)
        guard let base = right.base, let other = right[side.other],
            let written = indentation(space), written == indentation(gap(before: base, .base)),
            let new = indentation(gap(before: other, side.other)), new != written
        else { return space }
        return space.dropLast(written.count) + new
    }

    /// What the other side made of the white space beside an item that this side replaced, where this side left
    /// the white space as it was.
    private func besideReplaced(
        _ side: MergeVersion, _ left: MergeTrio<Int>?, _ right: MergeTrio<Int>?
    ) -> ArraySlice<UInt8>? {
        let other = side.other
        func changed(_ place: MergeTrio<Int>, replaced: MergeTrio<Int>) -> ArraySlice<UInt8>? {
            guard let old = place.base, let new = place[side], let theirs = place[other],
                let item = replaced.base, let same = replaced[other], !kept.contains(item),
                gap(before: old, .base) == gap(before: new, side), isSame(item, same, other)
            else { return nil }
            return gap(before: theirs, other)
        }
        let start = left ?? MergeTrio(base: -1, ours: -1, theirs: -1)
        if start[other] != nil, right != nil {
            let next = start.map { $0 + 1 }
            return changed(next, replaced: next)
        }
        let end = right ?? nodes.map(\.items.count)
        guard end[other] != nil, left != nil else { return nil }
        return changed(end, replaced: end.map { $0 - 1 })
    }

    /// Whether an item of the base is the same in a side.
    private func isSame(_ base: Int, _ ordinal: Int, _ version: MergeVersion) -> Bool {
        guard let old = nodes.base, let new = nodes[version], let oldTree = trees.base,
            let tree = trees[version], case let items = oldTree.items(of: old),
            items.indices.contains(base),
            case let others = tree.items(of: new), others.indices.contains(ordinal)
        else { return false }
        let (item, other) = (items[base], others[ordinal])
        return oldTree.slice(item.key) == tree.slice(other.key)
            && oldTree.sameMeaning(item.value, tree, other.value)
    }

    private func least(
        after left: MergeTrio<Int>?, before right: MergeTrio<Int>?
    ) -> ArraySlice<UInt8> {
        var before: [ArraySlice<UInt8>] = []
        var after: [ArraySlice<UInt8>] = []
        var isComment = false
        for version in [MergeVersion.ours, .theirs] {
            guard let node = nodes[version] else { continue }
            if let to = right.map({ $0[version] }) ?? node.items.count {
                before.append(gap(before: to, version))
            }
            if let from = left.map({ $0[version] }) ?? -1, from + 1 < node.items.count {
                after.append(gap(before: from + 1, version))
                if from >= 0 { isComment = items(version)[from].role == .comment }
            }
        }
        // Without what follows it, a comment that stands alone would belong to the next item.
        let found = isComment ? after : before + after
        if let left, let right, after.isEmpty, isFirstInLine(left, right) { return [0x20] }
        return found.dropFirst().reduce(found.first ?? [], Self.lesser)
    }

    /// Whether two items, each the only one of its version, come to stand on one line with a space between.
    private func isFirstInLine(_ left: MergeTrio<Int>, _ right: MergeTrio<Int>) -> Bool {
        for version in [MergeVersion.ours, .theirs] {
            guard let node = nodes[version], let tree = trees[version] else { return false }
            guard node.hasCommas, node.form != .packed, tree.slice(node.opening).last != 10 else {
                return false
            }
            if let ordinal = right[version] {
                let head = tree.slice(tree.items(of: node)[ordinal].head)
                guard ordinal == 0, head.last != UInt8(ascii: ":") else { return false }
            }
            if let ordinal = left[version],
                tree.slice(tree.items(of: node)[ordinal].tail).last == 10
            {
                return false
            }
        }
        return true
    }

    private func gap(before ordinal: Int, _ version: MergeVersion) -> ArraySlice<UInt8> {
        guard let node = nodes[version], let tree = trees[version] else { return [] }
        return tree.slice(
            ordinal < node.items.count ? tree.items(of: node)[ordinal].gap : tree.lastGap(of: node))
    }

    private static func lesser(
        _ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>
    ) -> ArraySlice<UInt8> {
        guard left.count == right.count else { return left.count < right.count ? left : right }
        return left.lexicographicallyPrecedes(right) ? left : right
    }

    /// The line end for an item that was the last of its container, on the line of the closing bracket, where
    /// the other items have lines of their own.
    func lineEnd(after entry: MergeTrio<Int>) -> [UInt8] {
        let ends = [MergeVersion.ours, .theirs].compactMap { version -> [UInt8]? in
            guard let node = nodes[version], let tree = trees[version],
                entry[version] == node.items.count - 1
            else { return nil }
            let line = tree.slice(tree.items(of: node).dropLast().last?.tail ?? node.opening)
            guard line.last == 10 else { return nil }
            return line.dropLast().last == 13 ? [13, 10] : [10]
        }
        return ends.min { $0.lexicographicallyPrecedes($1) } ?? []
    }
}
