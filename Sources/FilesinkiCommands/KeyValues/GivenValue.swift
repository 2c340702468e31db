import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiText

/// A value as a command line or a client gives it.
enum GivenValue: Sendable {
    /// Of a type that was named; nil removes the key.
    case typed(TypedValue?)
    /// A text without a type.
    case text([UInt8], isArgument: Bool)
    /// JSON without a type; nil for null, which removes the key.
    case json(TypedValue?)

    /// The value that is meant beside the present one of the key: what has no type has that of the present value, so
    /// that a key keeps its type, and with it the use of its merge rule.
    ///
    /// - Parameter isAddend: Whether the value is added to the present one: for a key without a value, a text is a number then.
    /// - Throws: `Failure` with code `usage` for a text that is not of the type.
    func value(
        over present: TypedValue?, of key: ValueKey, isAddend: Bool
    ) throws(Failure) -> TypedValue? {
        switch self {
        case .typed(let value): return value
        case .json(.integer(let number)?):
            // JSON has one type of numbers; a client may not be able to write 1.0.
            guard case .double? = present else { return .integer(number) }
            return .double(Double(number))
        case .json(let value): return value
        case .text(let bytes, let isArgument):
            guard let present else {
                return isAddend
                    ? try Self.number(bytes, of: key)
                    : try ValueText.parse(bytes, as: .string, isArgument: isArgument)
            }
            return try Self.parse(bytes, as: present, of: key, isArgument: isArgument)
        }
    }

    private static func number(_ bytes: [UInt8], of key: ValueKey) throws(Failure) -> TypedValue {
        for type in [ValueTypeName.int, .double] {
            if let number = try? ValueText.parse(bytes, as: type, isArgument: true) {
                return number
            }
        }
        throw Failure(
            .usage, path: key.bytes, "The key has no value, and what is added is not a number.",
            remedy: "Write a number, or name the type, as --type json for an array.")
    }

    private static func parse(
        _ bytes: [UInt8], as present: TypedValue, of key: ValueKey, isArgument: Bool
    ) throws(Failure) -> TypedValue {
        let type = present.type
        let name = ValueTypeName(rawValue: type.rawValue) ?? .json
        let value = try? ValueText.parse(bytes, as: name, isArgument: isArgument)
        if let value, value.type == type { return value }
        throw Failure(
            .usage, path: key.bytes,
            "The key has a value of type \(type.rawValue), and '\(printable(bytes.prefix(40)))' is none.",
            remedy: "To give it another type, name it, as --type string.")
    }
}
