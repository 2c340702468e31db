import FilesinkiModel
import FilesinkiText

/// Moments and lengths of time as a person reads and writes them.
enum TimeText {
    /// Local time, to the second: `2024-05-01 11:30:00`.
    static func local(_ time: Timestamp) -> String {
        let moment = CalendarTime(local: time.seconds)
        return moment.date + " " + moment.clock
    }

    /// Local time, to the minute, with near days by their names: `today 07:44`,
    /// `yesterday 07:41`, `2024-05-01 07:41`.
    static func day(_ time: Timestamp, now: Timestamp) -> String {
        let moment = CalendarTime(local: time.seconds)
        let clock = moment.clock.prefix(5)
        if moment.date == CalendarTime(local: now.seconds).date { return "today \(clock)" }
        let before = CalendarTime(local: now.seconds &- 86_400)
        return moment.date == before.date ? "yesterday \(clock)" : "\(moment.date) \(clock)"
    }

    /// How long ago: `just now`, `3 minutes ago`; the day for a moment in the future.
    static func ago(_ time: Timestamp, now: Timestamp) -> String {
        let (seconds, overflow) = now.seconds.subtractingReportingOverflow(time.seconds)
        guard !overflow, seconds >= 0 else { return day(time, now: now) }
        let units: [(Int64, String)] = [
            (86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"),
        ]
        guard let (length, name) = units.first(where: { seconds >= $0.0 }) else {
            return "just now"
        }
        return CountText.text(Int(clamping: seconds / length), name) + " ago"
    }
}

/// Numbers of bytes for people.
enum SizeText {
    /// `999 B`, `1.5 kB`, `12 MB`: powers of a thousand, two digits at least.
    static func text(_ bytes: Int64) -> String {
        let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
        guard bytes.magnitude >= 1000 else { return "\(bytes) B" }
        var scaled = Double(bytes)
        var unit = ""
        // What would be rounded to 1000 of a unit is 1.0 of the next one.
        for next in units where scaled.magnitude >= (unit.isEmpty ? 1000 : 999.5) {
            scaled /= 1000
            unit = next
        }
        let tenths = Int64((scaled * 10).rounded())
        let isShort = tenths.magnitude >= 100
        return (isShort ? "\(Int64(scaled.rounded()))" : "\(tenths / 10).\(tenths.magnitude % 10)")
            + " " + unit
    }

    /// Reads `500`, `1.5G`, `20 GB`, `4Ki`: powers of a thousand, or with an `i` of 1024.
    ///
    /// - Throws: `Failure` with code `usage` for anything else, and for what 64 bits cannot count.
    static func bytes(of text: String) throws(Failure) -> Int64 {
        guard let bytes = SizeValue.bytes(of: text) else {
            throw Failure(
                .usage, path: text, "Invalid size.", remedy: "Write it as 500M, 1.5G or 4Ki.")
        }
        return bytes
    }
}

/// Absolute paths for people.
enum HomePath {
    /// The path, with `~` for the user's home folder.
    ///
    /// - Parameter home: The home folder; nil if it is not known.
    static func shortened(_ path: String, home: String?) -> String {
        guard let home, home.count > 1, path == home || path.hasPrefix(home + "/") else {
            return printable(path.utf8)
        }
        return printable(("~" + path.dropFirst(home.count)).utf8)
    }
}

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
    var lines: [String] { lines(within: nil) }

    /// The rows as lines. One that is too long continues below the beginning of its last column; where there is no room, or
    /// the column's text must stay whole, as a path, it stands on a line of its own.
    ///
    /// - Parameters:
    ///   - width: The columns of a line; nil for lines that are not broken.
    ///   - isWhole: Whether the text of the last column must not be broken.
    func lines(within width: Int?, isWhole: Bool = false) -> [String] {
        let widths = widths
        return rows.flatMap { row in
            let line = Self.trimmed(cells(row, widths).joined(separator: "  "))
            guard let width, line.count > width, let last = row.last, row.count > 1 else {
                return [line]
            }
            let head = cells(row, widths).dropLast().joined(separator: "  ")
            let room = width - head.count - 2
            guard !isWhole, room >= Self.leastRoom else {
                let text = isWhole ? [last] : FlowText.words(last, within: width - 4)
                return [Self.trimmed(head)] + text.map { "    " + $0 }
            }
            let text = FlowText.words(last, within: room)
            let below = String(repeating: " ", count: head.count + 2)
            return text.enumerated().map { ($0.offset == 0 ? head + "  " : below) + $0.element }
        }
    }

    /// The rows as lines, if all fit; else the cells of each row one after the other, as many on a line as there is room for.
    ///
    /// - Parameters:
    ///   - sentence: The column that may be broken between words.
    ///   - width: The columns of a line; nil for lines that are not broken.
    func flowingLines(breaking sentence: Int, within width: Int?) -> [String] {
        guard let width, lines.contains(where: { $0.count > width }) else { return lines }
        let indent = "    "
        return rows.flatMap { row in
            let parts = row.enumerated().flatMap { column, cell in
                column == sentence
                    ? FlowText.lines(
                        MessageText.units(of: cell), separator: " ", indent: "",
                        within: width - indent.count) : [cell]
            }
            return FlowText.lines(
                parts.filter { !$0.isEmpty }, separator: "  ", indent: indent, within: width)
        }
    }

    /// With fewer columns than this a text is not broken beside the other columns.
    private static let leastRoom = 20

    private var widths: [Int] {
        let count = rows.map(\.count).max() ?? 0
        return (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
    }

    private func cells(_ row: [String], _ widths: [Int]) -> [String] {
        row.enumerated().map { column, text in
            let space = String(repeating: " ", count: widths[column] - text.count)
            return rightAligned.contains(column) ? space + text : text + space
        }
    }

    private static func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
