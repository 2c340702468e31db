import FilesinkiModel
import Testing

@testable import FilesinkiMerge

@Suite("Contents that are no document of their file's format")
struct DocumentCheckTests {
    private static let json =
        "The content cannot be read as JSON, and the versions of the conflict can: line "

    private static let database = "SQLite format 3\u{0}"

    private static let noDatabase =
        "The content cannot be read as an SQLite database, and the versions of the conflict can."

    private static let twice =
        "The content has the key 'a' twice in an object, again in line 3, "
        + "and the versions of the conflict have none twice."

    @Test(
        "a content is named that cannot be read, where all versions can",
        arguments: [
            ("x.json", #"{"a":1"#, [#"{"a":1}"#, "[]"], json + "1 ends too early."),
            ("x.json", "{\n// no\n}", ["{}"], json + "2 has no key in quotes."),
            // Versions with comments are no JSON themselves.
            ("x.json", "{\n// yes\n}", ["{}", "{} // yes"], nil),
            (
                "x.json", #"{"a":1"#, ["{}", "{} // yes"],
                "The content cannot be read as JSON with comments, and the versions of the conflict can."
            ),
            (
                "x.ipynb", "{", ["{}"],
                "The content cannot be read as a notebook, and the versions of the conflict can: line 1 has no key in quotes."
            ),
            (
                "x.toml", "a = ", ["a = 1\n"],
                "The content cannot be read as TOML, and the versions of the conflict can."
            ),
            (
                "x.yaml", "a: [1\n", ["a: [1]\n"],
                "The content cannot be read as YAML, and the versions of the conflict can."
            ),
            (
                "x.xml", "<a>", ["<a/>"],
                "The content cannot be read as XML, and the versions of the conflict can."
            ),
            (
                "x.csv", "a,b\n1,\"2\n", ["a,b\n1,2\n", "a,b\n"],
                "The content cannot be read as CSV, and the versions of the conflict can: its quotes do not match."
            ),
            (
                "x.csv", "a;b\n1;2;3\n", ["a;b\n1;2\n"],
                "The content cannot be read as CSV, and the versions of the conflict can: a row has more fields than the first."
            ),
            ("x.csv", "a;b\n1,5;2\n", ["a;b\n1;2\n"], nil),
            ("x.csv", "\u{feff}\"a\",b\n1", ["a,b\n1,2\n"], nil),
            ("x.csv", "a,\"b\n", ["a,b\n", "a,\"b\n"], nil),
            ("x.json", "{\n\"a\": 1,\n\"\\u0061\": 2}", ["{}", #"{"a":1}"#], twice),
            ("x.ipynb", "{\n\"a\": 1,\n\"a\": 2}", ["{}"], twice),
            ("x.json", "[{},\n{\"a\":1},\n{\"b\":{}, \"a\":2, \"a\":2}]", ["[]"], twice),
            ("x.json", "[{\"a\":1}, {\"a\": {\"a\":1}}]", ["[]"], nil),
            // A version has one twice, or comments.
            ("x.json", #"{"a":1,"a":2}"#, ["{}", #"{"b":1,"b":1}"#], nil),
            ("x.json", #"{"a":1,"a":2}"#, ["{}", "{} // yes"], nil),
            ("x.sqlite", "text", [database, database + "1"], noDatabase),
            ("x.db", "SQLite", [database], noDatabase), ("x.db", database, [database], nil),
            ("x.db", "text", [database, "text"], nil), ("x.db", "text", [], nil),
            // A document, and a version that is none, either.
            ("x.json", "{}", ["[]"], nil), ("x.json", "{", ["{}", "{"], nil),
            ("x.json", "{", [], nil),
            // Any text is one.
            ("x.md", "{", ["{}"], nil), ("x.txt", "{", ["{}"], nil), ("x", "{", ["{}"], nil),
        ] as [(String, String, [String], String?)])
    func problem(_ name: String, _ content: String, _ versions: [String], _ expected: String?) {
        let check = DocumentCheck(fileName: name.utf8)
        let problem = check.problem(
            of: Array(content.utf8), beside: versions.map { Array($0.utf8) })
        #expect(problem == expected)
        #expect(problem == nil || check.isDoubtful(Array(content.utf8)))
    }

    @Test("a rule names the format")
    func rule() {
        let check = DocumentCheck(fileName: "settings".utf8, format: .json)
        #expect(
            check.problem(of: Array("{".utf8), beside: [Array("{}".utf8)]) == Self.json
                + "1 has no key in quotes.")
        let database = DocumentCheck(fileName: "places".utf8, format: .sqlite)
        #expect(
            database.problem(of: Array("text".utf8), beside: [Array(Self.database.utf8)])
                == Self.noDatabase)
        let text = DocumentCheck(fileName: "x.db".utf8, format: .text)
        #expect(
            text.problem(of: Array("text".utf8), beside: [Array(Self.database.utf8)]) == nil)
    }
}
