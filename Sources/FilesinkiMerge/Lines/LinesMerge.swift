/// Merges texts that are lists of lines, such as ignore rules, words or known hosts.
///
/// Both sides' additions and removals count, and nothing is ever a conflict:
/// * A line of the base stays if neither side removed it. Of equal lines each counts for itself.
/// * A line that one side added is in the result, at its place between the lines that stay. Lines
///   that one side added twice are there twice.
/// * What both added at the same place in the same order is there once; what only one of them
///   added there stands in the order of its bytes. The same line added at two places is there twice.
/// * An edited line is a removal and an addition: if both sides edited it, the old line goes and
///   both new ones stay, if one side edited it and the other removed it, the new one stays.
///
/// Places with only removed lines between them are the same place. The end of a line is part of
/// it, save for the last: a missing last newline is the file's, and never makes two lines one.
/// Content that is not text is declined.
package struct LinesMerge: ContentMerge {
    package init() {}

    package func merge(_ input: MergeInput) -> MergeOutcome {
        if let reason = input.refusalAsText { return .declined([MergeConflict("", reason)]) }
        if let easy = input.obvious { return .merged(easy) }
        var base = input.base ?? []
        var here = input.here
        var there = input.there
        let baseFrame = TextFrame(removingFrom: &base)
        let newline = TextFrame.newline(in: base) ?? [10]
        let hereFrame = TextFrame(removingFrom: &here, newline: newline)
        let thereFrame = TextFrame(removingFrom: &there, newline: newline)
        let frame = TextFrame(base: baseFrame, here: hereFrame, there: thereFrame)
        let lines = Self.lines(of: ThreeTexts(base: base, here: here, there: there))
        return .merged(frame.added(to: lines))
    }

    private static func lines(of texts: ThreeTexts) -> [UInt8] {
        let lineMerge3 = LineMerge3 { first, second in
            first.lexicographicallyPrecedes(second) { line, other in
                texts.bytes[texts.firsts[Int(line)]].lexicographicallyPrecedes(
                    texts.bytes[texts.firsts[Int(other)]])
            }
        }
        var here = SideOfList(texts.here, texts.hereChanges)
        var there = SideOfList(texts.there, texts.thereChanges)
        var result: [Int32] = []
        for (place, line) in texts.base.classes.enumerated() {
            let staysHere = here.pass(place)
            let staysThere = there.pass(place)
            guard staysHere, staysThere else { continue }
            result += lineMerge3.merged(here.takeAdded(), there.takeAdded())
            result.append(line)
        }
        _ = here.pass(texts.base.classes.count)
        _ = there.pass(texts.base.classes.count)
        result += lineMerge3.merged(here.takeAdded(), there.takeAdded())
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

    /// Goes to this place of the base, and says whether the line there stays.
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
