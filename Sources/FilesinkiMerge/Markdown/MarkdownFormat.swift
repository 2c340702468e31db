/// Markdown in blocks: items of lists and rows of tables by their text, definitions of links by their label, all else
/// as text.
///
/// Sources: CommonMark 0.31.2, <https://spec.commonmark.org/0.31.2/>; GitHub Flavored Markdown, tables and task lists.
struct MarkdownFormat: SyntaxFormat {
    let name = "Markdown"
    let repeats = RepeatedNames.override
    let identities = [MarkdownReader.text]
    let reasonOfUnsoundness =
        "The merged parts would make a list with wrong numbers, an uneven table or a link with two targets."

    func read(_ bytes: [UInt8]) -> SyntaxTree? {
        guard bytes.count <= SyntaxLimits.size else { return nil }
        var reader = MarkdownReader(bytes)
        return reader.document()
    }

    func uniqueNames(_ tree: SyntaxTree) -> Set<[UInt8]> { MarkdownSoundness(tree).names }

    /// Whether a text has no mistake in its structure that none of the versions has.
    static func isSound(_ bytes: [UInt8], as versions: [[UInt8]]) -> Bool {
        func names(_ bytes: [UInt8]) -> Set<[UInt8]> {
            var text = bytes
            _ = TextFrame(removingFrom: &text)
            guard let tree = MarkdownFormat().read(text) else { return [] }
            return MarkdownSoundness(tree).names
        }
        let needed = versions.map(names).reduce(names(versions[0])) { $0.intersection($1) }
        return needed.isEmpty || names(bytes).isSuperset(of: needed)
    }
}

/// What is right in the structure of a document: these names are in a result if they are in all versions.
private struct MarkdownSoundness {
    private let tree: SyntaxTree
    private(set) var names = Set(["numbers", "labels", "tables", "fences"].map { Array($0.utf8) })
    /// What the labels of links stand for.
    private var targets: [ByteKey: ByteKey] = [:]

    init(_ tree: SyntaxTree) {
        self.tree = tree
        read(tree.root)
    }

    private mutating func read(_ node: SyntaxNode) {
        if node.type == MarkdownReader.Kind.unevenTable { remove("tables") }
        if node.type == MarkdownReader.Kind.openFence { remove("fences") }
        guard node.kind != .scalar else { return }
        if node.form == .block, node.kind == .map {
            for item in tree.items(of: node) {
                let target = ByteKey(tree.slice(item.value.meaning))
                let known = targets.updateValue(target, forKey: ByteKey(tree.slice(item.key)))
                if let known, known != target { remove("labels") }
            }
        }
        if tree.items(of: node).contains(where: { $0.value.form == .step }) { readNumbers(node) }
        for item in tree.items(of: node) { read(item.value) }
    }

    /// Checks the numbers of a list: all alike, or each one greater than the one above it.
    private mutating func readNumbers(_ list: SyntaxNode) {
        let numbers = tree.items(of: list).filter { $0.value.form == .step }.compactMap { item in
            Int(
                String(
                    decoding: tree.slice(item.head).trimmed.prefix { 0x30...0x39 ~= $0 },
                    as: UTF8.self))
        }
        let steps = Set(zip(numbers, numbers.dropFirst()).map { $1 - $0 })
        if steps.count > 1 || steps.first.map({ $0 != 0 && $0 != 1 }) == true { remove("numbers") }
    }

    private mutating func remove(_ name: String) { names.remove(Array(name.utf8)) }
}

/// Merges the text of Markdown: by lines, where that leaves a conflict by blocks, items and rows, and then by sections.
///
/// A merge by lines stays as it is, unless it makes a mistake in the structure that no version has.
struct MarkdownTextMerge: ContentMerge {
    private static let blockMerge = TreeMerge(format: MarkdownFormat())

    func merge(_ input: MergeInput) -> MergeOutcome {
        let start = input.trace?.count ?? 0
        let lines = TextMerge().merge(input)
        guard input.refusalAsText == nil, input.obvious == nil, let base = input.base else {
            return lines
        }
        if case .merged(let bytes) = lines,
            MarkdownFormat.isSound(bytes, as: [base, input.ours, input.theirs])
        {
            return lines
        }
        input.trace?.discard(from: start)
        let blocks = Self.blockMerge.merge(input)
        guard case .declined = blocks, case .declined = lines else { return blocks }
        let trace = input.trace?.ofPart()
        if let bytes = Self.mergeSections(base, input, trace) {
            input.trace?.discard(from: start)
            input.trace?.add(trace) { $0 }
            return .merged(bytes)
        }
        // Conflicts are named by the lines of the file.
        return lines
    }

    private static func mergeSections(
        _ base: [UInt8], _ input: MergeInput, _ trace: MergeTrace?
    ) -> [UInt8]? {
        var sections = MarkdownSectionMerge(base: base, ours: input.ours, theirs: input.theirs)
        guard let bytes = sections?.merged(trace),
            MarkdownFormat.isSound(bytes, as: [base, input.ours, input.theirs])
        else { return nil }
        return bytes
    }
}
