import FilesinkiModel
import Testing

@testable import FilesinkiRules

@Suite struct NameLintTests {
    private func kinds(_ names: String...) throws -> [NameIssue.Kind] {
        NameLint.issues(in: try names.map { try RelativePath($0) }).map(\.kind)
    }

    @Test(
        "accepts",
        arguments: [
            "a", "A.txt", ".hidden", "é", "日本", "a b", "...a", "COM", "COM10", "console", "nul-a",
            "d/aux2.c", "a'b", "a;b&c", "a#b",
        ])
    func good(_ name: String) throws { #expect(try kinds(name).isEmpty) }

    @Test(
        "finds a character that Windows does not allow",
        arguments: [
            ("a:b", ":"), ("a?", "?"), ("*", "*"), ("a<b", "<"), ("a>b", ">"), ("a|b", "|"),
            ("\"", "\""),
            ("a\\b", "\\"), ("a\nb", "\n"), ("a\u{1F}", "\u{1F}"),
        ] as [(String, Unicode.Scalar)])
    func character(_ name: String, _ scalar: Unicode.Scalar) throws {
        #expect(try kinds(name) == [.character(scalar)])
    }

    @Test("finds a dot or a space at the end", arguments: ["a.", "a ", "d/a...", "a. ", "..."])
    func ending(_ name: String) throws { #expect(try kinds(name) == [.ending]) }

    @Test(
        "finds a device name",
        arguments: [
            "CON", "con", "Aux.c", "nul.tar.gz", "d/prn", "COM1", "com9.txt", "LPT0", "LPT¹",
            "conin$",
            "con .txt",
        ])
    func reserved(_ name: String) throws { #expect(try kinds(name) == [.reserved]) }

    @Test func `finds a name that is not UTF-8`() throws {
        let path = try RelativePath([0x64, 0x2F, 0xFF])
        #expect(NameLint.issues(in: [path]) == [NameIssue(path: path, kind: .notUTF8)])
    }

    @Test func `finds twins in one folder only`() throws {
        #expect(try kinds("a", "A") == [.caseTwin(RelativePath("a"))])
        #expect(try kinds("d/ä", "d/Ä") == [.caseTwin(RelativePath("d/ä"))])
        #expect(try kinds("a", "d/A", "e/a").isEmpty)
    }

    @Test func `distinguishes twins of form from twins of case`() throws {
        let composed = try RelativePath("\u{E9}")
        #expect(try kinds("\u{E9}", "e\u{301}") == [.formTwin(composed)])
        #expect(try kinds("\u{E9}", "E\u{301}") == [.caseTwin(composed)])
    }

    @Test func `the same path twice is no twin`() throws {
        #expect(try kinds("a", "a").isEmpty)
    }

    @Test func `quotes a name without moving the cursor`() throws {
        let finding = try #require(NameLint.issues(in: [RelativePath("a\u{1B}b")]).first)
        #expect(finding.reason == "The name holds '\\x1b', which Windows does not allow.")
        #expect(finding.remedy == "Rename it without this character.")
    }
}
