import FileSinkiRecords
import Foundation
import Testing

/// Values as records, and back.
@Suite("Codable records")
struct CodingTests {
    enum Color: String, Codable { case red, blue }
    enum Level: Int, Codable { case low = 1, high = 2 }

    struct All: Codable, Equatable {
        var text = "x"
        var whole = -3
        var byte: UInt8 = 255
        var large: UInt64 = 1 << 62
        var number = 2.5
        var small: Float = 0.5
        var yes = true
        var no = false
        var date = Date(timeIntervalSince1970: 1_714_555_800.25)
        var data = Data([0, 255])
        var url = URL(string: "https://example.org/a")
        var color = Color.blue
        var level = Level.high
        var place = RecordLocation(latitude: 52.5, longitude: 13.4)
        var parent = RecordReference("other", deletesSelf: true)
        var texts = ["a", "b"]
        var wholes = [1, 2]
        var numbers = [0.5]
        var colors: Set<Color> = [.red]
        var dates = [Date(timeIntervalSince1970: 1)]
        var datas = [Data([1])]
        var places = [RecordLocation(latitude: 1, longitude: 2)]
        var parents = [RecordReference("p")]
        var flags = [true, false]
        var none: [Int] = []
        var noDates: [Date] = []
        var maybe: String?
        var given: Int? = 4
    }

    @Test func `CK-05 a value becomes fields, and comes back`() throws {
        var record = Record(type: "All", name: "n")
        let value = All()
        try record.encode(value)
        #expect(try record.decode(All.self) == value)
        let expected: [String: RecordValue] = [
            "text": "x", "whole": -3, "byte": 255, "number": 2.5, "small": 0.5, "yes": 1, "no": 0,
            "date": .date(value.date), "data": .data(Data([0, 255])),
            "url": "https://example.org/a", "color": "blue", "level": 2,
            "place": .location(value.place), "parent": .reference(value.parent),
            "texts": .strings(["a", "b"]), "wholes": .ints([1, 2]), "numbers": .doubles([0.5]),
            "colors": .strings(["red"]), "flags": .ints([1, 0]), "none": .ints([]),
            "noDates": .dates([]), "given": 4,
        ]
        for (field, value) in expected { #expect(record[field] == value, "\(field)") }
        #expect(record["maybe"] == nil)
        // Nothing has changed a second time.
        var same = record
        try same.encode(value)
        #expect(same == record)
    }

    struct Note: Codable { var title: String; var due: Int? }

    @Test func `a property that is nil removes its field, and other fields stay`() throws {
        var record = Record(type: "Note", name: "n")
        record["due"] = 4
        record["newer"] = "stays"
        try record.encode(Note(title: "a"))
        #expect(record["due"] == nil && record["newer"] == "stays" && record["title"] == "a")
        #expect(record.changedFields == ["due", "newer", "title"])
        #expect(try record.decode(Note.self).due == nil)
    }

    class Base: Codable { var base = 1 }
    final class Derived: Base {
        var own = "x"
        private enum CodingKeys: CodingKey { case own }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            own = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .own)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(own, forKey: .own)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test func `the properties of a superclass are fields of the same record`() throws {
        var record = Record(type: "D", name: "n")
        let value = Derived()
        value.base = 7
        try record.encode(value)
        #expect(record.fields == ["base": 7, "own": "x"])
        #expect(try record.decode(Derived.self).base == 7)
    }

    struct Nested: Codable { var note = Note(title: "x") }
    struct Lists: Codable { var lists = [["a"], ["b"]] }
    struct Mixed: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var list = Items()
            list.values = ["a", 1]
            try container.encode(list, forKey: .list)
        }
        enum Key: CodingKey { case list }
        struct Items: Encodable {
            var values: [any Encodable] = []
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                for value in values { try container.encode(value) }
            }
        }
    }
    struct Large: Codable { var value = UInt64.max }

    @Test func `what is no value of a field is refused`() {
        let wrong: [any Encodable] = [
            Nested(), Lists(), Mixed(), Large(), 3, "text", [1], ["a": Note(title: "x")],
        ]
        for value in wrong {
            var record = Record(type: "T", name: "n")
            #expect(throws: EncodingError.self, "\(value)") { try record.encode(value) }
            #expect(record.fields.isEmpty)
        }
    }

    @Test func `a field of another type is an error that names it`() {
        var record = Record(type: "Note", name: "n")
        #expect(throws: DecodingError.self) { try record.decode(Note.self) }
        for value: RecordValue in [3, 2.5, .strings(["a"]), .data(Data())] {
            record["title"] = value
            let error = #expect(throws: DecodingError.self) { try record.decode(Note.self) }
            guard case .typeMismatch(_, let context) = error else {
                Issue.record("another error: \(String(describing: error))")
                continue
            }
            #expect(context.codingPath.map(\.stringValue) == ["title"])
        }
        record["title"] = "a"
        record["due"] = 2.5
        #expect(throws: DecodingError.self) { try record.decode(Note.self) }
        struct Small: Decodable { var due: Int8 }
        record["due"] = 128
        #expect(throws: DecodingError.self) { try record.decode(Small.self) }
        struct Flag: Decodable { var due: Bool }
        record["due"] = 2
        #expect(throws: DecodingError.self) { try record.decode(Flag.self) }
        struct Wide: Decodable { var due: Double }
        #expect(throws: Never.self) { try record.decode(Wide.self) }
    }
}
