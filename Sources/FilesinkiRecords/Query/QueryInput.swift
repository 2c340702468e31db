import FilesinkiModel
import FilesinkiText

/// The tokens of a text, and what predicates and sort orders read from them.
struct QueryInput {
    private let what: String
    private let tokens: [QueryToken]
    private var position = 0

    init(_ text: String, what: String) throws(Failure) {
        guard text.utf8.count <= PredicateParser.maximumLength else {
            throw QueryError.failure(
                what, PredicateParser.maximumLength,
                "It has more than \(PredicateParser.maximumLength) bytes.")
        }
        self.what = what
        tokens = try QueryLexer.tokens(text, what: what)
    }

    /// The end is never skipped.
    var next: QueryToken { tokens[position] }

    mutating func skip() { position = min(position + 1, tokens.count - 1) }

    mutating func skip(ifNext symbol: String) -> Bool {
        guard next.kind == .symbol(symbol) else { return false }
        skip()
        return true
    }

    /// Whether a name and a parenthesis follow.
    var isNextFunction: Bool {
        guard case .name = next.kind, position + 1 < tokens.count else { return false }
        return tokens[position + 1].kind == .symbol("(")
    }

    func isNext(function name: String) -> Bool {
        isNextFunction && next.kind == .name(name)
    }

    mutating func expect(_ symbol: String) throws(Failure) {
        if !skip(ifNext: symbol) { throw unexpected("'\(symbol)'") }
    }

    mutating func expect(_ word: QueryWord) throws(Failure) {
        guard next.kind == .word(word) else { throw unexpected(word.rawValue) }
        skip()
    }

    // MARK: - Keys and values

    mutating func key() throws(Failure) -> QueryKey {
        let token = next
        guard case .name(let name) = token.kind else { throw unexpected("a field") }
        skip()
        if let system = SystemField(rawValue: name) { return .system(system) }
        do { return .field(try FieldName(name)) } catch {
            throw self.error(token, error.message, remedy: error.remedy)
        }
    }

    mutating func comparison() -> QueryOperator? {
        guard case .symbol(let symbol) = next.kind else { return nil }
        let others = [
            "==": QueryOperator.equal, "<>": .notEqual, "=<": .lessOrEqual, "=>": .greaterOrEqual,
        ]
        guard let found = QueryOperator(rawValue: symbol) ?? others[symbol] else { return nil }
        skip()
        return found
    }

    mutating func string() throws(Failure) -> String {
        guard case .string(let text) = next.kind else { throw unexpected("a text in quotes") }
        skip()
        return text
    }

    /// `{VALUE, VALUE}`.
    mutating func literals() throws(Failure) -> [QueryLiteral] {
        try expect("{")
        var literals: [QueryLiteral] = []
        if skip(ifNext: "}") { return literals }
        repeat { literals.append(try literal()) } while skip(ifNext: ",")
        try expect("}")
        return literals
    }

    mutating func literal() throws(Failure) -> QueryLiteral {
        let token = next
        switch token.kind {
        case .string(let text):
            skip()
            return .value(.string(text))
        case .number(let number):
            skip()
            return .value(number)
        case .word(.now):
            skip()
            return .now
        case .name(let function) where isNextFunction:
            return .value(try call(function))
        case .name(let name):
            throw error(
                token, "Unexpected '\(name)' where a value is expected.",
                remedy: "Write a text in quotes: '\(name)'.")
        default: throw unexpected("a value")
        }
    }

    /// `date('…')`, `data('…')`, `location(…)` or `reference('…')`.
    private mutating func call(_ function: String) throws(Failure) -> FieldValue {
        let token = next
        skip()
        try expect("(")
        let argument = next
        let value: FieldValue?
        switch function {
        case "location": value = .location(try place())
        case "date": value = Self.date(try string()).map { .date(milliseconds: $0) }
        case "data": value = Base64.decode(try string()).map(FieldValue.data)
        case "reference": value = .reference(try reference())
        default: throw error(token, "Unknown function: \(function).")
        }
        guard let value else {
            throw error(argument, "\(argument.text) is not valid for \(function).")
        }
        try expect(")")
        return value
    }

    private static func date(_ text: String) -> Int64? {
        DateText.milliseconds(text)
            ?? DateText.timestamp(text).map { $0.seconds * 1_000 + $0.remainder / 1_000_000 }
    }

    private mutating func reference() throws(Failure) -> Reference {
        let token = next
        let text = try string()
        do { return Reference(try RecordName(text)) } catch {
            throw self.error(token, error.message, remedy: error.remedy)
        }
    }

    private mutating func place() throws(Failure) -> Location {
        let token = next
        let latitude = try degrees()
        try expect(",")
        let longitude = try degrees()
        do { return try Location(latitude: latitude, longitude: longitude) } catch {
            throw self.error(token, error.message, remedy: error.remedy)
        }
    }

    private mutating func degrees() throws(Failure) -> Double {
        defer { skip() }
        switch next.kind {
        case .number(.integer(let whole)): return Double(whole)
        case .number(.double(let number)): return number
        default: throw unexpected("a number of degrees")
        }
    }

    /// `distanceToLocation:fromLocation:(KEY, location(LATITUDE, LONGITUDE))`.
    mutating func distance() throws(Failure) -> QueryDistance {
        skip()
        try expect("(")
        let key = try key()
        try expect(",")
        let token = next
        guard case .value(.location(let place)) = try literal() else {
            throw error(
                token, "\(token.text) is not a location.", remedy: "Write location(52.5, 13.4).")
        }
        try expect(")")
        return QueryDistance(key: key, place: place)
    }

    // MARK: - Errors

    /// - Parameter expected: What would be valid here.
    func unexpected(_ expected: String) -> Failure {
        switch next.kind {
        case .end: error(next, "It ends where \(expected) is expected.")
        case .word(let word) where Self.unsupported.contains(word):
            error(next, "'\(next.text)' is not supported.")
        default:
            error(next, "Unexpected '\(printable(next.text.utf8))' where \(expected) is expected.")
        }
    }

    private static let unsupported: Set<QueryWord> = [
        .matches, .none, .null, .nil, .true, .false, .yes, .no, .subquery, .cast, .all,
    ]

    func error(
        _ token: QueryToken, _ message: String,
        remedy: String = "Correct it; filesinki help predicates lists the forms."
    ) -> Failure {
        QueryError.failure(what, token.column, message, remedy: remedy)
    }
}
