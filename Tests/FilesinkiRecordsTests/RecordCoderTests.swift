import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiRecords

@Suite("The bytes of a record")
struct RecordCoderTests {
    @Test("an encoded value decodes to the same value", arguments: Samples.values)
    func value(_ value: FieldValue) {
        let bytes = RecordCoder.encode(record("a", "Note", ["f": value]))
        let decoded = RecordCoder.decode(bytes)
        #expect(decoded?[field("f")] == value)
        #expect(decoded.map(RecordCoder.encode) == bytes)
        #expect(RecordCoder.decode(bytes + [0]) == nil)
        #expect(RecordCoder.decode(bytes.dropLast()) == nil)
    }

    @Test func `the whole record comes back`() {
        let bytes = RecordCoder.encode(Samples.record)
        #expect(RecordCoder.decode(bytes) == Samples.record)
    }

    @Test func `equal records have equal bytes, in whatever order they were made`() {
        var random = SeededRandom(seed: 1)
        let bytes = RecordCoder.encode(Samples.record)
        for _ in 0..<50 {
            var again = Record(
                Samples.record.name, Samples.record.type, created: Samples.record.created,
                modified: Samples.record.modified)
            for name in Samples.record.fieldNames.shuffled(using: &random) {
                again.copy(name, Samples.record.fields[name])
            }
            #expect(RecordCoder.encode(again) == bytes)
        }
    }

    @Test func `the layout is the documented one`() {
        var small = Record(name("ab"), type("T"), created: stamp(1, 7), modified: stamp(258, 8))
        small.copy(field("n"), Field(.integer(-2), stamp(3, 9)))
        let seven = [UInt8](repeating: 7, count: 16)
        let eight = [UInt8](repeating: 8, count: 16)
        let nine = [UInt8](repeating: 9, count: 16)
        var expected: [UInt8] = [1] + [1, 0, 0, 0, 0, 0, 0, 0] + seven
        expected += [2, 1, 0, 0, 0, 0, 0, 0] + eight
        expected += [2, 0x61, 0x62] + [1, 0x54] + [1, 0, 0, 0]
        expected += [1, 0x6E] + [3, 0, 0, 0, 0, 0, 0, 0] + nine + [1]
        expected += [254, 255, 255, 255, 255, 255, 255, 255]
        #expect(RecordCoder.encode(small) == expected)
    }

    @Test func `a newer layout is recognised and not read`() {
        let bytes = RecordCoder.encode(record("a"))
        #expect(!RecordCoder.isNewer(bytes))
        #expect(!RecordCoder.isNewer([]))
        #expect(RecordCoder.isNewer([2]))
        #expect(RecordCoder.decode([2] + bytes.dropFirst()) == nil)
        #expect(RecordCoder.decode([0] + bytes.dropFirst()) == nil)
    }

    /// A record without fields, then what stands in place of them.
    private static func forged(_ fields: [UInt8]) -> [UInt8] {
        RecordCoder.encode(record("a")).dropLast(4) + fields
    }

    private static func forgedField(_ name: String, _ type: UInt8, _ value: [UInt8]) -> [UInt8] {
        [UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8](repeating: 0, count: 24) + [type]
            + value
    }

    static let hostile: [(says: String, bytes: [UInt8])] = [
        ("a count without fields", forged([255, 255, 255, 255])),
        ("a count of one without a field", forged([1, 0, 0, 0])),
        ("the same field twice", forged([2, 0, 0, 0] + twice("f", "f"))),
        ("fields in another order", forged([2, 0, 0, 0] + twice("g", "f"))),
        ("a field name with a dash", forged([1, 0, 0, 0] + forgedField("a-b", 3, [0, 0, 0, 0]))),
        (
            "a field with a system name",
            forged([1, 0, 0, 0] + forgedField("createdAt", 3, [0, 0, 0, 0]))
        ),
        ("an empty field name", forged([1, 0, 0, 0] + forgedField("", 3, [0, 0, 0, 0]))),
        ("an unknown type", forged([1, 0, 0, 0] + forgedField("f", 8, [0, 0, 0, 0]))),
        (
            "a length beyond the end",
            forged([1, 0, 0, 0] + forgedField("f", 3, [255, 255, 255, 127]))
        ),
        (
            "a text that is not UTF-8",
            forged([1, 0, 0, 0] + forgedField("f", 0, [1, 0, 0, 0, 0xFF]))
        ),
        (
            "half a surrogate pair",
            forged([1, 0, 0, 0] + forgedField("f", 0, [3, 0, 0, 0, 0xED, 0xA0, 0x80]))
        ),
        ("NaN", forged([1, 0, 0, 0] + forgedField("f", 2, [0, 0, 0, 0, 0, 0, 0xF8, 0x7F]))),
        (
            "NaN in a list",
            forged(
                [1, 0, 0, 0] + forgedField("f", 0x82, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF8, 0x7F]))
        ),
        ("a latitude out of range", forged([1, 0, 0, 0] + forgedField("f", 5, point(91, 0)))),
        ("a longitude of −0.0", forged([1, 0, 0, 0] + forgedField("f", 5, point(0, -0.0)))),
        ("an unknown action", forged([1, 0, 0, 0] + forgedField("f", 6, [2, 1, 0x61]))),
        ("a reference without a name", forged([1, 0, 0, 0] + forgedField("f", 6, [0, 0]))),
        (
            "a short asset",
            forged([1, 0, 0, 0] + forgedField("f", 7, [UInt8](repeating: 0, count: 39)))
        ),
        (
            "a list longer than its bytes",
            forged([1, 0, 0, 0] + forgedField("f", 0x80, [255, 255, 255, 255]))
        ),
        (
            "a name with a leading _",
            Array(RecordCoder.encode(record("a"))[..<49]) + [1, 0x5F] + [1, 0x54, 0, 0, 0, 0]
        ),
        ("nothing", []), ("a version only", [1]),
    ]

    private static func twice(_ one: String, _ other: String) -> [UInt8] {
        forgedField(one, 3, [0, 0, 0, 0]) + forgedField(other, 3, [0, 0, 0, 0])
    }

    private static func point(_ latitude: Double, _ longitude: Double) -> [UInt8] {
        var bytes: [UInt8] = []
        FieldCoder.append(latitude.bitPattern, to: &bytes)
        FieldCoder.append(longitude.bitPattern, to: &bytes)
        return bytes
    }

    @Test("hostile bytes are refused", arguments: hostile.map(\.says))
    func refused(_ says: String) throws {
        let row = try #require(Self.hostile.first { $0.says == says })
        #expect(RecordCoder.decode(row.bytes) == nil)
    }

    @Test func `the forged records differ from valid ones only in what is named`() {
        let valid = [
            Self.forged([0, 0, 0, 0]), Self.forged([2, 0, 0, 0] + Self.twice("f", "g")),
            Self.forged([1, 0, 0, 0] + Self.forgedField("f", 0, [1, 0, 0, 0, 0x61])),
            Self.forged([1, 0, 0, 0] + Self.forgedField("f", 2, [0, 0, 0, 0, 0, 0, 0xF0, 0x7F])),
            Self.forged([1, 0, 0, 0] + Self.forgedField("f", 5, Self.point(90, 0))),
            Self.forged([1, 0, 0, 0] + Self.forgedField("f", 6, [1, 1, 0x61])),
            Self.forged([1, 0, 0, 0] + Self.forgedField("f", 7, [UInt8](repeating: 0, count: 40))),
            Array(RecordCoder.encode(record("a"))[..<49]) + [1, 0x61] + [1, 0x54, 0, 0, 0, 0],
        ]
        for bytes in valid { #expect(RecordCoder.decode(bytes).map(RecordCoder.encode) == bytes) }
    }
}
