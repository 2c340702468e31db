import FilesinkiModel
import Testing

@testable import FilesinkiText

@Suite struct JSONTreeTests {
    private func tree(_ text: String) throws -> JSONTree { try JSONTree(Array(text.utf8)) }

    private func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: Array(bytes), as: UTF8.self)
    }

    @Test(
        "a value has a kind, its text and its place",
        arguments: [
            (" {} ", JSONTree.Kind.object, "{}", 1..<3), ("[ ]", .array, "[ ]", 0..<3),
            (" \"a\\u0062\" ", .string, "ab", 1..<10), ("-1.50e+3", .number, "-1.50e+3", 0..<8),
            ("true", .literal, "true", 0..<4), ("\n null", .literal, "null", 2..<6),
            ("\u{FEFF}0", .number, "0", 3..<4),
        ])
    func value(_ json: String, _ kind: JSONTree.Kind, _ plain: String, _ place: Range<Int>) throws {
        let tree = try tree(json)
        #expect(tree.kind == kind)
        #expect(text(tree.text) == plain)
        #expect(tree.place == place)
        #expect(tree.written.elementsEqual(Array(json.utf8)[place]))
        #expect(kind.isContainer == (kind == .object || kind == .array))
    }

    @Test func `members and elements come in their order, twice where they stand twice`() throws {
        let object = try tree(#"{"b" : 1, "a\n":[2,{"c":3}],"b":{}}"#)
        #expect(object.children.map { text($0.name) } == ["b", "a\n", "b"])
        #expect(object.children.map { text($0.written) } == ["1", #"[2,{"c":3}]"#, "{}"])
        #expect(object.children[0].wholePlace == 1..<8)
        let array = object.children[1]
        #expect(array.children.map { text($0.written) } == ["2", #"{"c":3}"#])
        #expect(array.children[1].children.map { text($0.written) } == ["3"])
        #expect(array.children[0].name.isEmpty && array.children[0].children.isEmpty)
    }

    @Test(
        "what is no JSON is refused",
        arguments: [
            "", " ", "{", "[", "]", "}", "[1", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{a:1}",
            "{\"a\":1,}", "{1:2}", "[1 2]", "01", "-", "-a", "1.", ".5", "1e", "1e+", "+1", "0x1",
            "NaN", "Infinity", "tru", "truex", "True", "nul", "\"", "\"a", "\"\\\"", "\"\\x\"",
            "\"\\u12\"", "\"\\u12g4\"", "\"\t\"", "\"\n\"", "'a'", "1 2", "[]]", "//", "[1]//",
            "\u{FEFF}", "\"\u{1F}\"", "{\"a\":1 \"b\":2}", "[1}", "{\"a\":1]",
        ])
    func refused(_ json: String) {
        let failure = #expect(throws: Failure.self) { try tree(json) }
        #expect(failure?.code == .usage)
        #expect(failure?.message.hasPrefix("Invalid JSON: line ") == true)
    }

    @Test(
        "the line of a mistake is named",
        arguments: [("[1,\n2,\n x]", 3), ("{", 1), ("\n\n1 1", 3), ("{\"a\":\n1,\n\"b\" 2}", 3)])
    func lines(_ json: String, _ line: Int) {
        let failure = #expect(throws: Failure.self) { try tree(json) }
        #expect(failure?.message.hasPrefix("Invalid JSON: line \(line) ") == true)
    }

    @Test func `nesting and the number of values are limited`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(throws: Never.self) { try JSONTree(nested(512)) }
        #expect(throws: Failure.self) { try JSONTree(nested(513)) }
        #expect(throws: Failure.self) { try JSONTree([UInt8](repeating: 0x5B, count: 1 << 20)) }
        let three = Array("[1,2]".utf8)
        #expect(throws: Never.self) { try JSONTree(three, mostValues: 3) }
        #expect(throws: Failure.self) { try JSONTree(three, mostValues: 2) }
    }

    @Test(
        "a string's escapes stand for what they name",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
            (#""\ud83d\ude42""#, "🙂"), (#""\uD83D\uDE42!""#, "🙂!"), ("\"é\"", "é"),
        ])
    func escapes(_ json: String, _ plain: String) throws {
        #expect(text(try tree(json).text) == plain)
    }

    @Test func `half a surrogate pair is kept, as bytes that are no UTF-8`() throws {
        #expect(try tree(#""\ud83d""#).text == [0xED, 0xA0, 0xBD])
        #expect(try tree(#""\ude42x""#).text == [0xED, 0xB9, 0x82, 0x78])
        #expect(try tree(#""\ud83d\ud83d\ude42""#).text == [0xED, 0xA0, 0xBD] + Array("🙂".utf8))
        #expect(try tree(#""\ud83d\n""#).text == [0xED, 0xA0, 0xBD, 0x0A])
    }

    @Test func `a member is found by its name, however that is written`() throws {
        let json = Array(#"{"x":0,"\u0061b":1,"ab":2,"abc":3}"#.utf8)
        let document = try JSONDocument(json)
        #expect(document.member(Array("ab".utf8), of: 0).map { text(document.text($0)) } == "1")
        #expect(document.member(Array("abc".utf8), of: 0).map { text(document.text($0)) } == "3")
        #expect(document.member(Array("a".utf8), of: 0) == nil)
        #expect(document.member([], of: 0) == nil)
    }
}
