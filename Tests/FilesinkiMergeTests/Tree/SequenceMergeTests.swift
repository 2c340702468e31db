import Testing

@testable import FilesinkiMerge

/// Changes of both sides beside each other, in every format that has sequences.
@Suite struct SequenceMergeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let merge: any ContentMerge
        let input: MergeInput
        let merged: String

        init(
            _ name: String, _ merge: any ContentMerge, _ base: String, _ ours: String,
            _ theirs: String, _ merged: String
        ) {
            (testDescription, self.merge, self.merged) = (name, merge, merged)
            input = MergeCase(name, base, ours, theirs, merged).input
        }
    }

    private static func tree(_ format: some SyntaxFormat) -> any ContentMerge {
        TreeMerge(format: format)
    }

    private static let conflicts = [
        Row(
            "strings of JSON", JSONMerge(), #"["a","c1","z"]"#, #"["a","n","c2","z"]"#,
            #"["a","n","c3","z"]"#, "declined: "),
        Row(
            "strings of JSON, below one that both moved", JSONMerge(), #"["a","c1","z","m"]"#,
            #"["a","m","c2","z"]"#, #"["a","m","c3","z"]"#, "declined: "),
        Row(
            "objects of JSON", JSONMerge(), #"[{"u":"a1"},{"u":"b1","w":1},{"u":"z"}]"#,
            #"[{"u":"a2"},{"u":"b2","w":1},{"u":"z"}]"#,
            #"[{"u":"a2"},{"u":"b2","w":2},{"u":"z"}]"#, "declined: "),
        Row(
            "mappings of YAML", tree(YAMLFormat()), "s:\n- u: a1\n- u: b1\n  w: 1\n- u: z\n",
            "s:\n- u: a2\n- u: b2\n  w: 1\n- u: z\n", "s:\n- u: a2\n- u: b2\n  w: 2\n- u: z\n",
            "declined: /s"),
        Row(
            "strings of TOML", tree(TOMLFormat()), "k = ['a', 'c1', 'z']\n",
            "k = ['a', 'n', 'c2', 'z']\n", "k = ['a', 'n', 'c3', 'z']\n", "declined: /k"),
        Row(
            "items of Markdown", tree(MarkdownFormat()), "- a\n- c1\n- z\n- y\n",
            "- a\n- n\n- c2\n- z\n- y\n", "- a\n- n\n- c3\n- z\n- y\n", "declined: /0"),
        Row(
            "lines of a set", tree(LineSetFormat()), "a==1\nc==1\nz==1\n",
            "a==1\nn==1\nc==2\nz==1\n", "a==1\nn==1\nc==3\nz==1\n", "declined: "),
        Row(
            "lines of a set, of which one side only removed one", tree(LineSetFormat()),
            "a==1\nc==1\nz==1\n", "a==1\nn==1\nz==1\n", "a==1\nn==1\nc==3\nz==1\n", "declined: "),
        Row(
            "rows of CSV", CSVMerge(needsKey: true), "id,n\n1,a\n3,c\n4,z\n",
            "id,n\n1,a\n2,b\n33,c\n4,z\n", "id,n\n1,a\n2,b\n34,c\n4,z\n", "declined: row 3"),
    ]

    @Test(
        "what both sides replaced by different elements below an equal change is a conflict",
        arguments: conflicts)
    func conflict(_ row: Row) {
        #expect(row.merge.merge(row.input).shown == row.merged)
        #expect(row.merge.merge(row.input.swapped).shown == row.merged)
    }

    private static func list(_ elements: String...) -> String {
        "[" + elements.map { #"["\#($0)"]"# }.joined(separator: ",") + "]"
    }

    private static func tables(_ values: [String]) -> String {
        values.map { value in
            let (name, number) = (value.prefix(1), value.dropFirst())
            return "[[s]]\nu = \"\(name)\"\nw = \(number)\nx = 1\n"
        }.joined(separator: "\n")
    }

    private static func elements(_ values: String...) -> String {
        "<l>\n" + values.map { "<p><u>\($0.prefix(1))</u><w>\($0.dropFirst())</w></p>\n" }.joined()
            + "</l>\n"
    }

    private static func paragraphs(_ texts: String...) -> String {
        texts.map { $0 + "\n" }.joined(separator: "\n")
    }

    private static let additions = [
        Row(
            "behind what one side edited", JSONMerge(), list("a1", "q"), list("a1", "x", "q"),
            list("a2", "x", "q"), list("a2", "x", "q")),
        Row(
            "before it", JSONMerge(), list("q", "a1"), list("q", "x", "a1"), list("q", "x", "a2"),
            list("q", "x", "a2")),
        Row(
            "on both sides of it", JSONMerge(), list("a1"), list("x", "a1", "y"),
            list("x", "a2", "y"), list("x", "a2", "y")),
        Row(
            "with more of one side", JSONMerge(), list("a1", "q"), list("a1", "x", "y", "q"),
            list("a2", "x", "q"), list("a2", "x", "y", "q")),
        Row(
            "in the place of what one side removed", JSONMerge(), list("a1", "q"),
            list("a1", "x", "q"), list("x", "q"), list("x", "q")),
        Row(
            "on different sides of it", JSONMerge(), list("a1", "q"), list("a1", "x", "q"),
            list("x", "a2", "q"), "declined: "),
        Row(
            "by each in the place of another element", JSONMerge(), list("a1", "b1", "q"),
            list("a1", "x", "y", "q"), list("x", "b1", "q"), "declined: "),
        Row(
            "in another order", JSONMerge(), list("a1", "q"), list("a1", "x", "y", "q"),
            list("a2", "y", "x", "q"), "declined: "),
        Row(
            "at different places", JSONMerge(), list("a", "b", "c"), list("a", "x", "b", "c"),
            list("a", "b", "x", "c"), "declined: "),
        Row(
            "moved to different places", JSONMerge(), list("a", "a", "a", "b", "a"),
            list("a", "a", "a", "a", "b"), list("b", "a", "a", "a", "a"), "declined: "),
        Row(
            "strings at different places", JSONMerge(), #"["a","b","c"]"#,
            #"["a","x","b","c"]"#, #"["a","b","x","c"]"#, #"["a","b","x","c"]"#),
        Row(
            "tables of TOML", tree(TOMLFormat()), tables(["a1", "q1"]),
            tables(["a1", "x1", "q1"]), tables(["a2", "x1", "q1"]), tables(["a2", "x1", "q1"])),
        Row(
            "elements of XML", tree(XMLFormat()), elements("a1", "q1"),
            elements("a1", "x1", "q1"), elements("a2", "x1", "q1"), elements("a2", "x1", "q1")),
        Row(
            "elements of XML at different places", tree(XMLFormat()), elements("a1", "b1", "c1"),
            elements("a1", "x1", "b1", "c1"), elements("a1", "b1", "x1", "c1"), "declined: "),
        Row(
            "equal elements of XML, of which one side removed one and the other added one",
            tree(XMLFormat()), elements("a1", "b1"), elements("a1"), elements("a1", "b1", "b1"),
            "declined: "),
        Row(
            "in the places of equal elements of XML", tree(XMLFormat()),
            elements("a1", "b1", "a1"), elements("x1", "b1", "a1"), elements("a1", "b1", "y1"),
            elements("x1", "b1", "y1")),
        Row(
            "paragraphs of Markdown", tree(MarkdownFormat()), paragraphs("In", "# A1", "end"),
            paragraphs("In", "x", "# A1", "end"), paragraphs("In", "x", "# A2", "end"),
            paragraphs("In", "x", "# A2", "end")),
        Row(
            "paragraphs of Markdown in the places of two others", tree(MarkdownFormat()),
            paragraphs("a", "b", "c", "d"), paragraphs("a", "x", "c2", "d"),
            paragraphs("a", "b", "c2", "x"), "declined: "),
    ]

    @Test("what both sides added alike is there once", arguments: additions)
    func addition(_ row: Row) {
        #expect(row.merge.merge(row.input).shown == row.merged)
        #expect(row.merge.merge(row.input.swapped).shown == row.merged)
    }

    private static let alternating = [
        Row(
            "arrays of JSON", JSONMerge(), list("a", "b", "a", "b", "a"),
            list("a", "b", "a", "c"), list("x", "b", "a", "b", "a"), "declined: "),
        Row(
            "tables of TOML", tree(TOMLFormat()), tables(["a1", "b1", "a1", "b1", "a1"]),
            tables(["b1", "a1", "b1", "b1", "a1"]), tables(["a1", "b1", "b1", "a1"]), "declined: "),
        Row(
            "elements of XML", tree(XMLFormat()), elements("a1", "b1", "a1", "b1", "a1"),
            elements("b1", "a1", "b1", "b1", "a1"), elements("a1", "b1", "b1", "a1"), "declined: "),
        Row(
            "elements of XML that one side moved", tree(XMLFormat()),
            elements("a1", "a1", "c1", "a1"), elements("a1", "a1", "a1", "b1", "c1"),
            elements("a1", "c1", "a1"), "declined: "),
        Row(
            "elements of XML with others between them", tree(XMLFormat()),
            elements("a1", "b1", "a1", "c1", "a1"), elements("b1", "a1", "c1", "a1"),
            elements("a1", "b1", "a1", "c1"), elements("b1", "a1", "c1")),
        Row(
            "elements of XML that are edited in their places", tree(XMLFormat()),
            elements("a1", "b1", "a1", "b1", "c1"), elements("x1", "b1", "a1", "b1", "c1"),
            elements("a1", "b1", "y1", "b1", "c1"), elements("x1", "b1", "y1", "b1", "c1")),
        Row(
            "additions of which it is not plain which are equal", tree(XMLFormat()),
            elements("a1", "b1", "c1"), elements("b1", "a1", "a1"),
            elements("a1", "c1", "b1", "a1"), "declined: "),
    ]

    @Test(
        "each side removes another one of equal elements, or it is a conflict",
        arguments: alternating)
    func removal(_ row: Row) {
        #expect(row.merge.merge(row.input).shown == row.merged)
        #expect(row.merge.merge(row.input.swapped).shown == row.merged)
    }

    private static let sections = [
        Row(
            "tables of TOML", tree(TOMLFormat()), tables(["a1"]), tables(["a1", "y1"]),
            tables(["a1", "x1"]), tables(["a1", "x1", "y1"])),
        Row(
            "sections of INI", tree(SettingsFormat(dialect: .ini)), "[a]\nx=1\n[a]\nx=2\n",
            "[a]\nx=1\n[a]\nx=2\n[a]\nx=4\n", "[a]\nx=1\n[a]\nx=2\n[a]\nx=3\n",
            "[a]\nx=1\n[a]\nx=2\n[a]\nx=3\n[a]\nx=4\n"),
    ]

    @Test("what only numbers tell apart is in one order on both devices", arguments: sections)
    func symmetric(_ row: Row) {
        #expect(row.merge.merge(row.input).shown == row.merged)
        #expect(row.merge.merge(row.input.swapped).shown == row.merged)
    }

    @Test("an added element among equal ones is found behind them")
    func slid() {
        let change = SequenceDiff.Change(base: 3..<3, side: 3..<4)
        #expect(SequenceDiff.changes([2, 2, 1], [2, 2, 1, 1]) == [change])
        #expect(
            SequenceDiff.changes([2, 1], [3, 2, 1, 1])
                == [SequenceDiff.Change(base: 0..<0, side: 0..<1), .init(base: 2..<2, side: 3..<4)])
    }
}
