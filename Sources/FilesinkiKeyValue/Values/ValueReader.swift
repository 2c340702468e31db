internal import FilesinkiStore

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
