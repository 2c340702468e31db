import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiText

@Suite struct TOMLReaderTests {
    private func read(_ text: String) throws -> [TOMLStatement] {
        try TOMLReader.read(Array(text.utf8), file: "f")
    }

    private func value(_ text: String) throws -> TOMLValue? {
        guard case .pair(let pair)? = try read("k = \(text)").first?.kind else { return nil }
        return pair.value
    }

    @Test(
        "reads a value",
        arguments: [
            (#""a\tb\"\\\u00E9\U0001F600""#, .string("a\tb\"\\é😀")), (#"'a\b'"#, .string("a\\b")),
            (#""""\#na\#n""b""""#, .string("a\n\"\"b")), ("'''\na\r\nb'''", .string("a\nb")),
            (#""""a \#n   b""""#, .string("a \n   b")), ("\"\"\"a\\\n  \n  b\"\"\"", .string("ab")),
            ("\"\"\"a\"\"\"\"\"", .string("a\"\"")), ("''", .string("")),
            ("0", .integer(0)), ("-17", .integer(-17)), ("+1_000", .integer(1000)),
            ("true", .boolean(true)), ("false", .boolean(false)),
            ("1.5", .other("1.5")), ("0x1F", .other("0x1F")), ("inf", .other("inf")),
            ("99999999999999999999", .other("99999999999999999999")),
            ("1979-05-27", .other("1979-05-27")),
            ("[]", .array([])), ("[1, 2,]", .array([.integer(1), .integer(2)])),
            ("[ # c\n 'a'\n , [2] ]", .array([.string("a"), .array([.integer(2)])])),
            ("{}", .table([])),
            (
                "{ a.b = 1, 'c d' = {} }",
                .table([
                    TOMLPair(key: ["a", "b"], value: .integer(1)),
                    TOMLPair(key: ["c d"], value: .table([])),
                ])
            ),
        ] as [(String, TOMLValue)])
    func values(_ text: String, _ expected: TOMLValue) throws {
        #expect(try value(text) == expected)
    }

    @Test func `reads statements with their lines`() throws {
        let text =
            "\u{FEFF}# top\na = 1 # one\r\n\n[t . 'u']\n  [[r]]\n\"k\".b-c_1 = '''\n\n'''\nz = 2"
        let pair = TOMLPair(key: ["a"], value: .integer(1))
        let long = TOMLPair(key: ["k", "b-c_1"], value: .string("\n"))
        let last = TOMLPair(key: ["z"], value: .integer(2))
        #expect(
            try read(text) == [
                TOMLStatement(line: 2, kind: .pair(pair), range: 9..<14, value: 13..<14),
                TOMLStatement(
                    line: 4, kind: .table(["t", "u"]), range: 23..<32, value: 32..<32),
                TOMLStatement(line: 5, kind: .tableInArray(["r"]), range: 35..<40, value: 40..<40),
                TOMLStatement(line: 6, kind: .pair(long), range: 41..<61, value: 53..<61),
                TOMLStatement(line: 9, kind: .pair(last), range: 62..<67, value: 66..<67),
            ])
    }

    @Test(
        "refuses mistakes and names the line",
        arguments: [
            "\nk", "\nk =", "\nk = newest", "\n= 1", "\nk = 'a", "\nk = \"a\n\"", "\nk = 1 2",
            "\n[a", "\n[[a]",
            "\n[]", "\nk = [1", "\nk = [1 2]", "\nk = {a = 1", "\nk = \"\\x\"", "\nk = \"\\uD800\"",
            "\nk = \"\\u12\"", "\nk = \"\\u+123\"", "\nk = 'a\u{0}'", "\n# \u{7}", "\na.= 1",
            "\n\"\"\"k\"\"\" = 1",
            "\nk = \"\"\"a",
        ])
    func refuses(_ text: String) {
        let failure = #expect(throws: Failure.self) { try read(text) }
        #expect(failure?.code == .usage)
        #expect(failure?.path == Array("f".utf8))
        #expect(failure?.message.hasPrefix("Line 2: ") == true, "\(failure?.message ?? "")")
        #expect(failure?.remedy.isEmpty == false)
    }

    @Test(
        "hostile input is a failure and never a crash",
        arguments: [
            ("[", 100_000, "k = "), ("{a=", 100_000, "k = "), ("a.", 400_000, ""),
            ("[a.", 300_000, ""),
            ("x", 2_000_000, "k = "), ("\"", 3, "k = "), ("\\", 500_000, "k = \""),
        ])
    func hostile(_ part: String, _ count: Int, _ start: String) {
        #expect(throws: Failure.self) { try read(start + String(repeating: part, count: count)) }
    }

    @Test func `a line of almost a megabyte is read`() throws {
        let text = String(repeating: "x", count: 1_000_000)
        #expect(try value("'\(text)'") == .string(text))
    }

    @Test func `a document beyond the maximum size is a limit failure`() {
        let failure = #expect(throws: Failure.self) {
            try TOMLReader.read(Array(repeating: 0x23, count: (1 << 20) + 1), file: "f")
        }
        #expect(failure?.code == .limit)
    }

    @Test func `a document that is read statement by statement ends where it is told to`() throws {
        let text = "a = 1\n[b]\nc = 2\nno TOML"
        var lines: [Int] = []
        try TOMLReader.forEachStatement(of: Array(text.utf8), file: "f") { statement in
            lines.append(statement.line)
            return lines.count < 3
        }
        #expect(lines == [1, 2, 3])
    }

    @Test func `a document that is not UTF-8 is refused`() {
        #expect(throws: Failure.self) { try TOMLReader.read([0x23, 0xFF], file: "f") }
    }

    @Test func `random bytes and cut documents never crash`() {
        let whole = Array(
            "s = \"a\\u00e9\"\n[[r]] # c\nk.'l' = [1, {a = '''x\n'''}]\nz = \"\"\"\\\n q\"\"\"\n"
                .utf8)
        var generator = SeededRandom(seed: 3)
        for cut in 0...whole.count { _ = try? TOMLReader.read(Array(whole[..<cut]), file: "f") }
        for _ in 0..<3000 {
            var bytes = whole
            for _ in 0..<3 {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
                    in: 0...127, using: &generator)
            }
            _ = try? TOMLReader.read(bytes, file: "f")
        }
    }
}
