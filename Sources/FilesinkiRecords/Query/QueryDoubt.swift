extension Schema {
    /// Why a query can find nothing, or does not sort as it says: it asks for a type or a field that no record of the zone
    /// has, or compares a field with a value of another type. A sentence; nil if there is no such reason.
    package func doubt(
        about predicate: Predicate, _ order: SortOrder, of type: RecordType
    ) -> String? {
        guard let fields = types[type] else {
            return "No record of the zone has the type '\(type)'."
        }
        let terms = order.terms.map { term in
            switch term.key {
            case .value(let key): key
            case .distance(let distance): distance.key
            }
        }
        let tests = predicate.tests
        for case .field(let name) in tests.map(\.key) + terms where fields[name] == nil {
            return "No record of the type '\(type)' has the field '\(name)'."
        }
        for (key, literals) in tests {
            guard case .field(let name) = key, let known = fields[name]?.type.element else {
                continue
            }
            for literal in literals where !literal.isComparable(with: known) {
                return "The field '\(name)' has the type \(known.name), the value another one."
            }
        }
        return nil
    }
}

extension Predicate {
    /// The keys that are tested, with the values that they are compared with.
    fileprivate var tests: [(key: QueryKey, literals: [QueryLiteral])] {
        switch self {
        case .constant, .tokens: []
        case .not(let operand): operand.tests
        case .and(let parts), .or(let parts): parts.flatMap(\.tests)
        case .contains(let key, let literal): [(key, [literal])]
        case .distance(let distance, _, _): [(distance.key, [.value(.location(distance.place))])]
        case .test(let key, let test, _): [(key, test.literals)]
        }
    }
}

extension QueryTest {
    fileprivate var literals: [QueryLiteral] {
        switch self {
        case .compare(_, let literal): [literal]
        case .between(let low, let high): [low, high]
        case .among(let literals): literals
        case .beginsWith(let text), .endsWith(let text), .like(let text): [.value(.string(text))]
        }
    }
}

extension QueryLiteral {
    fileprivate func isComparable(with known: ElementType) -> Bool {
        let numbers: Set<ElementType> = [.integer, .double]
        switch self {
        case .now: return known == .date
        case .value(let value):
            let own = value.type.element
            return own == known || numbers.isSuperset(of: [own, known])
        }
    }
}
