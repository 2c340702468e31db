import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiText

@Suite struct TOMLEditorTests {
    private func edited(
        _ text: String, _ change: (inout TOMLEditor) throws(Failure) -> Void
    ) throws -> String {
        var editor = try TOMLEditor(Array(text.utf8), file: "f")
        try change(&editor)
        return String(decoding: editor.bytes, as: UTF8.self)
    }

    private func set(_ key: String, _ value: TOMLValue, in text: String) throws -> String {
        let parts = try #require(TOMLReader.key(key))
        return try edited(text) { editor throws(Failure) in try editor.set(parts, to: value) }
    }

    @Test(
        "only the bytes of the value change",
        arguments: [
            ("a = 1 # one\r\nb=2\r\n", "a", .integer(7), "a = 7 # one\r\nb=2\r\n"),
            ("  a\t=\t'x'  # c", "a", .string("y"), "  a\t=\t'y'  # c"),
            ("a = \"x\"\n", "a", .string("y's"), "a = \"y's\"\n"),
            ("a = 'x'\n", "a", .string("y's"), "a = \"y's\"\n"),
            ("a = '''x'''\n", "a", .string("y"), "a = \"y\"\n"),
            ("a = [ # c\n 1,\n]\nb = 1\n", "a", .boolean(true), "a = true\nb = 1\n"),
            ("\u{FEFF}a=1", "a", .integer(2), "\u{FEFF}a=2"),
            ("[t]\n\"a b\" = 1\n", "t.'a b'", .integer(2), "[t]\n\"a b\" = 2\n"),
            ("t . a = 1\n", "t.a", .integer(2), "t . a = 2\n"),
            ("a = 1_000\n", "a", .integer(1000), "a = 1_000\n"),
            ("a = \"\"\"\nx\"\"\"\n", "a", .string("x"), "a = \"\"\"\nx\"\"\"\n"),
        ] as [(String, String, TOMLValue, String)])
    func replaced(_ text: String, _ key: String, _ value: TOMLValue, _ expected: String) throws {
        #expect(try set(key, value, in: text) == expected)
    }

    @Test(
        "a new key goes to the end of its table",
        arguments: [
            ("", "a", "a = 1\n"),
            ("\u{FEFF}", "a", "\u{FEFF}a = 1\n"),
            ("b = 2", "a", "b = 2\na = 1\n"),
            ("b = 2\r\n\r\n\r\n", "a", "b = 2\r\na = 1\r\n\r\n\r\n"),
            ("# all\n", "a", "# all\na = 1\n"),
            ("b = 2\n# c\n\n# r\n[[r]]\nx = 1\n", "a", "b = 2\n# c\na = 1\n\n# r\n[[r]]\nx = 1\n"),
            ("b = 2 # c\n  [[r]]\nx = 1\n", "a", "b = 2 # c\na = 1\n  [[r]]\nx = 1\n"),
            ("# r\n[[r]]\nx = 1\n", "a", "a = 1\n\n# r\n[[r]]\nx = 1\n"),
            ("[t]\n\n[u]\n", "t.a", "[t]\na = 1\n\n[u]\n"),
            ("[t]\nb = 2\n# c\n[u]\nx = 1", "t.a", "[t]\nb = 2\na = 1\n# c\n[u]\nx = 1"),
            ("[u]\nx = 1\n[t]", "t.a", "[u]\nx = 1\n[t]\na = 1\n"),
            ("t.b = 2\n[u]\n", "t.a", "t.b = 2\nt.a = 1\n[u]\n"),
            ("b = '''\n# x\n\n'''\n[[r]]\n", "a", "b = '''\n# x\n\n'''\na = 1\n[[r]]\n"),
            ("", "'a b'.c", "[\"a b\"]\nc = 1\n"),
            ("b = 2", "t.a", "b = 2\n\n[t]\na = 1\n"),
            ("[[r]]\r\nx = 1\r\n", "t.a", "[[r]]\r\nx = 1\r\n\r\n[t]\r\na = 1\r\n"),
        ])
    func inserted(_ text: String, _ key: String, _ expected: String) throws {
        #expect(try set(key, .integer(1), in: text) == expected)
    }

    @Test(
        "a removed key leaves its comments",
        arguments: [
            ("# c\na = 1\nb = 2\n", "# c\nb = 2\n"), ("b = 2\r\na = 1\r\n", "b = 2\r\n"),
            ("  a = 1  # why\nb = 2", "# why\nb = 2"), ("b = 2\na = 1", "b = 2\n"),
            ("a = 1\nb = 2\na = 3\n", "b = 2\n"), ("[[r]]\na = 1\n", "[[r]]\na = 1\n"),
        ])
    func removed(_ text: String, _ expected: String) throws {
        let found = try edited(text) { editor throws(Failure) in
            #expect(try editor.remove(["a"]) == (text != expected))
        }
        #expect(found == expected)
    }

    @Test(
        "a key is not set beside another meaning of its name",
        arguments: [
            ("a = {b = 1}", "a.b"), ("[a]\n", "a"), ("a.b = 1", "a"), ("a = 1", "a.b"),
            ("[[a]]\nb = 1", "a"), ("[[a]]\nb = 1", "a.1.b"),
        ])
    func collision(_ text: String, _ key: String) throws {
        let failure = #expect(throws: Failure.self) { try set(key, .integer(1), in: text) }
        #expect(failure?.code == .usage)
    }

    @Test func `the elements of an array of tables are numbered`() throws {
        let text = "a = 1\n[[r]]\nb = 2\n[r.t]\nc = 3\n[[r]]\nb = 4\n[u]\nd = 5\n"
        let entries = try TOMLEditor(Array(text.utf8), file: "f").entries
        #expect(
            entries.map { TOMLWriter.key($0.key) }
                == ["a", "r.1.b", "r.1.t.c", "r.2.b", "u.d"])
        #expect(entries.map(\.isInArray) == [false, true, true, true, false])
        #expect(entries.map(\.line) == [1, 3, 5, 7, 9])
    }

    @Test(
        "what is written is read as the same text",
        arguments: [
            "", "plain", "a \"b\" \\ 'c'", "\t\n\r\u{0}\u{7F}\u{85}", "é 😀 \u{202E} \u{E0001}",
        ])
    func strings(_ text: String) throws {
        for former in ["", "'x'", "\"x\"", "'''x'''"] {
            let written = try #require(
                TOMLWriter.value(.string(text), replacing: Array(former.utf8)[...]))
            #expect(
                try TOMLEditor(Array("k = \(written)".utf8), file: "f").entries[0].value
                    == .string(text))
            #expect(!written.contains("\n"))
        }
        #expect(TOMLReader.key(TOMLWriter.key([text, "b-c_1"])) == [text, "b-c_1"])
    }

    @Test func `a random document keeps its other lines when a key is set and removed again`()
        throws
    {
        var chance = SeededRandom(seed: 7)
        let parts = [
            "k = 1\n", "[t]\n", "[[r]]\n", "# c\n", "\n", "  j = 'x' # d\r\n", "m = '''\n#\n'''\n",
        ]
        for _ in 0..<500 {
            let text = (0..<8).map { _ in parts[Int(chance.next() % UInt64(parts.count))] }.joined()
            let once = try set("new", .integer(5), in: text)
            #expect(
                try TOMLEditor(Array(once.utf8), file: "f").entries.filter { $0.key == ["new"] }
                    .count == 1)
            let back = try edited(once) { editor throws(Failure) in
                #expect(try editor.remove(["new"]))
            }
            // The blank line between a first key and what it was put before stays.
            #expect(
                back == text || back == "\n" + text || back == "\r\n" + text,
                "\(text.debugDescription)")
        }
    }
}
