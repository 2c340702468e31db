import Testing

@testable import FilesinkiMerge

@Suite("What a line of Markdown can begin")
struct MarkdownLineTests {
    private static func line(_ text: String) -> (bytes: [UInt8], line: MarkdownLine) {
        let bytes = Array(text.utf8)
        return (bytes, MarkdownLine(bytes, at: 0))
    }

    @Test(
        "tabs indent to the next multiple of four, and white space around the text is none of it",
        arguments: [
            ("a", 0, "a"), ("  a \n", 2, "a"), ("\ta\t\r\n", 4, "a"), (" \ta", 4, "a"),
            ("   \ta", 4, "a"), ("    \ta", 8, "a"), ("\t a b \n", 5, "a b"), ("\n", 0, ""),
            ("  \r\n", 2, ""), ("a\r", 0, "a"),
        ])
    func indentation(_ text: String, _ column: Int, _ content: String) {
        let (bytes, line) = Self.line(text)
        #expect(line.column == column)
        #expect(line.text(bytes).elementsEqual(content.utf8))
        #expect(line.isBlank == content.isEmpty)
    }

    @Test(
        "a fence has three marks or more, and none of backticks behind them",
        arguments: [
            ("```", 3), ("~~~~", 4), ("  ``` swift", 3), ("~~~ a~b`c", 3), ("``", nil),
            ("~~", nil), ("```a`", nil), ("a```", nil), ("", nil),
        ] as [(String, Int?)])
    func fence(_ text: String, _ length: Int?) {
        let (bytes, line) = Self.line(text)
        #expect(line.fence(bytes)?.length == length)
    }

    @Test(
        "a fence ends with as many of its marks, and with nothing else",
        arguments: [
            ("```", "```", true), ("```", "`````  ", true), ("````", "```", false),
            ("```", "~~~", false), ("```", "``` a", false), ("~~~", "  ~~~", true),
            ("```", "", false),
        ])
    func closing(_ opening: String, _ text: String, _ closes: Bool) throws {
        let (bytes, line) = Self.line(opening)
        let fence = try #require(line.fence(bytes))
        let (other, end) = Self.line(text)
        #expect(end.closes(fence, other) == closes)
    }

    @Test(
        "headings, breaks, underlines and quotations",
        arguments: [
            ("# a", "heading"), ("######", "heading"), ("####### a", ""), ("#a", ""),
            ("#\ta", "heading"), ("***", "break"), ("- - -", "break"), ("_\t_ _", "break"),
            ("**", ""), ("-*-", ""), ("---", "break underline"), ("=", "underline"),
            ("-", "underline"), ("= =", ""), ("==-", ""), ("+++", ""), ("> a", "quotation"),
            (">", "quotation"), ("a > b", ""), ("", ""),
        ])
    func kinds(_ text: String, _ kinds: String) {
        let (bytes, line) = Self.line(text)
        let found = [
            ("heading", line.isHeading(bytes)), ("break", line.isThematicBreak(bytes)),
            ("underline", line.isUnderline(bytes)), ("quotation", line.isQuote(bytes)),
        ].filter(\.1).map(\.0)
        #expect(found.joined(separator: " ") == kinds)
    }

    @Test(
        "HTML that only its own end ends, in any case of the letters",
        arguments: [
            ("<!-- a", "-->"), ("<PRE>", "</pre>"), ("<script src=x>", "</script>"),
            ("<style>", "</style>"), ("  <TextArea>", "</textarea>"), ("<?php", "?>"),
            ("<![CDATA[a", "]]>"), ("<p>", nil), ("a <!--", nil), ("", nil),
        ] as [(String, String?)])
    func rawHTML(_ text: String, _ end: String?) {
        let (bytes, line) = Self.line(text)
        #expect(line.endOfRawHTML(bytes) == end.map { Array($0.utf8) })
    }

    @Test(
        "a text is found anywhere in a line",
        arguments: [
            ("a --> b", true), ("-->", true), ("a-->", true), ("--", false), ("-- >", false),
            ("", false),
        ])
    func contains(_ text: String, _ isFound: Bool) {
        let (bytes, line) = Self.line(text)
        #expect(line.contains(Array("-->".utf8), bytes) == isFound)
    }

    /// What marks an item, its number, where its text begins, and how far the lines below it are indented.
    struct Marker: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var kind: String
        var number: Int?
        var content: Int
        var column: Int

        init(_ text: String, _ kind: String, _ number: Int?, _ content: Int, _ column: Int) {
            (testDescription, self.kind, self.number) = (text, kind, number)
            (self.content, self.column) = (content, column)
        }
    }

    @Test(
        "what marks an item of a list",
        arguments: [
            Marker("- a", "-", nil, 2, 2), Marker("+ a", "+", nil, 2, 2),
            Marker("*   a", "*", nil, 4, 4), Marker("  - a", "-", nil, 4, 4),
            Marker("1. a", ".", 1, 3, 3), Marker("12) a", ")", 12, 4, 4),
            Marker("123456789. a", ".", 123_456_789, 11, 11), Marker("-\ta", "-", nil, 2, 4),
            Marker("-    a", "-", nil, 5, 5), Marker("-     a", "-", nil, 2, 2),
            Marker("-", "-", nil, 1, 2), Marker("-  ", "-", nil, 3, 2),
            Marker("007. a", ".", 7, 5, 5),
        ])
    func marker(_ marker: Marker) throws {
        let (bytes, line) = Self.line(marker.testDescription)
        let found = try #require(MarkdownMarker(bytes, line))
        #expect([found.kind] == Array(marker.kind.utf8))
        #expect(found.number == marker.number)
        #expect(found.content == marker.content)
        #expect(found.column == marker.column)
    }

    @Test(
        "what marks no item",
        arguments: ["", "a", "-a", "1.a", "1", "1: a", ". a", "1234567890. a", "--- a", "=", "# a"])
    func noMarker(_ text: String) {
        let (bytes, line) = Self.line(text)
        #expect(MarkdownMarker(bytes, line) == nil)
    }

    @Test(
        "the cells of a row",
        arguments: [
            ("| a | b |", ["a", "b"]), ("a|b", ["a", "b"]), ("|a|b", ["a", "b"]),
            ("a | b|  ", ["a", "b"]), ("||a|", ["", "a"]), ("| |", [""]),
            ("a\\|b|c", ["a\\|b", "c"]),
            ("a", ["a"]), ("", []), ("|", []), ("a|\\", ["a", "\\"]), ("|a||", ["a", ""]),
        ])
    func cells(_ text: String, _ cells: [String]) {
        let (bytes, line) = Self.line(text)
        let row = MarkdownRow(bytes, line)
        #expect(row.cells.map { String(decoding: bytes[$0], as: UTF8.self) } == cells)
        #expect(row.hasBar == text.replacing("\\|", with: "").contains("|"))
    }

    @Test(
        "what stands between the header and the rows of a table",
        arguments: [
            ("|-|-|", true), ("|:-|-:|", true), (":---:|---", true), ("-", true), ("|:|-|", false),
            ("|::|-|", false), ("||-|", false), ("|- -|-|", false), ("|=|-|", false), ("", false),
        ])
    func delimiter(_ text: String, _ isDelimiter: Bool) {
        let (bytes, line) = Self.line(text)
        #expect(MarkdownRow(bytes, line).isDelimiter(bytes) == isDelimiter)
    }

    @Test(
        "a mistake in the structure is one only where no version has it",
        arguments: [
            ("1. a\n2. b\n", "1. a\n1. b\n", true), ("1. a\n2. b\n", "1. a\n3. b\n", false),
            ("1. a\n2. b\n", "2. a\n1. b\n", false),
            ("1. a\n2. b\n3. c\n", "1. a\n1. b\n2. c\n", false),
            ("1. a\n3. b\n", "1. a\n4. b\n", true), ("- a\n", "- a\n- a\n", true),
            ("[a]: 1\n", "[a]: 1\n[b]: 1\n", true), ("[a]: 1\n", "[a]: 1\n\nx\n\n[A]: 2\n", false),
            ("[a]: 1\n", "[a]: 1\n\nx\n\n[A]: 1\n", true), ("```\na\n```\n", "```\na\n", false),
            ("```\na\n", "```\nb\n", true), ("|a|b|\n|-|-|\n", "|a|b|\n|-|-|\n|c|\n", false),
            ("|a|b|\n|-|-|\n|c|\n", "|a|b|\n|-|-|\n|d|\n", true),
        ])
    func soundness(_ version: String, _ text: String, _ isSound: Bool) {
        let versions = Array(repeating: Array(version.utf8), count: 3)
        #expect(MarkdownFormat.isSound(Array(text.utf8), as: versions) == isSound)
        let marked = Array("\u{FEFF}\(text)".utf8)
        #expect(MarkdownFormat.isSound(marked, as: versions) == isSound)
    }
}
