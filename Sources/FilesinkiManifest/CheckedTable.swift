internal import FilesinkiModel

/// A table whose rows carry checks: puts, finds and removes them, and keeps the tally.
///
/// All statements of one use are reset before a method returns, so that none keeps a snapshot alive.
final class CheckedTable<Row: CheckedRow>: Tallied {
    private let connection: Connection
    private let tallies: TallyTable
    private let name = "\(Row.table)"
    private let key: String
    private let list: String
    /// What this transaction has changed.
    private var owed = Tally()

    private lazy var cache = StatementCache(connection)
    private var insertion: Statement?

    init(_ connection: Connection, tallies: TallyTable) {
        self.connection = connection
        self.tallies = tallies
        key = Row.columns.first ?? "id"
        list = Row.columns.joined(separator: ", ")
    }

    // MARK: Writing

    /// Puts a row in place of the one with its key, or beside the others.
    func put(_ row: Row) throws(Failure) {
        try connection.needTransaction()
        let insert = try insertStatement()
        let check = bind(row, to: insert)
        try insert.run()
        // Which of the two is known only now, and most rows are new in the large transactions.
        if connection.changedRows == 0 { try replace(row) }
        owed.add(check)
    }

    private func replace(_ row: Row) throws(Failure) {
        guard let (id, old) = try find(row.key) else {
            throw connection.corrupt("an index of the table \(name) does not fit it")
        }
        let places = (Row.columns + ["row_check"]).map { $0 + " = ?" }.joined(separator: ", ")
        let update = try cache.statement("UPDATE \(name) SET \(places) WHERE id = ?")
        _ = bind(row, to: update)
        update.bind(id, at: Int32(Row.columns.count + 2))
        try update.run()
        owed.remove(old)
    }

    private func find(_ value: [UInt8]) throws(Failure) -> (id: Int64, check: UInt64)? {
        let select = try cache.statement("SELECT id, row_check FROM \(name) WHERE \(key) = ?")
        defer { select.reset() }
        value.withUnsafeBytes { select.bind($0, at: 1) }
        guard try select.step() else { return nil }
        return (select.integer(0), UInt64(bitPattern: select.integer(1)))
    }

    /// Removes the row with this key; does nothing when there is none.
    func remove(_ value: [UInt8]) throws(Failure) {
        try connection.needTransaction()
        guard let (id, old) = try find(value) else { return }
        let delete = try cache.statement("DELETE FROM \(name) WHERE id = ?")
        delete.bind(id, at: 1)
        try delete.run()
        owed.remove(old)
    }

    /// Removes all rows, damaged ones too, and starts a new tally.
    func clear() throws(Failure) {
        try connection.needTransaction()
        try cache.statement("DELETE FROM \(name)").run()
        try tallies.write(Tally(), of: name)
        owed = Tally()
    }

    func flush() throws(Failure) {
        guard owed != Tally() else { return }
        try tallies.write(tallies.read(name) + owed, of: name)
        owed = Tally()
    }

    func settle() { owed = Tally() }

    private func bind(_ row: Row, to statement: Statement) -> UInt64 {
        var writer = RowWriter(statement, table: Row.table)
        row.write(to: &writer)
        return writer.finish()
    }

    private func insertStatement() throws(Failure) -> Statement {
        if let insertion { return insertion }
        let places = Array(repeating: "?", count: Row.columns.count + 1).joined(separator: ", ")
        let statement = try Statement(
            "INSERT INTO \(name) (\(list), row_check) VALUES (\(places)) ON CONFLICT DO NOTHING",
            on: connection)
        insertion = statement
        return statement
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
            let select = try cache.statement("SELECT \(list), row_check FROM \(name)")
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
        let select = try cache.statement("SELECT \(list), row_check FROM \(name) WHERE \(key) = ?")
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
        let select = try cache.statement(
            "SELECT \(list), row_check FROM \(name) WHERE \(key) > ? AND \(key) < ? ORDER BY \(key)")
        defer { select.reset() }
        (folder.bytes + [slash]).withUnsafeBytes { select.bind($0, at: 1) }
        (folder.bytes + [slash + 1]).withUnsafeBytes { select.bind($0, at: 2) }
        var rows: [Row] = []
        while try select.step() { rows.append(try read(select).row) }
        return rows
    }

    /// How many rows there are, by the tally.
    func count() throws(Failure) -> Int {
        Int(clamping: max(0, try tallies.read(name).rows &+ owed.rows))
    }

    private func read(_ statement: Statement) throws(Failure) -> (row: Row, check: UInt64) {
        var reader = RowReader(statement, table: Row.table)
        let row = Row(from: &reader)
        return (row, try reader.finish())
    }
}
