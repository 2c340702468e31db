import Testing

@testable import FilesinkiCommands

/// What is too wide for a terminal is broken; in a pipe nothing is.
@Suite("Broken lines")
struct FlowTextTests {
    @Test(
        "parts go on a line as long as there is room",
        arguments: [
            (nil, ["aa  bb  cc"]), (10, ["aa  bb  cc"]), (9, ["aa  bb", ".cc"]),
            (5, ["aa", ".bb", ".cc"]), (1, ["aa", ".bb", ".cc"]),
        ] as [(Int?, [String])])
    func parts(_ width: Int?, _ expected: [String]) {
        let lines = FlowText.lines(
            ["aa", "bb", "cc"], separator: "  ", indent: ".", within: width)
        #expect(lines == expected)
        #expect(FlowText.lines([], separator: "", indent: "", within: width).isEmpty)
    }

    @Test("a sentence is broken between words, and a long word stays whole")
    func words() {
        #expect(FlowText.words("one two three", within: nil) == ["one two three"])
        #expect(FlowText.words("one two three", within: 8) == ["one two", "three"])
        #expect(
            FlowText.words("one muchtoolong x", indent: "  ", within: 5) == [
                "one", "  muchtoolong", "  x",
            ])
    }

    private var table: TextTable {
        var table = TextTable(rightAligned: [1])
        table.add("a", "1", "a text of several words, which is long")
        table.add("bbb", "22", "short")
        return table
    }

    @Test("a table's last column continues below its beginning")
    func columns() {
        #expect(
            table.lines == ["a     1  a text of several words, which is long", "bbb  22  short"])
        #expect(
            table.lines(within: 34) == [
                "a     1  a text of several words,", "         which is long", "bbb  22  short",
            ])
        #expect(table.lines(within: 100) == table.lines)
    }

    @Test("without room, or for a path, it stands on a line of its own")
    func ownLine() {
        #expect(
            table.lines(within: 25) == [
                "a     1", "    a text of several", "    words, which is long", "bbb  22  short",
            ])
        #expect(
            table.lines(within: 34, isWhole: true) == [
                "a     1", "    a text of several words, which is long", "bbb  22  short",
            ])
    }
}
