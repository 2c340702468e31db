import Testing

@testable import FilesinkiMerge

/// Sequences of letters, as the merges of lists compare their elements.
@Suite struct SequencePartsTests {
    /// Three sequences, and the parts as `who: base|ours|theirs`.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let versions: [String]
        let parts: [String]

        init(_ name: String, _ base: String, _ ours: String, _ theirs: String, _ parts: String...) {
            (testDescription, versions, self.parts) = (name, [base, ours, theirs], parts)
        }

        func shown(isSwapped: Bool = false, joinsTouching: Bool = false) -> [String] {
            let texts = isSwapped ? [versions[0], versions[2], versions[1]] : versions
            let lists = texts.map(numbers)
            let groups = SequenceMerge.groups(
                base: lists[0], ours: lists[1], theirs: lists[2], joinsTouching: joinsTouching)
            return groups.map { group in
                var parts = [lists[1][group.ours], lists[2][group.theirs]].map(letters)
                var change = group.change
                if isSwapped {
                    parts.reverse()
                    change = change == .ours ? .theirs : change == .theirs ? .ours : change
                }
                let base = letters(lists[0][group.base])
                return "\(change): " + ([base] + parts).joined(separator: "|")
            }
        }
    }

    @Test(arguments: [
        Row("nothing", "", "", ""),
        Row("no change", "ab", "ab", "ab", "none: ab|ab|ab"),
        Row("additions to nothing", "", "x", "y", "both: |x|y"),
        Row(
            "an edit of one side", "abc", "axc", "abc", "none: a|a|a", "ours: b|x|b", "none: c|c|c"),
        Row(
            "edits that only touch", "ab", "xb", "ay", "ours: a|x|a", "theirs: b|b|y"),
        Row(
            "additions at one place", "ab", "axb", "ayb", "none: a|a|a", "both: |x|y", "none: b|b|b"
        ),
        Row(
            "additions at different places", "abc", "axbc", "abyc", "none: a|a|a", "ours: |x|",
            "none: b|b|b", "theirs: ||y", "none: c|c|c"),
        Row(
            "additions at both ends", "abc", "xabc", "abcy", "ours: |x|", "none: abc|abc|abc",
            "theirs: ||y"),
        Row(
            "an addition behind a removed element", "abc", "ac", "abxc", "none: a|a|a",
            "ours: b||b",
            "theirs: ||x", "none: c|c|c"),
        Row("all removed by one side", "abc", "abc", "", "theirs: abc|abc|"),
        Row("removals that overlap", "abc", "c", "a", "both: abc|c|a"),
        Row(
            "a removal within another", "abcd", "ad", "abd", "none: a|a|a", "both: bc||b",
            "none: d|d|d"),
        Row(
            "a replacement that covers another", "abcd", "axd", "abyd", "none: a|a|a",
            "both: bc|x|by",
            "none: d|d|d"),
    ])
    func `changes that do not overlap are parts of their own`(_ row: Row) {
        #expect(row.shown() == row.parts)
        #expect(row.shown(isSwapped: true) == row.parts)
    }

    @Test(arguments: [
        Row("edits beside each other", "ab", "xb", "ay", "both: ab|xb|ay"),
        Row(
            "edits with something between them", "abc", "xbc", "aby", "ours: a|x|a", "none: b|b|b",
            "theirs: c|c|y"),
    ])
    func `where places mean something, changes that touch are one part`(_ row: Row) {
        #expect(row.shown(joinsTouching: true) == row.parts)
        #expect(row.shown(isSwapped: true, joinsTouching: true) == row.parts)
    }

    @Test(arguments: [
        Row(
            "behind an edited element", "aq", "axq", "bxq", "theirs: a|a|b", "both: |x|x",
            "none: q|q|q"),
        Row(
            "before an edited element", "qa", "qxa", "qxb", "none: q|q|q", "both: |x|x",
            "theirs: a|a|b"),
        Row(
            "on both sides of it", "a", "xay", "xby", "both: |x|x", "theirs: a|a|b", "both: |y|y"),
        Row(
            "with one more element", "aq", "axyq", "bxq", "theirs: a|a|b", "both: |x|x",
            "ours: |y|", "none: q|q|q"),
        Row(
            "in place of a removed element", "aq", "axq", "xq", "theirs: a|a|", "both: |x|x",
            "none: q|q|q"),
        Row("on different sides", "aq", "axq", "xbq", "unclear: a|ax|xb", "none: q|q|q"),
        Row(
            "in place of different elements", "abq", "axyq", "xbq", "unclear: ab|axy|xb",
            "none: q|q|q"),
        Row("in another order", "aq", "axyq", "byxq", "unclear: a|axy|byx", "none: q|q|q"),
    ])
    func `what both added alike is a part of its own, or unclear`(_ row: Row) {
        #expect(row.shown() == row.parts)
        #expect(row.shown(isSwapped: true) == row.parts)
    }

    /// A difference, and its changes as `base>side`.
    @Test(arguments: [
        ("abc", "abc", []), ("abc", "", ["abc>"]), ("", "abc", [">abc"]), ("abc", "abxc", [">x"]),
        ("abc", "ac", ["b>"]), ("abc", "xbz", ["a>x", "c>z"]), ("aaa", "aa", ["a>"]),
        ("abab", "ab", ["ab>"]),
    ])
    func `a difference has what was removed and added`(
        _ base: String, _ side: String, _ changes: [String]
    ) {
        let (old, new) = (numbers(base), numbers(side))
        let shown = SequenceDiff.changes(old, new).map {
            letters(old[$0.base]) + ">" + letters(new[$0.side])
        }
        #expect(shown == changes)
    }

    @Test
    func `a difference leads from one sequence to the other, by as few elements as there can be`() {
        var dice = Dice(seed: 11)
        for _ in 0..<500 {
            let base = (0..<dice.below(10)).map { _ in dice.below(3) }
            let side = (0..<dice.below(10)).map { _ in dice.below(3) }
            let changes = SequenceDiff.changes(base, side)
            var made: [Int] = []
            var (place, count) = (0, 0)
            for change in changes {
                made += base[place..<change.base.lowerBound]
                #expect(made.count == change.side.lowerBound)
                made += side[change.side]
                place = change.base.upperBound
                count += change.base.count + change.side.count
            }
            made += base[place...]
            #expect(made == side)
            #expect(
                count == base.count + side.count - 2 * commonLength(base, side), "\(base) \(side)")
        }
    }

    /// The length of the longest common subsequence, by its definition.
    private func commonLength(_ one: [Int], _ other: [Int]) -> Int {
        var lengths = [Int](repeating: 0, count: other.count + 1)
        for left in one {
            var before = 0
            for (place, right) in other.enumerated() {
                let above = lengths[place + 1]
                lengths[place + 1] = left == right ? before + 1 : max(above, lengths[place])
                before = above
            }
        }
        return lengths[other.count]
    }

    @Test(arguments: [(250, 250), (251, 1)])
    func `of more than 500 differences one is made`(_ count: Int, _ changes: Int) {
        let base = (0..<count).flatMap { [1000 + $0, $0] }
        let side = (0..<count).flatMap { [5000 + $0, $0] }
        #expect(SequenceDiff.changes(base, side).count == changes)
    }
}

/// A number for each letter.
func numbers(_ text: String) -> [Int] { text.utf8.map(Int.init) }

func letters(_ numbers: some Sequence<Int>) -> String {
    String(decoding: numbers.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
}
