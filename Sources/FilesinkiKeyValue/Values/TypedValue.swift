/// A value with its type: what a key holds.
///
/// Two values are equal when their canonical encodings are: −0.0 and 0.0 differ, and so do texts that
/// only look alike in Unicode.
package indirect enum TypedValue: Sendable {
    /// Only inside of a JSON tree; a key that holds nothing is absent.
    case null
    case bool(Bool)
    case integer(Int64)
    /// Never NaN.
    case double(Double)
    /// Milliseconds since 1970-01-01 00:00 UTC.
    case date(milliseconds: Int64)
    case string(String)
    case data([UInt8])
    /// An absolute address, as it was given.
    case url(String)
    case array([TypedValue])
    case dictionary(ValueMembers)

    /// How much of a limit the value takes, in bytes: its content, without what tells its type.
    package var size: Int {
        switch self {
        case .null, .bool: 1
        case .integer, .double, .date: 8
        case .string(let text), .url(let text): text.utf8.count
        case .data(let bytes): bytes.count
        case .array(let values): values.reduce(0) { $0 + $1.size }
        case .dictionary(let members):
            members.reduce(0) { $0 + $1.name.utf8.count + $1.value.size }
        }
    }

    /// The type's name.
    package var type: ValueType {
        switch self {
        case .null: .null
        case .bool: .bool
        case .integer: .integer
        case .double: .double
        case .date: .date
        case .string: .string
        case .data: .data
        case .url: .url
        case .array: .array
        case .dictionary: .dictionary
        }
    }
}

extension TypedValue: Hashable {
    package static func == (left: TypedValue, right: TypedValue) -> Bool {
        ValueCoder.encode(left) == ValueCoder.encode(right)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(ValueCoder.encode(self)) }
}
