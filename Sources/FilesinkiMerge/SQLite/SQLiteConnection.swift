import CSQLite
import FilesinkiModel

/// A connection for files that somebody else made, perhaps to do harm.
///
/// No trigger fires and no view is read, the schema may call no function with side effects, and a
/// budget of steps ends what a hostile expression would make endless.
final class SQLiteConnection {
    let handle: OpaquePointer
    /// The file, for messages.
    let path: String
    private let budget: StepBudget

    /// - Parameters:
    ///   - isWritable: Whether the file is to be changed. One that is not is read as it lies on the
    ///     disk, without locks and without a write-ahead log beside it.
    ///   - size: The bytes of all the databases that the connection will see, which its budget
    ///     follows from.
    init(path: String, isWritable: Bool, size: Int) throws(SQLiteTrouble) {
        var opened: OpaquePointer?
        let access = isWritable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        let code = sqlite3_open_v2(
            Self.address(path, isWritable: isWritable), &opened,
            access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_URI, nil)
        guard let opened else {
            throw SQLiteTrouble(SQLITE_NOMEM, "out of memory", place: "", path: path)
        }
        handle = opened
        self.path = path
        budget = StepBudget(size: size)
        guard code == SQLITE_OK else { throw trouble(code) }
        sqlite3_extended_result_codes(handle, 1)
        harden(size: size)
        try run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        if isWritable {
            // The file is thrown away when anything fails.
            try run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            try run("PRAGMA foreign_keys = OFF")
        }
        try makeRoom("main")
        // Last, as it forbids to do without a journal.
        filesinki_sqlite3_set_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    }

    deinit { sqlite3_close_v2(handle) }

    private func harden(size: Int) {
        for off in [
            SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_DQS_DML,
            SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
        ] {
            filesinki_sqlite3_set_switch(handle, off, 0)
        }
        // No value is longer than the files that it could come from.
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: max(size, 1 << 20)))
        sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100)
        budget.attach(to: handle)
    }

    /// Reads another file under a name of its own; it is never changed.
    func attach(_ path: String, as name: String) throws(SQLiteTrouble) {
        let statement = try prepare("ATTACH ?1 AS \(name)")
        statement.bind(.text(Array(Self.address(path, isWritable: false).utf8)), at: 1)
        _ = try statement.step()
        try makeRoom(name)
    }

    /// A cache large enough for the checks, which follow every index in its own order: with 2 MB,
    /// SQLite's default, they read each page many times.
    private func makeRoom(_ name: String) throws(SQLiteTrouble) {
        try run("PRAGMA \(name).cache_size = -65536")
    }

    /// Runs statements whose rows do not matter.
    func run(_ sql: String) throws(SQLiteTrouble) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw trouble(code) }
    }

    func prepare(_ sql: String) throws(SQLiteTrouble) -> SQLiteStatement {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw trouble(code) }
        return SQLiteStatement(prepared, on: self)
    }

    /// The first column of the first row, as an integer; 0 when there is none.
    func integer(_ sql: String) throws(SQLiteTrouble) -> Int64 {
        let statement = try prepare(sql)
        guard try statement.step(), case .integer(let value) = statement.value(0) else { return 0 }
        return value
    }

    /// Whether there is a row.
    func hasRow(_ sql: String) throws(SQLiteTrouble) -> Bool { try prepare(sql).step() }

    func trouble(_ code: Int32, place: String = "") -> SQLiteTrouble {
        SQLiteTrouble(code, String(cString: sqlite3_errmsg(handle)), place: place, path: path)
    }

    /// The URI of a file: every byte that could mean something else is escaped.
    private static func address(_ path: String, isWritable: Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes = Array("file:".utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self) + (isWritable ? "" : "?mode=ro&immutable=1")
    }
}
