import FilesinkiModel
import FilesinkiText
import Testing

@testable import FilesinkiCommands

@Suite("JSON")
struct JSONTests {
    static let strings: [(String, String)] = [
        ("plain", #""plain""#),
        ("a\"b\\c", #""a\"b\\c""#),
        ("line\nand\ttab\r", #""line\nand\ttab\u000d""#),
        ("\u{0}\u{1B}\u{7F}\u{85}\u{2028}", #""\u0000\u001b\u007f\u0085\u2028""#),
        ("Grüße 🦊", #""Grüße 🦊""#),
    ]

    @Test("escapes keep a string on one line", arguments: strings)
    func string(_ text: String, _ expected: String) {
        var bytes: [UInt8] = []
        JSONString.append(text, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test("members keep their order, and values their types")
    func members() {
        var object: JSONObject = ["type": "x", "none": nil, "yes": true, "n": -5]
        object.add("list", .array([1, "two", .object(["three": 3])]))
        object.add("huge", UInt64.max)
        object.add("absent", String?.none)
        #expect(
            String(decoding: object.bytes, as: UTF8.self)
                == #"{"type":"x","none":null,"yes":true,"n":-5,"list":[1,"two",{"three":3}],"#
                + #""huge":9223372036854775807}"#)
    }

    @Test("a path that is not UTF-8 loses no byte")
    func bytes() {
        var object: JSONObject = [:]
        object.add("path", bytes: [0x61, 0xFF])
        object.add("other", bytes: Array("ü\\".utf8))
        #expect(
            String(decoding: object.bytes, as: UTF8.self)
                == #"{"path":"a\\xff","path_bytes":"61ff","other":"ü\\"}"#)
    }
}
