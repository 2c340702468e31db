/// Merges texts that are lists of lines, such as ignore rules, words or known hosts.
///
/// Both sides' additions and removals are applied, and there are no conflicts:
/// * A line of the base stays if neither side removed it. Of equal lines each counts for itself.
/// * A line that one side added is in the result, at its place between the lines that stay. Lines
///   that one side added twice occur twice.
/// * What both added at the same place in the same order occurs once; what only one of them added
///   at that place is ordered by its bytes. The same line added at two places occurs twice.
/// * An edited line is a removal and an addition: if both sides edited it, the old line goes and
///   both new ones stay, if one side edited it and the other removed it, the new one stays.
///
/// Places with only removed lines between them are the same place. The end of a line is part of
/// it, except for the last: a missing last newline is the file's, and never makes two lines one.
/// Content that is not text is declined.
package struct LinesMerge: ContentMerge {
    package init() {}

    package func merge(_ input: MergeInput) -> MergeOutcome {
        if let reason = input.refusalAsText { return .declined([MergeConflict("", reason)]) }
        if let easy = input.obvious {
            input.noteWhole()
            return .merged(easy)
        }
        var base = input.base ?? []
        var ours = input.ours
        var theirs = input.theirs
        let baseFrame = TextFrame(removingFrom: &base)
        let newline = TextFrame.newline(in: base) ?? [10]
        let oursFrame = TextFrame(removingFrom: &ours, newline: newline)
        let theirsFrame = TextFrame(removingFrom: &theirs, newline: newline)
        let frame = TextFrame(base: baseFrame, ours: oursFrame, theirs: theirsFrame)
        let texts = ThreeTexts(base: base, ours: ours, theirs: theirs)
        if let trace = input.trace {
            trace.add(
                texts.oursChanges.map { MergeTrace.Step(lines: $0.new, of: .ours, for: $0.old) }
                    + texts.theirsChanges.map {
                        MergeTrace.Step(lines: $0.new, of: .theirs, for: $0.old)
                    })
        }
        return .merged(frame.added(to: Self.lines(of: texts)))
    }

    private static func lines(of texts: ThreeTexts) -> [UInt8] {
        let lineMerge3 = LineMerge3 { first, second in
            first.lexicographicallyPrecedes(second) { line, other in
                texts.bytes[texts.firsts[Int(line)]].lexicographicallyPrecedes(
                    texts.bytes[texts.firsts[Int(other)]])
            }
        }
        var ours = SideOfList(texts.ours, texts.oursChanges)
        var theirs = SideOfList(texts.theirs, texts.theirsChanges)
        var result: [Int32] = []
        for (place, line) in texts.base.classes.enumerated() {
            let staysOurs = ours.pass(place)
            let staysTheirs = theirs.pass(place)
            guard staysOurs, staysTheirs else { continue }
            result += lineMerge3.merged(ours.takeAdded(), theirs.takeAdded())
            result.append(line)
        }
        _ = ours.pass(texts.base.classes.count)
        _ = theirs.pass(texts.base.classes.count)
        result += lineMerge3.merged(ours.takeAdded(), theirs.takeAdded())
        return result.reduce(into: []) { $0 += texts.bytes[texts.firsts[Int($1)]] }
    }
}

/// What one side did to the list, read along the base.
private struct SideOfList {
    private let lines: LineClasses.Lines
    private let changes: [LineChange]
    private var next = 0
    private var removedUntil = 0
    private var added: [Int32] = []

    init(_ lines: LineClasses.Lines, _ changes: [LineChange]) {
        self.lines = lines
        self.changes = changes
    }

    /// Advances to a line of the base, and returns whether it stays.
    mutating func pass(_ place: Int) -> Bool {
        if next < changes.count, changes[next].old.lowerBound == place {
            added += lines.classes[changes[next].new]
            removedUntil = changes[next].old.upperBound
            next += 1
        }
        return place >= removedUntil
    }

    /// What was added since the last line that stayed.
    mutating func takeAdded() -> [Int32] {
        defer { added = [] }
        return added
    }
}

/// Merges two runs that were inserted at the same place.
///
/// What both have in the same order is taken once. Between that, the pieces that only one has stand
/// behind each other, the lesser one first: so the result does not depend on which side is which.
struct LineMerge3 {
    /// Whether a run stands before another; of two different runs exactly one must.
    let precedes: (ArraySlice<Int32>, ArraySlice<Int32>) -> Bool

    func merged(_ one: [Int32], _ other: [Int32]) -> [Int32] {
        if one.isEmpty || one == other { return other }
        if other.isEmpty { return one }
        let isInOrder = precedes(one[...], other[...])
        let (first, second) = isInOrder ? (one, other) : (other, one)
        var firstOnly = ChangedLines(lineCount: first.count)
        var secondOnly = ChangedLines(lineCount: second.count)
        let firstShared = Self.shared(first, with: second, &firstOnly)
        let secondShared = Self.shared(second, with: first, &secondOnly)
        var diff = MyersDiff(firstShared.map { first[$0] }, secondShared.map { second[$0] })
        for change in diff.changes() {
            for place in change.old { firstOnly[firstShared[place]] = true }
            for place in change.new { secondOnly[secondShared[place]] = true }
        }
        return woven(first, firstOnly, second, secondOnly)
    }

    /// Where a run has what the other has too; the rest needs no comparison.
    private static func shared(
        _ run: [Int32], with other: [Int32], _ only: inout ChangedLines
    ) -> [Int] {
        let known = Set(other)
        return run.indices.filter { place in
            let isShared = known.contains(run[place])
            if !isShared { only[place] = true }
            return isShared
        }
    }

    private func woven(
        _ first: [Int32], _ firstOnly: ChangedLines, _ second: [Int32], _ secondOnly: ChangedLines
    ) -> [Int32] {
        var result: [Int32] = []
        var (place, other) = (0, 0)
        while place < first.count || other < second.count {
            let (start, otherStart) = (place, other)
            while firstOnly[place] { place += 1 }
            while secondOnly[other] { other += 1 }
            let piece = first[start..<place]
            let otherPiece = second[otherStart..<other]
            result += precedes(piece, otherPiece) ? piece + otherPiece : otherPiece + piece
            if place < first.count { result.append(first[place]) }
            place += 1
            other += 1
        }
        return result
    }
}
