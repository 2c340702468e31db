import Testing

@testable import FilesinkiMerge

@Suite("Sets of lines")
struct LineSetMergeTests {
    static let rows: [MergeCase] = [
        MergeCase("added by both", "b\nd\n", "b\nc\nd\n", "a\nb\nd\n", "a\nb\nc\nd\n"),
        MergeCase("added at one place, sorted", "b\n", "b\nd\n", "b\nc\n", "b\nc\nd\n"),
        MergeCase("the same by both", "b\n", "a\nb\n", "b\na\n", "a\nb\n"),
        MergeCase("removed here, added beside it there", "a\nb\n", "b\n", "a\naa\nb\n", "aa\nb\n"),
        MergeCase("replaced here and there", "a=1\nb\n", "a=2\nb\n", "a=3\nb\n", "declined: /0"),
        MergeCase("replaced here, removed there", "a=1\nb\n", "a=2\nb\n", "b\n", "declined: "),
        MergeCase("replaced neighbours", "a=1\nb=1\n", "a=2\nb=1\n", "a=1\nb=2\n", "a=2\nb=2\n"),
        MergeCase(
            "blank lines stay", "# x\n\nb\n", "# x\n\nb\nc\n", "# x\n\na\nb\n", "# x\n\na\nb\nc\n"),
        MergeCase("a line twice", "a\na\n", "a\na\nb\n", "a\na\nc\n", "declined: "),
        MergeCase(
            "checksums of one module's versions", "m/a v1.0.0 h1:a=\nm/c v1.0.0/go.mod h1:c=\n",
            "m/a v1.1.0 h1:q=\nm/c v1.0.0/go.mod h1:c=\n",
            "m/a v1.2.0 h1:r=\nm/c v1.0.0/go.mod h1:c=\n",
            "m/a v1.1.0 h1:q=\nm/a v1.2.0 h1:r=\nm/c v1.0.0/go.mod h1:c=\n"),
        MergeCase(
            "two checksums of one version", "m/a v1.0.0 h1:a=\n",
            "m/a v1.0.0 h1:a=\nm/d v1.0.0 h1:1=\n", "m/a v1.0.0 h1:a=\nm/d v1.0.0 h1:2=\n",
            "declined: /m~1d v1.0.0"),
        MergeCase("no last line end", "a\nb", "a\nb\nd", "a\nb\nc", "a\nb\nc\nd"),
    ]

    @Test("each row merges as it says, from both sides", arguments: rows)
    func table(_ row: MergeCase) {
        #expect(DocumentFormat.lineSet.merge.merge(row.input).shown == row.merged)
        #expect(DocumentFormat.lineSet.merge.merge(row.input.swapped).shown == row.merged)
    }
}
