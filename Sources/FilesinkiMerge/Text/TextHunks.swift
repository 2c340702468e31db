/// Lays the changes that two sides made to one base beside each other.
///
/// Changes that overlap or touch, so that not one unchanged line is between them, are a conflict,
/// unless they are equal. Of a conflict only the lines that differ between the sides stay one, and
/// conflicts with at most three lines or no word between them become one.
/// Source of these rules: git's `xdiff/xmerge.c` at the level of `git merge-file`.
struct TextHunks {
    /// The most lines between two conflicts that are not worth keeping apart.
    private static let fewLines = 3

    private var texts: ThreeTexts
    /// In order; lines outside of all of them are unchanged, or changed equally by both sides.
    private(set) var hunks: [TextHunk] = []

    init(of texts: ThreeTexts) {
        self.texts = texts
        layOut()
        refine()
        join()
    }

    private mutating func layOut() {
        var here = texts.hereChanges[...]
        var there = texts.thereChanges[...]
        while let first = here.first, let second = there.first {
            if first.old.upperBound < second.old.lowerBound {
                append(here: first, thereShift: second.new.lowerBound - second.old.lowerBound)
                here.removeFirst()
            } else if second.old.upperBound < first.old.lowerBound {
                append(there: second, hereShift: first.new.lowerBound - first.old.lowerBound)
                there.removeFirst()
            } else {
                append(first, second)
                if first.old.upperBound >= second.old.upperBound { there.removeFirst() }
                if second.old.upperBound >= first.old.upperBound { here.removeFirst() }
            }
        }
        let baseCount = texts.base.classes.count
        for change in here {
            append(here: change, thereShift: texts.there.classes.count - baseCount)
        }
        for change in there {
            append(there: change, hereShift: texts.here.classes.count - baseCount)
        }
    }

    private mutating func append(here change: LineChange, thereShift: Int) {
        append(
            TextHunk(source: .here, here: change.new, there: change.old.shifted(by: thereShift)))
    }

    private mutating func append(there change: LineChange, hereShift: Int) {
        append(
            TextHunk(source: .there, here: change.old.shifted(by: hereShift), there: change.new))
    }

    private mutating func append(_ here: LineChange, _ there: LineChange) {
        let isEqual =
            here.old == there.old
            && texts.here.classes[here.new] == texts.there.classes[there.new]
        if isEqual { return }
        let start = min(here.old.lowerBound, there.old.lowerBound)
        let end = max(here.old.upperBound, there.old.upperBound)
        append(
            TextHunk(
                source: .conflict, here: here.new(reaching: start..<end),
                there: there.new(reaching: start..<end)))
    }

    private mutating func append(_ hunk: TextHunk) {
        guard var last = hunks.last,
            hunk.here.lowerBound <= last.here.upperBound
                || hunk.there.lowerBound <= last.there.upperBound
        else { return hunks.append(hunk) }
        if hunk.source != last.source { last.source = .conflict }
        last.extend(to: hunk)
        hunks[hunks.count - 1] = last
    }

    private mutating func refine() {
        guard hunks.contains(where: { $0.source == .conflict }) else { return }
        var refined: [TextHunk] = []
        for hunk in hunks {
            if hunk.source == .conflict, !hunk.here.isEmpty, !hunk.there.isEmpty {
                refined += parts(of: hunk)
            } else {
                refined.append(hunk)
            }
        }
        hunks = refined
    }

    private mutating func parts(of hunk: TextHunk) -> [TextHunk] {
        let changes = texts.diff.changes(
            from: texts.here.classes[hunk.here], to: texts.there.classes[hunk.there])
        if changes.isEmpty {
            return [TextHunk(source: .same, here: hunk.here, there: hunk.there)]
        }
        return changes.map {
            TextHunk(
                source: .conflict, here: $0.old.shifted(by: hunk.here.lowerBound),
                there: $0.new.shifted(by: hunk.there.lowerBound))
        }
    }

    private mutating func join() {
        var joined: [TextHunk] = []
        for hunk in hunks {
            if hunk.source == .conflict, var last = joined.last, last.source == .conflict,
                isLittle(last.here.upperBound..<hunk.here.lowerBound)
            {
                last.extend(to: hunk)
                joined[joined.count - 1] = last
            } else {
                joined.append(hunk)
            }
        }
        hunks = joined
    }

    private func isLittle(_ lines: Range<Int>) -> Bool {
        lines.count <= Self.fewLines
            || !texts.bytes[texts.here.bytes(lines)].contains(where: isLetterOrDigit)
    }
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"):
        true
    default: false
    }
}

extension Range<Int> {
    fileprivate func shifted(by distance: Int) -> Range<Int> {
        (lowerBound + distance)..<(upperBound + distance)
    }
}

extension LineChange {
    /// The new lines that stand for these old ones, which are around the change: the lines beside
    /// the change are unchanged.
    fileprivate func new(reaching lines: Range<Int>) -> Range<Int> {
        let start = new.lowerBound - (old.lowerBound - lines.lowerBound)
        let end = new.upperBound + (lines.upperBound - old.upperBound)
        return start..<end
    }
}
