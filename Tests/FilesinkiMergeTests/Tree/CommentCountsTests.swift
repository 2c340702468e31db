import Testing

@testable import FilesinkiMerge

/// Comments have no identity, and still must not be in the result more often than on a side.
@Suite("Comments that were moved")
struct CommentCountsTests {
    private func outcome(_ file: String, _ input: MergeInput) throws -> String {
        switch try #require(DocumentFormat(fileName: file.utf8)).merge.merge(input) {
        case .merged(let bytes): String(decoding: bytes, as: UTF8.self)
        case .declined(let conflicts): conflicts.map(\.description).joined(separator: "\n")
        }
    }

    private func check(_ file: String, _ row: MergeCase) throws {
        for input in [row.input, row.input.swapped] {
            let merged = try outcome(file, input)
            #expect(merged == row.merged)
        }
    }

    private static let reason = "Both sides moved a comment, to different places."
    private static let base = "{\n  // one\n  a: 1,\n  b: 2,\n  c: 3\n}\n"

    @Test(
        "to different places by both sides: declined",
        arguments: [
            MergeCase(
                "above other members", base, "{\n  a: 1,\n  // one\n  b: 2,\n  c: 3\n}\n",
                "{\n  a: 1,\n  b: 2,\n  // one\n  c: 3\n}\n", reason),
            MergeCase(
                "above a new member of each side", base,
                "{\n  // one\n  x: 0,\n  a: 1,\n  b: 2,\n  c: 3\n}\n",
                "{\n  // one\n  y: 0,\n  a: 1,\n  b: 2,\n  c: 3\n}\n", reason),
            MergeCase(
                "away from a member that both removed", base,
                "{\n  b: 2,\n  // one\n  c: 3\n}\n", "{\n  // one\n  b: 2,\n  c: 4\n}\n", reason),
            MergeCase(
                "to where it stands alone, and to another member", base,
                "{\n  // one\n\n  a: 1,\n  b: 2,\n  c: 3\n}\n",
                "{\n  a: 1,\n  b: 2,\n  // one\n  c: 3\n}\n", reason),
            MergeCase(
                "with one more in the base", "{\n  // one\n  a: 1,\n  b: 2,\n  // one\n  c: 3\n}\n",
                "{\n  a: 1,\n  // one\n  b: 2,\n  // one\n  c: 3\n}\n",
                "{\n  a: 1,\n  b: 2,\n  // one\n  c: 3\n  // one\n}\n", reason),
        ])
    func movedApart(_ row: MergeCase) throws { try check("a.json5", row) }

    @Test(
        "by one side, or to the same place: once",
        arguments: [
            MergeCase(
                "by one side, which the other kept", base,
                "{\n  a: 1,\n  // one\n  b: 2,\n  c: 3\n}\n",
                "{\n  // one\n  a: 1,\n  b: 2,\n  c: 4\n}\n",
                "{\n  a: 1,\n  // one\n  b: 2,\n  c: 4\n}\n"),
            MergeCase(
                "by both to one place", base, "{\n  a: 1,\n  // one\n  b: 2,\n  c: 3\n}\n",
                "{\n  a: 1,\n  // one\n  b: 2,\n  c: 4\n}\n",
                "{\n  a: 1,\n  // one\n  b: 2,\n  c: 4\n}\n"),
            MergeCase(
                "to the end of a line, and to the end of the object", base,
                "{\n  a: 1,\n  b: 2, // one\n  c: 3\n}\n",
                "{\n  a: 1,\n  b: 2,\n  c: 3\n  // one\n}\n",
                "{\n  a: 1,\n  b: 2, // one\n  c: 3\n}\n"),
            MergeCase(
                "by both with their member", base, "{\n  b: 2,\n  // one\n  a: 1,\n  c: 3\n}\n",
                "{\n  b: 2,\n  c: 3,\n  // one\n  a: 1\n}\n",
                "{\n  b: 2,\n  // one\n  a: 1,\n  c: 3\n}\n"),
            MergeCase(
                "to where it stands alone, which the other kept", base,
                "{\n  // one\n\n  a: 1,\n  b: 2,\n  c: 3\n}\n",
                "{\n  // one\n  a: 1,\n  b: 2,\n  c: 4\n}\n",
                "{\n  // one\n\n  a: 1,\n  b: 2,\n  c: 4\n}\n"),
            MergeCase(
                "to the end of the line, which the other kept", base,
                "{\n  a: 1, // one\n  b: 2,\n  c: 3\n}\n",
                "{\n  // one\n  a: 1,\n  b: 2,\n  c: 4\n}\n",
                "{\n  a: 1, // one\n  b: 2,\n  c: 4\n}\n"),
        ])
    func movedOnce(_ row: MergeCase) throws { try check("a.json5", row) }

    @Test(
        "comments that both sides added are both there",
        arguments: [
            MergeCase(
                "the same one at different members", "{\n  a: 1,\n  b: 2\n}\n",
                "{\n  // todo\n  a: 1,\n  b: 2\n}\n", "{\n  a: 1,\n  // todo\n  b: 2\n}\n",
                "{\n  // todo\n  a: 1,\n  // todo\n  b: 2\n}\n"),
            MergeCase(
                "one more of the base", "{\n  // todo\n  a: 1,\n  b: 2,\n  c: 3\n}\n",
                "{\n  // todo\n  a: 1,\n  // todo\n  b: 2,\n  c: 3\n}\n",
                "{\n  // todo\n  a: 1,\n  b: 2,\n  // todo\n  c: 3\n}\n",
                "{\n  // todo\n  a: 1,\n  // todo\n  b: 2,\n  // todo\n  c: 3\n}\n"),
            MergeCase(
                "lines without a word are no comments that could be moved",
                "{\n  // --\n  a: 1,\n  b: 2,\n  c: 3\n}\n",
                "{\n  a: 1,\n  // --\n  b: 2,\n  c: 3\n}\n",
                "{\n  a: 1,\n  b: 2,\n  // --\n  c: 3\n}\n",
                "{\n  a: 1,\n  // --\n  b: 2,\n  // --\n  c: 3\n}\n"),
        ])
    func added(_ row: MergeCase) throws { try check("a.json5", row) }

    @Test(
        "other formats with comments",
        arguments: [
            (
                "a.ini",
                MergeCase(
                    "", "[s]\n; one\na=1\nb=2\nc=3\n", "[s]\na=1\n; one\nb=2\nc=3\n",
                    "[s]\na=1\nb=2\n; one\nc=3\n", reason)
            ),
            (
                "a.toml",
                MergeCase(
                    "", "# one\na = 1\nb = 2\nc = 3\n", "a = 1\n# one\nb = 2\nc = 3\n",
                    "a = 1\nb = 2\n# one\nc = 3\n", reason)
            ),
            (
                "a.toml",
                MergeCase(
                    "to another table", "[t]\n# one\na = 1\n[u]\nb = 2\n[v]\nc = 3\n",
                    "[t]\na = 1\n[u]\n# one\nb = 2\n[v]\nc = 3\n",
                    "[t]\na = 1\n[u]\nb = 2\n[v]\n# one\nc = 3\n", reason)
            ),
            (
                "a.yaml",
                MergeCase(
                    "", "# one\na: 1\nb: 2\nc: 3\n", "a: 1\n# one\nb: 2\nc: 3\n",
                    "a: 1\nb: 2\n# one\nc: 3\n", reason)
            ),
            (
                "a.xml",
                MergeCase(
                    "", "<r>\n  <!-- one -->\n  <a/>\n  <b/>\n  <c/>\n</r>\n",
                    "<r>\n  <a/>\n  <!-- one -->\n  <b/>\n  <c/>\n</r>\n",
                    "<r>\n  <a/>\n  <b/>\n  <!-- one -->\n  <c/>\n</r>\n", reason)
            ),
        ])
    func formats(_ file: String, _ row: MergeCase) throws { try check(file, row) }
}
