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
        var ours = texts.oursChanges[...]
        var theirs = texts.theirsChanges[...]
        while let first = ours.first, let second = theirs.first {
            if first.old.upperBound < second.old.lowerBound {
                append(ours: first, theirsShift: second.new.lowerBound - second.old.lowerBound)
                ours.removeFirst()
            } else if second.old.upperBound < first.old.lowerBound {
                append(theirs: second, oursShift: first.new.lowerBound - first.old.lowerBound)
                theirs.removeFirst()
            } else {
                append(first, second)
                if first.old.upperBound >= second.old.upperBound { theirs.removeFirst() }
                if second.old.upperBound >= first.old.upperBound { ours.removeFirst() }
            }
        }
        let baseCount = texts.base.classes.count
        for change in ours {
            append(ours: change, theirsShift: texts.theirs.classes.count - baseCount)
        }
        for change in theirs {
            append(theirs: change, oursShift: texts.ours.classes.count - baseCount)
        }
    }

    private mutating func append(ours change: LineChange, theirsShift: Int) {
        append(
            TextHunk(source: .ours, ours: change.new, theirs: change.old.shifted(by: theirsShift)))
    }

    private mutating func append(theirs change: LineChange, oursShift: Int) {
        append(
            TextHunk(source: .theirs, ours: change.old.shifted(by: oursShift), theirs: change.new))
    }

    private mutating func append(_ ours: LineChange, _ theirs: LineChange) {
        let isEqual =
            ours.old == theirs.old
            && texts.ours.classes[ours.new] == texts.theirs.classes[theirs.new]
        if isEqual { return }
        let start = min(ours.old.lowerBound, theirs.old.lowerBound)
        let end = max(ours.old.upperBound, theirs.old.upperBound)
        append(
            TextHunk(
                source: .conflict, ours: ours.new(reaching: start..<end),
                theirs: theirs.new(reaching: start..<end)))
    }

    private mutating func append(_ hunk: TextHunk) {
        guard var last = hunks.last,
            hunk.ours.lowerBound <= last.ours.upperBound
                || hunk.theirs.lowerBound <= last.theirs.upperBound
        else { return hunks.append(hunk) }
        if hunk.source != last.source { last.source = .conflict }
        last.extend(to: hunk)
        hunks[hunks.count - 1] = last
    }

    private mutating func refine() {
        guard hunks.contains(where: { $0.source == .conflict }) else { return }
        var refined: [TextHunk] = []
        for hunk in hunks {
            if hunk.source == .conflict, !hunk.ours.isEmpty, !hunk.theirs.isEmpty {
                refined += parts(of: hunk)
            } else {
                refined.append(hunk)
            }
        }
        hunks = refined
    }

    private mutating func parts(of hunk: TextHunk) -> [TextHunk] {
        let changes = texts.diff.changes(
            from: texts.ours.classes[hunk.ours], to: texts.theirs.classes[hunk.theirs])
        if changes.isEmpty {
            return [TextHunk(source: .same, ours: hunk.ours, theirs: hunk.theirs)]
        }
        return changes.map {
            TextHunk(
                source: .conflict, ours: $0.old.shifted(by: hunk.ours.lowerBound),
                theirs: $0.new.shifted(by: hunk.theirs.lowerBound))
        }
    }

    private mutating func join() {
        var joined: [TextHunk] = []
        for hunk in hunks {
            if hunk.source == .conflict, var last = joined.last, last.source == .conflict,
                isLittle(last.ours.upperBound..<hunk.ours.lowerBound)
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
            || !texts.bytes[texts.ours.bytes(lines)].contains(where: isLetterOrDigit)
    }
}

func isLetterOrDigit(_ byte: UInt8) -> Bool {
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

/// A place of a three-way merge where at least one side changed the base.
struct TextHunk {
    enum Source {
        /// Each side changed it in its own way.
        case conflict
        /// Only this side changed it: take its lines.
        case ours, theirs
        /// Both sides came to the same lines.
        case same
    }

    var source: Source
    /// The lines of this place in each side.
    var ours: Range<Int>
    var theirs: Range<Int>

    /// Takes in a hunk that begins where this one ends, or before it ends.
    mutating func extend(to next: TextHunk) {
        ours = ours.lowerBound..<max(ours.lowerBound, next.ours.upperBound)
        theirs = theirs.lowerBound..<max(theirs.lowerBound, next.theirs.upperBound)
    }
}

/// The lines of base, ours and theirs, and what each side changed.
struct ThreeTexts {
    let bytes: [UInt8]
    /// Where the first line of each number is in the bytes.
    let firsts: [Range<Int>]
    let base: LineClasses.Lines
    let ours: LineClasses.Lines
    let theirs: LineClasses.Lines
    let oursChanges: [LineChange]
    let theirsChanges: [LineChange]
    /// For differences between pieces of these texts.
    var diff: LineDiff

    init(base: [UInt8], ours: [UInt8], theirs: [UInt8]) {
        let lines = LineClasses(of: [base, ours, theirs])
        diff = LineDiff(classCount: lines.count)
        bytes = lines.bytes
        firsts = lines.firsts
        self.base = lines.texts[0]
        self.ours = lines.texts[1]
        self.theirs = lines.texts[2]
        oursChanges = diff.changes(from: self.base.classes[...], to: self.ours.classes[...])
        theirsChanges = diff.changes(from: self.base.classes[...], to: self.theirs.classes[...])
    }
}
