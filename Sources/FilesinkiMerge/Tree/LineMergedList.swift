/// A list that was merged by its lines, and whether its elements are those that the sides made.
///
/// An element that one side added, edited or removed must be so in the result. One that both edited must be what the
/// merge of its three versions is.
struct LineMergedList {
    let tree: SyntaxTree
    let list: SyntaxNode
    private let format: any SyntaxFormat
    /// The elements of base, ours, theirs and the result: what they say, and their lines.
    private let elements: [[Element]]

    fileprivate struct Element {
        var says: SyntaxOutline
        var lines: ArraySlice<UInt8>
    }

    /// - Returns: nil where the lines are no list.
    init?(
        _ nodes: MergeTrio<SyntaxNode>, _ trees: MergeTrio<SyntaxTree>, _ lines: [UInt8],
        _ format: any SyntaxFormat
    ) {
        guard let tree = format.readBlock(lines),
            let list = tree.items(of: tree.root).first?.value, list.kind == .list
        else { return nil }
        (self.tree, self.list, self.format) = (tree, list, format)
        elements =
            MergeVersion.allCases.map { version in
                nodes[version].flatMap { trees[version]?.elements(of: $0) } ?? []
            } + [tree.elements(of: list)]
    }

    /// - Parameter mergesElements: Whether both sides may have edited an element.
    func isSound(mergesElements: Bool) -> Bool {
        let counts = elements.map { list in
            list.reduce(into: [:]) { $0[$1.says, default: 0] += 1 }
        }
        /// Whether the result has an element as often as it should.
        func isRight(_ element: SyntaxOutline) -> Bool {
            let count = counts.map { $0[element] ?? 0 }
            return (count[0] == count[1] || count[0] == count[2] || count[1] == count[2])
                && count[3] == (count[0] == count[1] ? count[2] : count[1])
        }
        let wrong = elements.dropFirst().map { list in list.filter { !isRight($0.says) } }
        if wrong.allSatisfy(\.isEmpty) { return true }
        // Those that both sides edited are new in each side and in the result, and in their order.
        let replaced = elements[0].filter { counts[1][$0.says] == nil && counts[2][$0.says] == nil }
        guard mergesElements, wrong.allSatisfy({ $0.count == replaced.count }),
            wrong.joined().allSatisfy({ element in
                counts.reduce(0) { $0 + ($1[element.says] ?? 0) } == 1
            })
        else { return false }
        return replaced.indices.allSatisfy { place in
            merged(replaced[place], wrong[0][place], wrong[1][place]) == wrong[2][place].says
        }
    }

    /// What the merge of one element says; nil where it is declined.
    private func merged(_ base: Element, _ ours: Element, _ theirs: Element) -> SyntaxOutline? {
        func merge(_ format: some SyntaxFormat) -> MergeOutcome {
            func document(_ element: Element) -> [UInt8] {
                // Without its dash the element is the block that it consists of, which is less deep than the list.
                var lines = Array(element.lines)
                if let dash = lines.firstIndex(where: { !$0.isSpace }) { lines[dash] = 0x20 }
                return format.readBlock(lines)?.bytes ?? []
            }
            return TreeMerge(format: format).merge(
                MergeInput(
                    base: document(base), ours: document(ours), theirs: document(theirs)))
        }
        guard case .merged(let bytes) = merge(format), let tree = format.read(bytes),
            let item = tree.items(of: tree.root).first
        else { return nil }
        return tree.outline(of: item.value)
    }
}

extension SyntaxTree {
    fileprivate func elements(of list: SyntaxNode) -> [LineMergedList.Element] {
        items(of: list).filter { $0.role == .value }.map { item in
            LineMergedList.Element(
                says: outline(of: item.value), lines: slice(item.leadEnd..<item.end))
        }
    }
}
