/// What an argument or a JSON text says about one field.
package enum FieldInput: Hashable, Sendable {
    case value(FieldValue)
    case remove
    /// Files whose bytes become assets, by the names that were given; the caller stores them. `-` is
    /// standard input.
    case files([String], isList: Bool)

    /// The type that the field gets; nil for a removal.
    package var type: FieldType? {
        switch self {
        case .value(let value): value.type
        case .remove: nil
        case .files(_, let isList): FieldType(.asset, isList: isList)
        }
    }
}
