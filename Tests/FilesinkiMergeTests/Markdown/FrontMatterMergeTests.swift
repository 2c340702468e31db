import Testing

@testable import FilesinkiMerge

@Suite("Markdown with front matter")
struct FrontMatterMergeTests {
    private static let base = "---\ntitle: A\ntags:\n- x\n---\n# A\n\nText.\n"

    private static func edited(_ old: String, _ new: String) -> String {
        base.replacing(old, with: new)
    }

    static let rows: [MergeCase] = [
        MergeCase(
            "keys on neighbouring lines", base, edited("title: A", "title: B"),
            edited("tags:\n", "draft: true\ntags:\n"),
            edited("title: A\n", "title: B\ndraft: true\n")),
        MergeCase(
            "front matter and text", base, edited("- x", "- x\n- y"), edited("Text", "More"),
            edited("- x", "- x\n- y").replacing("Text", with: "More")),
        MergeCase(
            "both the front matter and the text on both sides",
            base, edited("- x", "- y\n- x").replacing("# A", with: "# B"),
            edited("- x", "- x\n- z").replacing("Text", with: "More"),
            edited("- x", "- y\n- x\n- z").replacing("# A", with: "# B")
                .replacing("Text", with: "More")),
        MergeCase(
            "both changed a key", base, edited("title: A", "title: B"),
            edited("title: A", "title: C"), "declined: /title"),
        MergeCase(
            "both added a key, not at the same place", base,
            edited("title: A", "new: 1\ntitle: A"), edited("- x\n", "- x\nnew: 2\n"),
            "declined: /new"),
        MergeCase(
            "both changed a line of the text, which is named as in the file", base,
            edited("Text", "One"), edited("Text", "Two"), "declined: line 8"),
        MergeCase(
            "front matter that one side adds", "# A\n\n\nText.\n",
            "---\nt: 1\n---\n# A\n\n\nText.\n",
            "# A\n\n\nMore.\n", "---\nt: 1\n---\n# A\n\n\nMore.\n"),
        MergeCase(
            "no YAML that is read: as text", "---\na: &x 1\nb: 2\nc: 3\n---\nT\n",
            "---\na: &x 2\nb: 2\nc: 3\n---\nT\n", "---\na: &x 1\nb: 2\nc: 4\n---\nT\n",
            "---\na: &x 2\nb: 2\nc: 4\n---\nT\n"),
        MergeCase(
            "lines between rulers are text", "---\n- a\n- b\n---\n", "---\n- a\n- x\n- b\n---\n",
            "---\n- a\n- y\n- b\n---\n", "declined: line 3"),
        MergeCase(
            "front matter here, and a list of both", "---\na: 1\n---\n- x\n",
            "---\na: 2\n---\n- x\n- y\n",
            "---\na: 1\n---\n- x\n- z\n", "---\na: 2\n---\n- x\n- y\n- z\n"),
        MergeCase(
            "an end of dots", "---\na: 1\nb: 2\n...\nT\n", "---\na: 3\nb: 2\n...\nT\n",
            "---\na: 1\nb: 4\n...\nT\n", "---\na: 3\nb: 4\n...\nT\n"),
        MergeCase(
            "an end that only one side wrote otherwise", base, edited("---\n#", "...\n#"),
            edited("title: A", "title: B"),
            edited("---\n#", "...\n#").replacing("title: A", with: "title: B")),
    ]

    @Test("each row merges as it says, from both sides", arguments: rows)
    func table(_ row: MergeCase) {
        #expect(FrontMatterMerge().merge(row.input).shown == row.merged)
        #expect(FrontMatterMerge().merge(row.input.swapped).shown == row.merged)
    }

    @Test("names select it, whatever the text", arguments: ["a.md", "B.Markdown"])
    func names(_ name: String) throws {
        let format = try #require(DocumentFormat(fileName: name.utf8))
        #expect(format.word == "markdown" && format.reads(Array(Self.base.utf8)))
        #expect(format.reads(Array("# A\n".utf8)) && format.reads(Array("---\na: 1\n".utf8)))
    }
}
