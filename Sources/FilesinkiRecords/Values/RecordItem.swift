/// What the row of a zone of records holds: a byte for the version of this layout, a byte for what follows, and its
/// encoding.
package enum RecordItem {
    case record(Record)
    /// The bytes of the schema's text.
    case schema(ArraySlice<UInt8>)

    private static let version: UInt8 = 1

    private enum Tag: UInt8 {
        case record = 1
        case schema = 2
    }

    /// - Parameter bytes: Of any origin.
    /// - Returns: nil for invalid bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count > 2, bytes[0] == Self.version else { return nil }
        let content = bytes[2...]
        switch Tag(rawValue: bytes[1]) {
        case .record:
            guard let record = RecordCoder.decode(content) else { return nil }
            self = .record(record)
        case .schema: self = .schema(content)
        case nil: return nil
        }
    }

    /// Whether the bytes were written by a newer version of the program, with another layout.
    package static func isNewer(_ bytes: [UInt8]) -> Bool {
        guard let version = bytes.first else { return false }
        if version > Self.version { return true }
        guard version == Self.version, bytes.count > 2 else { return false }
        return Tag(rawValue: bytes[1]) == .record && RecordCoder.isNewer(bytes[2...])
    }

    package static func encode(_ record: Record) -> [UInt8] {
        [version, Tag.record.rawValue] + RecordCoder.encode(record)
    }

    package static func encode(_ schema: Schema) -> [UInt8] {
        [version, Tag.schema.rawValue] + Array(SchemaText.encode(schema).utf8)
    }

    /// Whether a zone of a store, in any generation, is one of records.
    package static func isZone(_ name: String) -> Bool { StoredZone(name) != nil }
}
