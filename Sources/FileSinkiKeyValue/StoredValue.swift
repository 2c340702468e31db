internal import FilesinkiItems
internal import FilesinkiKeyValue
public import Foundation

/// A value that a key can hold, with its type.
public indirect enum StoredValue: Sendable, Hashable {
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case date(Date)
    case string(String)
    case data(Data)
    case url(URL)
    case array([StoredValue])
    case dictionary([String: StoredValue])
    /// Only inside an array or a dictionary.
    case null

    /// A value of any of the types that a key can hold: texts, numbers, `Bool`, `Date`, `Data`, `URL`,
    /// arrays and dictionaries of them; nil for other types.
    public init?(any value: Any) {
        switch value {
        case let value as StoredValue: self = value
        case let value as Bool: self = .bool(value)
        case let value as any FixedWidthInteger:
            guard let whole = Int64(exactly: value) else { return nil }
            self = .integer(whole)
        case let value as Double: self = .double(value)
        case let value as Float: self = .double(Double(value))
        case let value as String: self = .string(value)
        case let value as Date: self = .date(value)
        case let value as Data: self = .data(value)
        case let value as URL: self = .url(value)
        case let values as [Any]:
            let stored = values.compactMap { StoredValue(any: $0) }
            guard stored.count == values.count else { return nil }
            self = .array(stored)
        case let values as [String: Any]:
            let stored = values.compactMapValues { StoredValue(any: $0) }
            guard stored.count == values.count else { return nil }
            self = .dictionary(stored)
        default: return nil
        }
    }

    /// The value as a plain Swift value; integers are `Int64`, null is `NSNull`.
    public var any: Any {
        switch self {
        case .bool(let value): value
        case .integer(let value): value
        case .double(let value): value
        case .date(let value): value
        case .string(let value): value
        case .data(let value): value
        case .url(let value): value
        case .array(let values): values.map(\.any)
        case .dictionary(let values): values.mapValues(\.any)
        case .null: NSNull()
        }
    }
}

extension StoredValue {
    init(_ value: TypedValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .date(let value): self = .date(Date(timeIntervalSince1970: Double(value) / 1_000))
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(Data(value))
        case .url(let text): self = URL(string: text).map(StoredValue.url) ?? .string(text)
        case .array(let values): self = .array(values.map { StoredValue($0) })
        case .dictionary(let members):
            self = .dictionary(
                Dictionary(members.map { ($0.name, StoredValue($0.value)) }) { _, last in last })
        }
    }

    var typed: TypedValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .date(let value):
            .date(
                milliseconds: Int64(
                    exactly: (value.timeIntervalSince1970 * 1_000).rounded()) ?? .max)
        case .string(let value): .string(value)
        case .data(let value): .data(Array(value))
        case .url(let value): .url(value.absoluteString)
        case .array(let values): .array(values.map(\.typed))
        case .dictionary(let values):
            .dictionary(ValueMembers(values.map { ($0.key, $0.value.typed) }))
        }
    }
}
