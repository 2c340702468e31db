import FilesinkiModel

/// A condition on records: what `--where` says. ``PredicateParser`` reads one, ``description`` prints it so that
/// it is read as the same value.
package indirect enum Predicate: Hashable, Sendable {
    /// `TRUEPREDICATE`, `FALSEPREDICATE`.
    case constant(Bool)
    case not(Predicate)
    /// At least two.
    case and([Predicate])
    /// At least two.
    case or([Predicate])
    /// A field, or with `ANY` an element of a list, passes a test.
    case test(QueryKey, QueryTest, isAny: Bool)
    /// A list has an element that equals a value: `tags CONTAINS 'a'`, or `'a' IN tags`.
    case contains(QueryKey, QueryLiteral)
    /// Words of a text are among the words of the record's texts, all or any of them: `self CONTAINS 'a b'`,
    /// or `ALL tokenize('a b', 'Cdl') IN allTokens`.
    case tokens(String, isAny: Bool)
    /// The distance of a location field from a place, in metres.
    case distance(QueryDistance, QueryOperator, metres: Double)
}

/// What a query asks about: a field, or what every record has.
package enum QueryKey: Hashable, Sendable {
    case field(FieldName)
    case system(SystemField)

    /// The name without an escape.
    package var name: String {
        switch self {
        case .field(let name): name.text
        case .system(let field): field.rawValue
        }
    }
}

/// A test of one value.
package enum QueryTest: Hashable, Sendable {
    case compare(QueryOperator, QueryLiteral)
    /// Both ends belong to it.
    case between(QueryLiteral, QueryLiteral)
    case among([QueryLiteral])
    /// Is case-sensitive.
    case beginsWith(String)
    /// Is case-sensitive.
    case endsWith(String)
    /// `*` stands for any number of characters, `?` for one; is case-sensitive.
    case like(String)
}

/// A comparison of a value with another one.
package enum QueryOperator: String, CaseIterable, Sendable {
    case equal = "=", notEqual = "!=", less = "<", lessOrEqual = "<=", greater = ">"
    case greaterOrEqual = ">="

    /// The operator when both sides are exchanged.
    var reversed: QueryOperator {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}

/// A value in a predicate.
package enum QueryLiteral: Hashable, Sendable {
    /// A string, a number, data, a date, a location or a reference; a finite number.
    case value(FieldValue)
    /// The time of the evaluation.
    case now
}

/// The distance of a location field from a place.
package struct QueryDistance: Hashable, Sendable {
    package let key: QueryKey
    package let place: Location
}
