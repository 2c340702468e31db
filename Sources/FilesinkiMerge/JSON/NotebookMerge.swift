import FilesinkiText

/// Merges Jupyter notebooks: JSON whose cells are identified by `id`, and their sources as text.
///
/// Both sides run cells, so that both have other outputs and numbers. These are of one run, and are never mixed: a
/// cell that both sides ran has the outputs of the side that changed its source; if both or neither did, of the
/// side with the greater `execution_count`. Rules of the user for cells replace this.
/// Source: <https://nbformat.readthedocs.io/en/latest/format_description.html>, version 4.5.
struct NotebookMerge: ContentMerge {
    /// The version of the language that ran the notebook last; the later one stays, as nothing is lost with the other.
    private static let language = FieldRule(
        pattern: FieldPattern(["metadata", "language_info", "version"]), resolution: .maxVersion)

    func merge(_ input: MergeInput) -> MergeOutcome {
        var input = input
        input.settings.fields.append(Self.language)
        let documents = JSONMerge(keepsOrder: true)
        guard input.obvious == nil, let base = Notebook(input.base),
            let ours = Notebook(input.ours), let theirs = Notebook(input.theirs)
        else { return documents.merge(input) }
        let hasRules = Self.hasRules(input.settings)
        var made = Decisions()
        var conflicts: [MergeConflict] = []
        for (id, cell) in ours.cells.sorted(by: { $0.value.source < $1.value.source }) {
            guard let old = base.cells[id], let other = theirs.cells[id] else { continue }
            let sources = [(base, old), (ours, cell), (theirs, other)]
            switch Notebook.mergedSource(sources, conflictsOf: input.markedSide) {
            case nil: break
            case .merged(let source):
                made.combine(cell.source, other.source, source[...], ofCell: old.index)
            case .declined:
                if input.settings.fieldChoice != nil { break }
                let place = "/cells/\(old.index)/source"
                conflicts.append(MergeConflict(place, "Both sides changed the same lines."))
            }
            let winner = hasRules ? nil : winner(base, old, ours, cell, theirs, other)
            if let winner { made.note(resultsOf: winner, ofCell: old.index) }
            if winner == .ours {
                made.theirs += zip(other.results, cell.results).map { ($0, ours.bytes($1)) }
            } else if winner == .theirs {
                made.ours += zip(cell.results, other.results).map { ($0, theirs.bytes($1)) }
            }
        }
        guard conflicts.isEmpty else { return .declined(conflicts) }
        input.ours = ours.edited(made.ours)
        input.theirs = theirs.edited(made.theirs)
        return merge(input, noting: made.steps)
    }

    /// What was decided about cells, and the edits that make both sides alike in that.
    private struct Decisions {
        var ours: [Edit] = []
        var theirs: [Edit] = []
        private(set) var steps: [MergeTrace.Step] = []

        /// Gives both sides a merged source.
        mutating func combine(
            _ our: Int, _ their: Int, _ source: ArraySlice<UInt8>, ofCell index: Int
        ) {
            steps.append(MergeTrace.Step("/cells/\(index)/source", .both, .combined))
            ours.append((our, source))
            theirs.append((their, source))
        }

        /// Notes whose outputs a cell has.
        mutating func note(resultsOf winner: MergeVersion, ofCell index: Int) {
            steps += ["outputs", "execution_count"].map {
                MergeTrace.Step("/cells/\(index)/\($0)", .init(winner), .format)
            }
        }
    }

    /// Merges documents whose cells were made alike before.
    ///
    /// - Parameter steps: What was decided about these cells.
    private func merge(_ input: MergeInput, noting steps: [MergeTrace.Step]) -> MergeOutcome {
        var document = input
        document.trace = input.trace?.ofPart()
        let outcome = JSONMerge(keepsOrder: true).merge(document)
        let places = Set(steps.map(\.place))
        input.trace?.add(steps)
        // Where these cells were all that differed, the documents are equal now.
        let rest = (document.trace?.steps ?? []).filter {
            !places.contains($0.place) && !($0.place.isEmpty && $0.reason == .alike)
        }
        input.trace?.add(rest)
        return outcome
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
        guard cell.results.count == 2, old.results.count == 2, other.results.count == 2,
            !base.same(old.results, ours, cell.results),
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

/// The cells of a notebook.
private struct Notebook {
    struct Cell {
        /// Its place in the list.
        var index: Int
        var source: Int
        /// `outputs` and `execution_count`; empty for a cell that is not code.
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
        for (index, cell) in document.children(of: list).enumerated() {
            func member(_ name: String) -> Int? {
                document.nodes[cell].kind == .object
                    ? document.member(Array(name.utf8), of: cell) : nil
            }
            guard let id = member("id"), ids.insert(document.plainText(id)).inserted else {
                return nil
            }
            guard let source = member("source") else { continue }
            let results = [member("outputs"), member("execution_count")].compactMap(\.self)
            cells[document.plainText(id)] = Cell(index: index, source: source, results: results)
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

    // MARK: Sources

    /// The source of a cell that both sides changed, merged as text; nil where one side did not, or where it is not
    /// written as a list of lines, of which the base has at least two.
    ///
    /// - Parameter side: Whose lines stand where both changed the same ones; nil to decline.
    static func mergedSource(
        _ versions: [(Notebook, Cell)], conflictsOf side: MergeVersion?
    ) -> MergeOutcome? {
        let lists = versions.map { $0.lines($1) }
        guard let old = lists[0], let our = lists[1], let their = lists[2], old.count > 1,
            our.map(\.text) != old.map(\.text), their.map(\.text) != old.map(\.text),
            our.map(\.text) != their.map(\.text)
        else { return nil }
        let texts = [old, our, their].map { $0.flatMap(\.text) }
        let input = MergeInput(base: texts[0], ours: texts[1], theirs: texts[2])
        var outcome = TextMerge().merge(input)
        if case .declined = outcome, let side, let text = TextMerge.chosen(input, side) {
            outcome = .merged(text)
        }
        guard case .merged(let text) = outcome else { return outcome }
        var spellings: [[UInt8]: ArraySlice<UInt8>] = [:]
        for line in old + our + their {
            let known = spellings[line.text]
            let isLess = known.map { line.written.lexicographicallyPrecedes($0) } ?? true
            if isLess { spellings[line.text] = line.written }
        }
        var result: [ArraySlice<UInt8>] = []
        var start = 0
        while start < text.count {
            let end = text.lineEnd(from: start)
            guard let line = spellings[Array(text[start..<end])] else { return nil }
            result.append(line)
            start = end
        }
        return .merged(versions[0].0.written(result, like: versions[0].1))
    }

    private typealias Line = (text: [UInt8], written: ArraySlice<UInt8>)

    /// The lines of a source; nil where it is no list of them.
    private func lines(_ cell: Cell) -> [Line]? {
        guard document.nodes[cell.source].kind == .array else { return nil }
        let nodes = document.children(of: cell.source)
        let lines = nodes.map { (document.plainText($0), document.text($0)) }
        // A surrogate that stands alone is replaced in the text.
        let replaced = Array("\u{FFFD}".utf8)
        let areLines = zip(nodes, lines).enumerated().allSatisfy { index, line in
            let text = line.1.0
            let end = text.firstIndex(of: 10) ?? text.count
            return document.nodes[line.0].kind == .string && !text.isEmpty
                && (index == lines.count - 1 ? end >= text.count - 1 : end == text.count - 1)
                && !text.contains(replaced)
        }
        return areLines ? lines : nil
    }

    /// A list of these elements with the white space of the source of a cell, which has at least two lines.
    private func written(_ lines: [ArraySlice<UInt8>], like cell: Cell) -> [UInt8] {
        let whole = document.nodes[cell.source].value
        let nodes = document.children(of: cell.source).map { document.nodes[$0].value }
        guard let first = nodes.first, let last = nodes.last, !lines.isEmpty else {
            return Array("[]".utf8)
        }
        let separator = document.slice(first.upperBound..<nodes[1].lowerBound)
        return document.slice(whole.lowerBound..<first.lowerBound)
            + Array(lines.joined(separator: separator))
            + document.slice(last.upperBound..<whole.upperBound)
    }
}
