import Testing

@testable import FilesinkiMerge

/// A merge of a format that a file's name selects.
struct FormatCase: Sendable, CustomTestStringConvertible {
    var file: String
    var versions: MergeCase

    var testDescription: String { "\(file): \(versions.testDescription)" }

    init(
        _ file: String, _ name: String, _ base: String?, _ ours: String, _ theirs: String,
        _ outcome: String
    ) {
        self.file = file
        versions = MergeCase(name, base, ours, theirs, outcome)
    }

    /// The document, or the places and reasons of all conflicts.
    func outcome(_ input: MergeInput) throws -> String {
        let format = try #require(DocumentFormat(fileName: file.utf8))
        switch try #require(format.mergeDocuments(input)) {
        case .merged(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .declined(let conflicts):
            return conflicts.map(\.description).joined(separator: "\n")
        }
    }
}

/// What all formats have in common, in each of them.
@Suite("Edges of the formats")
struct FormatEdgeTests {
    @Test("ends of lines, marks of the byte order and empty versions", arguments: ends)
    func endsOfLines(_ row: FormatCase) throws {
        for input in [row.versions.input, row.versions.input.swapped] {
            let outcome = try row.outcome(input)
            #expect(outcome == row.versions.merged)
        }
    }

    @Test("a conflict names its place, and says what both sides did", arguments: conflicts)
    func namedConflicts(_ row: FormatCase) throws {
        for input in [row.versions.input, row.versions.input.swapped] {
            let outcome = try row.outcome(input)
            #expect(outcome == row.versions.merged)
        }
    }

    @Test(
        "a side that did nothing does not count, and a merge again changes nothing",
        arguments: ends + conflicts)
    func laws(_ row: FormatCase) throws {
        let format = try #require(DocumentFormat(fileName: row.file.utf8))
        #expect(MergeLaws(merge: format.merge).broken(by: row.versions.input).isEmpty)
    }

    private static let ends = [
        FormatCase(
            "a.json", "both ends of a line", "{\"a\":1,\r\n\"b\":1}", "{\"a\":2,\r\n\"b\":1}",
            "{\"a\":1,\r\n\"b\":2}", "{\"a\":2,\r\n\"b\":2}"),
        FormatCase(
            "a.toml", "a mark of the byte order", "\u{FEFF}a = 1\nb = 1\n",
            "\u{FEFF}a = 2\nb = 1\n", "\u{FEFF}a = 1\nb = 2\n", "\u{FEFF}a = 2\nb = 2\n"),
        FormatCase(
            "a.ini", "a mark that one side removed", "\u{FEFF}a=1\nb=1\n", "a=1\nb=1\n",
            "\u{FEFF}a=1\nb=2\n", "a=1\nb=2\n"),
        FormatCase(
            "a.ini", "lines that one side ended otherwise", "a=1\nb=1\n", "a=1\r\nb=1\r\n",
            "a=1\nb=2\n", "a=1\r\nb=2\r\n"),
        FormatCase(
            "a.yaml", "lines that one side ended otherwise", "a: 1\nb: 1\n", "a: 1\r\nb: 1\r\n",
            "a: 1\nb: 2\n", "a: 1\r\nb: 2\r\n"),
        FormatCase(
            "a.toml", "lines that one side ended otherwise", "a = 1\nb = 1\n", "a = 1\r\nb = 1\r\n",
            "a = 1\nb = 2\n", "a = 1\r\nb = 2\r\n"),
        FormatCase(
            "a.ini", "no end of the last line", "a=1\nb=1", "a=2\nb=1", "a=1\nb=2", "a=2\nb=2"),
        FormatCase(
            "a.yaml", "no end of the last line", "a: 1\nb: 1", "a: 2\nb: 1", "a: 1\nb: 2",
            "a: 2\nb: 2"),
        FormatCase(
            "a.toml", "no end of the last line", "a = 1\nb = 1", "a = 2\nb = 1", "a = 1\nb = 2",
            "a = 2\nb = 2"),
        FormatCase(
            "a.csv", "no end of the last line", "id,n\n1,1\n2,1", "id,n\n1,2\n2,1",
            "id,n\n1,1\n2,2", "id,n\n1,2\n2,2"),
        FormatCase(
            "a.csv", "an end of the last line that one side added", "id,n\n1,1\n2,1",
            "id,n\n1,1\n2,1\n", "id,n\n1,2\n2,1", "id,n\n1,2\n2,1\n"),
        FormatCase(
            "a.ini", "an end of the last line that one side added", "a=1\nb=1", "a=1\nb=1\n",
            "a=2\nb=1", "a=2\nb=1\n"),
        FormatCase("a.ini", "an empty base, other keys", "", "a=1\n", "b=2\n", "a=1\nb=2\n"),
        FormatCase(
            "a.toml", "an empty base, other keys", "", "a = 1\n", "b = 2\n", "a = 1\nb = 2\n"),
    ]

    private static let conflicts = [
        FormatCase(
            "a.ini", "one value", "[s]\na=1\n", "[s]\na=2\n", "[s]\na=3\n",
            "/s/a: Both sides changed it, to different values."),
        FormatCase(
            "a.yaml", "one value", "m:\n  a: 1\n", "m:\n  a: 2\n", "m:\n  a: 3\n",
            "/m/a: Both sides changed it, to different values."),
        FormatCase(
            "a.toml", "one value", "[m]\na = 1\n", "[m]\na = 2\n", "[m]\na = 3\n",
            "/m/a: Both sides changed it, to different values."),
        FormatCase(
            "a.json", "one value", "{\"m\":{\"a\":1}}", "{\"m\":{\"a\":2}}", "{\"m\":{\"a\":3}}",
            "/m/a: Both sides changed it, to different values."),
        FormatCase(
            "a.json5", "one value", "{m:{a:1}}", "{m:{a:2}}", "{m:{a:3}}",
            "/m/a: Both sides changed it, to different values."),
        FormatCase(
            "a.xml", "one attribute", "<r><i id=\"1\" a=\"1\"/></r>",
            "<r><i id=\"1\" a=\"2\"/></r>", "<r><i id=\"1\" a=\"3\"/></r>",
            "/i[1]/a: Both sides changed it, to different values."),
        FormatCase(
            "a.xml", "one text", "<r><n>1</n></r>", "<r><n>2</n></r>", "<r><n>3</n></r>",
            "/n/text(): Both sides changed it, to different values."),
        FormatCase(
            "a.csv", "one field", "id,n\n1,1\n", "id,n\n1,2\n", "id,n\n1,3\n",
            "row 1, column n: Both sides changed it, to different values."),
        FormatCase(
            "a.ini", "both add a key", "[s]\n", "[s]\na=2\n", "[s]\na=3\n",
            "/s/a: Both sides added different values."),
        FormatCase(
            "a.yaml", "both add a key", "b: 1\n", "b: 1\na: 2\n", "b: 1\na: 3\n",
            "/a: Both sides added different values."),
        FormatCase(
            "a.toml", "both add a key", "b = 1\n", "b = 1\na = 2\n", "b = 1\na = 3\n",
            "/a: Both sides added different values."),
        FormatCase(
            "a.json", "both add a member", "{}", "{\"a\":2}", "{\"a\":3}",
            "/a: Both sides added different values."),
        FormatCase(
            "a.ini", "removed and changed", "[s]\na=1\nb=1\n", "[s]\nb=1\n", "[s]\na=2\nb=1\n",
            "/s/a: One side removed it, the other changed it."),
        FormatCase(
            "a.yaml", "removed and changed", "a: 1\nb: 1\n", "b: 1\n", "a: 2\nb: 1\n",
            "/a: One side removed it, the other changed it."),
        FormatCase(
            "a.toml", "removed and changed", "a = 1\nb = 1\n", "b = 1\n", "a = 2\nb = 1\n",
            "/a: One side removed it, the other changed it."),
        FormatCase(
            "a.json", "removed and changed", "{\"a\":1,\"b\":1}", "{\"b\":1}", "{\"a\":2,\"b\":1}",
            "/a: One side removed it, the other changed it."),
        FormatCase(
            "a.csv", "removed and changed", "id,n\n1,1\n2,1\n", "id,n\n2,1\n", "id,n\n1,2\n2,1\n",
            "row 1: One side removed it, the other changed it."),
        FormatCase(
            "a.csv", "a removed column and a change in it", "id,n,m\n1,1,1\n", "id,m\n1,1\n",
            "id,n,m\n1,2,1\n",
            "row 1, column n: One side removed the column, the other changed the field."),
        FormatCase(
            "a.json", "two orders", "{\"l\":[\"a\",\"b\",\"c\"]}", "{\"l\":[\"b\",\"a\",\"c\"]}",
            "{\"l\":[\"a\",\"c\",\"b\"]}", "/l: Both sides changed the order of the elements."),
        FormatCase(
            "a.yaml", "two orders", "l:\n- a\n- b\n- c\n", "l:\n- b\n- a\n- c\n",
            "l:\n- a\n- c\n- b\n", "/l: Both sides changed the order of the elements."),
        FormatCase(
            "a.toml", "two orders", "l = [\"a\", \"b\", \"c\"]\n", "l = [\"b\", \"a\", \"c\"]\n",
            "l = [\"a\", \"c\", \"b\"]\n", "/l: Both sides changed the order of the elements."),
        FormatCase(
            "a.csv", "two orders of rows", "id,n\n1,1\n3,1\n2,1\n", "id,n\n3,1\n1,1\n2,1\n",
            "id,n\n1,1\n2,1\n3,1\n", "Both sides changed the order of the rows."),
        FormatCase(
            "a.csv", "two orders of columns", "id,a,b,c\n1,1,1,1\n", "id,b,a,c\n1,1,1,1\n",
            "id,a,c,b\n1,1,1,1\n", "Both sides changed the order of the columns."),
        FormatCase(
            "a.json", "neighbouring elements", "{\"r\":[1,5]}", "{\"r\":[5,9]}", "{\"r\":[1,7]}",
            "/r: Both sides changed a list, and the merge is ambiguous."),
        FormatCase(
            "a.json", "a key twice", "{\"a\":1}", "{\"a\":1,\"a\":2}", "{\"a\":3}",
            "Both sides changed items of one name."),
        FormatCase(
            "a.json", "two lists without a common version", "{}", "{\"l\":[1]}", "{\"l\":[2]}",
            "/l: Both sides added different lists."),
        FormatCase(
            "a.json", "an object and a list", "{\"a\":1}", "{\"a\":{}}", "{\"a\":[]}",
            "/a: Both sides changed it, to different values."),
        FormatCase(
            "a.po", "one translation", "msgid \"a\"\nmsgstr \"b\"\n", "msgid \"a\"\nmsgstr \"c\"\n",
            "msgid \"a\"\nmsgstr \"d\"\n", "/a/msgstr: Both sides changed it, to different values."),
        FormatCase(
            "a.yaml", "a value of another kind", "a: 1\nb: 1\n", "a:\n  c: 1\nb: 1\n",
            "a:\n- c\nb: 1\n", "/a: Both sides added different values."),
        FormatCase(
            "a.toml", "a table and a value", "b = 1\n", "b = 1\na = 1\n", "b = 1\n[a]\nc = 1\n",
            "The merged parts do not form a TOML document."),
        FormatCase(
            "a.ini", "a section of one side below a removed one", "[s]\na=1\n[t]\nb=1\n",
            "[t]\nb=1\n", "[s]\na=1\nc=1\n[t]\nb=1\n",
            "/s: One side removed it, the other changed it."),
        FormatCase(
            "a.svg", "an identifier twice", "<svg><g/></svg>", "<svg><g/><a id=\"x\"/></svg>",
            "<svg><b id=\"x\"/><g/></svg>", "An identifier would be in the merged document twice."),
        FormatCase(
            "bookmarks.html", "one bookmark",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a:b\">A</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a:b\">B</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a:b\">C</A>\n</DL><p>\n",
            "/a:b/title: Both sides changed it, to different values."),
        FormatCase(
            "a.ipynb", "one cell", "{\"cells\":[{\"id\":\"a\",\"source\":[\"f(1)\"]}]}",
            "{\"cells\":[{\"id\":\"a\",\"source\":[\"f(2)\"]}]}",
            "{\"cells\":[{\"id\":\"a\",\"source\":[\"f(3)\"]}]}",
            "/cells/0/source/0: Both sides changed it, to different values."),
    ]
}
