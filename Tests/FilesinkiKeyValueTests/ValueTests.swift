import FilesinkiItems
import FilesinkiModel
import FilesinkiTesting
import FilesinkiText
import Testing

@testable import FilesinkiKeyValue

@Suite("Values make the round trip exactly")
struct ValueTests {
    static let samples: [TypedValue] = [
        .bool(true), .bool(false), .integer(.max), .integer(.min), .integer(0), .double(-0.0),
        .double(0.0), .double(.leastNonzeroMagnitude), .double(.infinity), .double(-.infinity),
        .double(0.1),
        .date(milliseconds: 1_714_555_800_250), .date(milliseconds: -1), .date(milliseconds: .max),
        .string(""), .string("é"), .string("e\u{301}"), .string("a\0b\n\u{2028}"),
        .data([]), .data([0, 255, 10]), .url("https://example.org/ä?b#c"), .array([]),
        .array([.null, .integer(1), .data([1])]),
        .dictionary(
            ValueMembers([("é", .integer(1)), ("e\u{301}", .integer(2)), ("", .null)])),
        .dictionary(ValueMembers([("$date", .string("x"))])),
    ]

    @Test("KV-02 an encoded value decodes to the same value", arguments: samples)
    func encoding(_ value: TypedValue) {
        let bytes = ValueCoder.encode(value)
        #expect(ValueCoder.decode(bytes).map(ValueCoder.encode) == bytes)
        #expect(ValueCoder.decode(bytes + [0]) == nil)
        #expect(ValueCoder.decode(bytes.dropLast()) == nil)
    }

    @Test("KV-02 exact JSON reads back as the same value", arguments: samples)
    func json(_ value: TypedValue) throws {
        let text = JSONText.encode(value, .exact)
        #expect(
            try JSONText.decode(text, .exact) == value, "\(String(decoding: text, as: UTF8.self))")
    }

    @Test func `KV-02 values that look alike are different values`() {
        #expect(TypedValue.double(-0.0) != .double(0))
        #expect(TypedValue.string("é") != .string("e\u{301}"))
        #expect(TypedValue.integer(1) != .double(1))
    }

    @Test func `KV-02 NaN is refused, in an encoding too`() async throws {
        let device = try await Meeting().device("a")
        let found = await failure { try await device.set("k", .double(.nan)) }
        #expect(found?.code == .usage)
        #expect(try await device.get("k") == nil)
        #expect(ValueCoder.decode(ValueCoder.encode(.double(.nan))) == nil)
    }

    @Test func `hostile encodings are not decoded`() {
        var random = SeededRandom(seed: 3)
        for sample in Self.samples {
            let bytes = ValueCoder.encode(sample)
            for _ in 0..<50 {
                var damaged = bytes
                damaged[Int.random(in: 0..<bytes.count, using: &random)] ^= random.bytes(1)[0] | 1
                // Whatever it is now, it has one encoding.
                if let value = ValueCoder.decode(damaged) {
                    #expect(ValueCoder.encode(value) == damaged)
                }
            }
        }
        let deep: [UInt8] = [9, 1, 0, 0, 0]
        var bomb: [UInt8] = []
        for _ in 0..<100_000 { bomb += deep }
        bomb.append(0)
        #expect(ValueCoder.decode(bomb) == nil)
        #expect(ValueCoder.decode([9, 255, 255, 255, 255]) == nil)
    }

    @Test(
        "invalid JSON is refused",
        arguments: [
            "", "{", "[1,]", "01", "1.", "-", "nul", "\"\\ud800\"", "{\"a\":1,\"a\":2}", "1 2",
            "18446744073709551615", "1e999", "\"\u{1}\"", "+1", ".5", "1.e5",
        ])
    func refused(_ text: String) {
        #expect(throws: Failure.self) { try JSONText.decode(text.utf8) }
    }

    @Test(
        "dates are text with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_714_555_800_250, "2024-05-01T09:30:00.250Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func dates(_ milliseconds: Int64, _ text: String) {
        #expect(DateText.text(milliseconds) == text)
        #expect(DateText.milliseconds(text) == milliseconds)
    }

    @Test(
        "KV-08 every key has a path of its own",
        arguments: [
            "a", ".", "..", ".filesinki", "a/b", "/", "a\0b", "é", "%41", "A", "a b", "-",
        ])
    func path(_ text: String) throws {
        let key = try ValueKey(text)
        #expect(try RelativePath(key.path.bytes) == key.path)
        #expect(ValueKey(path: key.path) == key)
    }

    @Test func `KV-08 long keys and keys of any bytes have a path, too`() throws {
        for length in [64, 80, 240, 1_024] {
            let key = try ValueKey([UInt8](repeating: 255, count: length))
            #expect(try RelativePath(key.path.bytes) == key.path)
            #expect(ValueKey(path: key.path) == key)
        }
        #expect(ValueKey(path: try RelativePath("%61")) == nil)
        #expect(ValueKey(path: try RelativePath("a/b")) == nil)
    }
}
