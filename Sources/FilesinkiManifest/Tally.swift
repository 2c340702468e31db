internal import FilesinkiModel
internal import FilesinkiSQLite

/// How many rows a table has and the sum of their checks, which does not depend on their order.
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

/// A table that owes its tally a change until the transaction ends.
protocol Tallied: AnyObject {
    /// Writes the new tally, as the last work of a transaction.
    func flush() throws(Failure)
    /// Owes nothing any more: the transaction was committed, or taken back.
    func forgetChanges()
}

/// The rows of the table `tally`.
final class TallyTable {
    private let connection: OwnConnection
    private lazy var cache = StatementCache(connection)

    init(_ connection: OwnConnection) { self.connection = connection }

    /// The tally of a table; zeros for one that nothing was ever put into.
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
