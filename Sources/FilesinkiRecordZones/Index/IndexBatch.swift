import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiSQLite

/// The rows of the index of many records, which are written in the order of the table: SQLite then fills one page
/// after the other. Rows in the order of records would each change another page.
struct IndexBatch {
    /// The rows of one field of a type.
    private struct Column: Hashable, Comparable {
        let type: String
        let field: String

        static func < (left: Column, right: Column) -> Bool {
            let (ours, theirs) = (left.type.utf8, right.type.utf8)
            guard left.type == right.type else { return ours.lexicographicallyPrecedes(theirs) }
            return left.field.utf8.lexicographicallyPrecedes(right.field.utf8)
        }
    }

    private struct ValueType: Hashable {
        let column: Column
        let type: String
    }

    /// How many bytes a batch takes, about.
    static let limit = 64 << 20

    private let limit: Int
    private var size = 0
    private var names: [String] = []
    /// The numbers of the records that have a value.
    private var rows: [Column: [IndexedValue: [Int32]]] = [:]
    /// Those that are not written yet, and those that are.
    private var types: Set<ValueType> = []
    private var writtenTypes: Set<ValueType> = []

    init(limit: Int = Self.limit) { self.limit = limit }

    var isFull: Bool { size >= limit }

    mutating func add(_ record: Record) {
        let type = record.type.text
        let number = Int32(truncatingIfNeeded: names.count)
        names.append(record.name.text)
        size += 64 + record.name.text.utf8.count
        for (field, values) in record.indexedValues {
            add(values, Column(type: type, field: field), of: number)
        }
        for (name, field) in record.fields {
            let column = Column(type: type, field: name.text)
            let valueType = ValueType(column: column, type: field.value.type.description)
            if !writtenTypes.contains(valueType) { types.insert(valueType) }
        }
    }

    private mutating func add(_ values: Set<IndexedValue>, _ column: Column, of number: Int32) {
        for value in values {
            rows[column, default: [:]][value, default: []].append(number)
            size += 16 + value.length
        }
    }

    /// Writes what was added since the last time. There must be no such rows yet.
    mutating func write(to database: RecordDatabase) throws(Failure) {
        for (column, values) in rows.sorted(by: { $0.key < $1.key }) {
            let rows = values.sorted { $0.key < $1.key }.lazy.flatMap { [names] value, numbers in
                numbers.lazy.map { (value, names[Int($0)]) }
            }
            try database.addRows(rows, of: column.type, column.field)
        }
        for type in types {
            try database.addFieldType(type.type, of: type.column.field, in: type.column.type)
        }
        writtenTypes.formUnion(types)
        (names, rows, types, size) = ([], [:], [], 0)
    }
}

extension RecordZone {
    /// Makes the index again from the records, in one transaction.
    ///
    /// - Parameter limit: How many bytes of rows are kept before they are written, about.
    /// - Returns: How many records there are.
    @discardableResult
    package func rebuildIndex(limit: Int? = nil) throws -> Int {
        try database.write {
            var count = 0
            var batch = IndexBatch(limit: limit ?? IndexBatch.limit)
            // The index of names is made at last: sorting all names costs less than to find the place of each.
            let indexOfNames = try database.connection.prepare(
                "SELECT sql FROM sqlite_schema WHERE name = 'record_value_name'")
            let makeIndex = try indexOfNames.step() ? indexOfNames.text(0) : ""
            indexOfNames.reset()
            try database.connection.execute(
                """
                DROP INDEX record_value_name;
                DELETE FROM record_value; DELETE FROM reference; DELETE FROM field_type
                """)
            try database.forEachItem { item throws(Failure) in
                guard let record = item.ours.record else { return }
                batch.add(record)
                try database.addReferences(of: record)
                count += 1
                if batch.isFull { try batch.write(to: database) }
            }
            try batch.write(to: database)
            try database.connection.execute(makeIndex)
            return count
        }
    }
}
