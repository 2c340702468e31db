import Testing

@testable import FilesinkiMerge

/// Conflicts between markers, in every format that can hold them.
@Suite struct MarkedMergeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let name: String
        let versions: [String]
        let marked: String

        init(
            _ description: String, _ name: String, _ base: String, _ ours: String,
            _ theirs: String, _ marked: String
        ) {
            (testDescription, self.name) = (description, name)
            (versions, self.marked) = ([base, ours, theirs], marked)
        }
    }

    private static func conflict(_ here: String, _ there: String) -> String {
        "<<<<<<< here\n\(here)=======\n\(there)>>>>>>> there\n"
    }

    private static let values = [
        Row(
            "members of JSON", "x.json", "{\n  \"n\": 1,\n  \"a\": 1,\n  \"b\": 1\n}\n",
            "{\n  \"n\": 2,\n  \"a\": 5,\n  \"b\": 1\n}\n",
            "{\n  \"n\": 3,\n  \"a\": 1,\n  \"b\": 6\n}\n",
            "{\n\(conflict("  \"n\": 2,\n", "  \"n\": 3,\n"))  \"a\": 5,\n  \"b\": 6\n}\n"),
        Row(
            "a last member behind which one side put another", "x.json", "{\n  \"n\": 1\n}\n",
            "{\n  \"n\": 2\n}\n", "{\n  \"n\": 3,\n  \"a\": 1\n}\n",
            "{\n\(conflict("  \"n\": 2\n", "  \"n\": 3,\n  \"a\": 1\n"))}\n"),
        Row(
            "keys of TOML, of which one is removed here and edited there", "x.toml",
            "[a]\nx = 1\ny = 1\n", "[a]\ny = 2\n", "[a]\nx = 5\ny = 1\n",
            "[a]\n\(conflict("", "x = 5\n"))y = 2\n"),
        Row(
            "keys of INI", "x.ini", "[a]\nx=1\ny=1\n[b]\nz=1\n", "[a]\nx=2\ny=1\n[b]\nz=1\nw=1\n",
            "[a]\nx=3\ny=4\n[b]\nz=1\n", "[a]\n\(conflict("x=2\n", "x=3\n"))y=4\n[b]\nz=1\nw=1\n"),
        Row(
            "lines of a script in YAML", "x.yaml",
            "a: 1\nrun: |\n  one\n  two\n  three\n  four\n",
            "a: 5\nrun: |\n  one\n  2\n  three\n  four\n",
            "a: 1\nrun: |\n  one\n  zwei\n  three\n  4\n",
            "a: 5\nrun: |\n  one\n\(conflict("  2\n", "  zwei\n"))  three\n  4\n"),
        Row(
            "elements of a list of YAML", "x.yaml", "- a\n- b\n- c\n", "- a\n- B\n- c\n",
            "- a\n- Z\n- c\n- d\n", "- a\n\(conflict("- B\n", "- Z\n"))- c\n- d\n"),
        Row(
            "attributes of XML", "x.xml", "<l>\n<p id=\"a\" x=\"1\"/>\n<q y=\"1\"/>\n</l>\n",
            "<l>\n<p id=\"a\" x=\"2\"/>\n<q y=\"1\"/>\n</l>\n",
            "<l>\n<p id=\"a\" x=\"3\"/>\n<q y=\"4\"/>\n</l>\n",
            "<l>\n\(conflict("<p id=\"a\" x=\"2\"/>\n", "<p id=\"a\" x=\"3\"/>\n"))<q y=\"4\"/>\n</l>\n"
        ),
        Row(
            "translations", "x.po", "msgid \"a\"\nmsgstr \"\"\n\nmsgid \"b\"\nmsgstr \"\"\n",
            "msgid \"a\"\nmsgstr \"x\"\n\nmsgid \"b\"\nmsgstr \"\"\n",
            "msgid \"a\"\nmsgstr \"y\"\n\nmsgid \"b\"\nmsgstr \"z\"\n",
            "msgid \"a\"\n\(conflict("msgstr \"x\"\n", "msgstr \"y\"\n"))\nmsgid \"b\"\nmsgstr \"z\"\n"
        ),
        Row(
            "items of Markdown", "x.md", "- [ ] a\n- [ ] b\n\nText.\n",
            "- [ ] a\n- [ ] b2\n\nText.\n", "- [ ] a\n- [ ] b3\n\nText 2.\n",
            "- [ ] a\n\(conflict("- [ ] b2\n", "- [ ] b3\n"))\nText 2.\n"),
        Row(
            "properties of a calendar", "x.ics",
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:a\nLOCATION:a\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:b\nLOCATION:a\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:c\nLOCATION:d\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\n\(conflict("SUMMARY:b\n", "SUMMARY:c\n"))"
                + "LOCATION:d\nEND:VEVENT\nEND:VCALENDAR\n"),
        Row(
            "rows of CSV, as each side has them", "x.csv", "id,a,b\n1,x,x\n2,y,y\n",
            "id,a,b\n1,X,x\n2,y,y\n", "id,a,b\n1,Z,W\n2,y,y\n3,z,z\n",
            "id,a,b\n\(conflict("1,X,x\n", "1,Z,W\n"))2,y,y\n3,z,z\n"),
        Row(
            "rows of CSV, of which one is removed here and edited there", "x.csv",
            "id,a\n7,z\n1,x\n2,y\n", "id,a\n7,z\n2,y\n3,c\n", "id,a\n7,z\n1,z\n2,y\n",
            "id,a\n7,z\n\(conflict("", "1,z\n"))2,y\n3,c\n"),
        Row(
            "lines of a source in a notebook", "x.ipynb",
            notebook(["a\\n", "b\\n", "c\\n", "d"], 1), notebook(["a\\n", "B\\n", "c\\n", "d"], 2),
            notebook(["a\\n", "Z\\n", "c\\n", "D"], 3),
            notebook(["a\\n", "B\\n", "c\\n", "D"], 3).replacing(
                "\"B\\n\",\n", with: conflict("\"B\\n\",\n", "\"Z\\n\",\n"))),
    ]

    private static func notebook(_ source: [String], _ count: Int) -> String {
        let lines = source.map { "\"\($0)\"" }.joined(separator: ",\n")
        return "{\n\"cells\": [\n{\n\"id\": \"a\",\n\"source\": [\n\(lines)\n],\n\"outputs\": [\n"
            + "\"\(count)\"\n],\n\"execution_count\": \(count)\n}\n],\n\"nbformat\": 4\n}\n"
    }

    private static func lists(_ name: Int, _ elements: String...) -> String {
        let list = elements.map { "    [\"\($0)\"]" }.joined(separator: ",\n")
        return "{\n  \"k\": \(name),\n  \"l\": [\n\(list)\n  ]\n}\n"
    }

    private static func objects(_ name: Int, _ lines: String...) -> String {
        "{\n  \"k\": \(name),\n  \"l\": [\n" + lines.joined(separator: "\n") + "\n  ]\n}\n"
    }

    private static let wholes = [
        Row(
            "an element that both added, at different places of a list", "x.json",
            lists(1, "a", "b", "c"), lists(2, "a", "x", "b", "c"), lists(3, "a", "b", "x", "c"),
            "{\n\(conflict("  \"k\": 2,\n", "  \"k\": 3,\n"))  \"l\": [\n    [\"a\"],\n"
                + "\(conflict("    [\"x\"],\n", ""))    [\"b\"],\n\(conflict("", "    [\"x\"],\n"))"
                + "    [\"c\"]\n  ]\n}\n"),
        Row(
            "a part of a list in which it is not plain what was removed", "x.json",
            lists(1, "a", "b", "a", "b", "a", "x"), lists(1, "b", "a", "b", "b", "a", "y"),
            lists(1, "a", "b", "b", "a", "z"),
            "{\n  \"k\": 1,\n  \"l\": [\n\(conflict("    [\"b\"],\n", ""))"
                + "    [\"a\"],\n    [\"b\"],\n    [\"b\"],\n    [\"a\"],\n"
                + "\(conflict("    [\"y\"]\n", "    [\"z\"]\n"))  ]\n}\n"),
        Row(
            "an order that both changed", "x.json",
            objects(1, "{\"id\": 1},", "{\"id\": 2},", "{\"id\": 3}"),
            objects(1, "{\"id\": 2},", "{\"id\": 1},", "{\"id\": 3}"),
            objects(5, "{\"id\": 1},", "{\"id\": 3},", "{\"id\": 2}"),
            "{\n  \"k\": 5,\n  \"l\": [\n\(conflict("{\"id\": 2},\n", ""))"
                + "{\"id\": 1},\n"
                + "\(conflict("{\"id\": 3}\n", "{\"id\": 3},\n{\"id\": 2}\n"))  ]\n}\n"),
        Row(
            "a key that both added to what is not read: all that differs", "x.yaml",
            "a: &x 1\nb: 1\nc: 1\n", "n: 1\na: &x 1\nb: 1\nc: 1\n",
            "a: &x 1\nb: 1\nc: 1\nn: 2\n",
            "\(conflict("n: 1\n", ""))a: &x 1\nb: 1\nc: 1\n\(conflict("", "n: 2\n"))"),
        Row(
            "what the format declines as a whole: all that differs", "x.ics",
            "BEGIN:VCALENDAR\nVERSION:1.0\nX-A:1\nX-B:1\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nX-A:1\nX-B:1\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:1.0\nX-A:1\nX-B:2\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\n\(conflict("VERSION:2.0\n", "VERSION:1.0\n"))X-A:1\n"
                + "\(conflict("X-B:1\n", "X-B:2\n"))END:VCALENDAR\n"),
        Row(
            "another text: by lines, as git has it", "x.txt", "1\n2\n3\n4\n", "1\nA\n3\n4\n",
            "1\nB\n3\nD\n", "1\n\(conflict("A\n", "B\n"))3\nD\n"),
        Row(
            "what is not read: by lines", "x.yaml", "a: &x 1\nb: 1\nc: 1\n",
            "a: &x 2\nb: 1\nc: 1\n",
            "a: &x 3\nb: 1\nc: 4\n", "\(conflict("a: &x 2\n", "a: &x 3\n"))b: 1\nc: 4\n"),
    ]

    @Test("only what the format cannot decide is between markers", arguments: values + wholes)
    func marked(_ row: Row) throws {
        let (base, ours, theirs) = (row.versions[0], row.versions[1], row.versions[2])
        let input = MergeInput(
            base: Array(base.utf8), ours: Array(ours.utf8), theirs: Array(theirs.utf8))
        let isJSON = row.name.hasSuffix(".json")
        let format = isJSON ? .json : DocumentFormat(fileName: row.name.utf8) ?? .text
        let labels = TextMerge.Labels(ours: "here", theirs: "there")
        let bytes = try #require(MarkedMerge(input, format, labels: labels).bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == row.marked)
    }

    @Test(
        "the proposal is the merge with this replica's version of each conflict where markers would hold all that is merged",
        arguments: [
            (
                "x.json", #"{"a":1,"b":1,"e":1}"#, #"{"a":2,"b":5,"e":1}"#,
                #"{"a":3,"b":1,"e":6}"#, #"{"a":2,"b":5,"e":6}"#
            ),
            (
                "x.xml", #"<l><p id="a" x="1"/><q y="1"/></l>"#,
                #"<l><p id="a" x="2"/><q y="1"/></l>"#, #"<l><p id="a" x="3"/><q y="4"/></l>"#,
                #"<l><p id="a" x="2"/><q y="4"/></l>"#
            ),
            // Nothing is merged beside the conflict.
            (
                "x.json", #"{"a":1,"b":1}"#, #"{"a":2,"b":1}"#, #"{"a":3,"b":1}"#,
                conflict("{\"a\":2,\"b\":1}\n", "{\"a\":3,\"b\":1}\n")
            ),
            // What is merged is outside of the markers.
            (
                "x.json", "{\n\"a\": 1,\n\"b\": 1\n}\n", "{\n\"a\": 2,\n\"b\": 1\n}\n",
                "{\n\"a\": 3,\n\"b\": 6\n}\n",
                "{\n\(conflict("\"a\": 2,\n", "\"a\": 3,\n"))\"b\": 6\n}\n"
            ),
            // A text has markers by lines.
            ("x.txt", "1\n2", "1\nhere", "one\nthere", conflict("1\nhere\n", "one\nthere\n")),
        ])
    func proposal(
        _ name: String, _ base: String, _ ours: String, _ theirs: String, _ expected: String
    ) throws {
        let input = MergeInput(
            base: Array(base.utf8), ours: Array(ours.utf8), theirs: Array(theirs.utf8))
        let format: DocumentFormat =
            name == "x.json" ? .json : DocumentFormat(fileName: name.utf8) ?? .text
        let labels = TextMerge.Labels(ours: "here", theirs: "there")
        let bytes = try #require(MarkedMerge(input, format, labels: labels).proposal)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test func `a content that is not text has no markers`() {
        let input = MergeInput(base: nil, ours: [0], theirs: [1])
        let labels = TextMerge.Labels(ours: "here", theirs: "there")
        #expect(MarkedMerge(input, .text, labels: labels).bytes == nil)
    }
}
