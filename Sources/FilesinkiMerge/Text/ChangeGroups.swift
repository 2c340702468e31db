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
                settle(&group, lines, &changed, &other, otherChanged)
            }
        } while group.goToNext(in: changed) && other.goToNext(in: otherChanged)
    }

    private static func settle(
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
