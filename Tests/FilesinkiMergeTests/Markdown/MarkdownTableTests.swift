import Testing

@testable import FilesinkiMerge

@Suite("Tables of Markdown")
struct MarkdownTableTests {
    private static let rows: [MergeCase] = [
        MergeCase(
            "a column renamed here, a cell there", "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n",
            "|k|A|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n", "|k|a|b|\n|-|-|-|\n|1|z|y|\n|2|x|y|\n",
            "|k|A|b|\n|-|-|-|\n|1|z|y|\n|2|x|y|\n"),
        MergeCase(
            "the first cell of a row here, another one there",
            "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n",
            "|k|a|b|\n|-|-|-|\n|9|x|y|\n|2|x|y|\n", "|k|a|b|\n|-|-|-|\n|1|z|y|\n|2|x|y|\n",
            "|k|a|b|\n|-|-|-|\n|9|z|y|\n|2|x|y|\n"),
        MergeCase(
            "a row removed here, the next one edited there", "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n",
            "|k|a|b|\n|-|-|-|\n|2|x|y|\n", "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|z|y|\n",
            "|k|a|b|\n|-|-|-|\n|2|z|y|\n"),
        MergeCase(
            "alignment here, a row there", "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n",
            "|k|a|b|\n|:-|-|-:|\n|1|x|y|\n|2|x|y|\n",
            "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n|3|x|y|\n",
            "|k|a|b|\n|:-|-|-:|\n|1|x|y|\n|2|x|y|\n|3|x|y|\n"),
        MergeCase(
            "the alignment of one column by both", "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n",
            "|k|a|b|\n|:-|-|-|\n|1|x|y|\n|2|x|y|\n", "|k|a|b|\n|-:|-|-|\n|1|x|y|\n|2|x|y|\n",
            "declined: line 2"),
        MergeCase(
            "the alignment of a column each", "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n",
            "|k|a|b|\n|:-|-|-|\n|1|x|y|\n|2|x|y|\n", "|k|a|b|\n|-|-|-:|\n|1|x|y|\n|2|x|y|\n",
            "|k|a|b|\n|:-|-|-:|\n|1|x|y|\n|2|x|y|\n"),
        MergeCase(
            "the length of the dashes says nothing", "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n",
            "|k|a|b|\n|--|--|--|\n|1|x|y|\n|2|x|y|\n",
            "|k|a|b|\n|---|---|---|\n|1|x|y|\n|2|x|y|\n|3|x|y|\n",
            "|k|a|b|\n|--|--|--|\n|1|x|y|\n|2|x|y|\n|3|x|y|\n"),
        MergeCase(
            "two columns of one name", "|k|a|a|\n|-|-|-|\n|1|x|y|\n",
            "|k|a|a|\n|-|-|-|\n|1|z|y|\n", "|k|a|a|\n|-|-|-|\n|1|x|w|\n",
            "|k|a|a|\n|-|-|-|\n|1|z|w|\n"),
        MergeCase(
            "empty cells filled here and there", "|k|a|b|\n|-|-|-|\n|1|||\n",
            "|k|a|b|\n|-|-|-|\n|1|x||\n", "|k|a|b|\n|-|-|-|\n|1||y|\n",
            "|k|a|b|\n|-|-|-|\n|1|x|y|\n"),
        MergeCase(
            "a row that is too short", "|k|a|\n|-|-|\n|1|x|\n",
            "|k|a|\n|-|-|\n|1|x|\n|2|\n", "|k|a|\n|-|-|\n|1|x|\n|3|y|\n",
            "declined: line 4"),
        MergeCase(
            "a row that both add, and one more", "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n",
            "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n|3|x|y|\n",
            "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n|3|x|y|\n|4|x|y|\n",
            "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n|3|x|y|\n|4|x|y|\n"),
        MergeCase(
            "a row that both add with other cells", "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n",
            "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n|3|x|y|\n",
            "|k|a|b|\n|-|-|-|\n|1|x|y|\n|2|x|y|\n|3|x|z|\n",
            "declined: line 5"),
        MergeCase(
            "line ends of both kinds", "|k|a|b|\r\n|-|-|-|\r\n|1|x|y|\r\n",
            "|k|a|b|\r\n|-|-|-|\r\n|1|z|y|\r\n", "|k|a|b|\r\n|-|-|-|\r\n|1|x|w|\r\n",
            "|k|a|b|\r\n|-|-|-|\r\n|1|z|w|\r\n"),
    ]

    @Test("each row merges as it says, from both sides", arguments: rows)
    func table(_ row: MergeCase) {
        let merge = FrontMatterMerge()
        #expect(merge.merge(row.input).shown == row.merged)
        #expect(merge.merge(row.input.swapped).shown == row.merged)
    }
}
