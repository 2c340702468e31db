import FilesinkiModel
import Testing

@testable import FilesinkiText

@Suite struct JSONValueTests {
    private func text(_ object: JSONObject) -> String {
        String(decoding: object.bytes, as: UTF8.self)
    }

    @Test func `each kind of value is written on one line`() {
        let object: JSONObject = [
            "null": nil, "yes": true, "no": false, "number": -5, "text": "a\nb",
            "list": .array([1, .array([]), "x"]), "object": .object(["a": .object([:])]),
            "written": .written(Array("{ }".utf8)),
        ]
        #expect(
            text(object)
                == #"{"null":null,"yes":true,"no":false,"number":-5,"text":"a\nb","list":[1,[],"x"],"#
                + #""object":{"a":{}},"written":{ }}"#)
        #expect(text([:]) == "{}")
    }

    @Test func `what is absent is not written, and numbers stay within 64 bits`() {
        var object: JSONObject = [:]
        object.add("a", nil as String?)
        object.add("b", nil as Int?)
        object.add("c", nil as Bool?)
        object.add("d", nil as Timestamp?)
        object.add("e", nil as RelativePath?)
        object.add("f", nil as JSONValue?)
        #expect(text(object) == "{}")
        object.add("large", UInt64.max)
        object.add("small", Int8(-3))
        object.add("time", Timestamp(nanoseconds: 1_500_000_000))
        #expect(
            text(object)
                == #"{"large":9223372036854775807,"small":-3,"time":"1970-01-01T00:00:01.500000000Z"}"#
        )
    }

    @Test func `a path that is no UTF-8 loses no byte`() {
        var object: JSONObject = [:]
        let odd = RelativePath(unchecked: [0x61, 0xFF])
        object.add("path", odd)
        #expect(text(object) == #"{"path":"a\\xff","path_bytes":"61ff"}"#)
        let list: JSONObject = [
            "list": .array([odd.jsonValue, RelativePath(unchecked: [0x62]).jsonValue])
        ]
        #expect(text(list) == #"{"list":[{"path":"a\\xff","path_bytes":"61ff"},"b"]}"#)
    }
}
