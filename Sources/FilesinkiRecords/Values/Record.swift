package import FilesinkiModel

/// When and by which device something was changed. Stamps are ordered by time, then by device.
package struct Stamp: Hashable, Sendable {
    /// The length of a device's id.
    package static let deviceLength = 16

    /// A hybrid logical time in nanoseconds.
    package let time: Int64
    private let high: UInt64
    private let low: UInt64

    /// - Parameter device: The id of the device, 16 bytes. A shorter one is filled up with zeros, a longer
    ///   one cut off.
    package init(time: Int64, device: [UInt8]) {
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            (0..<8).reduce(0) { word, index in
                let place = bytes.startIndex + index
                return word << 8 | (place < bytes.endIndex ? UInt64(bytes[place]) : 0)
            }
        }
        self.time = time
        high = word(device.prefix(8))
        low = word(device.dropFirst(8))
    }

    private init(time: Int64, high: UInt64, low: UInt64) {
        (self.time, self.high, self.low) = (time, high, low)
    }

    /// The id of the device, 16 bytes.
    package var device: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }

    /// Before all stamps of a device.
    package static let never = Stamp(time: .min, device: [])

    func at(_ time: Int64) -> Stamp { Stamp(time: time, high: high, low: low) }
}

extension Stamp: Comparable {
    package static func < (left: Stamp, right: Stamp) -> Bool {
        (left.time, left.high, left.low) < (right.time, right.high, right.low)
    }
}

/// A field of a record: its value, and when it was last changed.
package struct Field: Hashable, Sendable {
    package let value: FieldValue
    package let stamp: Stamp

    package init(_ value: FieldValue, _ stamp: Stamp) {
        self.value = value
        self.stamp = stamp
    }
}

/// A record: typed fields under a name.
package struct Record: Hashable, Sendable {
    /// The most fields of a record that is saved.
    package static let maximumFieldCount = 1_000
    /// The most bytes of the encoding of a record that is saved; assets do not count.
    package static let maximumLength = 1 << 20

    package let name: RecordName
    package var type: RecordType
    /// When and by whom the record was first saved.
    package var created: Stamp
    /// When and by whom the record was last changed.
    package var modified: Stamp
    /// No value is NaN.
    package private(set) var fields: [FieldName: Field]

    package init(_ name: RecordName, _ type: RecordType, created: Stamp, modified: Stamp? = nil) {
        self.name = name
        self.type = type
        self.created = created
        self.modified = modified ?? created
        fields = [:]
    }

    /// The value of a field; nil when the record does not have it.
    package subscript(name: FieldName) -> FieldValue? { fields[name]?.value }

    /// The names of the fields, in the order of their bytes.
    package var fieldNames: [FieldName] { fields.keys.sorted() }

    /// Sets or, with nil, removes a field.
    ///
    /// - Throws: `Failure` with code `usage` for NaN.
    package mutating func set(_ name: FieldName, _ field: Field?) throws(Failure) {
        if let field, field.value.isNaN {
            var failure = FieldList.notANumber
            failure.path = Array(name.text.utf8)
            throw failure
        }
        fields[name] = field
    }

    /// Sets or removes a field to what another record has.
    mutating func copy(_ name: FieldName, _ field: Field?) { fields[name] = field }

    /// All references, in the order of the fields.
    package var references: [Reference] {
        fieldNames.flatMap { fields[$0]?.value.references ?? [] }
    }

    /// All assets, in the order of the fields.
    package var assets: [Asset] { fieldNames.flatMap { fields[$0]?.value.assets ?? [] } }

    /// Whether both have the same type and the same values, regardless of stamps.
    package func hasSameContents(as other: Record) -> Bool {
        type == other.type && fields.count == other.fields.count
            && fields.allSatisfy { other.fields[$0.key]?.value == $0.value.value }
    }

    /// The record with the stamps of another one for the values that both have: a stamp changes only with its value.
    package func keepingStamps(of other: Record) -> Record {
        var record = self
        for (name, held) in other.fields where fields[name]?.value == held.value {
            // Where nothing changes, both share their fields.
            if fields[name]?.stamp != held.stamp { record.fields[name] = held }
        }
        return record
    }

    /// Checks the limits of a record that is about to be saved. A merge of two such records may exceed them.
    ///
    /// - Throws: `Failure` with code `limit`.
    package func checkLimits() throws(Failure) {
        guard fields.count <= Self.maximumFieldCount else {
            throw Failure(
                .limit, path: name.text,
                "The record has \(fields.count) fields; at most 1000 are allowed.",
                remedy: "Spread the fields over several records.")
        }
        let length = RecordCoder.encode(self).count
        guard length <= Self.maximumLength else {
            throw Failure(
                .limit, path: name.text,
                "The record has \(length) bytes; at most \(Self.maximumLength) are allowed.",
                remedy: "Save large values as assets, which do not count.")
        }
    }
}
