import FilesinkiModel
import Testing

@testable import FilesinkiRecords

@Suite("Names and values of records")
struct NameTests {
    @Test(
        "CK-04 record names",
        arguments: [
            ("a", nil), ("A record", nil), ("x_", nil), ("~", nil), ("a,b/c", nil),
            ("", "cannot be empty"), ("_a", "cannot begin with '_'"), ("aé", "'é' at column 2"),
            ("a\nb", #"'\x0a' at column 2"#), ("\u{7F}", #"'\x7f' at column 1"#),
            (String(repeating: "n", count: 255), nil),
            (String(repeating: "n", count: 256), "256 bytes; at most 255"),
        ] as [(String, String?)])
    func recordName(_ text: String, _ error: String?) {
        let found = failure { () throws(Failure) in _ = try RecordName(text) }
        #expect(found?.code == (error == nil ? nil : .usage))
        #expect(found?.message.contains(error ?? "") ?? true, "\(String(describing: found))")
        #expect(found?.remedy != "")
    }

    @Test(
        "CK-04 field names and record types",
        arguments: [
            ("a", nil), ("Z9_", nil), ("a_b", nil),
            ("", "cannot be empty"), ("9a", "'9' at column 1"), ("_a", "'_' at column 1"),
            ("a-b", "'-' at column 2"), ("a b", "' ' at column 2"), ("né", "'é' at column 2"),
            (String(repeating: "n", count: 255), nil),
            (String(repeating: "n", count: 256), "256 bytes; at most 255"),
        ] as [(String, String?)])
    func identifier(_ text: String, _ error: String?) {
        for found in [
            failure { () throws(Failure) in _ = try FieldName(text) },
            failure { () throws(Failure) in _ = try RecordType(text) },
        ] {
            #expect(found?.code == (error == nil ? nil : .usage))
            #expect(found?.message.contains(error ?? "") ?? true, "\(String(describing: found))")
        }
    }

    @Test("CK-04 a system field is not a field", arguments: SystemField.allCases)
    func systemField(_ system: SystemField) {
        let found = failure { () throws(Failure) in _ = try FieldName(system.rawValue) }
        #expect(found?.code == .usage)
    }

    @Test("CK-05 every type has a name", arguments: FieldType.all)
    func typeName(_ type: FieldType) {
        #expect(FieldType(name: type.name) == type)
        #expect(FieldType(code: type.code) == type)
    }

    @Test func `CK-05 there are sixteen types in a fixed order`() {
        #expect(
            FieldType.all.map(\.name) == [
                "string", "int", "double", "data", "date", "location", "reference", "asset",
                "string-list", "int-list", "double-list", "data-list", "date-list",
                "location-list", "reference-list", "asset-list",
            ])
        #expect(FieldType.all.sorted() == FieldType.all)
        #expect(FieldType(name: "list") == .list(of: .string))
        #expect(FieldType(name: "bool") == nil)
        #expect(FieldType(code: 8) == nil && FieldType(code: 0x88) == nil)
    }

    @Test(
        "CK-05 locations outside of the earth are refused",
        arguments: [(90.1, 0), (-90.1, 0), (0, 180.1), (0, -180.1), (.nan, 0), (0, .nan)]
            as [(Double, Double)])
    func outside(_ latitude: Double, _ longitude: Double) {
        let found = failure { () throws(Failure) in
            _ = try Location(latitude: latitude, longitude: longitude)
        }
        #expect(found?.code == .usage)
    }

    @Test func `CK-05 a list has elements of one type`() {
        let found = failure { () throws(Failure) in
            _ = try FieldList([.integer(1), .string("a")], of: .integer)
        }
        #expect(found?.code == .usage)
        #expect(
            found?.message
                == "Element 2 of the list is of type string, the list is of type int-list.")
        let nested = failure { () throws(Failure) in _ = try FieldList([texts("a")], of: .string) }
        #expect(nested?.code == .usage)
    }

    @Test func `CK-05 NaN is refused`() {
        var record = record("a")
        let alone = failure { () throws(Failure) in
            try record.set(field("f"), Field(.double(.nan), stamp(1)))
        }
        #expect(alone?.code == .usage && alone?.path == Array("f".utf8))
        #expect(record.fields.isEmpty)
        let inList = failure { () throws(Failure) in _ = try FieldList([.double(.nan)], of: .double)
        }
        #expect(inList?.code == .usage)
    }

    @Test func `CK-05 values that look alike are different values`() {
        #expect(FieldValue.double(-0.0) != .double(0))
        #expect(FieldValue.string("é") != .string("e\u{301}"))
        #expect(FieldValue.integer(1) != .double(1))
        #expect(texts() != list([], of: .integer))
        #expect(Set(Samples.values).count == Samples.values.count)
    }

    @Test func `CK-10 a record has limits when it is saved`() {
        var wide = record("a")
        for index in 0...1_000 {
            wide.copy(field("f\(index)"), Field(.integer(1), stamp(1)))
            guard index >= 999 else { continue }
            let found = failure { () throws(Failure) in try wide.checkLimits() }
            #expect(found?.code == (index < 1_000 ? nil : .limit))
        }
        let empty = RecordCoder.encode(record("a", "Note", ["f": .data([])])).count
        for (length, code) in [(0, nil), (1, Failure.Code.limit)] {
            let data = [UInt8](repeating: 0, count: 1 << 20 - empty + length)
            let long = record("a", "Note", ["f": .data(data)])
            #expect(failure { () throws(Failure) in try long.checkLimits() }?.code == code)
        }
        let asset = record("a", "Note", ["f": Samples.asset])
        #expect(failure { () throws(Failure) in try asset.checkLimits() } == nil)
    }
}
