/// The conflict markers in a text, as git and ``TextMerge/marked(_:labels:markerSize:)`` write them.
package struct ConflictMarkers: Sendable {
    /// By the character that a marker is made of: the first line that has it, from 1.
    private var lines: [UInt8: Int] = [:]

    /// Looks for lines that begin with seven `<`, `=` or `>` and end there, or have a space behind them.
    ///
    /// A content that is not text has none.
    package init(in text: [UInt8]) {
        let input = MergeInput(base: nil, ours: text, theirs: text)
        guard input.refusalAsText == nil else { return }
        var number = 0
        var place = 0
        while place < text.count {
            let line = text[place..<text.lineEnd(from: place)]
            number += 1
            place = line.endIndex
            guard let mark = line.first, "<=>".utf8.contains(mark), lines[mark] == nil else {
                continue
            }
            let rest = line.drop { $0 == mark }
            let end = rest.first ?? 10
            guard line.count - rest.count == TextMerge.markerSize, [10, 13, 32].contains(end)
            else { continue }
            lines[mark] = number
        }
    }

    /// The line of the first marker; nil if there is none.
    package var first: Int? { lines.values.min() }

    /// These markers without those that another text has, too, whose own lines they are.
    package func without(_ other: ConflictMarkers) -> ConflictMarkers {
        var result = self
        result.lines = lines.filter { other.lines[$0.key] == nil }
        return result
    }
}
