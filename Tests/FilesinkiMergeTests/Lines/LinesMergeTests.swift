import Testing

@testable import FilesinkiMerge

@Suite struct LinesMergeTests {
    /// Lines are letters; a space stands for the end of a line.
    struct Row: CustomStringConvertible, Sendable {
        var description: String
        var base: String?
        var here: String
        var there: String
        var merged: String
    }

    private static let rows = [
        Row(description: "both append", base: "a ", here: "a c ", there: "a b ", merged: "a b c "),
        Row(
            description: "both append the same", base: "a ", here: "a b ", there: "a b ",
            merged: "a b "),
        Row(
            description: "both append the same and more", base: "a ", here: "a b c ",
            there: "a b d ", merged: "a b c d "),
        Row(
            description: "one adds a line twice", base: "a ", here: "a x x ", there: "a x ",
            merged: "a x x "),
        Row(
            description: "the same line at two places", base: "a b ", here: "x a b ",
            there: "a b x ", merged: "x a b x "),
        Row(
            description: "one removes, one adds beside it", base: "a b c ", here: "a c ",
            there: "a b x c ", merged: "a x c "),
        Row(
            description: "both remove neighbours", base: "a b c d ", here: "a c d ",
            there: "a b d ", merged: "a d "),
        Row(
            description: "both edit a line", base: "a b c ", here: "a y c ", there: "a x c ",
            merged: "a x y c "),
        Row(
            description: "one edits what the other removes", base: "a b c ", here: "a x c ",
            there: "a c ", merged: "a x c "),
        Row(
            description: "one of two equal lines goes", base: "a a b ", here: "a b ",
            there: "a a b c ", merged: "a b c "),
        Row(description: "no base", base: nil, here: "a b ", there: "b c ", merged: "a b c "),
        Row(
            description: "everything removed and something added", base: "a b ", here: "",
            there: "a b c ", merged: "c "),
        Row(
            description: "two last lines without an end", base: "a", here: "a b", there: "a c",
            merged: "a b c"),
        Row(
            description: "the last end is taken off and a line added", base: "a b ", here: "a b",
            there: "x a b ", merged: "x a b"),
        Row(
            description: "a missing last end is put on and a line added", base: "a b",
            here: "a b ", there: "a b c", merged: "a b c "),
    ]

    @Test(arguments: rows)
    func `both sides' additions and removals count`(_ row: Row) {
        func text(_ row: String) -> [UInt8] { row.utf8.map { $0 == 32 ? 10 : $0 } }
        let input = MergeInput(
            base: row.base.map(text), here: text(row.here), there: text(row.there))
        #expect(LinesMerge().merge(input) == .merged(text(row.merged)))
        #expect(LinesMerge().merge(input.swapped) == .merged(text(row.merged)))
    }

    @Test func `a file with carriage returns keeps them on its last line too`() {
        let input = MergeInput(
            base: Array("a\r\nb".utf8), here: Array("a\r\nb\r\nc".utf8),
            there: Array("x\r\na\r\nb".utf8))
        #expect(LinesMerge().merge(input) == .merged(Array("x\r\na\r\nb\r\nc".utf8)))
    }

    @Test func `a byte order mark stays at the beginning`() {
        let input = MergeInput(
            base: Array("\u{FEFF}a\n".utf8), here: Array("\u{FEFF}x\na\n".utf8),
            there: Array("\u{FEFF}a\nb\n".utf8))
        #expect(LinesMerge().merge(input) == .merged(Array("\u{FEFF}x\na\nb\n".utf8)))
    }

    @Test func `content that is not text is declined`() {
        let input = MergeInput(base: [1], here: [1, 0], there: [2])
        #expect(
            LinesMerge().merge(input) == .declined([MergeConflict("", "The content is not text.")]))
    }

    @Test func `the laws hold for lists of many lines`() {
        var laws = FuzzTarget.lines.laws()
        laws.again = .same
        var dice = Dice(seed: 7)
        for number in 0..<300 {
            let base = (0..<dice.below(40)).map { "base \($0)" }
            let input = MergeInput(
                base: text(base), here: text(edited(base, &dice)), there: text(edited(base, &dice)))
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
