/// A value in a TOML document, as far as settings need it.
package indirect enum TOMLValue: Equatable, Sendable {
    case string(String)
    case integer(Int)
    case boolean(Bool)
    case array([TOMLValue])
    case table([TOMLPair])
    /// A number with a fraction, another base or too many digits, a date or a time: as written.
    case other(String)

    /// The kind of the value for a message, with its article.
    package var kind: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .boolean: "a boolean"
        case .array: "an array"
        case .table: "a table"
        case .other: "a number or a date"
        }
    }
}

/// A key with its value.
package struct TOMLPair: Equatable, Sendable {
    /// The parts of the key, which are separated by dots: `a.b` has two.
    package var key: [String]
    package var value: TOMLValue
}

/// One statement of a TOML document, in the order of the document.
package struct TOMLStatement: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// `[name]`
        case table([String])
        /// `[[name]]`
        case tableInArray([String])
        /// `key = value`
        case pair(TOMLPair)
    }

    /// The line on which it begins, from 1.
    package var line: Int
    package var kind: Kind
}
