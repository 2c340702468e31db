import FilesinkiModel
import Testing

@testable import FilesinkiMerge

/// A rule `sum` where both sides changed a number alike: both differences count, as of two games won.
@Suite("Counters that both sides changed alike")
struct CounterTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var file: String
        var rule: String
        var versions: MergeCase

        var testDescription: String { "\(file): \(versions.testDescription)" }

        init(
            _ file: String, _ rule: String, _ name: String, _ base: String, _ ours: String,
            _ theirs: String, _ merged: String
        ) {
            (self.file, self.rule) = (file, rule)
            versions = MergeCase(name, base, ours, theirs, merged)
        }
    }

    private func merged(_ row: Row, _ input: MergeInput) throws -> MergeOutcome? {
        var input = input
        input.settings.fields = [
            FieldRule(pattern: try FieldPattern(parsing: row.rule), resolution: .sum)
        ]
        return try #require(DocumentFormat(fileName: row.file.utf8)).mergeDocuments(input)
    }

    @Test("both differences are added, whatever else one side changed", arguments: counted)
    func addsBoth(_ row: Row) throws {
        for input in [row.versions.input, row.versions.input.swapped] {
            #expect(try merged(row, input)?.shown == row.versions.merged)
        }
    }

    private static let counted = [
        Row(
            "a.json", "/n", "a member", #"{"n":5,"a":1}"#, #"{"n":6,"a":1}"#, #"{"n":6,"a":2}"#,
            #"{"n":7,"a":2}"#),
        Row(
            "a.json", "/l/*", "an element with a place", #"{"l":[5,7],"a":1}"#,
            #"{"l":[6,7],"a":1}"#, #"{"l":[6,7],"a":2}"#, #"{"l":[7,7],"a":2}"#),
        Row(
            "a.json", "/l/*/n", "in an element without an identity",
            #"{"l":[{"n":5,"x":1},{"n":7,"x":2}],"a":1}"#,
            #"{"l":[{"n":6,"x":1},{"n":7,"x":2}],"a":1}"#,
            #"{"l":[{"n":6,"x":1},{"n":7,"x":2}],"a":2}"#,
            #"{"l":[{"n":7,"x":1},{"n":7,"x":2}],"a":2}"#),
        Row(
            "a.json", "/l/*/n", "in an element with an identity",
            #"{"l":[{"id":1,"n":5}],"a":1}"#, #"{"l":[{"id":1,"n":6}],"a":1}"#,
            #"{"l":[{"id":1,"n":6}],"a":2}"#, #"{"l":[{"id":1,"n":7}],"a":2}"#),
        Row(
            "a.json", "/n", "steps back", #"{"n":5,"a":1}"#, #"{"n":3,"a":1}"#,
            #"{"n":3,"a":2}"#, #"{"n":1,"a":2}"#),
        Row(
            "a.json5", "/n", "a member", "{n: 5, a: 1}", "{n: 6, a: 1}", "{n: 6, a: 2}",
            "{n: 7, a: 2}"),
        Row(
            "a.json5", "/l/*", "an element", "{a: 1, /* x */ l: [5, 8]}",
            "{a: 1, /* x */ l: [6, 8]}", "{a: 2, /* x */ l: [6, 8]}", "{a: 2, /* x */ l: [7, 8]}"),
        Row(
            "a.toml", "/n", "a key", "n = 5\na = 1\n", "n = 6\na = 1\n", "n = 6\na = 2\n",
            "n = 7\na = 2\n"),
        Row(
            "a.toml", "/t/n", "a key of a table", "[t]\nn = 5\n[u]\na = 1\n",
            "[t]\nn = 6\n[u]\na = 1\n", "[t]\nn = 6\n[u]\na = 2\n", "[t]\nn = 7\n[u]\na = 2\n"),
        Row(
            "a.ini", "/s/n", "a key", "[s]\nn=5\na=1\n", "[s]\nn=6\na=1\n", "[s]\nn=6\na=2\n",
            "[s]\nn=7\na=2\n"),
        Row(
            "a.yaml", "/n", "a key", "n: 5\na: 1\n", "n: 6\na: 1\n", "n: 6\na: 2\n", "n: 7\na: 2\n"),
        Row(
            "a.yaml", "/l/*/n", "in an element without an identity",
            "l:\n- n: 5\n- n: 7\na: 1\n", "l:\n- n: 6\n- n: 7\na: 1\n",
            "l:\n- n: 6\n- n: 7\na: 2\n", "l:\n- n: 7\n- n: 7\na: 2\n"),
        Row(
            "a.xml", "/n/text()", "the text of an element", "<a><n>5</n><b c=\"1\"/></a>",
            "<a><n>6</n><b c=\"1\"/></a>", "<a><n>6</n><b c=\"2\"/></a>",
            "<a><n>7</n><b c=\"2\"/></a>"),
        Row(
            "a.csv", "/n", "a field", "id,n,a\n1,5,x\n", "id,n,a\n1,6,x\n", "id,n,a\n1,6,y\n",
            "id,n,a\n1,7,y\n"),
        Row(
            "a.csv", "/n", "a field of a table with two identifiers",
            "id,lang,n\n1,de,5\n1,en,5\n", "id,lang,n\n1,de,6\n1,en,5\n",
            "id,lang,n\n1,de,6\n1,en,9\n", "id,lang,n\n1,de,7\n1,en,9\n"),
        Row(
            "a.ipynb", "/metadata/n", "metadata of a notebook",
            #"{"cells":[],"metadata":{"n":5,"a":1}}"#, #"{"cells":[],"metadata":{"n":6,"a":1}}"#,
            #"{"cells":[],"metadata":{"n":6,"a":2}}"#, #"{"cells":[],"metadata":{"n":7,"a":2}}"#),
        Row(
            "a.md", "/n", "front matter", "---\nn: 5\na: 1\n---\n", "---\nn: 6\na: 1\n---\n",
            "---\nn: 6\na: 2\n---\n", "---\nn: 7\na: 2\n---\n"),
        Row(
            "a.ics", "/VCALENDAR/1/PRIORITY", "a property",
            calendar("PRIORITY:5", "SUMMARY:a"), calendar("PRIORITY:6", "SUMMARY:a"),
            calendar("PRIORITY:6", "SUMMARY:b"), calendar("PRIORITY:7", "SUMMARY:b")),
    ]

    private static func calendar(_ lines: String...) -> String {
        (["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:1"] + lines + ["END:VEVENT", "END:VCALENDAR", ""])
            .joined(separator: "\r\n")
    }

    @Test(
        "an element that both sides added alike is one, and its counter is as they wrote it",
        arguments: [
            Row(
                "a.json", "/l/*/n", "", #"{"l":[{"n":1}],"a":1}"#,
                #"{"l":[{"n":1},{"n":6}],"a":1}"#,
                #"{"l":[{"n":1},{"n":6}],"a":2}"#, #"{"l":[{"n":1},{"n":6}],"a":2}"#),
            Row(
                "a.json", "/l/*", "", #"{"l":["x"],"a":1}"#, #"{"l":["x",6],"a":1}"#,
                #"{"l":["x",6],"a":2}"#, #"{"l":["x",6],"a":2}"#),
            Row(
                "a.yaml", "/l/*/n", "", "l:\n- n: 1\na: 1\n", "l:\n- n: 1\n- n: 6\na: 1\n",
                "l:\n- n: 1\n- n: 6\na: 2\n", "l:\n- n: 1\n- n: 6\na: 2\n"),
        ])
    func addedAlike(_ row: Row) throws {
        for input in [row.versions.input, row.versions.input.swapped] {
            #expect(try merged(row, input)?.shown == row.versions.merged)
        }
    }

    @Test(
        "a member that both sides created is counted from zero",
        arguments: [
            Row("a.json", "/n", "", "{}", #"{"n":6}"#, #"{"n":6,"a":2}"#, #"{"n":12,"a":2}"#),
            Row("a.yaml", "/n", "", "a: 1\n", "a: 1\nn: 6\n", "a: 2\nn: 6\n", "a: 2\nn: 12\n"),
        ])
    func createdAlike(_ row: Row) throws {
        for input in [row.versions.input, row.versions.input.swapped] {
            #expect(try merged(row, input)?.shown == row.versions.merged)
        }
    }

    @Test(
        "equal files are no divergence: nothing is counted",
        arguments: ["a.json", "a.yaml", "a.toml", "a.ini", "a.csv"])
    func equalFiles(_ name: String) throws {
        let texts: [String: (String, String)] = [
            "a.json": (#"{"n":5}"#, #"{"n":6}"#), "a.yaml": ("n: 5\n", "n: 6\n"),
            "a.toml": ("n = 5\n", "n = 6\n"), "a.ini": ("n=5\n", "n=6\n"),
            "a.csv": ("id,n\n1,5\n", "id,n\n1,6\n"),
        ]
        let (base, side) = try #require(texts[name])
        let row = Row(name, "/n", "", base, side, side, side)
        #expect(try merged(row, row.versions.input)?.shown == side)
    }
}
