import CSQLite
import FilesinkiModel

/// A compiled statement. Parameters count from 1, columns from 0.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let connection: SQLiteConnection

    /// SQLite's name for bytes that it must copy.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ handle: OpaquePointer, on connection: SQLiteConnection) {
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// Moves to the next row; false when there is none.
    ///
    /// - Parameter place: Where the merge is, for the reason should SQLite refuse.
    func step(place: String = "") throws(SQLiteTrouble) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw connection.trouble(code, place: place)
    }

    /// Carries out a statement once more with new parameters.
    func run(_ values: [SQLiteValue], place: String = "") throws(SQLiteTrouble) {
        sqlite3_reset(handle)
        for (index, value) in values.enumerated() { bind(value, at: Int32(index) + 1) }
        _ = try step(place: place)
        sqlite3_reset(handle)
    }

    func bind(_ value: SQLiteValue, at index: Int32) {
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let number): sqlite3_bind_int64(handle, index, number)
        case .real(let number): sqlite3_bind_double(handle, index, number)
        case .text(let bytes):
            // With the NUL at its end an empty text has an address, too, and is not NULL.
            (bytes + [0]).withUnsafeBufferPointer { terminated in
                _ = terminated.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text64(
                        handle, index, $0.baseAddress, UInt64(bytes.count), Self.copied,
                        UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let bytes) where bytes.isEmpty: sqlite3_bind_zeroblob(handle, index, 0)
        case .blob(let bytes):
            sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), Self.copied)
        }
    }

    func value(_ column: Int) -> SQLiteValue {
        let index = Int32(column)
        switch sqlite3_column_type(handle, index) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, index))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, index))
        case SQLITE_TEXT:
            let start = UnsafeRawPointer(sqlite3_column_text(handle, index))
            return .text(bytes(from: start, index))
        case SQLITE_BLOB: return .blob(bytes(from: sqlite3_column_blob(handle, index), index))
        default: return .null
        }
    }

    func values(_ columns: Range<Int>) -> [SQLiteValue] { columns.map(value) }

    func text(_ column: Int) -> String {
        guard case .text(let bytes) = value(column) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func bytes(from start: UnsafeRawPointer?, _ index: Int32) -> [UInt8] {
        Array(
            UnsafeRawBufferPointer(
                start: start, count: Int(sqlite3_column_bytes(handle, index))))
    }
}
