/// What was changed between two sequences of lines, found as git finds it.
///
/// It answers line by line as libxdiff does, on which `git merge-file` stands, with the defaults of
/// that command (Myers' algorithm, no indent heuristic). That is what makes a merge here the same
/// as one of git's: of several shortest differences both must choose the same one.
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
        let sieve = LineFilter(lines, range, occurrences: counts)
        return range.filter { line in
            let isKept = sieve.keeps(line)
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
