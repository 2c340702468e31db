/// A format whose documents are read as a ``SyntaxTree`` and merged by ``TreeMerger``.
protocol SyntaxFormat: Sendable {
    /// What messages call it, such as `YAML`.
    var name: String { get }
    /// What the merge may do with names that occur more than once in a container.
    var repeats: RepeatedNames { get }
    /// Rules for fields that the format itself has; those of the user come first.
    var fields: [FieldRule] { get }
    /// Fields that come from the side from which another field comes that they belong to.
    ///
    /// - Parameter trees: The versions; the base is nil without a common version.
    func followers(_ trees: MergeTrio<SyntaxTree>) -> [FollowingField]

    /// Whether comments are the user's, so that one is not in the result more often than before.
    var hasComments: Bool { get }

    /// Whether a number can be in quotes, as the value of an attribute is, and not only a text.
    var hasNumbersInQuotes: Bool { get }

    /// The members that usually identify an element, most likely first.
    var identities: [[UInt8]] { get }

    /// The members that identify elements of a name where neither ``identities`` nor their neighbours do: of each element
    /// the first one that it has.
    func lateIdentities(_ name: ArraySlice<UInt8>) -> [[UInt8]]

    /// Reads a document whose lines all have an end, without a byte order mark.
    ///
    /// - Returns: nil when the bytes are not of the format, when programs could read them in more than one way,
    ///   or beyond ``SyntaxLimits``.
    func read(_ bytes: [UInt8]) -> SyntaxTree?

    /// Why ``read(_:)`` does not read the bytes: a sentence; empty if there is nothing to say.
    func reasonOfRefusal(_ bytes: [UInt8]) -> String

    /// Reads lines that are a list in which each element has lines of its own, or another block.
    ///
    /// - Returns: A document whose first item is the block; nil where the format has no blocks, or the lines are none.
    func readBlock(_ lines: [UInt8]) -> SyntaxTree?

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

    var hasComments: Bool { false }

    var hasNumbersInQuotes: Bool { false }

    func reasonOfRefusal(_ bytes: [UInt8]) -> String { "" }

    func readBlock(_ lines: [UInt8]) -> SyntaxTree? { nil }

    func followers(_ trees: MergeTrio<SyntaxTree>) -> [FollowingField] { [] }

    var identities: [[UInt8]] { JSONIdentity.names }

    func lateIdentities(_ name: ArraySlice<UInt8>) -> [[UInt8]] { [] }

    func title(of item: SyntaxItem, in tree: SyntaxTree) -> ArraySlice<UInt8> {
        tree.slice(item.name)
    }

    func aligned(_ trees: MergeTrio<SyntaxTree>) -> MergeTrio<SyntaxTree> { trees }

    func conflicts(_ trees: MergeTrio<SyntaxTree>) -> [MergeConflict] { [] }

    func uniqueNames(_ tree: SyntaxTree) -> Set<[UInt8]> { [] }

    var reasonOfUnsoundness: String { "An identifier would be in the merged document twice." }
}

/// A field that belongs to another one, which a rule of the format decided.
struct FollowingField {
    let pattern: FieldPattern
    /// The place of the field that was decided.
    let leader: [String]
    /// The side from which that one comes; nil where it says nothing, and the greater one is used.
    let side: MergeVersion?
    /// Whether it also follows where only one side changed it.
    let followsAlways: Bool
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
        guard merged.comments?.areExceeded(in: result) != true else {
            return .declined([MergeConflict("", CommentCounts.reason)])
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
            let reason = unreadable(trees, frames)
            return .failure(
                TreeConflicts(conflicts: [MergeConflict("", reason)], isUnread: true))
        }
        trees = RemovedComments.dropped(from: format.aligned(trees), format)
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
                uniqueNames: unique.dropFirst().reduce(unique.first ?? []) { $0.intersection($1) },
                comments: format.hasComments ? CommentCounts(trees) : nil))
    }

    /// Whether the bytes are a document that can be merged.
    @Sendable func reads(_ bytes: [UInt8]) -> Bool {
        var text = bytes
        _ = TextFrame(removingFrom: &text)
        return format.read(text) != nil
    }

    private func unreadable(_ trees: MergeTrio<SyntaxTree>, _ frames: Frames) -> String {
        let (side, text) =
            trees.ours == nil
            ? ("The version of this replica", frames.texts[1])
            : trees.theirs == nil
                ? ("The committed version", frames.texts[2])
                : ("The common version", frames.texts[0])
        let reason = format.reasonOfRefusal(text)
        return "\(side) is not \(format.name) that can be merged."
            + (reason.isEmpty ? "" : " " + reason)
    }
}

/// A merged document before it is read again, and what it must be.
private struct MergedTree {
    let bytes: [UInt8]
    let outline: SyntaxOutline
    let uniqueNames: Set<[UInt8]>
    /// How often the versions have comments; nil where that does not matter.
    let comments: CommentCounts?
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
        guard Set(ends.filter { $0 != .none }).count > 1,
            let merged = LineEnds.merged(base: ends[0], ours: ends[1], theirs: ends[2])
        else {
            self.texts = texts
            addsCarriageReturns = false
            return
        }
        addsCarriageReturns = merged == .both
        self.texts = texts.map { text in text.filter { $0 != 13 } }
    }

    func added(to text: [UInt8]) -> [UInt8] {
        guard addsCarriageReturns else { return frame.added(to: text) }
        return frame.added(
            to: text.reduce(into: []) { $0 += $1 == 10 ? [13, 10] : [$1] })
    }
}
