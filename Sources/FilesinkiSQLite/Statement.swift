internal import CSQLite
package import FilesinkiModel

/// A compiled statement, used again and again.
///
/// Columns and parameters are by number, in the order of the SQL: parameters from 1, columns from
/// 0, as SQLite counts them.
package final class Statement {
    let handle: OpaquePointer
    /// Where it was compiled.
    package let connection: Connection

    /// SQLite's name for bytes that it must copy. They go to its own small-block pool, which was
    /// measured to cost less than nesting a closure for every bound array.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    /// - Throws: `Failure` with code `corrupt` when it does not fit the file.
    package init(_ sql: String, on connection: Connection) throws(Failure) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else {
            throw connection.failure(code, doing: "read")
        }
        handle = prepared
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// Moves to the next row; false when there is none.
    package func step() throws(Failure) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let failure = connection.failure(code, doing: "used")
        sqlite3_reset(handle)
        throw failure
    }

    /// Carries out a statement that has no rows to give, and makes it ready for the next use.
    package func run() throws(Failure) {
        _ = try step()
        reset()
    }

    /// Ends the use of the rows. Bound values stay until they are bound anew.
    package func reset() { sqlite3_reset(handle) }

    /// Gives a parameter its value: A number.
    package func bind(_ value: Int64, at index: Int32) {
        sqlite3_bind_int64(handle, index, value)
    }

    /// Gives a parameter its value: Bytes, which are copied.
    package func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            sqlite3_bind_zeroblob(handle, index, 0)
            return
        }
        sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), Self.copied)
    }

    /// Gives a parameter its value: A text.
    package func bind(_ text: String, at index: Int32) {
        sqlite3_bind_text64(
            handle, index, text, UInt64(text.utf8.count), Self.copied, UInt8(SQLITE_UTF8))
    }

    /// Gives a parameter its value: NULL.
    package func bindNull(at index: Int32) { sqlite3_bind_null(handle, index) }

    /// Whether a column is NULL.
    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// A column's number.
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The bytes of a column; good until the next step.
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        // The pointer comes first: asking for the length may otherwise convert the value.
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(
            start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// A column's text.
    package func text(_ column: Int32) -> String {
        String(decoding: bytes(column), as: UTF8.self)
    }
}
