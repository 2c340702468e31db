import FilesinkiModel
import FilesinkiText
import Testing

@testable import FilesinkiRecords

@Suite("Records as JSON")
struct RecordJSONTests {
    static let known: [FieldName: FieldType] = [
        field("count"): .integer, field("size"): .double, field("when"): .date,
        field("raw"): .data, field("tags"): .list(of: .string), field("parent"): .reference,
        field("picture"): .asset,
    ]

    static func parse(_ text: String) throws(Failure) -> RecordInput {
        try RecordInput(parsing: Array(text.utf8)) { _, name in known[name] }
    }

    /// What a text says about its only field.
    static func input(_ fields: String) throws(Failure) -> FieldInput? {
        try parse("{\"fields\":{\(fields)}}").fields.values.first
    }

    @Test("CK-05 a value reads back as the same value", arguments: Samples.values)
    func value(_ value: FieldValue) throws {
        let bytes = RecordJSON.object(record("a", "Note", ["f": value])).bytes
        let again = try RecordInput(parsing: bytes) { _, _ in nil }
        #expect(
            again.fields == [field("f"): .value(value)], "\(String(decoding: bytes, as: UTF8.self))"
        )
        let known = try RecordInput(parsing: bytes) { _, _ in value.type }
        #expect(known == again)
    }

    @Test func `CK-04 a record as JSON`() throws {
        var record = Record(
            name("a"), type("Note"), created: stamp(1_714_555_800_250_000_001, 1),
            modified: stamp(-1, 255))
        record.copy(field("n"), Field(.integer(9_007_199_254_740_993), stamp(5)))
        record.copy(field("d"), Field(.double(0.1), stamp(5)))
        record.copy(field("parent"), Field(reference("b", delete: true), stamp(5)))
        let object = RecordJSON.object(record, tag: "12", zone: "notes")
        let ones = String(repeating: "01", count: 16)
        let last = String(repeating: "ff", count: 16)
        #expect(
            String(decoding: object.bytes, as: UTF8.self)
                == #"{"name":"a","type":"Note","tag":"12","zone":"notes","#
                + #""created":{"time":"2024-05-01T09:30:00.250000001Z","device":"\#(ones)"},"#
                + #""modified":{"time":"1969-12-31T23:59:59.999999999Z","device":"\#(last)"},"#
                + #""fields":{"d":{"type":"double","value":0.1},"#
                + #""n":{"type":"int","value":9007199254740993},"#
                + #""parent":{"type":"reference","value":{"name":"b","action":"delete"}}}}"#)
        let input = try RecordInput(parsing: object.bytes) { _, _ in nil }
        #expect(input.name == name("a") && input.type == type("Note"))
        #expect(input.tag == "12" && input.zone == "notes" && input.fields.count == 3)
    }

    @Test func `CK-12 only some fields, or none`() {
        let record = record("a", "Note", ["f": .integer(1), "g": .integer(2)])
        func text(_ fields: Set<FieldName>) -> String {
            String(decoding: RecordJSON.object(record, fields: fields).bytes, as: UTF8.self)
        }
        #expect(
            text([field("g"), field("x")]).hasSuffix(#""fields":{"g":{"type":"int","value":2}}}"#))
        #expect(text([]).hasSuffix(#""fields":{}}"#))
    }

    static let rows: [(fields: String, input: FieldInput)] = [
        (#""f":"text""#, .value(.string("text"))), (#""f":3"#, .value(.integer(3))),
        (#""f":-9223372036854775808"#, .value(.integer(.min))),
        (#""f":3.0"#, .value(.double(3))), (#""f":1e3"#, .value(.double(1_000))),
        (#""f":-0"#, .value(.double(-0.0))), (#""f":null"#, .remove),
        (#""f":{"type":"int","value":null}"#, .remove),
        (#""f":["a","b"]"#, .value(texts("a", "b"))),
        (#""f":[1,2]"#, .value(list([.integer(1), .integer(2)], of: .integer))),
        (#""f":[1.5]"#, .value(list([.double(1.5)], of: .double))),
        (#""f":{"type":"list","value":[]}"#, .value(texts())),
        (#""f":{"value":[],"type":"date-list"}"#, .value(list([], of: .date))),
        (#""f":{"type":"double","value":3}"#, .value(.double(3))),
        (#""f":{"type":"location","value":{"longitude":2,"latitude":1}}"#, .value(location(1, 2))),
        (#""f":{"type":"reference","value":"b"}"#, .value(reference("b"))),
        (#""f":{"type":"asset","value":{"file":"a.png"}}"#, .files(["a.png"], isList: false)),
        (
            #""f":{"type":"asset-list","value":[{"file":"a"},{"file":"b"}]}"#,
            .files(["a", "b"], isList: true)
        ),
        (#""count":null"#, .remove), (#""size":3"#, .value(.double(3))),
        (#""size":"inf""#, .value(.double(.infinity))),
        (#""when":"2024-05-01T09:30:00.250Z""#, .value(.date(milliseconds: 1_714_555_800_250))),
        (#""raw":"AP8K""#, .value(.data([0, 255, 10]))), (#""tags":[]"#, .value(texts())),
        (#""parent":{"name":"b"}"#, .value(reference("b"))),
        (#""picture":{"file":"x"}"#, .files(["x"], isList: false)),
        (#""count":{"type":"int","value":5}"#, .value(.integer(5))),
    ]

    @Test("CK-05 the short form", arguments: rows.indices)
    func short(_ index: Int) throws {
        let row = Self.rows[index]
        #expect(try Self.input(row.fields) == row.input, "\(row.fields)")
    }

    @Test(
        "CK-05 what is wrong is named",
        arguments: [
            (#"[]"#, "A record is an object."), (#"{"fields":3}"#, "'fields' is not an object"),
            (#"{"name":3}"#, "'name' is not a text"), (#"{"name":true}"#, "'name' is not a text"),
            (#"{"name":"_a"}"#, "cannot begin with '_'"), (#"{"type":"a-b"}"#, "column 2"),
            (#"{"name":"a","name":"b"}"#, "'name' occurs twice"),
            (#"{"fields":{"f":1,"f":2}}"#, "at byte 21: The field 'f' occurs twice"),
            (#"{"fields":{"f":1"#, "Invalid JSON: line 1"),
            (#"{"fields":{"a-b":1}}"#, "'-' at column 2"),
            (#"{"fields":{"f":"\ud800"}}"#, "not valid UTF-8"),
            (#"{"fields":{"f":true}}"#, "at byte 15: The field 'f' has a truth value"),
            (#"{"fields":{"f":[null]}}"#, "truth value or null"),
            (#"{"fields":{"f":{"a":1}}}"#, "cannot be inferred"),
            (#"{"fields":{"f":[[1]]}}"#, "cannot be inferred"),
            (#"{"fields":{"f":[]}}"#, "empty list"),
            (
                #"{"fields":{"f":[1,"a"]}}"#,
                "at byte 18: The field 'f' is a list of type int, element 2 is of type string"
            ),
            (#"{"fields":{"f":[1,2.5]}}"#, "element 2 is of type double"),
            (#"{"fields":{"f":9223372036854775808}}"#, "type int, the value is not"),
            (#"{"fields":{"f":1e999}}"#, "type double, the value is not"),
            (#"{"fields":{"f":{"type":"bool","value":1}}}"#, "unknown type 'bool'"),
            (
                #"{"fields":{"f":{"type":"int-list","value":[1,"a"]}}}"#,
                "type int, the value is not"
            ),
            (#"{"fields":{"f":{"type":"int-list","value":1}}}"#, "is a list, the value is not"),
            (
                #"{"fields":{"f":{"type":"location","value":{"latitude":91,"longitude":0}}}}"#,
                "latitude"
            ),
            (
                #"{"fields":{"f":{"type":"reference","value":{"name":"b","action":"x"}}}}"#,
                "unknown action"
            ),
            (#"{"fields":{"count":"a"}}"#, "'count' is of type int, the value is not"),
            (#"{"fields":{"count":2.5}}"#, "'count' is of type int, the value is not"),
            (
                #"{"fields":{"count":{"type":"string","value":"a"}}}"#,
                "'count' is of type int, and the value of type string"
            ),
            (#"{"fields":{"when":"soon"}}"#, "type date, the value is not"),
            (#"{"fields":{"tags":"a"}}"#, "is a list, the value is not"),
        ])
    func refused(_ text: String, _ message: String) {
        let found = failure { () throws(Failure) in _ = try Self.parse(text) }
        #expect(found?.code == .usage, "\(text)")
        #expect(found?.message.contains(message) == true, "\(String(describing: found))")
        #expect(found?.remedy.isEmpty == false)
    }
}
