import Testing

@testable import FilesinkiMerge

@Suite("Markdown by blocks, items and rows")
struct MarkdownMergeTests {
    private static let list = "Buy:\n\n- [ ] milk\n- [ ] bread\n- [x] tea\n"
    private static let table = "| name | age |\n|---|---|\n| Ann | 1 |\n| Bob | 2 |\n"

    static let rows: [MergeCase] = [
        MergeCase(
            "a box ticked here, an item added there", list,
            list.replacing("- [x] tea", with: "- [ ] tea"), list + "- [ ] jam\n",
            list.replacing("- [x] tea", with: "- [ ] tea") + "- [ ] jam\n"),
        MergeCase(
            "boxes of neighbours", list, list.replacing("[ ] milk", with: "[x] milk"),
            list.replacing("[ ] bread", with: "[X] bread"),
            list.replacing("[ ] milk", with: "[x] milk").replacing("[ ] bread", with: "[X] bread")),
        MergeCase(
            "a box ticked here, its item written otherwise there", list,
            list.replacing("[ ] milk", with: "[x] milk"),
            list.replacing("milk", with: "oat milk"),
            list.replacing("[ ] milk", with: "[x] oat milk")),
        MergeCase(
            "items added by both at the end", list, list + "- [ ] jam\n", list + "- [ ] eggs\n",
            list + "- [ ] jam\n- [ ] eggs\n"),
        MergeCase(
            "the same item added by both at different places", list,
            list.replacing("- [ ] milk\n", with: "- [ ] jam\n- [ ] milk\n- [ ] x\n"),
            list.replacing("- [x] tea\n", with: "- [x] tea\n- [ ] jam\n")
                .replacing("- [ ] milk\n", with: "- [ ] milk\n- [ ] y\n"),
            "Buy:\n\n- [ ] jam\n- [ ] milk\n- [ ] x\n- [ ] y\n- [ ] bread\n- [x] tea\n"),
        MergeCase(
            "an item that both wrote otherwise", list, list.replacing("milk", with: "oat milk"),
            list.replacing("milk", with: "soy milk"), "declined: line 3"),
        MergeCase(
            "an item removed here, ticked there", list,
            list.replacing("- [ ] milk\n", with: ""),
            list.replacing("[ ] milk", with: "[x] milk"), "declined: line 3"),
        MergeCase(
            "items in two orders", "- a\n- b\n- c\n", "- b\n- a\n- c\n", "- a\n- c\n- b\n",
            "declined: line 1"),
        MergeCase(
            "nested lists", "- a\n  - b\n  - c\n- d\n", "- a\n  - b\n  - c\n  - x\n- d\n",
            "- a\n  - b\n  - c\n  - y\n- d\n", "- a\n  - b\n  - c\n  - x\n  - y\n- d\n"),
        MergeCase(
            "a nested list here, the next item there", "- a\n- d\n", "- a\n  - b\n- d\n",
            "- a\n- e\n", "- a\n  - b\n- e\n"),
        MergeCase(
            "text of an item in several lines", "- a\n  b\n\n  c\n- d\n", "- a\n  b\n\n  x\n- d\n",
            "- a\n  b\n\n  c\n- e\n", "- a\n  b\n\n  x\n- e\n"),
        MergeCase(
            "numbers that one side changes", "1. a\n2. b\n", "1. x\n2. a\n3. b\n",
            "1. a\n2. c\n", "1. x\n2. a\n3. c\n"),
        MergeCase(
            "numbers that would occur twice", "1. a\n2. b\n", "1. x\n2. a\n3. b\n",
            "1. a\n2. b\n3. c\n", "declined: line 1"),
        MergeCase(
            "steps by both at one place", "1. a\n", "1. a\n2. b\n", "1. a\n2. c\n",
            "declined: line 2"),
        MergeCase(
            "rows that both add", table, table + "| Cid | 3 |\n", table + "| Dan | 4 |\n",
            table + "| Cid | 3 |\n| Dan | 4 |\n"),
        MergeCase(
            "cells of one row",
            "| a | b | c |\n|--|--|--|\n| 1 | 2 | 3 |\n",
            "| a | b | c |\n|--|--|--|\n| 1 | 5 | 3 |\n",
            "| a | b | c |\n|--|--|--|\n| 1 | 2 | 6 |\n",
            "| a | b | c |\n|--|--|--|\n| 1 | 5 | 6 |\n"),
        MergeCase(
            "one cell by both", table, table.replacing("| 2 |", with: "| 3 |"),
            table.replacing("| 2 |", with: "| 4 |"), "declined: line 4"),
        MergeCase(
            "columns aligned here, a row there", table,
            "| name | age |\n| ---- | --- |\n| Ann  | 1   |\n| Bob  | 2   |\n",
            table + "| Cid | 3 |\n",
            "| name | age |\n| ---- | --- |\n| Ann  | 1   |\n| Bob  | 2   |\n| Cid | 3 |\n"),
        MergeCase(
            "a column here, a row there", table,
            "| name | age | x |\n|---|---|---|\n| Ann | 1 | |\n| Bob | 2 | |\n",
            table + "| Cid | 3 |\n", "declined: line 1"),
        MergeCase(
            "a bar that is not between cells", "|a|b|\n|-|-|\n|1\\|2|3|\n",
            "|a|b|\n|-|-|\n|1\\|2|4|\n",
            "|a|b|\n|-|-|\n|1\\|2|3|\n|5|6|\n", "|a|b|\n|-|-|\n|1\\|2|4|\n|5|6|\n"),
        MergeCase(
            "definitions of links", "See.\n\n[b]: 2\n", "See.\n\n[a]: 1\n[b]: 2\n",
            "See.\n\n[b]: 2\n[c]: 3\n\n", "See.\n\n[a]: 1\n[b]: 2\n[c]: 3\n\n"),
        MergeCase(
            "a link that both define, which lines would merge", "[a]: 1\n\nX\n\nY\n",
            "[a]: 1\n[n]: 2\n\nX\n\nY\n", "[a]: 1\n\nX\n\nY\n\n[n]: 3\n", "declined: "),
        MergeCase(
            "a heading and the paragraph below it", "# A\nText\n\n- x\n", "# B\nText\n\n- x\n- y\n",
            "# A\nMore\n\n- x\n- z\n", "# B\nMore\n\n- x\n- y\n- z\n"),
        MergeCase(
            "items by both, and a section behind them", "# A\n\n- x\n- z\n",
            "# A\n\n- x\n- y\n- z\n",
            "# A\n\n- x\n- w\n- z\n\n# B\n\n- v\n", "# A\n\n- x\n- w\n- y\n- z\n\n# B\n\n- v\n"),
        MergeCase(
            "lines of a paragraph, beside a conflict of items", "a\nb\nc\n\n- x\n",
            "1\nb\nc\n\n- x\n- y\n", "a\nb\n3\n\n- x\n- z\n", "1\nb\n3\n\n- x\n- y\n- z\n"),
        MergeCase(
            "what looks like a list in code is text", "```\n- a\n```\n", "```\n- a\n- b\n```\n",
            "```\n- a\n- c\n```\n", "declined: line 3"),
        MergeCase(
            "what looks like a list in a comment is text", "<!--\n\n- a\n-->\n",
            "<!--\n\n- a\n- b\n-->\n", "<!--\n\n- a\n- c\n-->\n", "declined: line 4"),
        MergeCase(
            "lists with blank lines between the items", "* a\n\n* b\n", "* a\n\n* b\n\n* c\n",
            "* a\n\n* d\n\n* b\n\n* e\n", "* a\n\n* d\n\n* b\n\n* c\n\n* e\n"),
        MergeCase(
            "line ends of both kinds, and no last one", "- a\r\n- b", "- a\r\n- b\r\n- c",
            "- x\r\n- a\r\n- b\r\n- d", "- x\r\n- a\r\n- b\r\n- c\r\n- d"),
        MergeCase(
            "one definition of a link, added at two places", "# A\n\na\n\n# B\n\nb\n",
            "# A\n\na [x]\n\n[x]: /x\n\n# B\n\nb\n", "# A\n\na\n\n# B\n\nb [x]\n\n[x]: /x\n",
            "# A\n\na [x]\n\n[x]: /x\n\n# B\n\nb [x]\n\n[x]: /x\n"),
        MergeCase(
            "one label with two targets", "# A\n\na\n\n# B\n\nb\n",
            "# A\n\na [x]\n\n[x]: /x\n\n# B\n\nb\n", "# A\n\na\n\n# B\n\nb [x]\n\n[x]: /y\n",
            "declined: "),
        MergeCase(
            "a list that one side made of a paragraph", "a\nb\n", "- a\n- b\n", "a\nc\n",
            "declined: line 1"),
    ]

    @Test("each row merges as it says, from both sides", arguments: rows)
    func table(_ row: MergeCase) {
        #expect(FrontMatterMerge().merge(row.input).shown == row.merged)
        #expect(FrontMatterMerge().merge(row.input.swapped).shown == row.merged)
    }

    @Test("a merge by lines stays as it is")
    func lines() {
        let base = "- a\n- b\n- c\n- d\n"
        let row = MergeCase("", base, "- x\n" + base, base + "- y\n", "- x\n" + base + "- y\n")
        #expect(TextMerge().merge(row.input).shown == row.merged)
        #expect(FrontMatterMerge().merge(row.input).shown == row.merged)
    }

    @Test(
        "a tree covers every byte",
        arguments: rows.flatMap { [$0.base ?? "", $0.ours, $0.theirs] }
            + FuzzTarget.markdown.flatMap(\.corpus))
    func covered(_ text: String) throws {
        let bytes = Array((text.hasSuffix("\n") ? text : text + "\n").utf8)
        let tree = try #require(MarkdownFormat().read(bytes))
        #expect(TreeMergeLawTests.written(tree.root, of: tree) == bytes)
    }

    /// The forms of the blocks of a text, and the type of texts.
    @Test(
        "how blocks are read",
        arguments: [
            ("# a\nb\n", "h p"), ("a\n===\nb\n", "p p"), ("a\n---\nb\n---\n", "p p"),
            ("***\n- - -\n", "r r"), ("    - a\n", "c"), ("a\n    - b\n", "p"),
            ("> a\nb\n\nc\n", "r p"), ("a\n- b\n", "p []"), ("a\n2. b\n", "p"),
            ("a\n1. b\n", "p []"),
            ("- a\n* b\n", "[] []"), ("```\na\n", "o"), ("````\n```\n````\n", "c"),
            ("|a|\n|-|\n|b|\n", "[]"), ("|a|b|\n|-|-|\n|b|\n", "t"), ("a\n|b|\n|-|\n", "p []"),
            ("a | b\n- | -\nc | d\n", "[]"), ("a\n- | -\n", "p []"), ("[a]: b\n[c]: d\n", "{}"),
            ("[a]: b\nc\n", "p"), ("- a\nlazy\n", "[]"), ("- a\n\nb\n", "[] p"),
            ("- a\n\n  b\n", "[]"), ("<pre>\n\n# a\n</pre>\n# b\n", "r h"), ("-\n", "[]"),
            ("#a\n", "p"), ("-a\n", "p"), ("1234567890. a\n", "p"),
        ])
    func blocks(_ text: String, _ shape: String) throws {
        let tree = try #require(MarkdownFormat().read(Array(text.utf8)))
        let shapes = tree.items(of: tree.root).map { item in
            switch item.value.kind {
            case .list: "[]"
            case .map: "{}"
            case .scalar: String(UnicodeScalar(item.value.type))
            }
        }
        #expect(shapes.joined(separator: " ") == shape)
    }
}
