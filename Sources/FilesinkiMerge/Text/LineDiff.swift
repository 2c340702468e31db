/// The differences between two sequences of lines, exactly as git finds them.
///
/// It answers line by line as libxdiff does, on which `git merge-file` stands, with the defaults of
/// that command (Myers' algorithm, no indent heuristic). So a merge gives the same result as git's:
/// of several shortest differences both choose the same one.
///
/// Sources: Eugene W. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986; the steps
/// around it and their limits as in git's `xdiff/xprepare.c` and `xdiff/xdiffi.c`, 2.39.
struct LineDiff {
    /// How often each number occurs; zero between two calls.
    private var counts: [Int32]

    /// - Parameter classCount: The numbers of the lines are below it.
    init(classCount: Int32) {
        counts = Array(repeating: 0, count: Int(classCount))
    }

    /// The changes in their order; places count from the beginning of the two slices.
    mutating func changes(
        from old: ArraySlice<Int32>, to new: ArraySlice<Int32>
    ) -> [LineChange] {
        var oldChanged = ChangedLines(lineCount: old.count)
        var newChanged = ChangedLines(lineCount: new.count)
        let oldLines = Array(old)
        let newLines = Array(new)
        compare(oldLines, newLines, &oldChanged, &newChanged)
        ChangeGroups.align(oldLines, &oldChanged, beside: newChanged)
        ChangeGroups.align(newLines, &newChanged, beside: oldChanged)
        return Self.script(oldChanged, newChanged)
    }

    private mutating func compare(
        _ old: [Int32], _ new: [Int32], _ oldChanged: inout ChangedLines,
        _ newChanged: inout ChangedLines
    ) {
        let shorter = min(old.count, new.count)
        var prefix = 0
        while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
        let longest = shorter - prefix
        var suffix = 0
        while suffix < longest, old[old.count - 1 - suffix] == new[new.count - 1 - suffix] {
            suffix += 1
        }
        let oldKept = kept(old, prefix..<(old.count - suffix), by: new, &oldChanged)
        let newKept = kept(new, prefix..<(new.count - suffix), by: old, &newChanged)
        var diff = MyersDiff(oldKept.map { old[$0] }, newKept.map { new[$0] })
        for box in diff.changes() {
            for line in box.old { oldChanged[oldKept[line]] = true }
            for line in box.new { newChanged[newKept[line]] = true }
        }
    }

    /// The lines worth comparing; the others are marked as changed.
    private mutating func kept(
        _ lines: [Int32], _ range: Range<Int>, by other: [Int32], _ changed: inout ChangedLines
    ) -> [Int] {
        for line in other { counts[Int(line)] += 1 }
        defer { for line in other { counts[Int(line)] = 0 } }
        let filter = LineFilter(lines, range, occurrences: counts)
        return range.filter { line in
            let isKept = filter.keeps(line)
            if !isKept { changed[line] = true }
            return isKept
        }
    }

    private static func script(_ old: ChangedLines, _ new: ChangedLines) -> [LineChange] {
        var changes: [LineChange] = []
        var oldLine = 0
        var newLine = 0
        while oldLine < old.lineCount || newLine < new.lineCount {
            let oldStart = oldLine
            let newStart = newLine
            while old[oldLine] { oldLine += 1 }
            while new[newLine] { newLine += 1 }
            if oldStart < oldLine || newStart < newLine {
                changes.append(LineChange(old: oldStart..<oldLine, new: newStart..<newLine))
            }
            oldLine += 1
            newLine += 1
        }
        return changes
    }
}

/// A run of lines that was replaced by another; one of the two may be empty.
struct LineChange: Hashable {
    var old: Range<Int>
    var new: Range<Int>
}

/// Which lines of a text were changed. Beyond both ends lies an unchanged line, which ends runs.
struct ChangedLines {
    private var flags: [Bool]

    init(lineCount: Int) {
        flags = Array(repeating: false, count: lineCount + 2)
    }

    var lineCount: Int { flags.count - 2 }

    subscript(line: Int) -> Bool {
        get { flags[line + 1] }
        set { flags[line + 1] = newValue }
    }
}

/// Moves runs of changed lines, where they can be moved, to the place that git puts them at.
///
/// A run can slide down if its first line equals the one behind it, and up if its last line equals
/// the one before it; the difference stays as right. Each run is slid up and down as far as it
/// goes, swallowing the runs that it meets, and then up again to the last place where it stands
/// beside a run of the other text; without such a place it stays at the bottom.
/// Source: git's `xdl_change_compact` in `xdiff/xdiffi.c`, without the indent heuristic, which
/// `git merge-file` does not use.
enum ChangeGroups {
    /// Moves the runs of one text; the other's stay.
    static func align(
        _ lines: [Int32], _ changed: inout ChangedLines, beside otherChanged: ChangedLines
    ) {
        var group = ChangeGroup(firstIn: changed)
        var other = ChangeGroup(firstIn: otherChanged)
        repeat {
            if !group.isEmpty {
                align(&group, lines, &changed, &other, otherChanged)
            }
        } while group.goToNext(in: changed) && other.goToNext(in: otherChanged)
    }

    private static func align(
        _ group: inout ChangeGroup, _ lines: [Int32], _ changed: inout ChangedLines,
        _ other: inout ChangeGroup, _ otherChanged: ChangedLines
    ) {
        var hasPartner = false
        var size = 0
        repeat {
            size = group.count
            while group.slideUp(lines, &changed) {
                guard other.goToPrevious(in: otherChanged) else { return }
            }
            hasPartner = !other.isEmpty
            while group.slideDown(lines, &changed) {
                guard other.goToNext(in: otherChanged) else { return }
                hasPartner = hasPartner || !other.isEmpty
            }
        } while size != group.count
        while hasPartner && other.isEmpty {
            guard group.slideUp(lines, &changed), other.goToPrevious(in: otherChanged) else {
                return
            }
        }
    }
}

/// A run of changed lines. One stands before every unchanged line and one at the end, most of them
/// empty; so two texts of one difference have equally many.
struct ChangeGroup {
    private(set) var start = 0
    private(set) var end = 0

    init(firstIn changed: ChangedLines) {
        while changed[end] { end += 1 }
    }

    var isEmpty: Bool { start == end }
    var count: Int { end - start }

    mutating func goToNext(in changed: ChangedLines) -> Bool {
        guard end < changed.lineCount else { return false }
        start = end + 1
        end = start
        while changed[end] { end += 1 }
        return true
    }

    mutating func goToPrevious(in changed: ChangedLines) -> Bool {
        guard start > 0 else { return false }
        end = start - 1
        start = end
        while changed[start - 1] { start -= 1 }
        return true
    }

    mutating func slideDown(_ lines: [Int32], _ changed: inout ChangedLines) -> Bool {
        guard end < lines.count, lines[start] == lines[end] else { return false }
        changed[start] = false
        changed[end] = true
        start += 1
        end += 1
        while changed[end] { end += 1 }
        return true
    }

    mutating func slideUp(_ lines: [Int32], _ changed: inout ChangedLines) -> Bool {
        guard start > 0, lines[start - 1] == lines[end - 1] else { return false }
        start -= 1
        end -= 1
        changed[start] = true
        changed[end] = false
        while changed[start - 1] { start -= 1 }
        return true
    }
}
