/// Which lines of a text are worth a comparison with the other text.
///
/// A line that the other text has not is changed for certain. A line that it has very often (a
/// blank line, a lone brace) says little, and in the middle of changed lines is taken for changed.
/// Source of the limits: git's `xdiff/xprepare.c`.
struct LineFilter {
    private enum Mark: UInt8 {
        case unknown, telling, frequent
    }

    /// Lines are looked at this far before and behind a frequent one.
    private static let window = 100
    /// A line is frequent from this number of occurrences on, also in a huge text.
    private static let mostOccurrences = 1024
    /// A frequent line is dropped when unknown ones make up more than (this - 1)/this around it.
    private static let dropRatio = 4

    private let range: Range<Int>
    private let marks: [Mark]

    /// - Parameter occurrences: How often the other text has each line.
    init(_ lines: [Int32], _ range: Range<Int>, occurrences: [Int32]) {
        let limit = Int32(min(roughSquareRoot(lines.count), Self.mostOccurrences))
        self.range = range
        marks = lines[range].map { line in
            let count = occurrences[Int(line)]
            return count == 0 ? .unknown : count >= limit ? .frequent : .telling
        }
    }

    func keeps(_ line: Int) -> Bool {
        switch marks[line - range.lowerBound] {
        case .unknown: false
        case .telling: true
        case .frequent: !isAmongUnknown(line)
        }
    }

    private func isAmongUnknown(_ line: Int) -> Bool {
        let first = max(range.lowerBound, line - Self.window)
        let last = min(range.upperBound - 1, line + Self.window)
        let before = countMarks(stride(from: line - 1, through: first, by: -1))
        guard before.unknown > 0 else { return false }
        let behind = countMarks(stride(from: line + 1, through: last, by: 1))
        guard behind.unknown > 0 else { return false }
        // The line itself counts as frequent once for each direction.
        let frequent = before.frequent + behind.frequent + 2
        return frequent * Self.dropRatio < frequent + before.unknown + behind.unknown
    }

    private func countMarks(_ lines: StrideThrough<Int>) -> (unknown: Int, frequent: Int) {
        var counts = (unknown: 0, frequent: 0)
        for line in lines {
            switch marks[line - range.lowerBound] {
            case .unknown: counts.unknown += 1
            case .frequent: counts.frequent += 1
            case .telling: return counts
            }
        }
        return counts
    }
}

/// A power of two near the square root: above it by at most four times.
func roughSquareRoot(_ number: Int) -> Int {
    var root = 1
    var rest = number
    while rest > 0 {
        root <<= 1
        rest >>= 2
    }
    return root
}
