import CSQLite
import Testing

/// Another program's connection.
final class SQLClient {
    private var handle: OpaquePointer?

    init(_ path: String, _ sql: String = "") {
        #expect(sqlite3_open(path, &handle) == SQLITE_OK)
        sqlite3_busy_timeout(handle, 5_000)
        if !sql.isEmpty { run(sql) }
    }

    deinit { close() }

    func close() {
        sqlite3_close_v2(handle)
        handle = nil
    }

    func run(_ sql: String) {
        #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(sql)")
    }

    /// The first column of the first row.
    func text(_ sql: String) -> String {
        var statement: OpaquePointer?
        sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
        else { return String(cString: sqlite3_errmsg(handle)) }
        return String(cString: text)
    }
}
