/// The type of one value, or of the elements of a list. The raw value is the byte of the encoding, and the
/// order of types.
package enum ElementType: UInt8, CaseIterable, Sendable {
    case string, integer, double, data, date, location, reference, asset

    /// The name in commands, JSON and schemas.
    package var name: String {
        switch self {
        case .string: "string"
        case .integer: "int"
        case .double: "double"
        case .data: "data"
        case .date: "date"
        case .location: "location"
        case .reference: "reference"
        case .asset: "asset"
        }
    }
}

/// The type of a field: one value of an ``ElementType``, or a list of them.
package struct FieldType: Hashable, Sendable {
    package var element: ElementType
    package var isList: Bool

    package init(_ element: ElementType, isList: Bool = false) {
        self.element = element
        self.isList = isList
    }

    package static let string = FieldType(.string)
    package static let integer = FieldType(.integer)
    package static let double = FieldType(.double)
    package static let data = FieldType(.data)
    package static let date = FieldType(.date)
    package static let location = FieldType(.location)
    package static let reference = FieldType(.reference)
    package static let asset = FieldType(.asset)

    /// The list of elements of a type.
    package static func list(of element: ElementType) -> FieldType {
        FieldType(element, isList: true)
    }

    /// All types, in their order: single values before lists.
    package static let all =
        ElementType.allCases.map { FieldType($0) } + ElementType.allCases.map { .list(of: $0) }

    /// `int`, or `int-list`.
    package var name: String { element.name + (isList ? "-list" : "") }

    /// The type of a name; `list` is the list of strings. Nil for an unknown name.
    package init?(name: String) {
        let name = name == "list" ? "string-list" : name
        guard let type = Self.all.first(where: { $0.name == name }) else { return nil }
        self = type
    }

    /// The byte of the encoding: that of the element, and the highest bit for a list.
    var code: UInt8 { element.rawValue | (isList ? 0x80 : 0) }

    /// The type of a byte; nil for an unknown one.
    init?(code: UInt8) {
        guard let element = ElementType(rawValue: code & 0x7F) else { return nil }
        self.init(element, isList: code & 0x80 != 0)
    }
}

extension FieldType: Comparable {
    package static func < (left: FieldType, right: FieldType) -> Bool { left.code < right.code }
}

extension FieldType: CustomStringConvertible {
    package var description: String { name }
}
