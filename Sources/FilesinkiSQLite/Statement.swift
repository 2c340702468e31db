internal import CSQLite

/// A compiled statement, used again and again.
///
/// Columns and parameters have the numbers that SQLite gives them: parameters from 1, columns from 0.
package final class Statement<Thrown: Error> {
    private let handle: OpaquePointer
    /// Where it was compiled.
    package let connection: Connection<Thrown>

    init(_ handle: OpaquePointer, on connection: Connection<Thrown>) {
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// Moves to the next row; false after the last one.
    package func step() throws(Thrown) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let error = connection.error(code, .use)
        sqlite3_reset(handle)
        throw error
    }

    /// Executes a statement that returns no rows, and resets it.
    package func execute() throws(Thrown) {
        _ = try step()
        reset()
    }

    /// Executes a statement that returns no rows with these parameters, and resets it.
    package func execute(_ values: [SQLiteValue]) throws(Thrown) {
        for (index, value) in values.enumerated() { bind(value, at: Int32(index) + 1) }
        try execute()
    }

    /// Ends the use of the rows. Bound values stay until they are bound again.
    package func reset() { sqlite3_reset(handle) }

    // MARK: Parameters

    package func bind(_ value: Int64, at index: Int32) {
        sqlite3_bind_int64(handle, index, value)
    }

    /// Binds bytes as a blob; they are copied.
    package func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            sqlite3_bind_zeroblob(handle, index, 0)
            return
        }
        sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), copied)
    }

    package func bind(_ text: String, at index: Int32) {
        sqlite3_bind_text64(
            handle, index, text, UInt64(text.utf8.count), copied, UInt8(SQLITE_UTF8))
    }

    package func bindNull(at index: Int32) { sqlite3_bind_null(handle, index) }

    package func bind(_ value: SQLiteValue, at index: Int32) {
        switch value {
        case .null: bindNull(at: index)
        case .integer(let number): bind(number, at: index)
        case .real(let number): sqlite3_bind_double(handle, index, number)
        case .blob(let bytes): bytes.withUnsafeBytes { bind($0, at: index) }
        case .text(let bytes):
            // With the NUL at its end an empty text has an address, too, and is not NULL.
            (bytes + [0]).withUnsafeBufferPointer { terminated in
                _ = terminated.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text64(
                        handle, index, $0.baseAddress, UInt64(bytes.count), copied,
                        UInt8(SQLITE_UTF8))
                }
            }
        }
    }

    // MARK: Columns

    /// The number of columns of a row.
    package var columns: Int { Int(sqlite3_column_count(handle)) }

    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The bytes of a blob; valid until the next step.
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        bytes(from: sqlite3_column_blob(handle, column), column)
    }

    /// A text as UTF-8, in which invalid bytes are replaced; empty for any other value.
    package func text(_ column: Int32) -> String {
        guard sqlite3_column_type(handle, column) == SQLITE_TEXT else { return "" }
        let start = UnsafeRawPointer(sqlite3_column_text(handle, column))
        return String(decoding: bytes(from: start, column), as: UTF8.self)
    }

    /// The value of a column, whatever its type.
    package func value(_ column: Int) -> SQLiteValue {
        let index = Int32(column)
        switch sqlite3_column_type(handle, index) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, index))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, index))
        case SQLITE_TEXT:
            let start = UnsafeRawPointer(sqlite3_column_text(handle, index))
            return .text(Array(bytes(from: start, index)))
        case SQLITE_BLOB: return .blob(Array(bytes(index)))
        default: return .null
        }
    }

    package func values(_ columns: Range<Int>) -> [SQLiteValue] { columns.map(value) }

    /// The pointer comes first: asking for the length before it may convert the value.
    private func bytes(from start: UnsafeRawPointer?, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
}

/// SQLite's name for bytes that it must copy. They go to its pool of small blocks, which was measured
/// to cost less than one nested closure for every bound array.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// The value of a cell. Texts are bytes: a database may hold text that is not valid UTF-8.
package enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])
}

/// The statements of one connection by their SQL, each compiled at its first use.
package final class StatementCache<Thrown: Error> {
    private let connection: Connection<Thrown>
    private var statements: [String: Statement<Thrown>] = [:]

    package init(_ connection: Connection<Thrown>) { self.connection = connection }

    package func statement(_ sql: String) throws(Thrown) -> Statement<Thrown> {
        if let statement = statements[sql] { return statement }
        let statement = try connection.prepare(sql)
        statements[sql] = statement
        return statement
    }
}
