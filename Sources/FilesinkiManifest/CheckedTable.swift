internal import FilesinkiModel
internal import FilesinkiSQLite

/// A table whose rows carry checks: puts, finds and removes them, and keeps the tally.
///
/// Every statement is reset before a method returns, so that none keeps a snapshot alive.
final class CheckedTable<Row: CheckedRow>: Tallied {
    private let connection: OwnConnection
    private let tallies: TallyTable
    private let name = "\(Row.table)"
    private let key: String
    /// What this transaction has changed.
    private var owed = Tally()
    /// The statements that were used so far; each use has one.
    private var statements: [OwnStatement?] = Array(repeating: nil, count: Use.allCases.count)

    init(_ connection: OwnConnection, tallies: TallyTable) {
        self.connection = connection
        self.tallies = tallies
        key = Row.columns.first ?? "id"
    }

    private enum Use: Int, CaseIterable {
        case insert, find, update, delete, clear, all, one, below
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
        }
    }

    // MARK: Writing

    /// Puts a row in place of the one with its key, or beside the others.
    func put(_ row: Row) throws(Failure) {
        try connection.requireTransaction()
        // Which of the two it is shows only now; most rows of the large transactions are new.
        let check = try run(.insert, with: row)
        if connection.changedRows == 0 { try replace(row) }
        owed.add(check)
    }

    private func replace(_ row: Row) throws(Failure) {
        guard let (_, old) = try find(row.key) else {
            throw connection.corrupt("an index of the table \(name) does not fit it")
        }
        _ = try run(.update, with: row)
        owed.remove(old)
    }

    private func find(_ value: [UInt8]) throws(Failure) -> (id: Int64, check: UInt64)? {
        let select = try statement(.find)
        defer { select.reset() }
        value.withUnsafeBytes { select.bind($0, at: 1) }
        guard try select.step() else { return nil }
        return (select.integer(0), UInt64(bitPattern: select.integer(1)))
    }

    /// Removes the row with this key; does nothing when there is none.
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

    /// Binds the row's columns and carries the statement out.
    ///
    /// - Returns: The row's check.
    private func run(_ use: Use, with row: Row) throws(Failure) -> UInt64 {
        let statement = try statement(use)
        var writer = RowWriter(statement, table: Row.table)
        row.write(to: &writer)
        let check = writer.finish()
        try statement.execute()
        return check
    }

    // MARK: Reading

    /// The most rows for which memory is asked in one go; what is not used is not taken.
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

    /// How many rows there are, by the tally.
    func count() throws(Failure) -> Int {
        Int(clamping: max(0, try tallies.read(name).rows &+ owed.rows))
    }

    private func read(_ statement: OwnStatement) throws(Failure) -> (row: Row, check: UInt64) {
        var reader = RowReader(statement, table: Row.table)
        let row = Row(from: &reader)
        return (row, try reader.finish())
    }
}
