import FilesinkiRecords

/// What the value of a field becomes in the index, so that whatever a query may find has a range of rows. The
/// order is kept, and different values may become the same: numbers are rounded to doubles, texts are folded as
/// queries compare them and cut off.
enum IndexedValue: Hashable {
    case number(Double)
    case bytes([UInt8])

    /// The longest text in a row.
    private static let maximumLength = 128

    /// Nil for a value that queries only find by looking at each record.
    init?(_ value: FieldValue) {
        switch value {
        case .integer(let number): self = .number(Double(number))
        case .double(let number): self = .number(number)
        case .date(let milliseconds): self = .number(Double(milliseconds))
        case .string(let text): self = .text(QueryText.folded(text))
        case .reference(let reference): self = .text(Array(reference.target.text.utf8))
        case .data(let bytes): self = .text(bytes)
        case .location, .asset, .list: return nil
        }
    }

    static func text(_ bytes: [UInt8]) -> IndexedValue {
        .bytes(Array(bytes.prefix(maximumLength)))
    }

    static func word(_ word: String) -> IndexedValue { .text(Array(word.utf8)) }

    var length: Int { if case .bytes(let bytes) = self { bytes.count } else { 0 } }

    /// Whether all values that become this one are equal for queries.
    var isExact: Bool {
        switch self {
        // From 2⁵³ on, several integers are rounded to one double.
        case .number(let number): abs(number) < 0x1p53
        case .bytes(let bytes): bytes.count < Self.maximumLength
        }
    }

    /// The values of a field: those of a list are its elements'.
    static func values(of field: FieldValue) -> Set<IndexedValue> {
        if case .list(let list) = field { return Set(list.elements.compactMap(IndexedValue.init)) }
        return Set([IndexedValue(field)].compactMap { $0 })
    }
}

extension IndexedValue: Comparable {
    /// The order in which SQLite has the rows.
    static func < (left: IndexedValue, right: IndexedValue) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        case (.bytes(let left), .bytes(let right)): left.lexicographicallyPrecedes(right)
        case (.number, .bytes): true
        case (.bytes, .number): false
        }
    }
}

/// A range of rows that contains every record that a predicate may find.
enum IndexRange: Hashable {
    /// All records of the type.
    case all
    case none
    /// Those with one of the values in a field.
    case equal(String, [IndexedValue])
    /// Those with a value between two, ends included; nil for no end.
    case between(String, IndexedValue?, IndexedValue?)
    /// Those of any of the ranges.
    case any([IndexRange])

    /// The field under which words are.
    static let words = "*"

    /// How many records it may have: the smaller, the better.
    private var rank: Int {
        switch self {
        case .none: 0
        case .equal: 1
        case .between(_, let low, let high): low == nil || high == nil ? 4 : 2
        case .any: 3
        case .all: 5
        }
    }
}

extension IndexRange {
    /// The best range for a predicate.
    init(_ predicate: Predicate, now: Int64) {
        switch predicate {
        case .constant(let isTrue): self = isTrue ? .all : .none
        case .not, .distance: self = .all
        case .and(let parts):
            self = parts.map { IndexRange($0, now: now) }.min { $0.rank < $1.rank } ?? .all
        case .or(let parts):
            let ranges = parts.map { IndexRange($0, now: now) }
            self = ranges.contains(.all) ? .all : .any(ranges)
        case .test(.field(let name), let test, _): self = Self.range(name.text, test, now)
        case .contains(.field(let name), let literal):
            self = Self.range(name.text, .compare(.equal, literal), now)
        case .test(.system, _, _), .contains(.system, _): self = .all
        case .tokens(let text, let isAny): self = Self.range(words: QueryText.tokens(text), isAny)
        }
    }

    private static func range(words: [String], _ isAny: Bool) -> IndexRange {
        guard !words.isEmpty else { return isAny ? .none : .all }
        let values = words.map(IndexedValue.word)
        if isAny { return .equal(Self.words, values) }
        // The longest word is likely to be the rarest.
        return .equal(Self.words, values.max { $0.length < $1.length }.map { [$0] } ?? [])
    }

    private static func range(_ field: String, _ test: QueryTest, _ now: Int64) -> IndexRange {
        switch test {
        case .compare(let comparison, let literal):
            guard let value = indexed(literal, now) else { return .all }
            switch comparison {
            case .equal: return .equal(field, [value])
            case .notEqual: return .all
            case .less, .lessOrEqual: return .between(field, nil, value)
            case .greater, .greaterOrEqual: return .between(field, value, nil)
            }
        case .between(let low, let high):
            guard let low = indexed(low, now), let high = indexed(high, now) else { return .all }
            return .between(field, low, high)
        case .among(let literals):
            let values = literals.compactMap { indexed($0, now) }
            return values.count == literals.count ? .equal(field, values) : .all
        case .beginsWith(let prefix):
            // Folding an ASCII prefix is folding each of its letters, whatever follows.
            guard !prefix.isEmpty, prefix.utf8.allSatisfy({ $0 < 0x80 }) else { return .all }
            let folded = QueryText.folded(prefix)
            return .between(field, .text(folded), .text(folded + [0xFF]))
        case .endsWith, .like: return .all
        }
    }

    private static func indexed(_ literal: QueryLiteral, _ now: Int64) -> IndexedValue? {
        switch literal {
        case .now: .number(Double(now))
        case .value(let value): IndexedValue(value)
        }
    }
}
