package import FilesinkiModel

/// The order of a query's results: `FIELD,-FIELD`, where `-` means descending.
///
/// A term may also be `distanceToLocation:fromLocation:(FIELD, location(LATITUDE, LONGITUDE))`. Records that lack a
/// field come last, also in a descending order; records that are equal in all terms are in the order of
/// their names.
package struct SortOrder: Hashable, Sendable {
    /// What one term sorts by.
    package enum Key: Hashable, Sendable {
        case value(QueryKey)
        case distance(QueryDistance)
    }

    package struct Term: Hashable, Sendable {
        package let key: Key
        package let isDescending: Bool
    }

    package let terms: [Term]

    /// - Throws: `Failure` with code `usage` that names the token and its column, in bytes from 1. An empty text is
    ///   the order by name alone.
    package init(parsing text: String) throws(Failure) {
        var input = try QueryInput(text, what: "sort order")
        var terms: [Term] = []
        if input.next.kind != .end {
            repeat { terms.append(try Self.term(&input)) } while input.skip(ifNext: ",")
        }
        guard input.next.kind == .end else { throw input.unexpected("','") }
        self.terms = terms
    }

    private static func term(_ input: inout QueryInput) throws(Failure) -> Term {
        let isDescending = input.skip(ifNext: "-")
        let key: Key =
            input.isNext(function: QueryDistance.function)
            ? .distance(try input.distance()) : .value(try input.key())
        return Term(key: key, isDescending: isDescending)
    }

    /// Whether a record comes before another one.
    package func precedes(_ left: Record, _ right: Record) -> Bool {
        for term in terms {
            switch Self.order(term, left, right) {
            case .less: return true
            case .greater: return false
            case .equal, .different: continue
            }
        }
        return left.name < right.name
    }

    private static func order(_ term: Term, _ left: Record, _ right: Record) -> QueryOrdering {
        let (one, other) = (value(term, left), value(term, right))
        guard let one, let other else {
            return one != nil ? .less : other != nil ? .greater : .equal
        }
        let order =
            QueryOrdering(one, other, isExact: isExact(term)) ?? QueryOrdering(one.type, other.type)
        guard term.isDescending else { return order }
        return order == .less ? .greater : order == .greater ? .less : order
    }

    private static func value(_ term: Term, _ record: Record) -> FieldValue? {
        switch term.key {
        case .value(let key): record.value(of: key)
        case .distance(let distance): distance.metres(record).map(FieldValue.double)
        }
    }

    private static func isExact(_ term: Term) -> Bool {
        if case .value(.system) = term.key { true } else { false }
    }
}

extension SortOrder: CustomStringConvertible {
    /// The order as text, which is read as the same value.
    package var description: String {
        terms.map { term in
            let sign = term.isDescending ? "-" : ""
            return switch term.key {
            case .value(let key): sign + key.description
            case .distance(let distance): sign + distance.description
            }
        }.joined(separator: ",")
    }
}
