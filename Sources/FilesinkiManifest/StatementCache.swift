internal import FilesinkiModel

/// Statements by their SQL, each compiled once for a connection.
final class StatementCache {
    private let connection: Connection
    private var statements: [String: Statement] = [:]

    init(_ connection: Connection) { self.connection = connection }

    func statement(_ sql: String) throws(Failure) -> Statement {
        if let statement = statements[sql] { return statement }
        let statement = try Statement(sql, on: connection)
        statements[sql] = statement
        return statement
    }
}
