import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiSQLite

/// The records of a type by the values that the index has of one field, in the order of a query's first sort term:
/// in groups, each before all that follow. Those that lack the field are the last group.
///
/// The index rounds numbers, folds and cuts off texts, so the records of a group need not be in the order of the
/// query: see ``FieldGroup/isInOrder``.
struct FieldWalk {
    private let database: RecordDatabase
    private let type: RecordType
    private let field: FieldName
    private let isDescending: Bool
    /// Whether nothing but the field and the names decides about the order.
    private let hasOneTerm: Bool
    private let low: IndexedValue?
    private let high: IndexedValue?
    /// Whether records that lack the field may be found.
    private let hasLacking: Bool
    /// The record behind which the walk begins; nil for the first one.
    private let last: Record?
    private let lastValue: IndexedValue?

    /// The types whose order the index keeps, if the values of a field have no other one.
    private static let walkable: [Set<String>] = [
        [FieldType.string.name], [FieldType.data.name], [FieldType.date.name],
        [FieldType.integer.name, FieldType.double.name],
    ]

    /// Nil when the index does not have the order of the query, or another range has fewer records.
    init?(
        _ query: RecordQuery, _ range: IndexRange, after last: Record?, in database: RecordDatabase
    ) throws(Failure) {
        guard let term = query.order.terms.first, case .value(.field(let field)) = term.key else {
            return nil
        }
        switch range {
        case .all: (low, high, hasLacking) = (nil, nil, true)
        case .between(field.text, let low, let high):
            (self.low, self.high, hasLacking) = (low, high, false)
        default: return nil
        }
        var types = try database.fieldTypes(of: field, in: query.type)
        let lastValue = last?[field]
        if let lastValue { types.insert(lastValue.type.name) }
        guard Self.walkable.contains(where: types.isSubset) else { return nil }
        self.database = database
        type = query.type
        self.field = field
        isDescending = term.isDescending
        hasOneTerm = query.order.terms.count == 1
        self.last = last
        self.lastValue = lastValue.flatMap(IndexedValue.init)
    }

    /// Calls `body` with one group after the other until it returns false.
    func forEachGroup(_ body: (FieldGroup) throws -> Bool) throws {
        if last == nil || lastValue != nil {
            var (from, isIncluded) = (lastValue, true)
            while let value = try next(from, isIncluded: isIncluded) {
                let isInOrder = hasOneTerm && value.isExact
                guard try body(FieldGroup(value: value, isInOrder: isInOrder)) else { return }
                (from, isIncluded) = (value, false)
            }
        }
        if hasLacking { _ = try body(FieldGroup(value: nil, isInOrder: hasOneTerm)) }
    }

    /// Calls `body` with the names of a group in their order until it returns false.
    func forEachName(of group: FieldGroup, _ body: (RecordName) throws -> Bool) throws {
        let statement = try cache.statement(
            group.value == nil ? Self.lackingNames : Self.namesOfValue)
        defer { statement.reset() }
        statement.bind(type.text, at: 1)
        statement.bind(field.text, at: 2)
        // Those before the last one of the page before are in a page before, too.
        let isBegun = group.isInOrder && last != nil && group.value == lastValue
        statement.bind(isBegun ? last?.name.text ?? "" : "", at: 3)
        if let value = group.value { database.bind(value, to: statement, at: 4) }
        while try statement.step() {
            guard let name = try? RecordName(statement.text(0)) else { continue }
            guard try body(name) else { return }
        }
    }

    private var cache: StatementCache<Failure> { database.cache }

    private static var namesOfValue: String {
        """
        SELECT name FROM record_value
        WHERE type = ?1 AND field = ?2 AND name > ?3 AND value = ?4 ORDER BY name
        """
    }

    private static var lackingNames: String {
        """
        SELECT name FROM record_value AS found
        WHERE type = ?1 AND field = '' AND value = x'' AND name > ?3 AND NOT EXISTS (
            SELECT 1 FROM record_value INDEXED BY record_value_name
            WHERE name = found.name AND type = ?1 AND field = ?2)
        ORDER BY name
        """
    }

    /// The first value of the range from one on, or behind it; nil if there is none.
    private func next(
        _ from: IndexedValue?, isIncluded: Bool
    ) throws(Failure) -> IndexedValue? {
        let comparison = (isDescending ? "<" : ">") + (isIncluded ? "=" : "")
        let bounds = [
            ("value >= ?3", low), ("value <= ?4", high), ("value \(comparison) ?5", from),
        ]
        let conditions = bounds.filter { $0.1 != nil }.map { " AND " + $0.0 }.joined()
        let statement = try cache.statement(
            """
            SELECT value FROM record_value WHERE type = ?1 AND field = ?2\(conditions)
            ORDER BY value \(isDescending ? "DESC" : "ASC") LIMIT 1
            """)
        defer { statement.reset() }
        statement.bind(type.text, at: 1)
        statement.bind(field.text, at: 2)
        for (index, bound) in bounds.enumerated() {
            if let value = bound.1 { database.bind(value, to: statement, at: Int32(index) + 3) }
        }
        guard try statement.step() else { return nil }
        switch statement.value(0) {
        case .real(let number): return .number(number)
        case .blob(let bytes): return .bytes(bytes)
        default: throw database.connection.corrupt("the index has an invalid value")
        }
    }
}

/// Records of equal rows.
struct FieldGroup {
    /// Nil for those that lack the field.
    let value: IndexedValue?
    /// Whether the order of names is that of the query.
    let isInOrder: Bool
}
