package import FilesinkiModel
import FilesinkiSQLite

/// A table whose rows carry checks: puts, finds and removes rows, and maintains the tally.
///
/// Every statement is reset before a method returns, as an open one would keep a snapshot alive.
final class CheckedTable<Row: CheckedRow>: Tallied {
    private let connection: OwnConnection
    private let tallies: TallyTable
    private let name = "\(Row.table)"
    private let key: String
    /// The changes of this transaction, not yet added to the tally.
    private var owed = Tally()
    /// The statements compiled so far, by use.
    private var statements: [OwnStatement?] = Array(repeating: nil, count: Use.allCases.count)

    init(_ connection: OwnConnection, tallies: TallyTable) {
        self.connection = connection
        self.tallies = tallies
        key = Row.columns.first ?? "id"
    }

    private enum Use: Int, CaseIterable {
        case insert, find, update, delete, clear, all, one, below, pageByKey, pageByID
    }

    private func statement(_ use: Use) throws(Failure) -> OwnStatement {
        if let statement = statements[use.rawValue] { return statement }
        let statement = try connection.prepare(sql(use))
        statements[use.rawValue] = statement
        return statement
    }

    private func sql(_ use: Use) -> String {
        let columns = Row.columns + ["row_check"]
        let list = columns.joined(separator: ", ")
        switch use {
        case .insert:
            let places = columns.map { _ in "?" }.joined(separator: ", ")
            return "INSERT INTO \(name) (\(list)) VALUES (\(places)) ON CONFLICT DO NOTHING"
        case .find: return "SELECT id, row_check FROM \(name) WHERE \(key) = ?"
        case .update:
            // The key stays, so that its index is not touched.
            let places = columns.dropFirst().enumerated().map { "\($1) = ?\($0 + 2)" }
            return "UPDATE \(name) SET \(places.joined(separator: ", ")) WHERE \(key) = ?1"
        case .delete: return "DELETE FROM \(name) WHERE id = ?"
        case .clear: return "DELETE FROM \(name)"
        case .all: return "SELECT \(list) FROM \(name)"
        case .one: return "SELECT \(list) FROM \(name) WHERE \(key) = ?"
        case .below:
            return "SELECT \(list) FROM \(name) WHERE \(key) > ? AND \(key) < ? ORDER BY \(key)"
        case .pageByKey:
            return "SELECT \(list), id FROM \(name) WHERE \(key) > ? ORDER BY \(key) LIMIT ?"
        case .pageByID:
            return "SELECT \(list), id FROM \(name) WHERE id > ? ORDER BY id LIMIT ?"
        }
    }

    // MARK: Writing

    /// Inserts a row, or replaces the one with the same key.
    func put(_ row: Row) throws(Failure) {
        try connection.requireTransaction()
        // Tried as an insertion first: most rows of large transactions are new.
        let check = try execute(.insert, with: row)
        if connection.changedRows == 0 { try replace(row) }
        owed.add(check)
    }

    private func replace(_ row: Row) throws(Failure) {
        guard let (_, old) = try find(row.key) else {
            throw connection.corrupt("an index of the table \(name) does not fit it")
        }
        _ = try execute(.update, with: row)
        owed.remove(old)
    }

    private func find(_ value: [UInt8]) throws(Failure) -> (id: Int64, check: UInt64)? {
        let select = try statement(.find)
        defer { select.reset() }
        value.withUnsafeBytes { select.bind($0, at: 1) }
        guard try select.step() else { return nil }
        return (select.integer(0), UInt64(bitPattern: select.integer(1)))
    }

    /// Removes the row with this key, if there is one.
    func remove(_ value: [UInt8]) throws(Failure) {
        try connection.requireTransaction()
        guard let (id, old) = try find(value) else { return }
        let delete = try statement(.delete)
        delete.bind(id, at: 1)
        try delete.execute()
        owed.remove(old)
    }

    /// Removes all rows, damaged ones too, and starts a new tally.
    func clear() throws(Failure) {
        try connection.requireTransaction()
        try statement(.clear).execute()
        try tallies.write(Tally(), of: name)
        owed = Tally()
    }

    func flush() throws(Failure) {
        guard owed != Tally() else { return }
        try tallies.write(tallies.read(name) + owed, of: name)
        owed = Tally()
    }

    func forgetChanges() { owed = Tally() }

    /// Binds the row's columns and executes the statement.
    ///
    /// - Returns: The row's check.
    private func execute(_ use: Use, with row: Row) throws(Failure) -> UInt64 {
        let statement = try statement(use)
        var writer = RowWriter(statement, table: Row.table)
        row.write(to: &writer)
        let check = writer.finish()
        try statement.execute()
        return check
    }

    // MARK: Reading

    /// The most rows to reserve memory for at once, whatever the tally says.
    private static var largestReservation: Int64 { 1 << 22 }

    /// All rows, in the order in which they were first put.
    ///
    /// - Throws: `Failure` with code `corrupt` when a row or the tally does not match.
    func rows() throws(Failure) -> [Row] {
        try connection.snapshot { () throws(Failure) in
            let expected = try tallies.read(name) + owed
            let select = try statement(.all)
            defer { select.reset() }
            var rows: [Row] = []
            rows.reserveCapacity(Int(clamping: max(0, min(expected.rows, Self.largestReservation))))
            var found = Tally()
            while try select.step() {
                let (row, check) = try read(select)
                found.add(check)
                rows.append(row)
            }
            guard found == expected else {
                throw connection.corrupt("rows of the table \(name) are missing")
            }
            return rows
        }
    }

    /// All rows in pages, in the order of their keys.
    func pages(of size: Int) -> RowPages<Row> { pages(.pageByKey, of: size) }

    /// All rows in pages, in the order in which they were first put.
    func pagesInOrderOfInsertion(of size: Int) -> RowPages<Row> { pages(.pageByID, of: size) }

    private func pages(_ use: Use, of size: Int) -> RowPages<Row> {
        var position = PagePosition()
        return RowPages { () throws(Failure) in
            guard !position.isAtEnd else { return [] }
            let select = try self.statement(use)
            if use == .pageByID {
                select.bind(position.id, at: 1)
            } else {
                position.key.withUnsafeBytes { select.bind($0, at: 1) }
            }
            select.bind(Int64(size), at: 2)
            return try self.connection.snapshot { () throws(Failure) in
                try self.page(of: select, &position, limit: size)
            }
        }
    }

    private func page(
        of select: OwnStatement, _ position: inout PagePosition, limit: Int
    ) throws(Failure) -> [Row] {
        defer { select.reset() }
        let expected = try tallies.read(name) + owed
        guard position.expected == nil || position.expected == expected else {
            throw Failure(
                .busy, path: connection.path,
                "The table \(name) was changed while it was read.", remedy: "Run again.")
        }
        position.expected = expected
        var rows: [Row] = []
        while try select.step() {
            let (row, check) = try read(select)
            position.found.add(check)
            position.id = pageID(select)
            rows.append(row)
        }
        if let last = rows.last { position.key = last.key }
        position.isAtEnd = rows.count < limit
        guard !position.isAtEnd || position.found == expected else {
            throw connection.corrupt("rows of the table \(name) are missing")
        }
        return rows
    }

    /// The row with this key, or nil.
    func row(_ value: [UInt8]) throws(Failure) -> Row? {
        let select = try statement(.one)
        defer { select.reset() }
        value.withUnsafeBytes { select.bind($0, at: 1) }
        guard try select.step() else { return nil }
        let row = try read(select).row
        guard row.key == value else {
            throw connection.corrupt("an index of the table \(name) does not fit it")
        }
        return row
    }

    /// The rows whose key is a path below `folder`, in the order of their bytes.
    func rows(below folder: RelativePath) throws(Failure) -> [Row] {
        let slash = UInt8(ascii: "/")
        return try rows(between: folder.bytes + [slash], and: folder.bytes + [slash + 1])
    }

    /// The rows whose key begins with these bytes, and is longer, in the order of the keys' bytes.
    func rows(beginning prefix: [UInt8]) throws(Failure) -> [Row] {
        guard let last = prefix.last, last < .max else { return [] }
        return try rows(between: prefix, and: prefix.dropLast() + [last + 1])
    }

    private func rows(between first: [UInt8], and end: [UInt8]) throws(Failure) -> [Row] {
        let select = try statement(.below)
        defer { select.reset() }
        first.withUnsafeBytes { select.bind($0, at: 1) }
        end.withUnsafeBytes { select.bind($0, at: 2) }
        var rows: [Row] = []
        while try select.step() { rows.append(try read(select).row) }
        return rows
    }

    /// The next rows after an id, in the order of ids. Unlike pages they may be changed meanwhile.
    func rows(after id: Int64, limit: Int) throws(Failure) -> [(id: Int64, row: Row)] {
        let select = try statement(.pageByID)
        defer { select.reset() }
        select.bind(id, at: 1)
        select.bind(Int64(limit), at: 2)
        var rows: [(Int64, Row)] = []
        while try select.step() {
            let row = try read(select).row
            rows.append((pageID(select), row))
        }
        return rows
    }

    /// The id of a row that a statement for pages has read: the column behind the others.
    private func pageID(_ select: OwnStatement) -> Int64 {
        select.integer(Int32(Row.columns.count) + 1)
    }

    /// The number of rows, by the tally.
    func count() throws(Failure) -> Int {
        Int(clamping: max(0, try tallies.read(name).rows &+ owed.rows))
    }

    private func read(_ statement: OwnStatement) throws(Failure) -> (row: Row, check: UInt64) {
        var reader = RowReader(statement, table: Row.table)
        let row = Row(from: &reader)
        return (row, try reader.finish())
    }
}

/// How far a table was read in pages.
private struct PagePosition {
    /// The key of the last row.
    var key: [UInt8] = []
    /// The id of the last row.
    var id: Int64 = 0
    /// The rows so far.
    var found = Tally()
    /// The tally at the first page.
    var expected: Tally?
    var isAtEnd = false
}

/// All rows of a table, read in pages: memory holds one of them. No transaction is open between two
/// pages.
package struct RowPages<Row> {
    private let read: () throws(Failure) -> [Row]

    init(_ read: @escaping () throws(Failure) -> [Row]) { self.read = read }

    /// The next page; empty at the end.
    ///
    /// - Throws: `Failure` with code `corrupt` when a row is damaged, or, at the last page, when rows
    ///   are missing; `busy` when the table has changed since the first page.
    package func next() throws(Failure) -> [Row] { try read() }
}

/// A row of a ``CheckedTable``.
protocol CheckedRow {
    /// The table's name.
    static var table: StaticString { get }
    /// The columns between id and row_check, the key first.
    static var columns: [String] { get }
    /// The value of the first column, of which no two rows share one.
    var key: [UInt8] { get }
    /// Binds all columns in their order.
    func write(to writer: inout RowWriter)
    /// Reads all columns in their order.
    init(from reader: inout RowReader)
}

/// The number of rows of a table and the sum of their checks, which does not depend on their order.
struct Tally: Equatable {
    var rows: Int64 = 0
    /// Modulo 2^64.
    var checks: UInt64 = 0

    mutating func add(_ check: UInt64) {
        rows &+= 1
        checks &+= check
    }

    mutating func remove(_ check: UInt64) {
        rows &-= 1
        checks &-= check
    }

    static func + (left: Tally, right: Tally) -> Tally {
        Tally(rows: left.rows &+ right.rows, checks: left.checks &+ right.checks)
    }
}

/// A table whose tally is written at the end of the transaction.
protocol Tallied: AnyObject {
    /// Writes the new tally; called as the last write of a transaction.
    func flush() throws(Failure)
    /// Forgets the changes of the transaction; called after its commit or rollback.
    func forgetChanges()
}

/// The rows of the table `tally`.
final class TallyTable {
    private let connection: OwnConnection
    private lazy var cache = StatementCache(connection)

    init(_ connection: OwnConnection) { self.connection = connection }

    /// The tally of a table; zeros for a table that never had a row.
    func read(_ table: String) throws(Failure) -> Tally {
        let statement = try cache.statement("SELECT rows, checks FROM tally WHERE name = ?")
        defer { statement.reset() }
        statement.bind(table, at: 1)
        guard try statement.step() else { return Tally() }
        return Tally(
            rows: statement.integer(0), checks: UInt64(bitPattern: statement.integer(1)))
    }

    func write(_ tally: Tally, of table: String) throws(Failure) {
        let statement = try cache.statement(
            """
            INSERT INTO tally (name, rows, checks) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET rows = excluded.rows, checks = excluded.checks
            """)
        statement.bind(table, at: 1)
        statement.bind(tally.rows, at: 2)
        statement.bind(Int64(bitPattern: tally.checks), at: 3)
        try statement.execute()
    }
}
