import FilesinkiModel
import Testing

@testable import FilesinkiMerge

@Suite("Jupyter notebooks")
struct NotebookMergeTests {
    /// A code cell of a made-up notebook.
    struct Cell: Sendable {
        var id: String
        var source: String
        var count: Int?
        var output = ""
    }

    private static func notebook(_ cells: [Cell]) -> String {
        let texts = cells.map { cell in
            """
              {
               "cell_type": "code",
               "execution_count": \(cell.count.map(String.init) ?? "null"),
               "id": "\(cell.id)",
               "metadata": {},
               "outputs": [\(cell.output.isEmpty ? "" : "{\"text\": \"\(cell.output)\"}")],
               "source": [\(cell.source.split(separator: "|").map { "\"\($0)\"" }.joined(separator: ", "))]
              }
            """
        }
        return "{\n \"cells\": [\n" + texts.joined(separator: ",\n")
            + "\n ],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n"
    }

    /// A notebook of two cells, the first of which is given.
    private static func with(_ source: String, _ count: Int?, _ output: String) -> String {
        notebook([
            Cell(id: "a", source: source, count: count, output: output),
            Cell(id: "b", source: "y", count: 1),
        ])
    }

    private static let base = with("x", 1, "1")

    private static func ran(by version: String, _ source: String = "x") -> String {
        with(source, 1, "1").replacing(
            "\"metadata\": {},\n \"nbformat\"",
            with: "\"metadata\": {\"language_info\": {\"version\": \"\(version)\"}},\n \"nbformat\""
        )
    }

    static let rows: [MergeCase] = [
        MergeCase(
            "both ran it: the outputs of the greater number", base, with("x", 7, "7"),
            with("x", 5, "5"), with("x", 7, "7")),
        MergeCase(
            "both ran it, one changed it: its outputs, whatever the numbers", base,
            with("z", 3, "3"), with("x", 5, "5"), with("z", 3, "3")),
        MergeCase(
            "outputs and numbers are of one run", base, with("x", 1, "7"), with("x", 2, "1"),
            with("x", 2, "1")),
        MergeCase(
            "both changed it to the same, and ran it", base, with("z", 3, "3"),
            with("z", 5, "5"), with("z", 5, "5")),
        MergeCase(
            "one cleared the outputs, the other ran it", base, with("x", nil, ""),
            with("x", 2, "2"), with("x", 2, "2")),
        MergeCase(
            "one ran it, the other changed nothing", base, with("x", 2, "2"), base,
            with("x", 2, "2")),
        MergeCase(
            "equal numbers: the lesser text, on both devices", base, with("x", 2, "B"),
            with("x", 2, "A"), with("x", 2, "A")),
        MergeCase(
            "sources that both changed are a conflict", base, with("z", 2, "2"),
            with("w", 3, "3"), "declined: /cells/0/source/0"),
        MergeCase(
            "lines of a source are merged as text",
            with(#"# t\n|y\n|x"#, 1, "1"), with(#"# t\n|y\n|Ax"#, 1, "1"),
            with(#"B\n|y\n|x"#, 1, "1"), with(#"B\n|y\n|Ax"#, 1, "1")),
        MergeCase(
            "lines that both added at one place of a source",
            with(#"a\n|b"#, 1, "1"), with(#"a\n|x\n|b"#, 1, "1"),
            with(#"a\n|y\n|b"#, 1, "1"), "declined: /cells/0/source"),
        MergeCase(
            "a line added at the end, another one changed",
            with(#"a\n|b\n|c"#, 1, "1"), with(#"a\n|b\n|c\n|d"#, 1, "1"),
            with(#"A\n|b\n|c"#, 1, "1"), with(#"A\n|b\n|c\n|d"#, 1, "1")),
        MergeCase(
            "cells that both replaced stay where they were",
            notebook([Cell(id: "c", source: "c"), Cell(id: "d", source: "d")]),
            notebook([Cell(id: "c7", source: "x"), Cell(id: "d", source: "d")]),
            notebook([Cell(id: "c", source: "c"), Cell(id: "c5", source: "y")]),
            notebook([Cell(id: "c7", source: "x"), Cell(id: "c5", source: "y")])),
        MergeCase(
            "cells that both added stay, in the order of their identities",
            notebook([Cell(id: "m", source: "x")]),
            notebook([Cell(id: "m", source: "x"), Cell(id: "o", source: "o", count: 2)]),
            notebook([Cell(id: "m", source: "x"), Cell(id: "n", source: "n", count: 2)]),
            notebook([
                Cell(id: "m", source: "x"), Cell(id: "n", source: "n", count: 2),
                Cell(id: "o", source: "o", count: 2),
            ])),
        MergeCase(
            "run with two versions of a language", ran(by: "3.6.9"), ran(by: "3.10.1"),
            ran(by: "3.9.2", "z"), ran(by: "3.10.1", "z")),
    ]

    @Test("each row merges as it says, from both sides", arguments: rows)
    func table(_ row: MergeCase) {
        #expect(NotebookMerge().merge(row.input).shown == row.merged)
        #expect(NotebookMerge().merge(row.input.swapped).shown == row.merged)
    }

    @Test("a rule of the user for cells replaces the notebook's")
    func rules() throws {
        var input = Self.rows[0].input
        input.settings.fields = [
            FieldRule(
                pattern: try FieldPattern(parsing: "/cells/*/execution_count"), resolution: .min)
        ]
        #expect(NotebookMerge().merge(input).shown == "declined: /cells/0/outputs")
    }

    @Test("without identities, the merge is that of JSON")
    func withoutIdentities() {
        func text(_ count: Int) -> String {
            Self.notebook([Cell(id: "a", source: "y"), Cell(id: "a", source: "x", count: count)])
        }
        let input = MergeCase("", text(1), text(2), text(3), "").input
        guard case .declined = NotebookMerge().merge(input) else {
            Issue.record("merged without identities")
            return
        }
    }

    @Test("names select it")
    func names() throws {
        let format = try #require(DocumentFormat(fileName: "a.ipynb".utf8))
        #expect(format.word == "ipynb" && format.reads(Array(Self.base.utf8)))
    }
}
