/// Two merges of the same versions as one text, with markers wherever they differ: one has this replica's version of each
/// conflict, the other the committed one.
///
/// Between markers are lines as the versions have them. Where a merge wrote one otherwise, such as with a comma behind it, or
/// with the changes of both sides in it, all up to the nearest lines that a merge shares with its version is the version's.
struct MarkedDocument {
    private let comparison: MergeComparison

    /// - Returns: nil where the merges are equal or no texts, and where other lines than those of the versions differ.
    init?(here: [UInt8], there: [UInt8], of input: MergeInput) {
        let merges = MergeInput(base: nil, ours: here, theirs: there)
        guard here != there, merges.refusalAsText == nil else { return nil }
        var plain = MergeComparison(here: here, there: there, of: input)
        guard !plain.isExact else {
            comparison = plain
            return
        }
        let widened = plain.widened()
        let exact = MergeComparison(here: widened.here, there: widened.there, of: input)
        guard exact.isExact, !exact.hunks.isEmpty else { return nil }
        comparison = exact
    }

    /// The text without the markers and what is there, or without what is here.
    func picked(_ side: MarkedSide) -> [UInt8] {
        side == .ours ? comparison.here : comparison.there
    }

    /// The text with markers. They end as the first line does; a side's last line gets an end if it has none.
    func bytes(_ labels: TextMerge.Labels, markerSize: Int = TextMerge.markerSize) -> [UInt8] {
        let newline = TextFrame.newline(in: comparison.here) ?? [10]
        var result: [UInt8] = []
        func append(marker: Character, _ label: String = "") {
            result += Array((String(repeating: marker, count: markerSize) + label).utf8) + newline
        }
        func append(side lines: ArraySlice<UInt8>) {
            result += lines
            if let last = lines.last, last != 10 { result += newline }
        }
        var next = 0
        for hunk in comparison.conflicts {
            result += comparison.linesHere(next..<hunk.old.lowerBound)
            append(marker: "<", " \(labels.ours)")
            append(side: comparison.linesHere(hunk.old))
            append(marker: "=")
            append(side: comparison.linesThere(hunk.new))
            append(marker: ">", " \(labels.theirs)")
            next = hunk.old.upperBound
        }
        return result + comparison.linesHere(next..<comparison.hereCount)
    }
}

/// The lines of two versions and of a merge with the conflicts of each.
private struct MergeComparison {
    let here: [UInt8]
    let there: [UInt8]
    private let lines: LineClasses
    private var diff: LineDiff
    /// Where the merges differ: lines of the one with the conflicts from here, and of the other.
    private(set) var hunks: [LineChange] = []
    /// By version, the places of each line.
    private let places: [[Int32: [Int]]]

    /// A line that the merges share, and that each shares with its version.
    private struct Anchor {
        let here: Int
        let there: Int
        let ours: Int
        let theirs: Int
    }

    init(here: [UInt8], there: [UInt8], of input: MergeInput) {
        (self.here, self.there) = (here, there)
        lines = LineClasses(of: [input.ours, input.theirs, here, there])
        diff = LineDiff(classCount: lines.count)
        places = lines.texts[..<2].map { text in
            Dictionary(grouping: text.classes.indices) { text.classes[$0] }
        }
        let changes = diff.changes(
            from: lines.texts[2].classes[...], to: lines.texts[3].classes[...])
        hunks = changes.flatMap(parts)
    }

    var hereCount: Int { lines.texts[2].classes.count }

    func linesHere(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes(range, 2) }

    func linesThere(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes(range, 3) }

    private func bytes(_ range: Range<Int>, _ text: Int) -> ArraySlice<UInt8> {
        lines.bytes[lines.texts[text].bytes(range)]
    }

    /// Whether all that differs are lines as the versions have them.
    var isExact: Bool { hunks.allSatisfy(areOwn) }

    /// Whether the lines of a hunk are those of the versions.
    private func areOwn(_ hunk: LineChange) -> Bool {
        isRun(lines.texts[2].classes[hunk.old], of: 0)
            && isRun(lines.texts[3].classes[hunk.new], of: 1)
    }

    /// Whether a version has these lines, one behind the other.
    private func isRun(_ run: ArraySlice<Int32>, of version: Int) -> Bool {
        guard let first = run.first else { return true }
        let classes = lines.texts[version].classes
        return places[version][first]?.contains { start in
            classes[start...].prefix(run.count).elementsEqual(run)
        } ?? false
    }

    /// A hunk in parts whose lines stand one behind the other in their versions; the hunk where a version has not all of them.
    private func parts(of hunk: LineChange) -> [LineChange] {
        guard !areOwn(hunk), let old = runs(hunk.old, in: 2, of: 0),
            let new = runs(hunk.new, in: 3, of: 1)
        else { return [hunk] }
        guard hunk.old.count == hunk.new.count else {
            return (0..<max(old.count, new.count)).map { number in
                LineChange(
                    old: number < old.count
                        ? old[number] : hunk.old.upperBound..<hunk.old.upperBound,
                    new: number < new.count
                        ? new[number] : hunk.new.upperBound..<hunk.new.upperBound)
            }
        }
        let ends = Set(
            old.map { $0.upperBound - hunk.old.lowerBound }
                + new.map { $0.upperBound - hunk.new.lowerBound })
        var start = 0
        return ends.sorted().map { end in
            defer { start = end }
            return LineChange(
                old: (hunk.old.lowerBound + start)..<(hunk.old.lowerBound + end),
                new: (hunk.new.lowerBound + start)..<(hunk.new.lowerBound + end))
        }
    }

    /// Lines in parts that stand one behind the other in a version, each as long as possible; nil where it has not all of them.
    private func runs(_ range: Range<Int>, in text: Int, of version: Int) -> [Range<Int>]? {
        let classes = lines.texts[text].classes
        var result: [Range<Int>] = []
        for line in range {
            guard isRun(classes[line...line], of: version) else { return nil }
            if let last = result.last, isRun(classes[last.lowerBound...line], of: version) {
                result[result.count - 1] = last.lowerBound..<(line + 1)
            } else {
                result.append(line..<(line + 1))
            }
        }
        return result
    }

    /// The hunks, of which those are one that have nothing but brackets and the like between them.
    var conflicts: [LineChange] {
        var result: [LineChange] = []
        for hunk in hunks {
            guard let last = result.last,
                !linesHere(last.old.upperBound..<hunk.old.lowerBound).contains(
                    where: isLetterOrDigit)
            else {
                result.append(hunk)
                continue
            }
            let both = LineChange(
                old: last.old.lowerBound..<hunk.old.upperBound,
                new: last.new.lowerBound..<hunk.new.upperBound)
            if areOwn(both) { result[result.count - 1] = both } else { result.append(hunk) }
        }
        return result
    }

    // MARK: Widening

    /// The merges with the versions' own lines up to the nearest anchors of what is not exact.
    mutating func widened() -> (here: [UInt8], there: [UInt8]) {
        var here: [UInt8] = []
        var there: [UInt8] = []
        var rest = hunks[...]
        var last = Anchor(here: -1, there: -1, ours: -1, theirs: -1)
        for anchor in anchors() {
            let inside = rest.prefix {
                $0.old.lowerBound <= anchor.here && $0.new.lowerBound <= anchor.there
            }
            rest = rest.dropFirst(inside.count)
            if inside.allSatisfy(areOwn) {
                here += bytes((last.here + 1)..<anchor.here, 2)
                there += bytes((last.there + 1)..<anchor.there, 3)
            } else {
                here += bytes((last.ours + 1)..<anchor.ours, 0)
                there += bytes((last.theirs + 1)..<anchor.theirs, 1)
            }
            if anchor.here < hereCount {
                here += bytes(anchor.here..<(anchor.here + 1), 2)
                there += bytes(anchor.there..<(anchor.there + 1), 3)
            }
            last = anchor
        }
        return (here, there)
    }

    /// All anchors, and the ends of the texts.
    private mutating func anchors() -> [Anchor] {
        let across = matches(of: 2, in: 3)
        let (ours, theirs) = (matches(of: 2, in: 0), matches(of: 3, in: 1))
        let counts = lines.texts.map(\.classes.count)
        return across.indices.compactMap { line in
            guard let there = across[line], let our = ours[line], let their = theirs[there] else {
                return nil
            }
            return Anchor(here: line, there: there, ours: our, theirs: their)
        } + [Anchor(here: counts[2], there: counts[3], ours: counts[0], theirs: counts[1])]
    }

    /// Of each line of a text, which line of another one it is.
    private mutating func matches(of text: Int, in other: Int) -> [Int?] {
        let (old, new) = (lines.texts[text].classes, lines.texts[other].classes)
        var result = [Int?](repeating: nil, count: old.count)
        var (place, shift) = (0, 0)
        for change in diff.changes(from: old[...], to: new[...]) {
            for line in place..<change.old.lowerBound { result[line] = line + shift }
            place = change.old.upperBound
            shift = change.new.upperBound - change.old.upperBound
        }
        for line in place..<old.count { result[line] = line + shift }
        return result
    }
}
