/// Text in columns. Widths are counted in characters, which is near enough for names.
struct TextTable {
    private var rows: [[String]] = []
    /// The columns whose text stands at the right, as numbers do.
    private let rightAligned: Set<Int>

    init(rightAligned: Set<Int> = []) {
        self.rightAligned = rightAligned
    }

    mutating func add(_ columns: String...) { rows.append(columns) }

    /// A text with space behind it, up to a width.
    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// The rows as lines, without space at their ends.
    var lines: [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - text.count)
                return rightAligned.contains(column) ? space + text : text + space
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
