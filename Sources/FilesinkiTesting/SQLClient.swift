import CSQLite
import Synchronization

/// Another program's connection to a database, beside those of the code that is tested.
package final class SQLClient: Sendable {
    /// What SQLite refused, and why.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String
    }

    private struct Handle: @unchecked Sendable { var pointer: OpaquePointer? }
    private let handle = Mutex(Handle())

    /// - Parameters:
    ///   - sql: What it runs first.
    ///   - patience: How long it waits for the locks of others, in milliseconds.
    /// - Throws: ``Refusal``
    package init(_ path: String, _ sql: String = "", patience: Int32 = 5_000) throws {
        guard handle.withLock({ sqlite3_open(path, &$0.pointer) }) == SQLITE_OK else {
            throw Refusal(description: "\(path): \(reason)")
        }
        handle.withLock { _ = sqlite3_busy_timeout($0.pointer, patience) }
        if !sql.isEmpty { try run(sql) }
    }

    deinit { close() }

    package func close() {
        handle.withLock { handle in
            sqlite3_close_v2(handle.pointer)
            handle.pointer = nil
        }
    }

    /// - Throws: ``Refusal``
    package func run(_ sql: String) throws {
        guard accepts(sql) else { throw Refusal(description: "\(sql): \(reason)") }
    }

    /// Runs statements.
    ///
    /// - Returns: Whether SQLite did.
    package func accepts(_ sql: String) -> Bool {
        handle.withLock { sqlite3_exec($0.pointer, sql, nil, nil, nil) } == SQLITE_OK
    }

    /// The first column of the first row; what SQLite says if there is none.
    package func text(_ sql: String) -> String {
        handle.withLock { handle in
            var statement: OpaquePointer?
            sqlite3_prepare_v2(handle.pointer, sql, -1, &statement, nil)
            defer { sqlite3_finalize(statement) }
            guard sqlite3_step(statement) == SQLITE_ROW,
                let text = sqlite3_column_text(statement, 0)
            else { return String(cString: sqlite3_errmsg(handle.pointer)) }
            return String(cString: text)
        }
    }

    /// The same, asked by a connection that is made for it.
    package static func text(_ path: String, _ sql: String) -> String {
        do { return try SQLClient(path).text(sql) } catch { return "\(error)" }
    }

    private var reason: String {
        handle.withLock { String(cString: sqlite3_errmsg($0.pointer)) }
    }
}
