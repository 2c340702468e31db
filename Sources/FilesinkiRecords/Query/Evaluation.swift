extension Predicate {
    /// Whether a record matches.
    ///
    /// A test of a field that the record lacks, or whose type cannot be compared with the value, is false, also
    /// with `!=`. Texts are equal and ordered without regard to case; `BEGINSWITH`, `ENDSWITH` and `LIKE` regard
    /// it, and so do all tests of `recordName`, `createdBy` and `modifiedBy`.
    ///
    /// - Parameter now: What `now` means, in milliseconds since 1970-01-01 00:00 UTC.
    package func matches(_ record: Record, now: Int64) -> Bool {
        switch self {
        case .constant(let isTrue): return isTrue
        case .not(let predicate): return !predicate.matches(record, now: now)
        case .and(let parts): return parts.allSatisfy { $0.matches(record, now: now) }
        case .or(let parts): return parts.contains { $0.matches(record, now: now) }
        case .test(let key, let test, isAny: false):
            return record.value(of: key).map { test.matches($0, of: key, now: now) } ?? false
        case .test(let key, let test, isAny: true):
            return record.elements(of: key).contains { test.matches($0, of: key, now: now) }
        case .contains(let key, let literal):
            let test = QueryTest.compare(.equal, literal)
            return record.elements(of: key).contains { test.matches($0, of: key, now: now) }
        case .tokens(let text, let isAny):
            let (searched, found) = (QueryText.tokens(text), record.tokens)
            return isAny
                ? searched.contains(where: found.contains) : searched.allSatisfy(found.contains)
        case .distance(let distance, let comparison, let metres):
            guard let found = distance.metres(record) else { return false }
            return QueryOrdering(found, metres).satisfies(comparison)
        }
    }
}

extension Record {
    /// The value of a field, or of what every record has; nil for a missing one.
    package func value(of key: QueryKey) -> FieldValue? {
        switch key {
        case .field(let name): self[name]
        case .system(.recordName): .string(name.text)
        case .system(.createdAt): .date(milliseconds: created.milliseconds)
        case .system(.modifiedAt): .date(milliseconds: modified.milliseconds)
        case .system(.createdBy): .string(created.deviceText)
        case .system(.modifiedBy): .string(modified.deviceText)
        }
    }

    fileprivate func elements(of key: QueryKey) -> [FieldValue] {
        if case .list(let list) = value(of: key) { list.elements } else { [] }
    }

    /// The words of all texts of the record.
    package var tokens: Set<String> {
        var tokens: Set<String> = []
        for field in fields.values {
            switch field.value {
            case .string(let text): tokens.formUnion(QueryText.tokens(text))
            case .list(let list):
                for case .string(let text) in list.elements {
                    tokens.formUnion(QueryText.tokens(text))
                }
            default: break
            }
        }
        return tokens
    }
}

extension QueryTest {
    fileprivate func matches(_ value: FieldValue, of key: QueryKey, now: Int64) -> Bool {
        func order(_ literal: QueryLiteral) -> QueryOrdering? {
            QueryOrdering(value, literal, isExact: key.isSystem, now: now)
        }
        switch self {
        case .compare(let comparison, let literal):
            return order(literal)?.satisfies(comparison) ?? false
        case .between(let low, let high):
            return order(low)?.satisfies(.greaterOrEqual) ?? false
                && order(high)?.satisfies(.lessOrEqual) ?? false
        case .among(let literals):
            return literals.contains { order($0)?.satisfies(.equal) ?? false }
        case .beginsWith(let prefix):
            guard case .string(let text) = value else { return false }
            return text.utf8.starts(with: prefix.utf8)
        case .endsWith(let suffix):
            guard case .string(let text) = value else { return false }
            return text.utf8.reversed().starts(with: suffix.utf8.reversed())
        case .like(let pattern):
            guard case .string(let text) = value else { return false }
            return QueryText.matches(text, pattern: pattern)
        }
    }
}

extension QueryKey {
    fileprivate var isSystem: Bool { if case .system = self { true } else { false } }
}

/// How a value compares with another one that it can be compared with.
enum QueryOrdering {
    case less, equal, greater
    /// Of values without an order.
    case different

    init<Value: Comparable>(_ left: Value, _ right: Value) {
        self = left < right ? .less : left == right ? .equal : .greater
    }

    /// Nil for two that cannot be compared.
    ///
    /// - Parameter isExact: Whether texts are compared by their bytes.
    init?(_ value: FieldValue, _ literal: QueryLiteral, isExact: Bool, now: Int64) {
        switch literal {
        case .now: self.init(value, .date(milliseconds: now), isExact: isExact)
        case .value(let other): self.init(value, other, isExact: isExact)
        }
    }

    init?(_ left: FieldValue, _ right: FieldValue, isExact: Bool) {
        switch (left, right) {
        case (.string(let left), .string(let right)):
            self =
                isExact
                ? Self.bytes(Array(left.utf8), Array(right.utf8))
                : Self.bytes(QueryText.folded(left), QueryText.folded(right))
        case (.integer(let left), .integer(let right)): self.init(left, right)
        case (.double(let left), .double(let right)): self.init(left, right)
        case (.integer(let left), .double(let right)): self = Self.mixed(left, right)
        case (.double(let left), .integer(let right)): self = Self.mixed(right, left).reversed
        case (.date(let left), .date(let right)): self.init(left, right)
        case (.data(let left), .data(let right)): self = Self.bytes(left, right)
        case (.location(let left), .location(let right)): self = left == right ? .equal : .different
        case (.reference(let left), .reference(let right)):
            self = left.target == right.target ? .equal : .different
        default: return nil
        }
    }

    func satisfies(_ comparison: QueryOperator) -> Bool {
        switch comparison {
        case .equal: self == .equal
        case .notEqual: self != .equal
        case .less: self == .less
        case .lessOrEqual: self == .less || self == .equal
        case .greater: self == .greater
        case .greaterOrEqual: self == .greater || self == .equal
        }
    }

    private var reversed: QueryOrdering {
        switch self {
        case .less: .greater
        case .greater: .less
        case .equal, .different: self
        }
    }

    private static func bytes(_ left: [UInt8], _ right: [UInt8]) -> QueryOrdering {
        left == right ? .equal : left.lexicographicallyPrecedes(right) ? .less : .greater
    }

    /// Exact, which `Double(whole)` is not.
    private static func mixed(_ whole: Int64, _ number: Double) -> QueryOrdering {
        if number >= 0x1p63 { return .less }
        if number < -0x1p63 { return .greater }
        let floor = number.rounded(.down)
        let bound = Int64(floor)
        if whole != bound { return whole < bound ? .less : .greater }
        return floor == number ? .equal : .less
    }
}
