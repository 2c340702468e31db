/// Comments that one side removed, and that belong to something else in the other one, which only moved them: they
/// would come back as that side's. And comments that both sides added behind the same item, above another one on one side,
/// and above nothing on the other: they would be there twice.
///
/// A comment belongs to the item below it or stands alone, which what a side puts beside it can change.
struct RemovedComments {
    /// A line of a comment.
    private struct Line {
        var range: Range<Int>
        /// Whether the comment stands alone.
        var isAlone: Bool
        /// The item before it; empty if there is none.
        var previous: ByteKey
    }

    private let lines: MergeTrio<[ByteKey: [Line]]>
    private let blocks: MergeTrio<[[ByteKey]]>

    /// The versions without these comments.
    static func dropped(
        from trees: MergeTrio<SyntaxTree>, _ format: some SyntaxFormat
    ) -> MergeTrio<SyntaxTree> {
        guard trees.base != nil, let comments = RemovedComments(trees) else { return trees }
        var result = trees
        for side in [MergeVersion.ours, .theirs] {
            let ranges = comments.moved(by: side)
            guard !ranges.isEmpty, let tree = trees[side] else { continue }
            var bytes = tree.bytes
            for range in ranges.sorted(by: { $0.lowerBound > $1.lowerBound }) {
                bytes.removeSubrange(range)
            }
            if let read = format.read(bytes) { result[side] = read }
        }
        return result
    }

    /// - Returns: nil where no comment stands alone.
    private init?(_ trees: MergeTrio<SyntaxTree>) {
        var lines = MergeTrio<[ByteKey: [Line]]>()
        var blocks = MergeTrio<[[ByteKey]]>()
        for version in MergeVersion.allCases {
            guard let tree = trees[version] else { continue }
            var found: (lines: [ByteKey: [Line]], blocks: [[ByteKey]]) = ([:], [])
            Self.collect(tree.root, tree, &found)
            (lines[version], blocks[version]) = (found.lines, found.blocks)
        }
        guard blocks.map({ $0.isEmpty ? nil : $0 }) != MergeTrio() else { return nil }
        (self.lines, self.blocks) = (lines, blocks)
    }

    private static func collect(
        _ node: SyntaxNode, _ tree: SyntaxTree,
        _ found: inout (lines: [ByteKey: [Line]], blocks: [[ByteKey]])
    ) {
        var previous = ByteKey([UInt8]())
        for item in tree.items(of: node) {
            defer { previous = ByteKey(tree.slice(item.gap.upperBound..<item.end).trimmed) }
            let isAlone = item.role == .comment
            let range = isAlone ? item.value.range : item.lead
            if !range.isEmpty {
                let block = tree.wholeLines(range)
                for line in block {
                    let text = ByteKey(tree.slice(line).trimmed)
                    found.lines[text, default: []].append(
                        Line(range: line, isAlone: isAlone, previous: previous))
                }
                if isAlone, !block.isEmpty {
                    found.blocks.append(block.map { ByteKey(tree.slice($0).trimmed) })
                }
            }
            collect(item.value, tree, &found)
        }
    }

    /// The lines of a side that the other one removed, and that stand elsewhere than in the base.
    private func moved(by side: MergeVersion) -> [Range<Int>] {
        let alone = (blocks[side] ?? []).filter { block in
            block.allSatisfy { isMoved($0, toAlone: true, side) }
                || block.allSatisfy { isDoubled($0, side) }
        }
        let attached = (blocks.base ?? []).filter {
            $0.allSatisfy { isMoved($0, toAlone: false, side) }
        }
        return (alone + attached).joined().compactMap { lines[side]?[$0]?.first?.range }
    }

    /// Whether a side added a comment that stands alone, and the other one the same above an item.
    private func isDoubled(_ text: ByteKey, _ side: MergeVersion) -> Bool {
        guard lines.base?[text] == nil, let alone = lines[side]?[text], alone.count == 1,
            let attached = lines[side.other]?[text], attached.count == 1
        else { return false }
        return alone[0].isAlone && !attached[0].isAlone
            && alone[0].previous == attached[0].previous
    }

    private func isMoved(_ text: ByteKey, toAlone: Bool, _ side: MergeVersion) -> Bool {
        guard let base = lines.base?[text], base.count == 1, base[0].isAlone != toAlone,
            let moved = lines[side]?[text], moved.count == 1, moved[0].isAlone == toAlone
        else { return false }
        return lines[side.other]?[text] == nil
    }
}

extension SyntaxTree {
    /// The lines of a part that have nothing else on them, without blank ones.
    fileprivate func wholeLines(_ range: Range<Int>) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = range.lowerBound
        while start > 0, bytes[start - 1].isSpaceOrTab { start -= 1 }
        guard start == 0 || bytes[start - 1] == 10 else { return [] }
        while start < range.upperBound {
            let end = bytes.lineEnd(from: start)
            if !bytes[start..<end].isBlank { result.append(start..<end) }
            start = end
        }
        return result
    }
}
