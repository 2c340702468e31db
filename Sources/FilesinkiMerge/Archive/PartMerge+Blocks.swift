import FilesinkiModel

/// Sequences of blocks, such as the paragraphs of a text or the pages of a presentation.
extension PartMerge {
    /// Merges blocks as the lines of a text: a block is one value. What a side removed must be gone, wherever it was.
    mutating func mergeBlocks(_ nodes: Nodes, _ rule: BlockRule) {
        var numbers = ByteNumbers(capacity: 256)
        var lists: [[Int]] = []
        for version in MergeVersion.allCases {
            guard let node = nodes[version], parts[version].isContainer(node) else {
                return decline("Both sides changed it.")
            }
            lists.append(
                rule.keys(parts[version], parts[version].elements[node].children)
                    .map { numbers.number(of: $0) })
        }
        var sequence = ElementSequence(numbers: lists, chosenSide: nil) { _ in false }
        sequence.isAnyAddition = true
        guard case .merged(let items) = sequence.merged(), Self.keepsRemovals(items, lists) else {
            return decline("Both sides changed the same part of it.")
        }
        writeTag(nodes)
        for item in items { write(item, nodes) }
        writeEnd(nodes)
        for (entry, _) in ElementSequence.removed(from: items, of: lists) {
            let isOurs = entry.ours == nil
            let side: MergeVersion? = isOurs && entry.theirs == nil ? nil : isOurs ? .ours : .theirs
            note(side, .removed, "block \((entry.base ?? 0) + 1)")
        }
    }

    private mutating func write(_ item: ElementSequence.Item, _ nodes: Nodes) {
        let children = Nodes(
            base: child(item.entry.base, nodes, .base), ours: child(item.entry.ours, nodes, .ours),
            theirs: child(item.entry.theirs, nodes, .theirs))
        writeGap(children)
        if case .taken(let side) = item.resolution {
            guard let child = children[side] else { return }
            blocks.append(Block(version: side, element: child))
            note(side, .edited, "block \((item.entry[side] ?? 0) + 1)")
            return output += parts[side].text(child)
        }
        guard let ours = children.ours, let theirs = children.theirs else { return }
        if children.base == nil || parts.base.text(children.base ?? 0) != parts.ours.text(ours) {
            blocks.append(Block(version: .ours, element: ours))
            blocks.append(Block(version: .theirs, element: theirs))
        }
        let side = Self.changed(
            children.base.map(parts.base.text), parts.ours.text(ours), parts.theirs.text(theirs))
        write(children, side ?? frame)
    }

    private func child(_ ordinal: Int?, _ nodes: Nodes, _ version: MergeVersion) -> Int? {
        guard let node = nodes[version], let ordinal else { return nil }
        return parts[version].elements[node].children[ordinal]
    }

    /// Whether each block that a side removed, or moved elsewhere, is in the result as often as that makes.
    private static func keepsRemovals(_ items: [ElementSequence.Item], _ lists: [[Int]]) -> Bool {
        func counts(_ list: [Int]) -> [Int: Int] {
            list.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        let result = counts(
            items.compactMap { item in
                item.entry.ours.map { lists[1][$0] } ?? item.entry.theirs.map { lists[2][$0] }
            })
        let (base, ours, theirs) = (counts(lists[0]), counts(lists[1]), counts(lists[2]))
        return base.allSatisfy { number, count in
            let left = [ours[number] ?? 0, theirs[number] ?? 0]
            let expected =
                left[0] < count && left[1] < count
                ? min(left[0], left[1]) : left[0] + left[1] - count
            return (result[number] ?? 0) == expected
        }
    }
}
