import FilesinkiModel
import FilesinkiTesting

@testable import FilesinkiRecords

/// Short forms for tables. They trap on what a table must not have.
func field(_ name: String) -> FieldName {
    do { return try FieldName(name) } catch { preconditionFailure("\(error)") }
}

func name(_ text: String) -> RecordName {
    do { return try RecordName(text) } catch { preconditionFailure("\(error)") }
}

func type(_ text: String) -> RecordType {
    do { return try RecordType(text) } catch { preconditionFailure("\(error)") }
}

func location(_ latitude: Double, _ longitude: Double) -> FieldValue {
    do {
        return .location(try Location(latitude: latitude, longitude: longitude))
    } catch {
        preconditionFailure("\(error)")
    }
}

func list(_ elements: [FieldValue], of type: ElementType) -> FieldValue {
    do {
        return .list(try FieldList(elements, of: type))
    } catch {
        preconditionFailure("\(error)")
    }
}

/// A list of texts.
func texts(_ elements: String...) -> FieldValue {
    list(elements.map(FieldValue.string), of: .string)
}

func reference(_ target: String, delete: Bool = false) -> FieldValue {
    .reference(Reference(name(target), action: delete ? .deleteSelf : .none))
}

/// The stamp of a device that is one byte.
func stamp(_ time: Int64, _ device: UInt8 = 1) -> Stamp {
    Stamp(time: time, device: [UInt8](repeating: device, count: 16))
}

/// A record whose fields have one stamp.
func record(
    _ recordName: String, _ recordType: String = "Note", _ fields: [String: FieldValue] = [:],
    at time: Int64 = 1, by device: UInt8 = 1
) -> Record {
    var record = Record(
        name(recordName), type(recordType), created: stamp(1), modified: stamp(time, device))
    for (key, value) in fields {
        do {
            try record.set(field(key), Field(value, stamp(time, device)))
        } catch {
            preconditionFailure("\(error)")
        }
    }
    return record
}

/// The failure of a body; nil when it does not fail.
func failure(_ body: () throws(Failure) -> Void) -> Failure? {
    do throws(Failure) {
        try body()
        return nil
    } catch {
        return error
    }
}

/// Values of all types, with their edges.
enum Samples {
    static let asset = FieldValue.asset(Asset(ContentID.none, size: .max))

    static let values: [FieldValue] = [
        .string(""), .string("é"), .string("e\u{301}"), .string("a\0b\n\u{2028}\"\\"),
        .integer(0), .integer(.max), .integer(.min), .integer(9_007_199_254_740_993),
        .double(0), .double(-0.0), .double(0.1), .double(.leastNonzeroMagnitude),
        .double(.greatestFiniteMagnitude), .double(.infinity), .double(-.infinity), .double(3),
        .data([]), .data([0, 255, 10]),
        .date(milliseconds: 0), .date(milliseconds: -1), .date(milliseconds: 1_714_555_800_250),
        .date(milliseconds: -62_167_219_200_000),
        location(52.5, 13.4), location(-90, 180), location(0, 0),
        reference("a"), reference("a,b", delete: true),
        .asset(Asset(ContentID.none, size: 0)), asset,
        texts(), texts("a", "", "b,c"), list([], of: .integer), list([.integer(1)], of: .integer),
        list([.double(1.5), .double(-0.0)], of: .double), list([.data([1])], of: .data),
        list([.date(milliseconds: 5)], of: .date), list([location(1, 2)], of: .location),
        list([reference("x"), reference("y", delete: true)], of: .reference),
        list([asset], of: .asset), list([], of: .asset),
    ]

    /// A record with all of them.
    static let record: Record = {
        var record = Record(name("All of them"), type("Sample"), created: stamp(-5, 9))
        for (index, value) in values.enumerated() {
            record.copy(field("f\(index)"), Field(value, stamp(Int64(index), UInt8(index))))
        }
        record.modified = stamp(.max, 200)
        return record
    }()
}
