internal import FilesinkiStore

/// The canonical encoding of values: a value has one encoding, and an encoding one value.
///
/// A byte for the type, then the content: eight little-endian bytes for numbers and dates, a length of
/// four bytes and the bytes for texts and data, a count of four bytes and the elements for arrays; of
/// dictionaries each element is a length, the name's bytes and a value, in the order of names.
package enum ValueCoder {
    /// How deep arrays and dictionaries may lie in each other.
    package static let maximumDepth = 64

    enum Tag: UInt8 {
        case null, no, yes, integer, double, date, string, data, url, array, dictionary
    }

    /// The bytes of a value.
    package static func encode(_ value: TypedValue) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, to: &bytes)
        return bytes
    }

    private static func append(_ value: TypedValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(Tag.null.rawValue)
        case .bool(let value): bytes.append((value ? Tag.yes : Tag.no).rawValue)
        case .integer(let value): append(.integer, UInt64(bitPattern: value), to: &bytes)
        case .double(let value): append(.double, value.bitPattern, to: &bytes)
        case .date(let value): append(.date, UInt64(bitPattern: value), to: &bytes)
        case .string(let text): append(.string, Array(text.utf8), to: &bytes)
        case .data(let data): append(.data, data, to: &bytes)
        case .url(let text): append(.url, Array(text.utf8), to: &bytes)
        case .array(let values):
            bytes.append(Tag.array.rawValue)
            append(length: values.count, to: &bytes)
            for value in values { append(value, to: &bytes) }
        case .dictionary(let members):
            bytes.append(Tag.dictionary.rawValue)
            append(length: members.count, to: &bytes)
            for member in members {
                append(length: member.name.utf8.count, to: &bytes)
                bytes.append(contentsOf: member.name.utf8)
                append(member.value, to: &bytes)
            }
        }
    }

    private static func append(_ tag: Tag, _ word: UInt64, to bytes: inout [UInt8]) {
        bytes.append(tag.rawValue)
        bytes.appendLittleEndian(word)
    }

    private static func append(_ tag: Tag, _ content: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(tag.rawValue)
        append(length: content.count, to: &bytes)
        bytes.append(contentsOf: content)
    }

    private static func append(length: Int, to bytes: inout [UInt8]) {
        bytes.appendLittleEndian(UInt32(truncatingIfNeeded: length))
    }

    /// The value of an encoding; nil for bytes that ``encode(_:)`` cannot have made.
    package static func decode(_ bytes: some Collection<UInt8>) -> TypedValue? {
        var reader = ValueReader(ArraySlice(bytes))
        guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
        return value
    }
}
