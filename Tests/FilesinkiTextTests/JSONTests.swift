import FilesinkiText
import Testing

@Suite("JSON")
struct JSONTests {
    @Test(
        "the members of a flat object",
        arguments: [
            ("{}", [:]), (#" {"a":"b"} "#, ["a": "b"]),
            (
                #"{"a":1,"b":true,"c":null,"d":-1.5e3}"#,
                ["a": "1", "b": "true", "c": "null", "d": "-1.5e3"]
            ),
            (#"{"a":"\u00e4\n\ud83d\ude00"}"#, ["a": "ä\n😀"]), (#"{"a":"1","a":"2"}"#, ["a": "2"]),
            (#"{"a":{}}"#, nil), (#"{"a":[1]}"#, nil), ("[]", nil), (#""a""#, nil), ("", nil),
            (#"{"a":"\ud83d"}"#, nil), (#"{"a":1}}"#, nil), ("{\"a\":\"\u{1}\"}", nil),
        ] as [(String, [String: String]?)])
    func scalars(_ text: String, _ expected: [String: String]?) {
        #expect(JSONTree.scalars(of: Array(text.utf8)) == expected)
    }

    @Test func `a flat object may be limited to strings`() {
        #expect(JSONTree.strings(of: Array(#"{"a":"b"}"#.utf8)) == ["a": "b"])
        #expect(JSONTree.strings(of: Array(#"{"a":1}"#.utf8)) == nil)
    }

    @Test func `a quoted string is one line of printable text and makes the round trip`() throws {
        let text = "a\"b\\c\n\t\0\u{1B}\u{7F}\u{9F}\u{2028}ä😀"
        let quoted = JSONString.quoted(text)
        #expect(
            quoted == #""a\"b\\c\n\t\u0000\u001b\u007f\u009f\u2028ä😀""#)
        #expect(try JSONTree(Array(quoted.utf8)).text == Array(text.utf8))
    }

    @Test func `an object keeps the order of its members`() {
        var object: JSONObject = ["b": 1, "a": .array([.null, true])]
        object.add("missing", nil as String?)
        object.add("raw", bytes: [0x61, 0xFF])
        #expect(
            String(decoding: object.bytes, as: UTF8.self)
                == #"{"b":1,"a":[null,true],"raw":"a\\xff","raw_bytes":"61ff"}"#)
    }
}
