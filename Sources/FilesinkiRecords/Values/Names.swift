package import FilesinkiModel

/// The name of a record, unique in its zone: 1 to 255 printable characters of ASCII, the first of them not
/// `_`.
package struct RecordName: Hashable, Sendable {
    package let text: String

    /// - Throws: `Failure` with code `usage` that names the character and its column.
    package init(_ text: String) throws(Failure) {
        try NameRules.checkLength(text, kind: "record name")
        if text.utf8.first == UInt8(ascii: "_") {
            throw NameRules.failure(
                text, "A record name cannot begin with '_'.", remedy: NameRules.recordRemedy)
        }
        for (index, scalar) in text.unicodeScalars.enumerated()
        where !(0x20..<0x7F).contains(scalar.value) {
            throw NameRules.failure(
                text,
                "The record name has '\(NameRules.shown(scalar))' at column \(index + 1).",
                remedy: NameRules.recordRemedy)
        }
        self.text = text
    }
}

extension RecordName: Comparable {
    package static func < (left: RecordName, right: RecordName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension RecordName: CustomStringConvertible {
    package var description: String { text }
}

/// The type of a record: a letter, then letters, digits and `_`; at most 255 characters.
package struct RecordType: Hashable, Sendable {
    package let text: String

    /// - Throws: `Failure` with code `usage` that names the character and its column.
    package init(_ text: String) throws(Failure) {
        try NameRules.checkIdentifier(text, kind: "record type")
        self.text = text
    }
}

extension RecordType: Comparable {
    package static func < (left: RecordType, right: RecordType) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension RecordType: CustomStringConvertible {
    package var description: String { text }
}

/// The name of a field: a letter, then letters, digits and `_`; at most 255 characters.
package struct FieldName: Hashable, Sendable {
    package let text: String

    /// - Throws: `Failure` with code `usage` that names the character and its column.
    package init(_ text: String) throws(Failure) {
        try NameRules.checkIdentifier(text, kind: "field name")
        if SystemField(rawValue: text) != nil {
            throw NameRules.failure(
                text, "'\(text)' is a field that every record has.",
                remedy: "Choose another name.")
        }
        self.text = text
    }
}

extension FieldName: Comparable {
    package static func < (left: FieldName, right: FieldName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension FieldName: CustomStringConvertible {
    package var description: String { text }
}

/// What every record has beside its fields, by the name that queries use.
package enum SystemField: String, CaseIterable, Sendable {
    case recordName, createdAt, modifiedAt, createdBy, modifiedBy
}

/// The rules that names share.
enum NameRules {
    static let maximumLength = 255
    static let recordRemedy =
        "Use 1 to 255 printable characters of ASCII, and begin with another one than '_'."
    private static let identifierRemedy =
        "Begin with a letter from a to z or A to Z; then use these letters, digits and '_'."

    static func checkLength(_ text: String, kind: String) throws(Failure) {
        guard !text.isEmpty else {
            throw failure(text, "A \(kind) cannot be empty.", remedy: "Give it a name.")
        }
        guard text.utf8.count <= maximumLength else {
            throw failure(
                text, "The \(kind) has \(text.utf8.count) bytes; at most 255 are allowed.",
                remedy: "Use a shorter name.")
        }
    }

    static func checkIdentifier(_ text: String, kind: String) throws(Failure) {
        try checkLength(text, kind: kind)
        // Readers check every name: one of ASCII letters needs no scalars.
        if text.utf8.allSatisfy({ ($0 | 0x20) &- UInt8(ascii: "a") < 26 }) { return }
        for (index, scalar) in text.unicodeScalars.enumerated()
        where !isAllowed(scalar, isFirst: index == 0) {
            throw failure(
                text, "The \(kind) has '\(shown(scalar))' at column \(index + 1).",
                remedy: identifierRemedy)
        }
    }

    /// Whether an identifier may have this character.
    static func isAllowed(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z": true
        case "0"..."9", "_": !isFirst
        default: false
        }
    }

    static func failure(_ text: String, _ message: String, remedy: String) -> Failure {
        Failure(.usage, path: text, message, remedy: remedy)
    }

    static func shown(_ scalar: Unicode.Scalar) -> String { printable(String(scalar).utf8) }
}
