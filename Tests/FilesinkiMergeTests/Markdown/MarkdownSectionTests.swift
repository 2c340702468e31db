import Testing

@testable import FilesinkiMerge

@Suite("Sections of Markdown that both sides added at one place")
struct MarkdownSectionTests {
    private static let top = "# A\n\nx\n\n## B\n\ny\n"
    private static let code = "# A\n\n```\nx\n"

    @Test(
        "they are merged where their headings tell which comes first",
        arguments: [
            MergeCase(
                "at the end", top, top + "\n## D\n\nd\n", top + "\n## C\n\nc\n",
                top + "\n## C\n\nc\n\n## D\n\nd\n"),
            MergeCase(
                "between others, of which one was edited", top + "\n## Z\n\nz\n",
                "# A\n\nX\n\n## B\n\ny\n\n## D\n\nd\n\n## Z\n\nz\n",
                top + "\n## C\n\nc\n\n## E\n\n## Z\n\nz\n",
                "# A\n\nX\n\n## B\n\ny\n\n## C\n\nc\n\n## E\n\n## D\n\nd\n\n## Z\n\nz\n"),
            MergeCase(
                "one that would be a part of the other", top, top + "\n### d\n\nd\n",
                top + "\n# C\n\nc\n", top + "\n### d\n\nd\n\n# C\n\nc\n"),
            MergeCase(
                "without blank lines", "# A\nx\n", "# A\nx\n# D\nd\n", "# A\nx\n# C\nc\n",
                "# A\nx\n# C\nc\n# D\nd\n"),
        ])
    func merged(_ row: MergeCase) {
        for input in [row.input, row.input.swapped] {
            #expect(MarkdownTextMerge().merge(input).shown == row.merged)
        }
    }

    @Test(
        "where they do not, it is a conflict of lines",
        arguments: [
            MergeCase("days", top, top + "\n## Day 1\n\nd\n", top + "\n## Day 2\n\nc\n", ""),
            MergeCase("one heading", top, top + "\n## C\n\nd\n", top + "\n## C\n\nc\n", ""),
            MergeCase(
                "a part of either", top, top + "\n### d\n\nd\n\n# D\n\nd\n",
                top + "\n### c\n\nc\n\n# C\n\nc\n", ""),
            MergeCase("paragraphs", top, top + "\nd\n", top + "\nc\n", ""),
            MergeCase("one section edited by both", top, "# A\n\nx d\n", "# A\n\nx c\n", ""),
            MergeCase(
                "comments in code", code + "```\n", code + "# d\nd\n```\n", code + "# c\nc\n```\n",
                ""),
            MergeCase("no line end", "# A\nx", "# A\nx\n# D", "# A\nx\n# C", ""),
        ])
    func declined(_ row: MergeCase) {
        for input in [row.input, row.input.swapped] {
            let shown = MarkdownTextMerge().merge(input).shown
            #expect(shown.hasPrefix("declined: line"), "\(shown)")
        }
    }

    @Test(
        "headings begin with marks, outside of code",
        arguments: [
            ("# A\n## B\n", [0, 1, 2]), ("x\n#A\n    # B\n#\n", [0, 1]),
            ("```\n# A\n```\n# B\n", [0, 1]), ("~~~\n```\n# A\n~~~\n# B\n", [0, 1]),
            ("````\n```\n# A\n````\n# B\n", [0, 1]), ("```a``` b\n# A\n", [0, 1]),
            ("####### A\n", [0]),
        ] as [(String, [Int])])
    func headings(text: String, levels: [Int]) {
        #expect(MarkdownSection.all(in: Array(text.utf8)).map(\.level) == levels)
    }
}
