import FilesinkiStore

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

/// Reads values from bytes that anybody may have written: no length is believed before the bytes are
/// there.
struct ValueReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func value(depth: Int) -> TypedValue? {
        guard depth <= ValueCoder.maximumDepth,
            let tag = rest.popFirst().flatMap(ValueCoder.Tag.init)
        else { return nil }
        switch tag {
        case .null: return .null
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .integer: return word().map { .integer(Int64(bitPattern: $0)) }
        case .double: return double()
        case .date: return word().map { .date(milliseconds: Int64(bitPattern: $0)) }
        case .string: return text().map(TypedValue.string)
        case .data: return content().map { .data(Array($0)) }
        case .url: return text().map(TypedValue.url)
        case .array: return array(depth: depth)
        case .dictionary: return dictionary(depth: depth)
        }
    }

    private mutating func double() -> TypedValue? {
        guard let bits = word() else { return nil }
        let value = Double(bitPattern: bits)
        return value.isNaN ? nil : .double(value)
    }

    private mutating func array(depth: Int) -> TypedValue? {
        guard let count = length(), count <= rest.count else { return nil }
        var values: [TypedValue] = []
        for _ in 0..<count {
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
        }
        return .array(values)
    }

    private mutating func dictionary(depth: Int) -> TypedValue? {
        guard let count = length(), count <= rest.count else { return nil }
        var members: [ValueMembers.Member] = []
        for _ in 0..<count {
            guard let name = text(), let value = value(depth: depth + 1) else { return nil }
            if let last = members.last, !ValueMembers.precedes(last.name, name) { return nil }
            members.append(ValueMembers.Member(name: name, value: value))
        }
        return ValueMembers(members).map(TypedValue.dictionary)
    }

    private mutating func word() -> UInt64? { number() }

    private mutating func length() -> Int? { number(UInt32.self).map(Int.init) }

    private mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type = Number.self
    ) -> Number? {
        let size = MemoryLayout<Number>.size
        guard rest.count >= size else { return nil }
        defer { rest = rest.dropFirst(size) }
        return rest.withUnsafeBytes { $0.littleEndian(at: 0, as: type) }
    }

    private mutating func content() -> ArraySlice<UInt8>? {
        guard let count = length(), count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func text() -> String? {
        content().flatMap { String(validating: $0, as: UTF8.self) }
    }
}

/// The layout of a value in the store: a byte for the version of this layout, a byte for the merge policy,
/// the 16 bytes of the device that set it, and the value. When it was set is the time of the row.
enum ValueRecord {
    static let version: UInt8 = 1
    private static let headLength = 18

    /// - Parameter held: Has a value.
    static func encode(_ held: Register) -> [UInt8] {
        [version, held.policy.rawValue] + held.device.prefix(16)
            + Array(repeating: 0, count: max(0, 16 - held.device.count))
            + (held.value.map(ValueCoder.encode) ?? [])
    }

    /// The value of a record; nil for invalid bytes.
    static func decode(_ bytes: [UInt8], time: Int64) -> Register? {
        guard bytes.count > headLength, bytes[0] == version,
            let policy = MergePolicy(rawValue: bytes[1]),
            let value = ValueCoder.decode(bytes[headLength...]), value != .null
        else { return nil }
        return Register(value, time: time, device: Array(bytes[2..<headLength]), policy: policy)
    }

    /// Whether the bytes are a record of a newer layout.
    static func isNewer(_ bytes: [UInt8]) -> Bool { bytes.first.map { $0 > version } ?? false }
}
