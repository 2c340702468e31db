/// The difference of two contents, line by line.
struct UnifiedDiff {
    /// Both contents as one list of edits; nil if they are binary or too long.
    private let edits: [Edit]?
    /// Whether both are text that is too long.
    private let isLong: Bool

    /// How many equal lines surround each change.
    private static let context = 3
    /// Contents with more lines, or that differ in more, are not compared line by line.
    private static let maximumLines = 20_000

    private enum Edit {
        case equal(ArraySlice<UInt8>)
        case removed(ArraySlice<UInt8>)
        case added(ArraySlice<UInt8>)

        var isChange: Bool {
            if case .equal = self { return false }
            return true
        }

        var rendered: (mark: Character, line: ArraySlice<UInt8>) {
            switch self {
            case .equal(let line): (" ", line)
            case .removed(let line): ("-", line)
            case .added(let line): ("+", line)
            }
        }
    }

    /// Compares the contents.
    init(_ old: [UInt8], _ new: [UInt8]) {
        let oldLines = Self.split(old)
        let newLines = Self.split(new)
        let isText = !old.contains(0) && !new.contains(0)
        let isShort = max(oldLines.count, newLines.count) <= Self.maximumLines
        isLong = isText && !isShort
        edits = isText && isShort ? Self.edits(oldLines, newLines) : nil
    }

    /// The lines of the difference in the format of `diff -u`, without their newlines.
    func lines(_ oldName: String, _ newName: String, _ style: TerminalStyle) -> [[UInt8]] {
        guard let edits else {
            let reason =
                isLong ? ": more than \(Self.maximumLines) lines are not compared line by line" : ""
            return [Array("\(oldName) and \(newName) differ\(reason)".utf8)]
        }
        let header = [style.bold("--- \(oldName)"), style.bold("+++ \(newName)")]
        return header.map { Array($0.utf8) }
            + Self.hunks(edits).flatMap { Self.render($0, edits, style) }
    }

    /// How many lines were added and removed; nil for contents that are not compared by lines.
    var counts: (added: Int, removed: Int)? {
        guard let edits else { return nil }
        let changed = Self.count(edits.filter(\.isChange)[...])
        return (added: changed.new, removed: changed.old)
    }

    /// Lines with their newlines, so that a missing last one is a difference.
    private static func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
            lines.append(bytes[start..<(end ?? bytes.count)])
            start = end ?? bytes.count
        }
        return lines
    }

    /// Both contents as one list of edits; Myers' algorithm, as the standard library has it.
    private static func edits(
        _ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]
    ) -> [Edit] {
        let difference = new.difference(from: old)
        let removed = Set(difference.removals.map(offset))
        let added = Set(difference.insertions.map(offset))
        var edits: [Edit] = []
        var index = 0
        for (position, line) in new.enumerated() {
            while removed.contains(index) {
                edits.append(.removed(old[index]))
                index += 1
            }
            if added.contains(position) {
                edits.append(.added(line))
            } else {
                edits.append(.equal(line))
                index += 1
            }
        }
        return edits + old[index...].map { .removed($0) }
    }

    private static func offset(
        _ change: CollectionDifference<ArraySlice<UInt8>>.Change
    ) -> Int {
        switch change {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }

    /// Where changes are, with their context; those that touch are one.
    private static func hunks(_ edits: [Edit]) -> [Range<Int>] {
        var hunks: [Range<Int>] = []
        for index in edits.indices where edits[index].isChange {
            let range = max(0, index - context)..<min(edits.count, index + context + 1)
            if let last = hunks.last, range.lowerBound <= last.upperBound {
                hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
            } else {
                hunks.append(range)
            }
        }
        return hunks
    }

    private static func render(
        _ hunk: Range<Int>, _ edits: [Edit], _ style: TerminalStyle
    ) -> [[UInt8]] {
        let before = count(edits[..<hunk.lowerBound])
        let inside = count(edits[hunk])
        let place = "@@ -\(span(before.old, inside.old)) +\(span(before.new, inside.new)) @@"
        return [Array(place.utf8)] + edits[hunk].flatMap { line($0, style) }
    }

    /// How many lines of the old and of the new content the edits hold.
    private static func count(_ edits: ArraySlice<Edit>) -> (old: Int, new: Int) {
        var count = (old: 0, new: 0)
        for edit in edits {
            switch edit {
            case .equal: count = (count.old + 1, count.new + 1)
            case .removed: count.old += 1
            case .added: count.new += 1
            }
        }
        return count
    }

    private static func span(_ before: Int, _ count: Int) -> String {
        count == 1 ? "\(before + 1)" : "\(count == 0 ? before : before + 1),\(count)"
    }

    private static func line(_ edit: Edit, _ style: TerminalStyle) -> [[UInt8]] {
        let (mark, content) = edit.rendered
        let isWhole = content.last == UInt8(ascii: "\n")
        var bytes = Array(String(mark).utf8) + (isWhole ? content.dropLast() : content)
        if style.isEnabled, mark != " " {
            let colour = mark == "-" ? "\u{1B}[31m" : "\u{1B}[32m"
            bytes = Array(colour.utf8) + bytes + Array("\u{1B}[0m".utf8)
        }
        return isWhole ? [bytes] : [bytes, Array("\\ No newline at end of file".utf8)]
    }
}
