import FilesinkiModel
import Testing

@testable import FilesinkiText

@Suite struct TOMLWriterTests {
    @Test(
        "a value is written as it is read",
        arguments: [
            (TOMLValue.boolean(true), "true"), (.boolean(false), "false"), (.integer(-5), "-5"),
            (.string("a"), "\"a\""), (.string("\"\\\n\r\t"), #""\"\\\n\r\t""#),
            (.string("\u{1}\u{7F}"), #""\u0001\u007F""#), (.string("\u{202E}"), #""\u202E""#),
            (.string("\u{E0001}"), #""\U000E0001""#), (.string("é🙂'"), "\"é🙂'\""),
        ])
    func values(_ value: TOMLValue, _ text: String) throws {
        #expect(TOMLWriter.value(value) == text)
        let statement = try TOMLReader.read(Array("k = \(text)".utf8), file: "f").first
        #expect(statement?.kind == .pair(TOMLPair(key: ["k"], value: value)))
    }

    @Test(
        "text keeps the quotes of the value that it replaces, where they can hold it",
        arguments: [
            ("a", "'x'", "'a'"), ("a\\b", "''", "'a\\b'"), ("it's", "'x'", "\"it's\""),
            ("a\nb", "'x'", #""a\nb""#), ("a", "\"x\"", "\"a\""), ("a", "'''x'''", "\"a\""),
            ("a", "", "\"a\""), ("a\u{7F}", "'x'", #""a\u007F""#),
        ])
    func quotes(_ text: String, _ former: String, _ written: String) {
        #expect(TOMLWriter.value(.string(text), replacing: Array(former.utf8)[...]) == written)
    }

    @Test func `settings have no arrays, tables or dates`() {
        for value in [TOMLValue.array([]), .table([]), .other("1979-05-27")] {
            #expect(TOMLWriter.value(value) == nil)
        }
    }

    @Test(
        "a key is bare where it can be",
        arguments: [
            (["a"], "a"), (["a", "b-c_1"], "a.b-c_1"), (["a b"], "\"a b\""), ([""], "\"\""),
            (["a.b", "c"], "\"a.b\".c"), (["é"], "\"é\""), (["\""], #""\"""#), (["A9"], "A9"),
        ])
    func keys(_ parts: [String], _ text: String) {
        #expect(TOMLWriter.key(parts) == text)
    }
}
