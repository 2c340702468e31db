import FilesinkiModel

/// Merges tables (RFC 4180) by rows and columns.
///
/// Fields are separated by commas, semicolons, tabs or bars: by the one that makes all versions tables.
/// Rows are identified by ``CSVKey``, columns by their name in the header, or by their number without
/// a header. What no side changed stays byte for byte: quotes, line ends, a missing last newline.
///
/// * A field that one side changed is that side's. One that both changed otherwise takes a field
///   rule, or the choice of the settings, or declines. A counter (`sum`) adds both differences,
///   also when they are equal.
/// * A row or column that one side added is in the result; what it removed is not, unless the
///   other side changed something in it: that declines, and so does a row that both replaced by different ones.
/// * Rows keep the order of the side that changed it. What both put in at the same place stands in
///   the order of its keys' bytes. A file that is sorted by its key in all versions stays so.
/// * Without a key a row is identified by all its fields: an edited row is one removed and one added.
///
/// A content with a row of too many fields, an open quote or a zero byte is not a table, and is
/// declined.
package struct CSVMerge: ContentMerge {
    /// Whether a table whose rows no column identifies is merged as text, and where that leaves a conflict by its
    /// first two columns, or as additions. Else two edits of one row would be two rows.
    private let needsKey: Bool

    package init() { needsKey = false }

    init(needsKey: Bool) { self.needsKey = needsKey }

    package func merge(_ input: MergeInput) -> MergeOutcome {
        if let reason = input.refusalAsText ?? Self.refusal(input) {
            return .declined([MergeConflict("", reason)])
        }
        if let easy = input.obvious {
            input.noteWhole()
            return .merged(easy)
        }
        var contents = Versions(base: input.base ?? [], ours: input.ours, theirs: input.theirs)
        let frames = Self.removeFrames(&contents)
        guard let sheets = Versions<CSVSheet>(contents) else {
            return needsKey
                ? TextMerge().merge(input) : Self.declined("One version is not a table.")
        }
        guard !sheets.ours.columns.isEmpty, !sheets.theirs.columns.isEmpty else {
            return Self.declined("One side removed everything, the other changed something.")
        }
        guard let key = CSVKey(for: sheets, chosen: input.settings.keyColumns) else {
            return Self.declined("The chosen columns do not identify the rows.")
        }
        if needsKey, key.isWholeRow { return mergeWithoutKey(sheets, frames, input) }
        return Self.merge(sheets, key, frames, input)
    }

    /// Merges a table in which no column identifies the rows: as text, and where that leaves a conflict by its first two
    /// columns, if these do, or by all, if both sides only added rows.
    private func mergeWithoutKey(
        _ sheets: Versions<CSVSheet>, _ frames: TextFrame, _ input: MergeInput
    ) -> MergeOutcome {
        let pair = CSVKey(pairOf: sheets)
        // A rule may decide about what both sides changed alike, such as a counter.
        if let pair, !input.settings.fields.isEmpty {
            return Self.merge(sheets, pair, frames, input)
        }
        let start = input.trace?.count ?? 0
        let lines = TextMerge().merge(input)
        guard case .declined = lines, let key = pair ?? CSVKey(ofAdditionsTo: sheets) else {
            return lines
        }
        input.trace?.discard(from: start)
        return Self.merge(sheets, key, frames, input)
    }

    private static func merge(
        _ sheets: Versions<CSVSheet>, _ key: CSVKey, _ frames: TextFrame, _ input: MergeInput
    ) -> MergeOutcome {
        var merge = CSVSheetMerge(sheets, key, input)
        guard let bytes = merge.merged() else { return .declined(merge.conflicts) }
        return .merged(frames.added(to: bytes))
    }

    /// Whether the versions are merged as texts: one is no table, or no column identifies the rows.
    func mergesLines(of input: MergeInput) -> Bool {
        guard needsKey, Self.refusal(input) == nil else { return false }
        var contents = Versions(base: input.base ?? [], ours: input.ours, theirs: input.theirs)
        _ = Self.removeFrames(&contents)
        guard let sheets = Versions<CSVSheet>(contents) else { return true }
        return CSVKey(for: sheets, chosen: input.settings.keyColumns)?.isWholeRow ?? false
    }

    private static func declined(_ reason: String) -> MergeOutcome {
        .declined([MergeConflict("", reason)])
    }

    /// A zero byte anywhere, for rows are told apart by joining their fields with one.
    private static func refusal(_ input: MergeInput) -> String? {
        let contents = [input.base ?? [], input.ours, input.theirs]
        return contents.contains { $0.contains(0) } ? "The content is not text." : nil
    }

    private static func removeFrames(_ contents: inout Versions<[UInt8]>) -> TextFrame {
        let base = TextFrame(removingFrom: &contents.base)
        let newline = TextFrame.newline(in: contents.base) ?? [10]
        let ours = TextFrame(removingFrom: &contents.ours, newline: newline)
        let theirs = TextFrame(removingFrom: &contents.theirs, newline: newline)
        return TextFrame(base: base, ours: ours, theirs: theirs)
    }
}

/// The three versions of one value.
struct Versions<Value> {
    var base: Value
    var ours: Value
    var theirs: Value

    var all: [Value] { [base, ours, theirs] }

    func map<Result>(_ transform: (Value) -> Result) -> Versions<Result> {
        Versions<Result>(base: transform(base), ours: transform(ours), theirs: transform(theirs))
    }
}

extension Versions where Value: Equatable {
    /// The value of the side that changed it; nil if both changed it to different values.
    var settled: Value? {
        if ours == theirs || theirs == base { return ours }
        return ours == base ? theirs : nil
    }
}
