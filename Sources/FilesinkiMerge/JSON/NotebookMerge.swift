import FilesinkiText

/// Merges Jupyter notebooks: JSON whose cells are identified by `id`.
///
/// Both sides run cells, so that both have other outputs and numbers. These are of one run, and are never mixed: a
/// cell that both sides ran has the outputs of the side that changed its source; if both or neither did, of the
/// side with the greater `execution_count`. Rules of the user for cells replace this.
/// Source: <https://nbformat.readthedocs.io/en/latest/format_description.html>, version 4.5.
struct NotebookMerge: ContentMerge {
    func merge(_ input: MergeInput) -> MergeOutcome {
        guard input.obvious == nil, !Self.hasRules(input.settings), let base = Notebook(input.base),
            let ours = Notebook(input.ours), let theirs = Notebook(input.theirs)
        else { return JSONMerge().merge(input) }
        var (ourEdits, theirEdits) = ([Edit](), [Edit]())
        for (id, cell) in ours.cells {
            guard let old = base.cells[id], let other = theirs.cells[id],
                let winner = winner(base, old, ours, cell, theirs, other)
            else { continue }
            if winner == .ours {
                theirEdits += zip(other.results, cell.results).map { ($0, ours.bytes($1)) }
            } else {
                ourEdits += zip(cell.results, other.results).map { ($0, theirs.bytes($1)) }
            }
        }
        var input = input
        input.ours = ours.edited(ourEdits)
        input.theirs = theirs.edited(theirEdits)
        return JSONMerge().merge(input)
    }

    /// A value of one side, and what replaces it.
    typealias Edit = (node: Int, bytes: ArraySlice<UInt8>)

    private static func hasRules(_ settings: MergeSettings) -> Bool {
        settings.fieldChoice != nil
            || settings.fields.contains { ["cells", "*", "**"].contains($0.pattern.tokens.first) }
    }

    /// Whose outputs a cell has that both sides ran; nil where at most one did.
    private func winner(
        _ base: Notebook, _ old: Notebook.Cell, _ ours: Notebook, _ cell: Notebook.Cell,
        _ theirs: Notebook, _ other: Notebook.Cell
    ) -> MergeVersion? {
        guard !base.same(old.results, ours, cell.results),
            !base.same(old.results, theirs, other.results),
            !ours.same(cell.results, theirs, other.results)
        else { return nil }
        let isOurs = !base.same([old.source], ours, [cell.source])
        let isTheirs = !base.same([old.source], theirs, [other.source])
        if isOurs != isTheirs { return isOurs ? .ours : .theirs }
        let counts = (ours.count(cell), theirs.count(other))
        if let one = counts.0, let two = counts.1, one != two { return one > two ? .ours : .theirs }
        if (counts.0 == nil) != (counts.1 == nil) { return counts.0 == nil ? .theirs : .ours }
        let texts = (cell.results.flatMap(ours.bytes), other.results.flatMap(theirs.bytes))
        return texts.0.lexicographicallyPrecedes(texts.1) ? .ours : .theirs
    }
}

/// The code cells of a notebook.
private struct Notebook {
    struct Cell {
        var source: Int
        /// `outputs` and `execution_count`.
        var results: [Int]
    }

    private let document: JSONDocument
    private(set) var cells: [[UInt8]: Cell] = [:]

    /// - Returns: nil where the bytes are not a notebook whose cells have identities.
    init?(_ bytes: [UInt8]?) {
        guard let bytes, let document = try? JSONDocument(bytes),
            document.nodes[0].kind == .object,
            let list = document.member(Array("cells".utf8), of: 0),
            document.nodes[list].kind == .array
        else { return nil }
        self.document = document
        var ids: Set<[UInt8]> = []
        for cell in document.children(of: list) {
            func member(_ name: String) -> Int? {
                document.nodes[cell].kind == .object
                    ? document.member(Array(name.utf8), of: cell) : nil
            }
            guard let id = member("id"), ids.insert(document.plainText(id)).inserted else {
                return nil
            }
            if let source = member("source"), let outputs = member("outputs"),
                let count = member("execution_count")
            {
                cells[document.plainText(id)] = Cell(source: source, results: [outputs, count])
            }
        }
    }

    func bytes(_ node: Int) -> ArraySlice<UInt8> { document.text(node) }

    func count(_ cell: Cell) -> JSONDecimal? { cell.results.last.flatMap(document.decimal) }

    /// Whether values are equal, one by one.
    func same(_ nodes: [Int], _ other: Notebook, _ otherNodes: [Int]) -> Bool {
        zip(nodes, otherNodes).allSatisfy { document.sameValue($0, other.document, $1) }
    }

    /// The document with other values.
    func edited(_ edits: [NotebookMerge.Edit]) -> [UInt8] {
        var result: [UInt8] = []
        var start: Int32 = 0
        for (node, bytes) in edits.sorted(by: { $0.node < $1.node }) {
            let value = document.nodes[node].value
            result += document.slice(start..<value.lowerBound) + bytes
            start = value.upperBound
        }
        return result + document.slice(start..<Int32(document.bytes.count))
    }
}
