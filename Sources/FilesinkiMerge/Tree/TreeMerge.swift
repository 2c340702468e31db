/// A format whose documents are read as a ``SyntaxTree`` and merged by ``TreeMerger``.
protocol SyntaxFormat: Sendable {
    /// What messages call it, such as `YAML`.
    var name: String { get }
    /// What the merge may do with names that occur more than once in a container.
    var repeats: RepeatedNames { get }
    /// Rules for fields that the format itself has; those of the user come first.
    var fields: [FieldRule] { get }
    /// The members that usually identify an element, most likely first.
    var identities: [[UInt8]] { get }

    /// Reads a document whose lines all have an end, without a byte order mark.
    ///
    /// - Returns: nil when the bytes are not of the format, when programs could read them in more than one way,
    ///   or beyond ``SyntaxLimits``.
    func read(_ bytes: [UInt8]) -> SyntaxTree?

    /// What messages and rules call an item; its name if nothing else identifies it.
    func title(of item: SyntaxItem, in tree: SyntaxTree) -> ArraySlice<UInt8>

    /// The versions as they are merged, with other names where these say nothing and differ between devices.
    func aligned(_ trees: MergeTrio<SyntaxTree>) -> MergeTrio<SyntaxTree>

    /// What both sides changed that does not go together, although each part of it could be merged.
    ///
    /// - Parameter trees: The versions; the base is nil without a common version.
    func conflicts(_ trees: MergeTrio<SyntaxTree>) -> [MergeConflict]

    /// The names whose values are unique in a document; if they are in each version, they must be in the result.
    func uniqueNames(_ tree: SyntaxTree) -> Set<[UInt8]>

    /// What messages say where one of ``uniqueNames(_:)`` is not in the result.
    var reasonOfUnsoundness: String { get }
}

extension SyntaxFormat {
    var fields: [FieldRule] { [] }

    var identities: [[UInt8]] { JSONIdentity.names }

    func title(of item: SyntaxItem, in tree: SyntaxTree) -> ArraySlice<UInt8> {
        tree.slice(item.name)
    }

    func aligned(_ trees: MergeTrio<SyntaxTree>) -> MergeTrio<SyntaxTree> { trees }

    func conflicts(_ trees: MergeTrio<SyntaxTree>) -> [MergeConflict] { [] }

    func uniqueNames(_ tree: SyntaxTree) -> Set<[UInt8]> { [] }

    var reasonOfUnsoundness: String { "An identifier would be in the merged document twice." }
}

/// What a name means that occurs more than once in a container.
enum RepeatedNames: Sendable {
    /// The name has several values, such as `fetch` in git's settings.
    case list
    /// Programs use one of them, or reject the document.
    case override
}

/// Bounds of what is read as a tree. Larger documents are merged as text.
enum SyntaxLimits {
    /// The largest document, in bytes.
    static let size = 16 << 20
    /// How deep containers may be inside each other. A merge recurses over them.
    static let depth = 100
    /// The most items of a document.
    static let items = 500_000
}

/// Merges documents of a format by what they say, and keeps every byte that nobody changed.
///
/// The result is read again, and must say what the merge decided; otherwise it is declined.
struct TreeMerge<Format: SyntaxFormat>: ContentMerge {
    let format: Format

    func merge(_ input: MergeInput) -> MergeOutcome {
        if let reason = input.refusalAsText { return .declined([MergeConflict("", reason)]) }
        if let easy = input.obvious {
            input.noteWhole()
            return .merged(easy)
        }
        let frames = Frames(input)
        return read(again: mergeTrees(frames, input), frames)
    }

    /// Merges documents of the format; nil if one of the versions is not such a document.
    @Sendable func mergeDocuments(_ input: MergeInput) -> MergeOutcome? {
        func mergeIfRead() -> MergeOutcome? {
            input.versions.allSatisfy(reads) ? merge(input) : nil
        }
        guard input.refusalAsText == nil, input.obvious == nil else { return mergeIfRead() }
        let frames = Frames(input)
        let merged = mergeTrees(frames, input)
        if case .failure(let error) = merged, error.isUnread { return mergeIfRead() }
        return read(again: merged, frames)
    }

    /// Reads what was merged, and declines what does not say what was decided.
    private func read(
        again outcome: Result<MergedTree, TreeConflicts>, _ frames: Frames
    ) -> MergeOutcome {
        let merged: MergedTree
        switch outcome {
        case .failure(let error): return .declined(error.conflicts)
        case .success(let result): merged = result
        }
        guard let result = format.read(merged.bytes),
            result.outline(of: result.root).says(merged.outline)
        else {
            return .declined([
                MergeConflict("", "The merged parts do not form a \(format.name) document.")
            ])
        }
        guard format.uniqueNames(result).isSuperset(of: merged.uniqueNames) else {
            return .declined([MergeConflict("", format.reasonOfUnsoundness)])
        }
        return .merged(frames.added(to: merged.bytes))
    }

    /// The trees are released before the result is read.
    private func mergeTrees(
        _ frames: Frames, _ input: MergeInput
    ) -> Result<MergedTree, TreeConflicts> {
        var trees = MergeTrio(
            base: input.base == nil ? nil : format.read(frames.texts[0]),
            ours: format.read(frames.texts[1]), theirs: format.read(frames.texts[2]))
        guard trees.ours != nil, trees.theirs != nil, input.base == nil || trees.base != nil else {
            let reason = Self.unreadable(trees, format.name)
            return .failure(
                TreeConflicts(conflicts: [MergeConflict("", reason)], isUnread: true))
        }
        trees = format.aligned(trees)
        let conflicts = format.conflicts(trees)
        guard conflicts.isEmpty else { return .failure(TreeConflicts(conflicts: conflicts)) }
        var merger = TreeMerger(trees, format, input)
        merger.mergeDocument()
        guard merger.conflicts.isEmpty else {
            return .failure(TreeConflicts(conflicts: merger.conflicts))
        }
        let unique = [trees.ours, trees.theirs, trees.base].compactMap {
            $0.map(format.uniqueNames)
        }
        return .success(
            MergedTree(
                bytes: merger.output, outline: merger.outline,
                uniqueNames: unique.dropFirst().reduce(unique.first ?? []) { $0.intersection($1) }))
    }

    /// Whether the bytes are a document that can be merged.
    @Sendable func reads(_ bytes: [UInt8]) -> Bool {
        var text = bytes
        _ = TextFrame(removingFrom: &text)
        return format.read(text) != nil
    }

    private static func unreadable(_ trees: MergeTrio<SyntaxTree>, _ name: String) -> String {
        let side =
            trees.ours == nil
            ? "The version of this replica"
            : trees.theirs == nil ? "The committed version" : "The common version"
        return "\(side) is not \(name) that can be merged."
    }
}

/// A merged document before it is read again, and what it must be.
private struct MergedTree {
    let bytes: [UInt8]
    let outline: SyntaxOutline
    let uniqueNames: Set<[UInt8]>
}

/// Why trees cannot be merged.
private struct TreeConflicts: Error {
    let conflicts: [MergeConflict]
    /// Whether a version is not of the format.
    var isUnread = false
}

/// The versions without byte order marks and with equal line ends, and how to put both back.
private struct Frames {
    /// Base, ours, theirs; an absent base is empty.
    private(set) var texts: [[UInt8]]
    private let frame: TextFrame
    /// Whether the result's lines end in a carriage return and a newline, although ``texts`` have none.
    private let addsCarriageReturns: Bool

    init(_ input: MergeInput) {
        var texts = [input.base ?? [], input.ours, input.theirs]
        let baseFrame = TextFrame(removingFrom: &texts[0])
        let newline = TextFrame.newline(in: texts[0]) ?? [10]
        let sides = [1, 2].map { TextFrame(removingFrom: &texts[$0], newline: newline) }
        frame = TextFrame(base: baseFrame, ours: sides[0], theirs: sides[1])
        let ends = texts.map(LineEnds.init)
        let isMixed = ends.contains { $0 == .mixed }
        guard Set(ends.filter { $0 != .none }).count > 1, !isMixed else {
            self.texts = texts
            addsCarriageReturns = false
            return
        }
        addsCarriageReturns =
            LineEnds.merged(base: ends[0], ours: ends[1], theirs: ends[2]) == .both
        self.texts = texts.map { text in text.filter { $0 != 13 } }
    }

    func added(to text: [UInt8]) -> [UInt8] {
        guard addsCarriageReturns else { return frame.added(to: text) }
        return frame.added(
            to: text.reduce(into: []) { $0 += $1 == 10 ? [13, 10] : [$1] })
    }
}

/// How the lines of a text end.
private enum LineEnds {
    case none, newline, both, mixed

    init(_ text: [UInt8]) {
        guard text.contains(13) else {
            self = text.contains(10) ? .newline : .none
            return
        }
        var (newlines, returns, pairs) = (0, 0, 0)
        var previous: UInt8 = 0
        for byte in text {
            if byte == 10 {
                newlines += 1
                if previous == 13 { pairs += 1 }
            }
            if byte == 13 { returns += 1 }
            previous = byte
        }
        if returns != pairs || pairs > 0 && pairs != newlines {
            self = .mixed
        } else {
            self = newlines == 0 ? .none : pairs == 0 ? .newline : .both
        }
    }

    /// What both sides made of them; a plain newline where both made something else.
    static func merged(base: LineEnds, ours: LineEnds, theirs: LineEnds) -> LineEnds {
        if ours == theirs || theirs == base || theirs == .none { return ours }
        return ours == base || ours == .none ? theirs : .newline
    }
}
