import Foundation
import Testing

@testable import FileSinkiRecords

/// What of a value is no field, and what of a field is no value.
@Suite("Limits of codable records")
struct CodingLimitTests {
    struct Optionals: Codable, Equatable {
        var bool: Bool?
        var string: String?
        var double: Double?
        var float: Float?
        var int: Int?
        var int8: Int8?
        var int16: Int16?
        var int32: Int32?
        var int64: Int64?
        var uint: UInt?
        var uint8: UInt8?
        var uint16: UInt16?
        var uint32: UInt32?
        var uint64: UInt64?
        var date: Date?
        var list: [Int]?
    }

    @Test func `an optional property of any type that is nil removes its field`() throws {
        let full = Optionals(
            bool: true, string: "a", double: 0.5, float: 0.25, int: 1, int8: -128, int16: 2,
            int32: 3, int64: .min, uint: 4, uint8: 255, uint16: 5, uint32: 6,
            uint64: UInt64(Int64.max), date: Date(timeIntervalSince1970: 1), list: [1])
        var record = Record(type: "T", name: "n")
        try record.encode(full)
        #expect(record.fields.count == 16)
        #expect(try record.decode(Optionals.self) == full)
        try record.encode(Optionals())
        #expect(record.fields.isEmpty)
        #expect(record.changedFields.count == 16)
        #expect(try record.decode(Optionals.self) == Optionals())
    }

    struct Empty: Codable {
        var bools: [Bool] = []
        var bytes: [UInt8] = []
        var words: [UInt64] = []
        var shorts: [Int16] = []
        var numbers: [Double] = []
        var small: [Float] = []
        var dates: [Date] = []
        var datas: [Data] = []
        var places: [RecordLocation] = []
        var parents: [RecordReference] = []
        var assets: [RecordAsset] = []
        var texts: [String] = []
        var urls: [URL] = []
    }

    @Test func `a list without elements has the type of those that it may get`() throws {
        var record = Record(type: "T", name: "n")
        try record.encode(Empty())
        let expected: [String: RecordValue] = [
            "bools": .ints([]), "bytes": .ints([]), "words": .ints([]), "shorts": .ints([]),
            "numbers": .doubles([]), "small": .doubles([]), "dates": .dates([]),
            "datas": .datas([]), "places": .locations([]), "parents": .references([]),
            "assets": .assets([]), "texts": .strings([]), "urls": .strings([]),
        ]
        #expect(record.fields == expected)
    }

    /// Encodes as its closure does.
    struct Custom: Encodable {
        let body: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    enum Key: String, CodingKey { case field, inner }

    private static let refused: [@Sendable (any Encoder) throws -> Void] = [
        { encoder in
            var fields = encoder.container(keyedBy: Key.self)
            var inner = fields.nestedContainer(keyedBy: Key.self, forKey: .field)
            try inner.encode("x", forKey: .inner)
        },
        { encoder in
            var fields = encoder.container(keyedBy: Key.self)
            var inner = fields.nestedContainer(keyedBy: Key.self, forKey: .field)
            try inner.encodeNil(forKey: .inner)
        },
        { encoder in
            var fields = encoder.container(keyedBy: Key.self)
            var list = fields.nestedUnkeyedContainer(forKey: .field)
            try list.encode(1)
        },
        { encoder in
            var list = encoder.unkeyedContainer()
            var inner = list.nestedContainer(keyedBy: Key.self)
            try inner.encode("x", forKey: .inner)
        },
        { encoder in
            var single = encoder.singleValueContainer()
            try single.encodeNil()
        },
        { encoder in
            var fields = encoder.container(keyedBy: Key.self)
            try fields.encode([Int?.some(1), nil], forKey: .field)
        },
        { encoder in
            var fields = encoder.container(keyedBy: Key.self)
            try fields.encode(Custom { _ in }, forKey: .field)
        },
        { encoder in
            var fields = encoder.container(keyedBy: Key.self)
            try fields.encode([Custom { _ in }], forKey: .field)
        },
        { encoder in
            var fields = encoder.container(keyedBy: Key.self)
            try fields.encode(["a": 1], forKey: .field)
        },
    ]

    @Test("what is neither a value nor a list of values is refused", arguments: refused.indices)
    func refusals(_ index: Int) {
        var record = Record(type: "T", name: "n")
        #expect(throws: EncodingError.self) { try record.encode(Custom(body: Self.refused[index])) }
        #expect(record.fields.isEmpty && record.changedFields.isEmpty)
    }

    @Test func `a refusal names the field, and says what can be done`() {
        struct Nested: Encodable { var photo = ["a": 1] }
        var record = Record(type: "T", name: "n")
        let error = #expect(throws: EncodingError.self) { try record.encode(Nested()) }
        guard case .invalidValue(_, let context) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["photo"])
        #expect(context.debugDescription.hasSuffix("Encode it as Data, or as a record of its own."))
    }

    @Test func `a whole number that has no place in 64 bits is refused`() throws {
        struct Word: Codable { var value: UInt64 }
        var record = Record(type: "T", name: "n")
        try record.encode(Word(value: UInt64(Int64.max)))
        #expect(record["value"] == .int(.max))
        #expect(throws: EncodingError.self) {
            try record.encode(Word(value: UInt64(Int64.max) + 1))
        }
        // What was there stays.
        #expect(record["value"] == .int(.max))
    }

    // MARK: Decoding

    struct One<Value: Decodable>: Decodable { var field: Value }

    private func decode<Value: Decodable & Equatable>(
        _ value: RecordValue, as type: Value.Type
    ) -> Value? {
        let record = Record(type: "T", name: "n", stored: ["field": value])
        return try? record.decode(One<Value>.self).field
    }

    @Test func `a number is one of the type that the program has, if it is exact`() {
        #expect(decode(255, as: UInt8.self) == 255 && decode(256, as: UInt8.self) == nil)
        #expect(decode(-1, as: UInt.self) == nil && decode(-129, as: Int8.self) == nil)
        #expect(decode(.int(.max), as: Int64.self) == .max)
        #expect(decode(0, as: Bool.self) == false && decode(1, as: Bool.self) == true)
        #expect(decode(-1, as: Bool.self) == nil && decode("true", as: Bool.self) == nil)
        #expect(decode(3, as: Double.self) == 3 && decode(0.5, as: Float.self) == 0.5)
        #expect(decode(3.0, as: Int.self) == nil)
    }

    @Test func `a value of another type is none`() {
        #expect(decode("a", as: Int.self) == nil && decode(1, as: String.self) == nil)
        #expect(decode("2024-01-01", as: Date.self) == nil && decode("a", as: Data.self) == nil)
        #expect(decode("https://h/a", as: URL.self) == URL(string: "https://h/a"))
        #expect(decode("p", as: RecordReference.self) == nil)
        #expect(decode(.strings(["a"]), as: String.self) == nil)
        #expect(decode("a", as: [String].self) == nil)
        #expect(decode("a", as: [String: String].self) == nil)
    }

    @Test func `a list is one of elements of the wished type`() {
        #expect(decode(.ints([1, 0]), as: [Bool].self) == [true, false])
        #expect(decode(.ints([1, 2]), as: [Bool].self) == nil)
        #expect(decode(.ints([1, 300]), as: [UInt8].self) == nil)
        #expect(decode(.ints([1, 2]), as: Set<Int16>.self) == [1, 2])
        #expect(decode(.ints([1]), as: [Double].self) == [1])
        #expect(decode(.strings(["a"]), as: [[String]].self) == nil)
    }

    @Test func `a field that is missing is named`() {
        let record = Record(type: "T", name: "n")
        let error = #expect(throws: DecodingError.self) { try record.decode(One<Int>.self) }
        guard case .keyNotFound(let key, let context) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(key.stringValue == "field")
        #expect(context.debugDescription == "The record has no field field.")
    }

    /// Decodes as its closure does.
    private func reading(
        _ body: @escaping (any Decoder) throws -> Void
    ) -> (any Error)? {
        do {
            try body(RecordDecoder(["field": .ints([1]), "text": "a"]))
            return nil
        } catch { return error }
    }

    @Test func `a record is neither a list nor a single value, and a field no structure`() {
        #expect(reading { _ = try $0.unkeyedContainer() } is DecodingError)
        #expect(reading { _ = try $0.singleValueContainer() } is DecodingError)
        #expect(
            reading {
                _ = try $0.container(keyedBy: Key.self)
                    .nestedContainer(keyedBy: Key.self, forKey: .field)
            } is DecodingError)
        #expect(
            reading {
                _ = try $0.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .inner)
            } is DecodingError)
    }

    @Test func `a list is read to its end, and not beyond it`() {
        let error = reading { decoder in
            var list = try decoder.container(keyedBy: Key.self)
                .nestedUnkeyedContainer(forKey: .field)
            #expect(list.count == 1 && !list.isAtEnd && list.currentIndex == 0)
            // An element of another type stays the next one.
            #expect(throws: DecodingError.self) { try list.decode(String.self) }
            #expect(list.currentIndex == 0)
            #expect(try list.decode(Int.self) == 1)
            #expect(list.isAtEnd && list.currentIndex == 1)
            _ = try list.decode(Int.self)
        }
        #expect(error is DecodingError)
    }

    @Test func `the fields of a record are known by the keys of the value`() {
        let error = reading { decoder in
            let container = try decoder.container(keyedBy: Key.self)
            #expect(container.allKeys == [.field])
            #expect(container.contains(.field) && !container.contains(.inner))
            #expect(try container.decodeNil(forKey: .inner))
            #expect(try !container.decodeNil(forKey: .field))
        }
        #expect(error == nil)
    }
}
