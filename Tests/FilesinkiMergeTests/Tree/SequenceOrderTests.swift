import Testing

@testable import FilesinkiMerge

/// The order of things that each version has once, as letters.
@Suite struct SequenceOrderTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let base: String
        let ours: String
        let theirs: String
        let expected: String
        var apart = ""

        init(
            _ name: String, _ base: String, _ ours: String, _ theirs: String, _ expected: String,
            apart: String = ""
        ) {
            (testDescription, self.base, self.ours, self.theirs) = (name, base, ours, theirs)
            (self.expected, self.apart) = (expected, apart)
        }

        func order(isSwapped: Bool, isSortable: Bool = false) -> SequenceOrder {
            let sides = isSwapped ? (theirs, ours) : (ours, theirs)
            let apart = Set(numbers(apart))
            var order = SequenceOrder(
                base: numbers(base), ours: numbers(sides.0), theirs: numbers(sides.1), count: 128,
                precedes: <, sortings: { isSortable ? [{ $0 < $1 }, { $0 > $1 }] : [] })
            order.isApart = { apart.contains($0) }
            return order
        }

        /// What is in both sides, and what one added.
        func merged(_ order: SequenceOrder) -> String {
            letters(
                order.merged {
                    order.isInOurs[$0] == order.isInTheirs[$0]
                        ? order.isInOurs[$0] : !order.isInBase[$0]
                })
        }
    }

    @Test(arguments: [
        Row("nothing changed", "abc", "abc", "abc", "abc"),
        Row("one side replaced one", "abc", "axc", "abc", "axc"),
        Row(
            "a replacement stands before what the other put behind it", "abc", "axc", "abyc", "axyc"
        ),
        Row("two replacements keep their places", "abcd", "axyd", "abqcd", "axqyd"),
        Row("what is put behind two replaced ones", "abcd", "axyd", "abcqd", "axyqd"),
        Row("additions at both ends", "abc", "xabc", "abcy", "xabcy"),
        Row("additions at one place, the lesser first", "abc", "abcy", "abcx", "abcxy"),
        Row("additions at the beginning, the lesser first", "ab", "yab", "xab", "xyab"),
        Row("additions to nothing", "", "bd", "ac", "acbd"),
        Row("an addition among others of the other side", "abc", "abxc", "aybc", "aybxc"),
        Row("one moved by one side", "abc", "cab", "abc", "cab"),
        Row("one moved by one side, an addition of the other", "abc", "cab", "abxc", "cabx"),
        Row("one moved, with what stands behind its neighbour", "abc", "acb", "abxc", "acbx"),
        Row("one moved by one side and removed by the other", "abc", "cab", "ab", "ab"),
        Row("moved alike", "abc", "cba", "cba", "cba"),
        Row("removed by both", "abc", "ab", "bc", "b"),
        Row("removed around an addition", "abc", "b", "axbc", "xb"),
        Row("all removed by one side", "abc", "abc", "", ""),
        Row("all removed by one side, an addition of the other", "abc", "", "abcx", "x"),
        Row("moved otherwise, which is in the lesser order", "abcd", "bacd", "abdc", "abdc"),
    ])
    func `each side's order is in the result`(_ row: Row) {
        for isSwapped in [false, true] {
            #expect(row.merged(row.order(isSwapped: isSwapped)) == row.expected)
        }
    }

    @Test(arguments: [MergeVersion.ours, .theirs])
    func `where both moved otherwise, a side can be chosen`(_ side: MergeVersion) {
        let row = Row("", "abcd", "bacd", "abdc", "")
        var order = row.order(isSwapped: false)
        order.chosenSide = side
        #expect(row.merged(order) == (side == .ours ? "bacd" : "abdc"))
    }

    @Test(arguments: [
        Row("at both ends", "bdf", "bdfh", "abdf", "abdfh"),
        Row("between others of the other side", "bdf", "bcdf", "bdef", "bcdef"),
        Row("downwards", "fdb", "fdba", "hfdb", "hfdba"),
        Row("runs behind one thing", "b", "by", "bxz", "bxyz"),
        Row("two runs behind two things", "bq", "bqy", "bqxz", "bqxyz"),
        Row("not two things each, which are in some order always", "", "bd", "ac", "acbd"),
        Row("not where one side is in another order", "bdf", "bdhf", "bdef", "bdehf"),
    ])
    func `things that are sorted stay sorted`(_ row: Row) {
        for isSwapped in [false, true] {
            let order = row.order(isSwapped: isSwapped, isSortable: true)
            #expect(row.merged(order) == row.expected)
        }
    }

    @Test(arguments: [
        Row("without blank lines, the lesser first", "bq", "bqy", "bqxz", "bqxzy"),
        Row("the lesser below a blank line", "bq", "bqy", "bqxz", "bqyxz", apart: "x"),
        Row("one below a blank line", "q", "qa", "qb", "qba", apart: "a"),
        Row("both below a blank line", "bq", "bqz", "bqx", "bqxz", apart: "xz"),
    ])
    func `additions below a blank line stand behind others`(_ row: Row) {
        for isSwapped in [false, true] {
            #expect(row.merged(row.order(isSwapped: isSwapped)) == row.expected)
        }
    }

    /// The thing that both replaced.
    @Test(arguments: [
        Row("by different ones", "abc", "axc", "ayc", "b"),
        Row("by the same one", "abc", "axc", "axc", ""),
        Row("by different ones beside an equal addition", "abc", "anxc", "anyc", "b"),
        Row("one of two", "abcd", "axd", "abyd", "c"),
        Row("different ones", "abcd", "axcd", "abyd", ""),
        Row("replaced by one side, one of them removed by the other", "abcd", "axd", "acd", ""),
        Row("nothing but additions", "ab", "axb", "ayb", ""),
        Row("the first of all", "abc", "xbc", "ybc", "a"),
        Row("the last of all", "abc", "abx", "aby", "c"),
        Row("removed by both, with additions elsewhere", "abcd", "acdx", "acdy", ""),
    ])
    func `what both replaced by different ones is told`(_ row: Row) {
        for isSwapped in [false, true] {
            let order = row.order(isSwapped: isSwapped)
            #expect(order.firstReplacedTwice.map { letters([$0]) } ?? "" == row.expected)
            #expect(order.isReplacedTwice(orRemoved: false) == !row.expected.isEmpty)
        }
    }

    /// Whether one side replaced what the other removed.
    @Test(arguments: [
        (Row("replaced and removed", "abc", "axc", "ac", ""), true),
        (Row("replaced and kept", "abc", "axc", "abc", ""), false),
        (Row("removed by both", "abc", "ac", "ac", ""), false),
        (Row("another one removed", "abcd", "axcd", "abd", ""), false),
    ])
    func `what one replaced and the other removed is told`(_ row: Row, _ isReplaced: Bool) {
        for isSwapped in [false, true] {
            let order = row.order(isSwapped: isSwapped)
            #expect(order.isReplacedTwice(orRemoved: true) == isReplaced)
            #expect(!order.isReplacedTwice(orRemoved: false))
        }
    }

    @Test(arguments: [
        (Row("otherwise", "abc", "bac", "acb", ""), true),
        (Row("alike", "abc", "cba", "cba", ""), false),
        (Row("by one side", "abc", "cba", "abc", ""), false),
        (Row("by one side, an addition of the other", "abc", "cab", "abxc", ""), false),
        (Row("by one side, the other removed it", "abc", "cab", "ab", ""), false),
        (Row("otherwise, with more by one", "abcd", "badc", "abdc", ""), true),
    ])
    func `whether both moved what all have is told`(_ row: Row, _ isReordered: Bool) {
        for isSwapped in [false, true] {
            #expect(row.order(isSwapped: isSwapped).isReorderedTwice == isReordered)
        }
    }

    @Test(arguments: [
        (Row("both only removed", "abc", "ab", "bc", ""), true),
        (Row("all removed by one", "abc", "abc", "", ""), true),
        (Row("sorted additions", "abd", "abcd", "abde", ""), true),
        (Row("sorted additions to two", "ab", "abc", "abd", ""), false),
        (Row("additions that are not sorted", "abc", "abcx", "aybc", ""), false),
        (Row("a removal and an addition", "abc", "ab", "abcx", ""), false),
        (Row("a replacement", "abc", "axc", "abc", ""), false),
        (Row("a moved one", "abc", "cab", "abc", ""), false),
    ])
    func `where places mean something, two changes are plain`(_ row: Row, _ isPlain: Bool) {
        for isSwapped in [false, true] {
            let order = row.order(isSwapped: isSwapped, isSortable: true)
            #expect(order.isPlainlyPlaced == isPlain)
        }
    }
}
