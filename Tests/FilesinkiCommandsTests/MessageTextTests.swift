import FilesinkiModel
import Testing

@testable import FilesinkiCommands

@Suite("Broken messages")
struct MessageTextTests {
    @Test(
        "a line is broken between words, not in quotes and not in a command",
        arguments: [
            ("one two three", ["one", "two", "three"]),
            ("see 'a b c' now", ["see", "'a b c'", "now"]),
            ("the \"a b\" is (\"c d\") it", ["the", "\"a b\"", "is", "(\"c d\")", "it"]),
            ("$'a b' x", ["$'a b'", "x"]), ("an 'open quote", ["an", "'open", "quote"]),
            (
                "Run filesinki remote set --root '/a b' URL first.",
                ["Run", "filesinki remote set --root '/a b' URL", "first."]
            ),
            (
                "with filesinki sync --approve 12ab. Then go",
                ["with", "filesinki sync --approve 12ab.", "Then", "go"]
            ),
            (
                "List it with filesinki ls, or filesinki log PATH lists all.",
                [
                    "List", "it", "with", "filesinki ls,", "or", "filesinki log PATH", "lists",
                    "all.",
                ]
            ),
            ("filesinki diff PATH 1 2.", ["filesinki diff PATH 1 2."]),
            ("filesinki: a filesinki b", ["filesinki:", "a", "filesinki", "b"]),
            ("", [""]), ("two  spaces", ["two", "", "spaces"]),
        ] as [(String, [String])])
    func units(_ line: String, _ units: [String]) {
        #expect(MessageText.units(of: line) == units)
        #expect(units.joined(separator: " ") == line)
    }

    @Test("a message fits the terminal; its path and lines with a form of their own stay whole")
    func folded() {
        let path = Array("a name of words".utf8)
        let text = "filesinki: \u{1B}[31ma name of words: It is not there.\u{1B}[0m"
        #expect(
            MessageText.folded(text, path, 22)
                == "filesinki: \u{1B}[31ma name of words:\nIt is not there.\u{1B}[0m")
        #expect(MessageText.folded(text, path, 200) == text)
        let list = "One line that is too long:\n  filesinki diff one two three\n\nEnd"
        #expect(
            MessageText.folded(list, [], 20)
                == "One line that is too\nlong:\n  filesinki diff one two three\n\nEnd")
    }

    @Test("an error at a terminal of 80 columns has lines that fit; in a pipe it is one line")
    func error() async throws {
        let world = try await ReplicaTests.pair()
        world.set("NO_COLOR", to: "1")
        let pipe = try await world.run("show", "--root", "a", "HEAD")
        #expect(pipe.talk.split(separator: "\n").count == 1)
        world.terminals.talk = true
        let terminal = try await world.run("show", "--root", "a", "HEAD")
        let lines = terminal.talk.split(separator: "\n")
        #expect(lines.count > 1 && lines.allSatisfy { $0.count <= 80 }, "\(terminal.talk)")
        #expect(terminal.talk.replacing("\n", with: " ") == pipe.talk.replacing("\n", with: " "))
    }

    @Test("a table that is too wide has its cells one after the other")
    func flowing() {
        var table = TextTable()
        table.add("~/a b", "last run: some words", "/mnt/store")
        table.add("~/c", "up to date", "/mnt/other")
        #expect(table.flowingLines(breaking: 1, within: 80) == table.lines)
        #expect(table.flowingLines(breaking: 1, within: nil) == table.lines)
        #expect(
            table.flowingLines(breaking: 1, within: 20) == [
                "~/a b", "    last run: some", "    words", "    /mnt/store",
                "~/c  up to date", "    /mnt/other",
            ])
    }
}
