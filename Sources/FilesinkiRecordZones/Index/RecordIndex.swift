import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiSQLite

/// The rows by which queries find candidates. They are derived from the records, and written in the same
/// transactions.
extension RecordDatabase {
    /// Records what a query may find a record by; nil for a deleted one. Costs as much as the record has fields
    /// and words.
    func index(_ record: Record?, as name: RecordName) throws(Failure) {
        let remove = try cache.statement("DELETE FROM record_value WHERE name = ?")
        remove.bind(name.text, at: 1)
        try remove.execute()
        if let record { try addIndex(of: record) }
    }

    private func addIndex(of record: Record) throws(Failure) {
        for (field, values) in record.indexedValues {
            let rows = values.map { ($0, record.name.text) }
            try addRows(rows, of: record.type.text, field)
        }
        try addFieldTypes(of: record)
    }

    /// Adds rows of a field. They are written best in their order: each run of them is one statement, which looks for
    /// the place of the first, and has the others behind that one.
    func addRows(
        _ rows: some Sequence<(IndexedValue, String)>, of type: String, _ field: String
    ) throws(Failure) {
        var run: [(IndexedValue, String)] = []
        for row in rows {
            run.append(row)
            guard run.count == Self.runLength else { continue }
            try insert(run[...], Self.runInsertion, type, field)
            run.removeAll(keepingCapacity: true)
        }
        for row in run.indices { try insert(run[row...row], Self.insertion, type, field) }
    }

    private static let runLength = 32
    private static let insertion = insertion(of: 1)
    private static let runInsertion = insertion(of: runLength)

    private static func insertion(of count: Int) -> String {
        let rows = (0..<count).map { "(?1, ?2, ?\(2 * $0 + 3), ?\(2 * $0 + 4))" }
        return "INSERT INTO record_value (type, field, value, name) VALUES "
            + rows.joined(separator: ", ")
    }

    private func insert(
        _ rows: ArraySlice<(IndexedValue, String)>, _ sql: String, _ type: String, _ field: String
    ) throws(Failure) {
        let statement = try cache.statement(sql)
        statement.bind(type, at: 1)
        statement.bind(field, at: 2)
        for (index, row) in zip(Int32(0)..., rows) {
            bind(row.0, to: statement, at: 2 * index + 3)
            statement.bind(row.1, at: 2 * index + 4)
        }
        try statement.execute()
    }

    func bind(_ value: IndexedValue, to statement: OwnStatement, at index: Int32) {
        switch value {
        case .number(let number): statement.bind(.real(number), at: index)
        case .bytes(let bytes): bind(bytes, to: statement, at: index)
        }
    }

    /// Calls `body` with the names of a range's records in their order, each once, until it returns false.
    ///
    /// - Parameter last: Only names after this one; nil for all.
    func forEachName(
        of type: RecordType, in range: IndexRange, after last: String?,
        _ body: (RecordName) throws -> Bool
    ) throws {
        let lists = IndexRows.list(range)
        // Rows of one value are in the order of names already, so a page ends with its last record.
        if lists.count == 1, lists[0].hasOneValue {
            return try forEachRow(lists[0], type, last, body)
        }
        var names: Set<RecordName> = []
        for rows in lists {
            try forEachRow(rows, type, last) { name in
                names.insert(name)
                return true
            }
        }
        for name in names.sorted() where try !body(name) { return }
    }

    private func forEachRow(
        _ rows: IndexRows, _ type: RecordType, _ last: String?,
        _ body: (RecordName) throws -> Bool
    ) throws {
        let statement = try connection.prepare(
            """
            SELECT name FROM record_value
            WHERE type = ?1 AND field = ?2 AND name > ?3 AND \(rows.condition)
            ORDER BY value, name
            """)
        statement.bind(type.text, at: 1)
        statement.bind(rows.field, at: 2)
        statement.bind(last ?? "", at: 3)
        for (index, value) in rows.values.enumerated() {
            bind(value, to: statement, at: Int32(index) + 4)
        }
        while try statement.step() {
            guard let name = try? RecordName(statement.text(0)) else { continue }
            guard try body(name) else { return }
        }
    }
}

extension Record {
    /// The values by which queries find the record, by field: its fields' values and its words. The empty field stands
    /// for the record itself.
    var indexedValues: [(field: String, values: Set<IndexedValue>)] {
        [("", [.bytes([])])]
            + fields.map { ($0.text, IndexedValue.values(of: $1.value)) }
            + [(IndexRange.words, Set(tokens.map(IndexedValue.word)))]
    }
}

/// Rows of the index that one statement finds.
private struct IndexRows {
    let field: String
    /// What the value must be, with parameters from the fourth on.
    let condition: String
    var values: [IndexedValue] = []

    /// Whether all rows have the same value.
    var hasOneValue = false

    static let all = IndexRows(field: "", condition: "value = x''", hasOneValue: true)

    static func list(_ range: IndexRange) -> [IndexRows] {
        switch range {
        case .none: []
        case .all: [all]
        case .any(let ranges): ranges.flatMap(list)
        case .equal(let field, let values):
            values.map {
                IndexRows(field: field, condition: "value = ?4", values: [$0], hasOneValue: true)
            }
        case .between(let field, let low?, let high?):
            [IndexRows(field: field, condition: "value BETWEEN ?4 AND ?5", values: [low, high])]
        case .between(let field, let low?, nil):
            [IndexRows(field: field, condition: "value >= ?4", values: [low])]
        case .between(let field, nil, let high?):
            [IndexRows(field: field, condition: "value <= ?4", values: [high])]
        case .between(let field, nil, nil): [IndexRows(field: field, condition: "TRUE")]
        }
    }
}
