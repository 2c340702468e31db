/// Writes the merged text.
struct TextWriter {
    private let texts: ThreeTexts
    private let hunks: [TextHunk]

    init(_ input: MergeInput) {
        texts = ThreeTexts(base: input.base ?? [], here: input.here, there: input.there)
        hunks = TextHunks(of: texts).hunks
    }

    /// The conflicts, named by the lines of both sides, which count from 1.
    var conflicts: [MergeConflict] {
        hunks.filter { $0.source == .conflict }.map { hunk in
            let lines =
                hunk.here == hunk.there
                ? "" : ": \(Self.name(hunk.here)) here, \(Self.name(hunk.there)) there"
            return MergeConflict(
                "line \(hunk.here.lowerBound + 1)", "Both sides changed it\(lines).")
        }
    }

    private static func name(_ lines: Range<Int>) -> String {
        switch lines.count {
        case 0: "no line"
        case 1: "line \(lines.upperBound)"
        default: "lines \(lines.lowerBound + 1)-\(lines.upperBound)"
        }
    }

    /// The merged text.
    ///
    /// - Parameter labels: What the conflicts' markers say.
    func bytes(_ labels: TextMerge.Labels = TextMerge.Labels(here: "", there: "")) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(texts.bytes.count / 2)
        var next = 0
        for hunk in hunks where hunk.source != .same {
            result += texts.bytes[texts.here.bytes(next..<hunk.here.lowerBound)]
            switch hunk.source {
            case .conflict: append(hunk, labels, to: &result)
            case .there: result += texts.bytes[texts.there.bytes(hunk.there)]
            case .here, .same: result += texts.bytes[texts.here.bytes(hunk.here)]
            }
            next = hunk.here.upperBound
        }
        result += texts.bytes[texts.here.bytes(next..<texts.here.classes.count)]
        return result
    }

    private func append(
        _ hunk: TextHunk, _ labels: TextMerge.Labels, to result: inout [UInt8]
    ) {
        let newline: [UInt8] = needsCarriageReturn(hunk) ? [13, 10] : [10]
        result += "<<<<<<< \(labels.here)".utf8 + newline
        append(texts.here.bytes(hunk.here), newline, to: &result)
        result += "=======".utf8 + newline
        append(texts.there.bytes(hunk.there), newline, to: &result)
        result += ">>>>>>> \(labels.there)".utf8 + newline
    }

    private func append(_ lines: Range<Int>, _ newline: [UInt8], to result: inout [UInt8]) {
        guard !lines.isEmpty else { return }
        result += texts.bytes[lines]
        if result.last != 10 { result += newline }
    }

    /// Whether the lines before the conflict end in a carriage return and a newline: those of
    /// here, of there, and at last the first one of the base. One that does not decides.
    private func needsCarriageReturn(_ hunk: TextHunk) -> Bool {
        let here = endsInCarriageReturn(texts.here, max(0, hunk.here.lowerBound - 1))
        if here == false { return false }
        let there = endsInCarriageReturn(texts.there, max(0, hunk.there.lowerBound - 1))
        if there == false { return false }
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
