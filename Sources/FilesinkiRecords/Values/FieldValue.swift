package import FilesinkiModel

/// The value of a field.
///
/// Two values are equal when their encodings are: −0.0 and 0.0 differ, and so do texts that only look
/// alike in Unicode.
package enum FieldValue: Sendable {
    case string(String)
    case integer(Int64)
    /// Never NaN in a record.
    case double(Double)
    case data([UInt8])
    /// Milliseconds since 1970-01-01 00:00 UTC.
    case date(milliseconds: Int64)
    case location(Location)
    case reference(Reference)
    case asset(Asset)
    case list(FieldList)

    package var type: FieldType {
        switch self {
        case .string: .string
        case .integer: .integer
        case .double: .double
        case .data: .data
        case .date: .date
        case .location: .location
        case .reference: .reference
        case .asset: .asset
        case .list(let list): .list(of: list.elementType)
        }
    }

    /// The references of the value: its own, or those of its elements.
    package var references: [Reference] {
        switch self {
        case .reference(let reference): [reference]
        case .list(let list): list.elements.flatMap(\.references)
        default: []
        }
    }

    /// The assets of the value: its own, or those of its elements.
    package var assets: [Asset] {
        switch self {
        case .asset(let asset): [asset]
        case .list(let list): list.elements.flatMap(\.assets)
        default: []
        }
    }

    var isNaN: Bool { if case .double(let number) = self { number.isNaN } else { false } }
}

extension FieldValue: Hashable {
    package static func == (left: FieldValue, right: FieldValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.data(let left), .data(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.location(let left), .location(let right)): left == right
        case (.reference(let left), .reference(let right)): left == right
        case (.asset(let left), .asset(let right)): left == right
        case (.list(let left), .list(let right)): left == right
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(FieldCoder.encode(self)) }
}

/// A point on the earth.
package struct Location: Hashable, Sendable {
    /// Degrees north of the equator: −90 to 90.
    package let latitude: Double
    /// Degrees east of Greenwich: −180 to 180.
    package let longitude: Double

    /// - Throws: `Failure` with code `usage` for a number out of its range.
    package init(latitude: Double, longitude: Double) throws(Failure) {
        guard (-90.0...90.0).contains(latitude) else {
            throw Failure(
                .usage, "The latitude \(latitude) is out of range.",
                remedy: "Give degrees from -90 to 90.")
        }
        guard (-180.0...180.0).contains(longitude) else {
            throw Failure(
                .usage, "The longitude \(longitude) is out of range.",
                remedy: "Give degrees from -180 to 180.")
        }
        // One zero.
        self.latitude = latitude + 0.0
        self.longitude = longitude + 0.0
    }
}

/// A field's reference to another record of the zone.
package struct Reference: Hashable, Sendable {
    /// What the deletion of the target does to the record that refers to it.
    package enum Action: UInt8, Sendable {
        case none = 0
        /// It is deleted, too, in the same commit.
        case deleteSelf = 1
    }

    package let target: RecordName
    package let action: Action

    package init(_ target: RecordName, action: Action = .none) {
        self.target = target
        self.action = action
    }
}

/// Bytes that are stored beside the record.
package struct Asset: Hashable, Sendable {
    /// The SHA-256 of the bytes.
    package let content: ContentID
    /// The number of bytes.
    package let size: UInt64

    package init(_ content: ContentID, size: UInt64) {
        self.content = content
        self.size = size
    }
}

/// A list whose elements have one type. An empty list has a type, too.
package struct FieldList: Hashable, Sendable {
    package let elementType: ElementType
    package let elements: [FieldValue]

    /// - Throws: `Failure` with code `usage` for an element of another type, which it names by its number.
    package init(_ elements: [FieldValue], of type: ElementType) throws(Failure) {
        for (index, element) in elements.enumerated() where element.type != FieldType(type) {
            throw Failure(
                .usage,
                "Element \(index + 1) of the list is of type \(element.type), "
                    + "the list is of type \(type.name)-list.",
                remedy: "Give elements of one type.")
        }
        guard !elements.contains(where: \.isNaN) else { throw Self.notANumber }
        elementType = type
        self.elements = elements
    }

    static let notANumber = Failure(
        .usage, "The value is not a number (NaN).", remedy: "Give a number, or remove the field.")
}
