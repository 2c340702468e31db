import FilesinkiModel
import FilesinkiText

extension Predicate: CustomStringConvertible {
    /// The predicate as text, which is read as the same value.
    package var description: String {
        switch self {
        case .constant(let isTrue): isTrue ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .not(let predicate): "NOT " + predicate.operand
        case .and(let parts): parts.map(\.operand).joined(separator: " AND ")
        case .or(let parts): parts.map(\.operand).joined(separator: " OR ")
        case .test(let key, let test, let isAny): "\(isAny ? "ANY " : "")\(key) \(test)"
        case .contains(let key, let literal): "\(key) CONTAINS \(literal)"
        case .tokens(let text, isAny: false): "self CONTAINS \(QueryText.quoted(text))"
        case .tokens(let text, isAny: true):
            "ANY tokenize(\(QueryText.quoted(text)), 'Cdl') IN allTokens"
        case .distance(let distance, let comparison, let metres):
            "\(distance) \(comparison.rawValue) \(metres)"
        }
    }

    /// The text as a part of another predicate.
    private var operand: String {
        switch self {
        case .and, .or: "(\(description))"
        default: description
        }
    }
}

extension QueryKey: CustomStringConvertible {
    /// The name, with `#` before one that is a word of the language.
    package var description: String {
        QueryWord(rawValue: name.uppercased()) == nil ? name : "#" + name
    }
}

extension QueryTest: CustomStringConvertible {
    package var description: String {
        switch self {
        case .compare(let comparison, let literal): "\(comparison.rawValue) \(literal)"
        case .between(let low, let high): "BETWEEN {\(low), \(high)}"
        case .among(let literals): "IN {\(literals.map(\.description).joined(separator: ", "))}"
        case .beginsWith(let text): "BEGINSWITH \(QueryText.quoted(text))"
        case .endsWith(let text): "ENDSWITH \(QueryText.quoted(text))"
        case .like(let text): "LIKE \(QueryText.quoted(text))"
        }
    }
}

extension QueryLiteral: CustomStringConvertible {
    package var description: String {
        switch self {
        case .now: "now"
        case .value(.string(let text)): QueryText.quoted(text)
        case .value(.integer(let number)): String(number)
        case .value(.double(let number)): number.description
        case .value(.date(let milliseconds)): "date('\(DateText.text(milliseconds))')"
        case .value(.data(let bytes)): "data('\(Base64.encode(bytes))')"
        case .value(.location(let place)): "location(\(place.latitude), \(place.longitude))"
        case .value(.reference(let reference)):
            "reference(\(QueryText.quoted(reference.target.text)))"
        // The parser makes none of these.
        case .value(.asset), .value(.list): "FALSEPREDICATE"
        }
    }
}

extension QueryDistance: CustomStringConvertible {
    static let function = "distanceToLocation:fromLocation:"

    package var description: String {
        "\(Self.function)(\(key), \(QueryLiteral.value(.location(place))))"
    }
}
