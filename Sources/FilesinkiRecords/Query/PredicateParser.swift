package import FilesinkiModel

/// Reads predicates: CloudKit's subset of `NSPredicate`, and beside it OR, LIKE and ENDSWITH.
///
/// - `NOT` binds tighter than `AND`, `AND` tighter than `OR`. Words of the language may be in any case.
/// - A value may stand before the operator, too: `3 < count`, `'red' IN colors`.
package struct PredicateParser {
    /// How deep parentheses and `NOT` may lie in each other.
    package static let maximumDepth = 100
    /// The longest text, in bytes.
    package static let maximumLength = 65_536

    var input: QueryInput
    private let isStrict: Bool

    /// The predicate of a text.
    ///
    /// - Parameter isStrict: Whether only what CloudKit accepts is read.
    /// - Throws: `Failure` with code `usage` that names the token and its column, in bytes from 1.
    package static func parse(
        _ text: String, isStrict: Bool = false
    ) throws(Failure) -> Predicate {
        var parser = PredicateParser(
            input: try QueryInput(text, what: "predicate"), isStrict: isStrict)
        let predicate = try parser.disjunction(depth: 0)
        guard parser.input.next.kind == .end else { throw parser.input.unexpected("AND or OR") }
        return predicate
    }

    private mutating func disjunction(depth: Int) throws(Failure) -> Predicate {
        var parts = [try conjunction(depth: depth)]
        while input.next.kind == .word(.or) || input.next.kind == .symbol("||") {
            try refuseIfStrict(input.next)
            input.skip()
            parts.append(try conjunction(depth: depth))
        }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func conjunction(depth: Int) throws(Failure) -> Predicate {
        var parts = [try negation(depth: depth)]
        while input.next.kind == .word(.and) || input.next.kind == .symbol("&&") {
            input.skip()
            parts.append(try negation(depth: depth))
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func negation(depth: Int) throws(Failure) -> Predicate {
        let first = input.next
        guard depth <= Self.maximumDepth else {
            throw input.error(first, "It is nested deeper than \(Self.maximumDepth) levels.")
        }
        if first.kind == .word(.not) || first.kind == .symbol("!") {
            input.skip()
            let operand = try negation(depth: depth + 1)
            if isStrict, let covered = Self.notCovered(operand) {
                throw input.error(
                    first, "'\(first.text)' cannot cover \(covered) in a strict predicate.")
            }
            return .not(operand)
        }
        if input.skip(ifNext: "(") {
            let predicate = try disjunction(depth: depth + 1)
            try input.expect(")")
            return predicate
        }
        return try term()
    }

    /// What CloudKit does not negate.
    private static func notCovered(_ predicate: Predicate) -> String? {
        switch predicate {
        case .and: "AND"
        case .or: "OR"
        case .test(_, .between, _): "BETWEEN"
        case .tokens: "a search for tokens"
        case .distance: "a distance"
        case .constant, .not, .test, .contains: nil
        }
    }

    private func refuseIfStrict(_ token: QueryToken) throws(Failure) {
        guard isStrict else { return }
        throw input.error(
            token, "'\(token.text)' is not in a strict predicate.",
            remedy: "Leave it out, or do not ask for a strict predicate.")
    }

    // MARK: - Terms

    private mutating func term() throws(Failure) -> Predicate {
        let first = input.next
        switch first.kind {
        case .word(.truePredicate), .word(.falsePredicate):
            input.skip()
            return .constant(first.kind == .word(.truePredicate))
        case .word(.any), .word(.some):
            input.skip()
            if input.isNext(function: "tokenize") { return try tokenized(isAny: true) }
            return .test(try input.key(), try test(), isAny: true)
        case .word(.all):
            input.skip()
            guard input.isNext(function: "tokenize") else {
                throw input.error(first, "'\(first.text)' is only for tokenize(…).")
            }
            return try tokenized(isAny: false)
        case .word(.self): return try selfContains()
        case .name where input.isNext(function: QueryDistance.function): return try distance()
        case .name where !input.isNextFunction: return try keyed()
        default: return try reversed()
        }
    }

    /// `KEY CONTAINS VALUE`, or a key and a test.
    private mutating func keyed() throws(Failure) -> Predicate {
        let key = try input.key()
        guard input.next.kind == .word(.contains) else {
            return .test(key, try test(), isAny: false)
        }
        input.skip()
        return .contains(key, try input.literal())
    }

    /// `VALUE OPERATOR KEY`, or `VALUE IN KEY`.
    private mutating func reversed() throws(Failure) -> Predicate {
        let literal = try input.literal()
        if input.next.kind == .word(.in) {
            input.skip()
            return .contains(try input.key(), literal)
        }
        guard let comparison = input.comparison() else {
            throw input.unexpected("a comparison or IN")
        }
        return .test(try input.key(), .compare(comparison.reversed, literal), isAny: false)
    }

    private mutating func test() throws(Failure) -> QueryTest {
        if let comparison = input.comparison() {
            return .compare(comparison, try input.literal())
        }
        let word = input.next
        switch word.kind {
        case .word(.between):
            input.skip()
            let ends = try input.literals()
            guard ends.count == 2 else {
                throw input.error(word, "'\(word.text)' needs two values: {LOW, HIGH}.")
            }
            return .between(ends[0], ends[1])
        case .word(.in):
            input.skip()
            return .among(try input.literals())
        case .word(.beginsWith):
            input.skip()
            return .beginsWith(try input.string())
        case .word(.endsWith):
            try refuseIfStrict(word)
            input.skip()
            return .endsWith(try input.string())
        case .word(.like):
            try refuseIfStrict(word)
            input.skip()
            return .like(try input.string())
        default: throw input.unexpected("a comparison")
        }
    }

    /// `self CONTAINS 'TOKEN TOKEN'`.
    private mutating func selfContains() throws(Failure) -> Predicate {
        input.skip()
        try input.expect(.contains)
        return .tokens(try words(), isAny: false)
    }

    /// `tokenize('TOKEN TOKEN', 'Cdl') IN allTokens`.
    private mutating func tokenized(isAny: Bool) throws(Failure) -> Predicate {
        input.skip()
        try input.expect("(")
        let text = try words()
        try input.expect(",")
        let options = input.next
        guard try input.string().lowercased() == "cdl" else {
            throw input.error(options, "The options of tokenize must be 'Cdl'.")
        }
        try input.expect(")")
        try input.expect(.in)
        guard input.next.kind == .name("allTokens") else { throw input.unexpected("allTokens") }
        input.skip()
        return .tokens(text, isAny: isAny)
    }

    /// A text with at least one word.
    private mutating func words() throws(Failure) -> String {
        let token = input.next
        let text = try input.string()
        guard !QueryText.tokens(text).isEmpty else {
            throw input.error(token, "The text has no word to search for.")
        }
        return text
    }

    /// `distanceToLocation:fromLocation:(KEY, location(LATITUDE, LONGITUDE)) < METRES`.
    private mutating func distance() throws(Failure) -> Predicate {
        let distance = try input.distance()
        let operation = input.next
        guard let comparison = input.comparison(), ![.equal, .notEqual].contains(comparison) else {
            throw input.error(operation, "A distance is compared with <, <=, > or >=.")
        }
        let metres = input.next
        let value: Double? =
            switch metres.kind {
            case .number(.integer(let whole)): Double(whole)
            case .number(.double(let number)): number
            default: nil
            }
        guard let value, value >= 0 else { throw input.unexpected("a distance in metres") }
        input.skip()
        // One zero.
        return .distance(distance, comparison, metres: value + 0.0)
    }
}
