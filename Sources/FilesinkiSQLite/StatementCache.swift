package import FilesinkiModel

/// Statements by their SQL, each compiled once for a connection.
package final class StatementCache {
    private let connection: Connection
    private var statements: [String: Statement] = [:]

    /// For the statements of one connection.
    package init(_ connection: Connection) { self.connection = connection }

    /// The statement of this SQL, compiled at its first use.
    package func statement(_ sql: String) throws(Failure) -> Statement {
        if let statement = statements[sql] { return statement }
        let statement = try Statement(sql, on: connection)
        statements[sql] = statement
        return statement
    }
}
