import Testing

@testable import FilesinkiMerge

@Suite struct LinesMergeTests {
    /// Lines are letters; a space stands for the end of a line.
    struct Row: CustomStringConvertible, Sendable {
        var description: String
        var base: String?
        var ours: String
        var theirs: String
        var merged: String
    }

    private static let rows = [
        Row(description: "both append", base: "a ", ours: "a c ", theirs: "a b ", merged: "a b c "),
        Row(
            description: "both append the same", base: "a ", ours: "a b ", theirs: "a b ",
            merged: "a b "),
        Row(
            description: "both append the same and more", base: "a ", ours: "a b c ",
            theirs: "a b d ", merged: "a b c d "),
        Row(
            description: "one adds a line twice", base: "a ", ours: "a x x ", theirs: "a x ",
            merged: "a x x "),
        Row(
            description: "the same line at two places", base: "a b ", ours: "x a b ",
            theirs: "a b x ", merged: "x a b x "),
        Row(
            description: "one removes, one adds beside it", base: "a b c ", ours: "a c ",
            theirs: "a b x c ", merged: "a x c "),
        Row(
            description: "both remove neighbours", base: "a b c d ", ours: "a c d ",
            theirs: "a b d ", merged: "a d "),
        Row(
            description: "both edit a line", base: "a b c ", ours: "a y c ", theirs: "a x c ",
            merged: "a x y c "),
        Row(
            description: "one edits what the other removes", base: "a b c ", ours: "a x c ",
            theirs: "a c ", merged: "a x c "),
        Row(
            description: "one of two equal lines goes", base: "a a b ", ours: "a b ",
            theirs: "a a b c ", merged: "a b c "),
        Row(description: "no base", base: nil, ours: "a b ", theirs: "b c ", merged: "a b c "),
        Row(
            description: "everything removed and something added", base: "a b ", ours: "",
            theirs: "a b c ", merged: "c "),
        Row(
            description: "two last lines without an end", base: "a", ours: "a b", theirs: "a c",
            merged: "a b c"),
        Row(
            description: "the last end is taken off and a line added", base: "a b ", ours: "a b",
            theirs: "x a b ", merged: "x a b"),
        Row(
            description: "a missing last end is put on and a line added", base: "a b",
            ours: "a b ", theirs: "a b c", merged: "a b c "),
    ]

    @Test(arguments: rows)
    func `both sides' additions and removals count`(_ row: Row) {
        func text(_ row: String) -> [UInt8] { row.utf8.map { $0 == 32 ? 10 : $0 } }
        let input = MergeInput(
            base: row.base.map(text), ours: text(row.ours), theirs: text(row.theirs))
        #expect(LinesMerge().merge(input) == .merged(text(row.merged)))
        #expect(LinesMerge().merge(input.swapped) == .merged(text(row.merged)))
    }

    @Test func `a file with carriage returns keeps them on its last line too`() {
        let input = MergeInput(
            base: Array("a\r\nb".utf8), ours: Array("a\r\nb\r\nc".utf8),
            theirs: Array("x\r\na\r\nb".utf8))
        #expect(LinesMerge().merge(input) == .merged(Array("x\r\na\r\nb\r\nc".utf8)))
    }

    @Test func `a byte order mark stays at the beginning`() {
        let input = MergeInput(
            base: Array("\u{FEFF}a\n".utf8), ours: Array("\u{FEFF}x\na\n".utf8),
            theirs: Array("\u{FEFF}a\nb\n".utf8))
        #expect(LinesMerge().merge(input) == .merged(Array("\u{FEFF}x\na\nb\n".utf8)))
    }

    @Test func `content that is not text is declined`() {
        let input = MergeInput(base: [1], ours: [1, 0], theirs: [2])
        #expect(
            LinesMerge().merge(input) == .declined([MergeConflict("", "The content is not text.")]))
    }

    @Test func `the laws hold for lists of many lines`() {
        var laws = FuzzTarget.lines.laws()
        laws.again = .same
        var dice = Dice(seed: 7)
        for number in 0..<100 {
            let base = (0..<dice.below(40)).map { "base \($0)" }
            let input = MergeInput(
                base: text(base), ours: text(edited(base, &dice)), theirs: text(edited(base, &dice))
            )
            let broken = laws.broken(by: input)
            #expect(broken.isEmpty, "number \(number)\n\(describe(input))")
        }
    }

    private func text(_ lines: [String]) -> [UInt8] { lines.flatMap { Array("\($0)\n".utf8) } }

    /// Lines of their own, so that no two are equal and each has one place.
    private func edited(_ lines: [String], _ dice: inout Dice) -> [String] {
        var lines = lines.filter { _ in !dice.once(in: 6) }
        for _ in 0..<dice.below(8) {
            lines.insert("new \(dice.below(1_000_000))", at: dice.below(lines.count + 1))
        }
        return lines
    }
}
