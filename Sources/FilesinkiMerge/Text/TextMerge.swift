/// Merges texts by lines, byte for byte as `git merge-file` does.
///
/// Where only one side changed lines its change is taken, and where both made the same change it is
/// taken once. Where both changed the same or neighbouring lines otherwise, it declines. Bytes are
/// kept as they are: line ends, a missing last newline, byte order marks, any encoding.
///
/// A content with a zero byte in its first 8000 is not text, and is declined. Without a base, two
/// different contents always conflict.
package struct TextMerge: ContentMerge {
    package init() {}

    package func merge(_ input: MergeInput) -> MergeOutcome {
        if let reason = input.refusalAsText { return .declined([MergeConflict("", reason)]) }
        if let easy = input.obvious {
            input.trace?.add(TextWriter(input).steps)
            return .merged(easy)
        }
        let writer = TextWriter(input)
        input.trace?.add(writer.steps)
        let conflicts = writer.conflicts
        return conflicts.isEmpty ? .merged(writer.bytes()) : .declined(conflicts)
    }

    /// The merged text in which both sides of each conflict stand between markers, byte for byte
    /// as `git merge-file -p` prints it; nil if one of the contents is not text.
    ///
    /// A marker's line ends as the lines around it do.
    ///
    /// - Parameter markerSize: The length of a marker; at least 1.
    package static func marked(
        _ input: MergeInput, labels: Labels = Labels(ours: "here", theirs: "there"),
        markerSize: Int = markerSize
    ) -> [UInt8]? {
        input.refusalAsText == nil ? TextWriter(input, markerSize).bytes(labels) : nil
    }

    /// The merged text with the lines of one side in place of each conflict; nil if one of the contents is not text.
    static func chosen(_ input: MergeInput, _ side: MergeVersion) -> [UInt8]? {
        input.refusalAsText == nil ? TextWriter(input).bytes(choosing: side) : nil
    }

    /// The length of git's conflict markers, unless an attribute sets another.
    package static let markerSize = 7

    /// What stands behind the markers of a conflict's two sides.
    package struct Labels: Hashable, Sendable {
        package var ours: String
        package var theirs: String

        package init(ours: String, theirs: String) {
            self.ours = ours
            self.theirs = theirs
        }
    }
}

/// Writes the merged text.
struct TextWriter {
    private let texts: ThreeTexts
    private let hunks: [TextHunk]
    private let markerSize: Int
    private let hasBase: Bool

    init(_ input: MergeInput, _ markerSize: Int = TextMerge.markerSize) {
        self.markerSize = markerSize
        hasBase = input.base != nil
        texts = ThreeTexts(base: input.base ?? [], ours: input.ours, theirs: input.theirs)
        hunks = TextHunks(of: texts).hunks
    }

    /// The conflicts, named by the lines of both sides, which count from 1.
    var conflicts: [MergeConflict] {
        var ours = texts.oursChanges[...]
        var theirs = texts.theirsChanges[...]
        return hunks.filter { $0.source == .conflict }.map { hunk in
            ours = ours.drop { $0.new.upperBound < hunk.ours.lowerBound }
            theirs = theirs.drop { $0.new.upperBound < hunk.theirs.lowerBound }
            let isSame = hunk.ours == hunk.theirs
            let sides = "\(Self.name(hunk.ours)) here, \(Self.name(hunk.theirs)) there"
            let place = "line \(hunk.ours.lowerBound + 1)"
            guard hasBase else {
                let reason = "There is no common version to merge from"
                return MergeConflict(place, "\(reason)\(isSame ? "" : ": " + sides).")
            }
            let overlaps = ours.prefix { $0.new.lowerBound <= hunk.ours.upperBound }
                .contains { our in
                    theirs.prefix { $0.new.lowerBound <= hunk.theirs.upperBound }
                        .contains { our.overlaps($0) }
                }
            let reason =
                overlaps
                ? "Both sides changed it\(isSame ? "" : ": " + sides)."
                : "Both sides changed neighbouring lines: \(isSame ? Self.name(hunk.ours) : sides)."
            return MergeConflict(place, reason)
        }
    }

    /// What only one side changed, named by the lines of that side; removed lines by the one behind them.
    var steps: [MergeTrace.Step] {
        hunks.compactMap { hunk -> MergeTrace.Step? in
            switch hunk.source {
            case .ours: MergeTrace.Step(lines: hunk.ours, of: .ours, for: hunk.theirs)
            case .theirs: MergeTrace.Step(lines: hunk.theirs, of: .theirs, for: hunk.ours)
            case .same, .conflict: nil
            }
        }
    }

    fileprivate static func name(_ lines: Range<Int>) -> String {
        switch lines.count {
        case 0: "no line"
        case 1: "line \(lines.upperBound)"
        default: "lines \(lines.lowerBound + 1)-\(lines.upperBound)"
        }
    }

    /// The merged text.
    ///
    /// - Parameter labels: What the conflicts' markers say.
    func bytes(_ labels: TextMerge.Labels = TextMerge.Labels(ours: "", theirs: "")) -> [UInt8] {
        bytes { append($0, labels, to: &$1) }
    }

    /// The merged text with the lines of one side in place of each conflict.
    func bytes(choosing side: MergeVersion) -> [UInt8] {
        bytes { hunk, result in
            let isOurs = side == .ours
            result +=
                texts.bytes[isOurs ? texts.ours.bytes(hunk.ours) : texts.theirs.bytes(hunk.theirs)]
        }
    }

    /// - Parameter appendConflict: Appends what stands in place of a conflict.
    private func bytes(_ appendConflict: (TextHunk, inout [UInt8]) -> Void) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(texts.bytes.count / 2)
        var next = 0
        for hunk in hunks where hunk.source != .same {
            result += texts.bytes[texts.ours.bytes(next..<hunk.ours.lowerBound)]
            switch hunk.source {
            case .conflict: appendConflict(hunk, &result)
            case .theirs: result += texts.bytes[texts.theirs.bytes(hunk.theirs)]
            case .ours, .same: result += texts.bytes[texts.ours.bytes(hunk.ours)]
            }
            next = hunk.ours.upperBound
        }
        result += texts.bytes[texts.ours.bytes(next..<texts.ours.classes.count)]
        return result
    }

    private func append(
        _ hunk: TextHunk, _ labels: TextMerge.Labels, to result: inout [UInt8]
    ) {
        let newline: [UInt8] = needsCarriageReturn(hunk) ? [13, 10] : [10]
        result += marker("<", " \(labels.ours)") + newline
        append(texts.ours.bytes(hunk.ours), newline, to: &result)
        result += marker("=") + newline
        append(texts.theirs.bytes(hunk.theirs), newline, to: &result)
        result += marker(">", " \(labels.theirs)") + newline
    }

    private func marker(_ character: Character, _ label: String = "") -> [UInt8] {
        Array((String(repeating: character, count: markerSize) + label).utf8)
    }

    private func append(_ lines: Range<Int>, _ newline: [UInt8], to result: inout [UInt8]) {
        guard !lines.isEmpty else { return }
        result += texts.bytes[lines]
        if result.last != 10 { result += newline }
    }

    /// Whether the lines before the conflict end in a carriage return and a newline, on both sides and
    /// in the first line of the base. The first of them that does not decides.
    private func needsCarriageReturn(_ hunk: TextHunk) -> Bool {
        let ours = endsInCarriageReturn(texts.ours, max(0, hunk.ours.lowerBound - 1))
        if ours == false { return false }
        let theirs = endsInCarriageReturn(texts.theirs, max(0, hunk.theirs.lowerBound - 1))
        if theirs == false { return false }
        return endsInCarriageReturn(texts.base, 0) ?? false
    }

    /// nil where the line cannot tell; a last line without an end is like the one before it.
    private func endsInCarriageReturn(_ text: LineClasses.Lines, _ line: Int) -> Bool? {
        guard line < text.classes.count else { return nil }
        let bytes = texts.bytes[text.bytes(line..<(line + 1))]
        if bytes.last == 10 { return bytes.dropLast().last == 13 }
        return line == 0 ? nil : endsInCarriageReturn(text, line - 1)
    }
}

extension LineChange {
    /// Whether two changes of one text change a line that both do, or put lines at the same place.
    fileprivate func overlaps(_ other: LineChange) -> Bool {
        old == other.old
            || old.lowerBound < other.old.upperBound && other.old.lowerBound < old.upperBound
    }
}

extension MergeTrace.Step {
    /// - Parameters:
    ///   - lines: The lines of the side; where it has none, the step is named by the line behind them.
    ///   - old: The lines in their place.
    init(lines: Range<Int>, of side: MergeTrace.Source, for old: Range<Int>) {
        self.init(
            lines.isEmpty ? "line \(lines.lowerBound + 1)" : TextWriter.name(lines), side,
            lines.isEmpty ? .removed : old.isEmpty ? .added : .edited)
    }
}
