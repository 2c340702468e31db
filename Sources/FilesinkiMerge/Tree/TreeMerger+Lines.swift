/// Texts and lists whose lines can be merged as those of a text.
extension TreeMerger {
    /// Merges a text that both sides changed by its lines.
    ///
    /// - Returns: False where they cannot be merged, or are not texts of one kind.
    mutating func writeMergedLines(_ nodes: Nodes) -> Bool {
        guard let base = nodes.base, let ours = nodes.ours, let theirs = nodes.theirs,
            [base, ours, theirs].allSatisfy({ $0.kind == .scalar && $0.type == ours.type })
        else { return false }
        let texts = MergeVersion.allCases.map { Array(bytes(nodes, $0)) + [10] }
        let input = MergeInput(base: texts[0], ours: texts[1], theirs: texts[2])
        let outcome = TextMerge().merge(input)
        if case .merged(let merged) = outcome {
            output += merged.dropLast()
        } else if let side = self.input.markedSide,
            let text = TextMerge.chosen(input, side)
        {
            output += text.dropLast()
        } else {
            return false
        }
        outline.appendComputed()
        self.input.trace?.add(place.pointer, .both, .combined)
        return true
    }

    /// Merges a list by its lines whose elements cannot be told apart: one side edited an element and the other put one
    /// beside it.
    ///
    /// - Returns: False where the lines conflict, or where the elements are not those that the sides made.
    mutating func writeListByLines(_ nodes: Nodes) -> Bool {
        var texts = MergeTrio<[UInt8]>()
        for version in MergeVersion.allCases {
            texts[version] = nodes[version].flatMap { listLines($0, version) }
        }
        guard let base = texts.base, let ours = texts.ours, let theirs = texts.theirs,
            case let input = MergeInput(base: base, ours: ours, theirs: theirs),
            case .merged(let lines) = TextMerge().merge(input),
            let check = LineMergedList(nodes, trees, lines, format),
            check.isSound(mergesElements: self.input.settings.fields.isEmpty)
        else { return false }
        output += lines
        check.tree.appendOutline(of: check.list, to: &outline)
        self.input.trace?.add(place.pointer, .both, .combined)
        return true
    }

    /// The lines of a list; nil where it does not begin and end with a line, or has only single values, whose places
    /// can mean something.
    private func listLines(_ node: SyntaxNode, _ version: MergeVersion) -> [UInt8]? {
        guard let tree = trees[version], node.kind == .list,
            node.range.lowerBound == 0 || tree.bytes[node.range.lowerBound - 1] == 10,
            tree.items(of: node).contains(where: { $0.value.kind != .scalar }),
            case let lines = tree.slice(node.range), lines.last == 10
        else { return nil }
        return Array(lines)
    }
}
