import FilesinkiModel

/// The bytes of records. A record has one encoding, and an encoding one record.
///
/// | bytes | content |
/// |---|---|
/// | 1 | the version of the layout |
/// | 24, 24 | created, modified: the time, little-endian, and the 16 bytes of the device |
/// | 1 and *n* | the length of the name, and the name |
/// | 1 and *n* | the length of the type, and the type |
/// | 4 | the number of fields, little-endian as all numbers are |
/// | for each field | 1 and *n*: its name; 24: its stamp; 1: the code of its type; its value |
///
/// Fields are in the order of their names' bytes. A value is that of ``FieldCoder``, without limits of its
/// own: ``Record/checkLimits()`` holds them where a record is saved, and a merge may exceed them.
package enum RecordCoder {
    /// The version of the layout that this program writes.
    package static let version: UInt8 = 1

    /// The bytes of a record.
    package static func encode(_ record: Record) -> [UInt8] {
        var bytes: [UInt8] = [version]
        append(record.created, to: &bytes)
        append(record.modified, to: &bytes)
        FieldCoder.append(name: record.name.text, to: &bytes)
        FieldCoder.append(name: record.type.text, to: &bytes)
        FieldCoder.append(UInt32(truncatingIfNeeded: record.fields.count), to: &bytes)
        for (name, field) in record.fields.sorted(by: { $0.key < $1.key }) {
            FieldCoder.append(name: name.text, to: &bytes)
            append(field.stamp, to: &bytes)
            bytes.append(field.value.type.code)
            FieldCoder.append(field.value, to: &bytes)
        }
        return bytes
    }

    private static func append(_ stamp: Stamp, to bytes: inout [UInt8]) {
        FieldCoder.append(stamp.time, to: &bytes)
        bytes += stamp.device
    }

    /// The record of an encoding; nil for bytes that ``encode(_:)`` cannot have made.
    package static func decode(_ bytes: some Collection<UInt8>) -> Record? {
        var reader = RecordReader(ArraySlice(bytes))
        guard let record = reader.record(), reader.isAtEnd else { return nil }
        return record
    }

    /// Whether the bytes are a record of a newer layout.
    package static func isNewer(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.first.map { $0 > version } ?? false
    }
}

/// The bytes of values. The type is not among them: a record has it before the value, a list once.
///
/// | type | bytes |
/// |---|---|
/// | string, data | a length of 4 bytes, and the bytes |
/// | int, double, date | 8 bytes |
/// | location | the latitude and the longitude, 8 bytes each |
/// | reference | 1 byte for the action, then the length of the name in 1 byte, and the name |
/// | asset | 32 bytes of SHA-256, and a size of 8 bytes |
/// | list | a count of 4 bytes, and the elements |
package enum FieldCoder {
    /// The code of the value's type and its bytes. Equal values have equal ones.
    package static func encode(_ value: FieldValue) -> [UInt8] {
        var bytes = [value.type.code]
        append(value, to: &bytes)
        return bytes
    }

    static func append(_ value: FieldValue, to bytes: inout [UInt8]) {
        switch value {
        case .string(let text): append(content: Array(text.utf8), to: &bytes)
        case .integer(let number): append(number, to: &bytes)
        case .double(let number): append(number.bitPattern, to: &bytes)
        case .data(let data): append(content: data, to: &bytes)
        case .date(let milliseconds): append(milliseconds, to: &bytes)
        case .location(let location):
            append(location.latitude.bitPattern, to: &bytes)
            append(location.longitude.bitPattern, to: &bytes)
        case .reference(let reference):
            bytes.append(reference.action.rawValue)
            append(name: reference.target.text, to: &bytes)
        case .asset(let asset):
            bytes += asset.content.bytes
            append(asset.size, to: &bytes)
        case .list(let list):
            append(UInt32(truncatingIfNeeded: list.elements.count), to: &bytes)
            for element in list.elements { append(element, to: &bytes) }
        }
    }

    static func append(name: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: name.utf8.count))
        bytes += name.utf8
    }

    private static func append(content: [UInt8], to bytes: inout [UInt8]) {
        append(UInt32(truncatingIfNeeded: content.count), to: &bytes)
        bytes += content
    }

    static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
