import Testing

@testable import FilesinkiCommands

/// What is too wide for a terminal is broken; in a pipe nothing is.
@Suite("Broken lines")
struct FlowTextTests {
    @Test(
        "parts go on a line as long as there is room",
        arguments: [
            (nil, ["aa  bb  cc"]), (10, ["aa  bb  cc"]), (9, ["aa  bb", ".cc"]),
            (5, ["aa", ".bb", ".cc"]), (1, ["aa", ".bb", ".cc"]),
        ] as [(Int?, [String])])
    func parts(_ width: Int?, _ expected: [String]) {
        let lines = FlowText.lines(
            ["aa", "bb", "cc"], separator: "  ", indent: ".", within: width)
        #expect(lines == expected)
        #expect(FlowText.lines([], separator: "", indent: "", within: width).isEmpty)
    }

    @Test("a sentence is broken between words, and a long word stays whole")
    func words() {
        #expect(FlowText.words("one two three", within: nil) == ["one two three"])
        #expect(FlowText.words("one two three", within: 8) == ["one two", "three"])
        #expect(
            FlowText.words("one muchtoolong x", indent: "  ", within: 5) == [
                "one", "  muchtoolong", "  x",
            ])
    }

    private var table: TextTable {
        var table = TextTable(rightAligned: [1])
        table.add("a", "1", "a text of several words, which is long")
        table.add("bbb", "22", "short")
        return table
    }

    @Test("a table's last column continues below its beginning")
    func columns() {
        #expect(
            table.lines == ["a     1  a text of several words, which is long", "bbb  22  short"])
        #expect(
            table.lines(within: 34) == [
                "a     1  a text of several words,", "         which is long", "bbb  22  short",
            ])
        #expect(table.lines(within: 100) == table.lines)
    }

    @Test("without room, or for a path, it stands on a line of its own")
    func ownLine() {
        #expect(
            table.lines(within: 25) == [
                "a     1", "    a text of several", "    words, which is long", "bbb  22  short",
            ])
        #expect(
            table.lines(within: 34, isWhole: true) == [
                "a     1", "    a text of several words, which is long", "bbb  22  short",
            ])
    }

    private static let path =
        "a-folder-with-a-long-name/and-another-one/a-file-whose-name-is-long-as-well.txt"

    @Test(
        "a list of long paths says the same at a terminal of 80 columns, in narrower lines",
        arguments: ["conflicts --root b", "status b", "explain --root b PATH", "ls -l --root b"])
    func terminal(_ command: String) async throws {
        let world = try await GoldenTests.pair()
        try world.write("1", to: "a/" + Self.path)
        for name in ["a", "b"] { _ = try await world.run("sync", name) }
        for name in ["a", "b"] { try world.write("from \(name)", to: name + "/" + Self.path) }
        for name in ["a", "b"] { _ = try await world.run("sync", name) }
        let words = command.replacing("PATH", with: Self.path).split(separator: " ")
        let pipe = try await world.run(bytes: words.map { Array($0.utf8) })
        world.terminals.output = true
        world.set("NO_COLOR", to: "1")
        let terminal = try await world.run(bytes: words.map { Array($0.utf8) })
        #expect(pipe.lines.contains { $0.count > 80 }, "\(pipe.text)")
        #expect(terminal.lines.count > pipe.lines.count)
        // A path, a command and a folder stay whole.
        let whole = [String(Self.path.dropLast(4)), "filesinki ", world.folder]
        for line in terminal.lines where line.count > 80 {
            #expect(whole.contains { line.contains($0) }, "\(line)")
        }
        let parts = { (text: String) in text.split { $0 == " " || $0 == "\n" }.map(String.init) }
        #expect(parts(terminal.text) == parts(pipe.text))
    }

    @Test("a size stands below a path that has room, and stays behind one that has none itself")
    func size() async throws {
        let world = try await ReplicaTests.pair()
        // 23 columns are before it.
        let (fitting, wide) = (String(repeating: "n", count: 57), String(repeating: "w", count: 58))
        for path in [fitting, wide] { try world.write("12", to: "a/" + path) }
        world.terminals.output = true
        world.set("NO_COLOR", to: "1")
        let run = try await world.run("sync", "a")
        let head = "  sent      new        "
        #expect(run.text.contains("\(head)\(fitting)\n    2 B\n"), "\(run.text)")
        #expect(run.text.contains("\(head)\(wide)  2 B\n"), "\(run.text)")
    }

    @Test("at a terminal of 80 columns sync breaks no name and no command of a conflict")
    func conflict() async throws {
        let world = try await ReplicaTests.pair()
        for name in ["a", "b"] { try world.write(name, to: name + "/one") }
        _ = try await world.run("sync", "a")
        world.terminals.output = true
        world.terminals.talk = true
        world.set("NO_COLOR", to: "1")
        let run = try await world.run("sync", "b")
        #expect(
            run.lines.count == 2 && run.lines.first == "  conflict             one", "\(run.text)")
        let detail = "    both sides changed it; yours is in \"one (conflict b "
        #expect(run.lines.last?.hasPrefix(detail) == true, "\(run.text)")
        let root = "--root \(world.folder)/b"
        #expect(
            run.talk.contains(
                "1 conflict to resolve:\n  filesinki diff \(root) --conflict one\n"
                    + "  filesinki resolve \(root) one --take here|there\n"), "\(run.talk)")
    }
}
