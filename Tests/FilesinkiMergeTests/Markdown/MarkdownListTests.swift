import Testing

@testable import FilesinkiMerge

@Suite("Lists, links and front matter of Markdown")
struct MarkdownListTests {
    private static let rows: [MergeCase] = [
        MergeCase(
            "a box ticked by both in other letters, its neighbour there", "- [ ] a\n- [ ] b\n",
            "- [x] a\n- [ ] b\n", "- [X] a\n- [x] b\n",
            "- [X] a\n- [x] b\n"),
        MergeCase(
            "a box unticked here, its neighbour ticked there", "- [x] a\n- [ ] b\n",
            "- [ ] a\n- [ ] b\n", "- [x] a\n- [x] b\n",
            "- [ ] a\n- [x] b\n"),
        MergeCase(
            "a box removed here, the next item there", "- [ ] a\n- b\n",
            "- a\n- b\n", "- [ ] a\n- c\n",
            "- a\n- c\n"),
        MergeCase(
            "one definition by both", "[a]: 1\n[b]: 1\n",
            "[a]: 2\n[b]: 1\n", "[a]: 3\n[b]: 1\n",
            "declined: line 1"),
        MergeCase(
            "definitions of neighbours", "[a]: 1\n[b]: 1\n",
            "[a]: 2\n[b]: 1\n", "[a]: 1\n[b]: 2\n",
            "[a]: 2\n[b]: 2\n"),
        MergeCase(
            "a label in other letters here, its target there", "[a]: 1\n[b]: 1\n",
            "[A]: 1\n[b]: 1\n", "[a]: 2\n[b]: 1\n",
            "[A]: 2\n[b]: 1\n"),
        MergeCase(
            "code inside of an item here, the next item there", "- a\n  ```\n  x\n  ```\n- b\n",
            "- a\n  ```\n  y\n  ```\n- b\n", "- a\n  ```\n  x\n  ```\n- c\n",
            "- a\n  ```\n  y\n  ```\n- c\n"),
        MergeCase(
            "numbers that are all alike, with additions by both", "1. a\n1. b\n",
            "1. a\n1. b\n1. c\n", "1. x\n1. b\n1. d\n",
            "declined: line 3"),
        MergeCase(
            "numbers with parentheses", "1) a\n2) b\n",
            "1) a\n2) c\n", "1) x\n2) b\n",
            "1) x\n2) c\n"),
        MergeCase(
            "an item moved here, edited there", "- a\n- b\n- c\n",
            "- c\n- a\n- b\n", "- a\n- b\n- d\n",
            "- d\n- a\n- b\n"),
        MergeCase(
            "an item moved here, another one added there", "- a\n- b\n- c\n",
            "- c\n- a\n- b\n", "- a\n- x\n- b\n- c\n",
            "- c\n- a\n- x\n- b\n"),
        MergeCase(
            "an item removed here, the next one edited there", "- a\n- b\n- c\n",
            "- b\n- c\n", "- a\n- x\n- c\n",
            "- x\n- c\n"),
        MergeCase(
            "neighbours removed here and there", "- a\n- b\n- c\n",
            "- b\n- c\n", "- a\n- c\n",
            "- c\n"),
        MergeCase(
            "lists with two kinds of bullets", "- a\n\n* b\n",
            "- a\n- x\n\n* b\n", "- a\n\n* y\n* b\n",
            "- a\n- x\n\n* y\n* b\n"),
        MergeCase(
            "items with blank lines between them", "- a\n\n- b\n",
            "- a\n\n- x\n\n- b\n", "- a\n\n- y\n\n- b\n",
            "- a\n\n- x\n\n- y\n\n- b\n"),
        MergeCase(
            "a quotation is one text", "> a\n\n- x\n",
            "> b\n\n- x\n", "> c\n\n- x\n",
            "declined: line 1"),
        MergeCase(
            "no common version", nil,
            "- a\n", "- b\n",
            "declined: line 1"),
        MergeCase(
            "an underlined heading here, items by both", "A\n===\n\n- x\n",
            "B\n===\n\n- x\n- y\n", "A\n===\n\n- x\n- z\n",
            "B\n===\n\n- x\n- y\n- z\n"),
        MergeCase(
            "a byte order mark before a list", "\u{FEFF}- a\n- b\n",
            "\u{FEFF}- x\n- b\n", "\u{FEFF}- a\n- y\n",
            "\u{FEFF}- x\n- y\n"),
        MergeCase(
            "a byte order mark before front matter", "\u{FEFF}---\na: 1\nb: 1\n---\n",
            "\u{FEFF}---\na: 2\nb: 1\n---\n", "\u{FEFF}---\na: 1\nb: 2\n---\n",
            "\u{FEFF}---\na: 2\nb: 2\n---\n"),
        MergeCase(
            "front matter removed here, text there", "---\na: 1\n---\nT\n\nU\n",
            "T\n\nU\n", "---\na: 1\n---\nT\n\nV\n",
            "T\n\nV\n"),
        MergeCase(
            "spaces behind the lines around front matter", "---  \na: 1\nb: 1\n---\t\nT\n",
            "---  \na: 2\nb: 1\n---\t\nT\n", "---  \na: 1\nb: 2\n---\t\nT\n",
            "---  \na: 2\nb: 2\n---\t\nT\n"),
        MergeCase(
            "four dashes do not begin front matter", "----\na: 1\nb: 1\n----\n",
            "----\na: 2\nb: 1\n----\n", "----\na: 1\nb: 2\n----\n",
            "declined: line 2"),
        MergeCase(
            "front matter that does not end", "---\na: 1\nb: 1\n",
            "---\na: 2\nb: 1\n", "---\na: 1\nb: 2\n",
            "declined: line 2"),
        MergeCase(
            "front matter with line ends of both kinds", "---\r\na: 1\r\nb: 1\r\n---\r\n",
            "---\r\na: 2\r\nb: 1\r\n---\r\n", "---\r\na: 1\r\nb: 2\r\n---\r\n",
            "---\r\na: 2\r\nb: 2\r\n---\r\n"),
        MergeCase(
            "a section removed here, another one added below it there", "# A\n\na\n\n# B\n\nb\n",
            "# A\n\na\n", "# A\n\na\n\n# B\n\nb\n\n# C\n\nc\n",
            "# A\n\na\n\n# C\n\nc\n"),
        MergeCase(
            "two sections by each side", "# A\n\na\n",
            "# A\n\na\n\n# D\n\nd\n\n# E\n\ne\n", "# A\n\na\n\n# B\n\nb\n\n# C\n\nc\n",
            "# A\n\na\n\n# B\n\nb\n\n# C\n\nc\n\n# D\n\nd\n\n# E\n\ne\n"),
        MergeCase(
            "sections of one text are not told apart", "# A\n\na\n\n# A\n\na\n",
            "# A\n\na\n\n# A\n\na\n\n# D\n\nd\n", "# A\n\na\n\n# A\n\na\n\n# C\n\nc\n",
            "declined: line 9"),
        MergeCase(
            "a heading here, the item below it there", "# A\n- a\n",
            "# B\n- a\n", "# A\n- b\n",
            "# B\n- b\n"),
    ]

    @Test("each row merges as it says, from both sides", arguments: rows)
    func table(_ row: MergeCase) {
        let merge = FrontMatterMerge()
        #expect(merge.merge(row.input).shown == row.merged)
        #expect(merge.merge(row.input.swapped).shown == row.merged)
    }
}
