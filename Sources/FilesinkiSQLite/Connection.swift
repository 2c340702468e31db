internal import CSQLite
package import FilesinkiModel

/// One open SQLite file. Used from one task at a time: SQLite's own locks are off.
package final class Connection {
    /// How a file is opened.
    package enum Mode: Sendable {
        /// To read; never creates anything that stays.
        case reading
        /// To read and write a file that exists.
        case writing
        /// To read and write a file, which is made when there is none.
        case creating

        fileprivate var flag: Int32 {
            switch self {
            case .reading: SQLITE_OPEN_READONLY
            case .writing: SQLITE_OPEN_READWRITE
            case .creating: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        }
    }

    let handle: OpaquePointer
    /// The file, for messages.
    package let path: [UInt8]
    let purpose: FilePurpose

    /// How long to wait for another process's short lock, in milliseconds. Long ones do not exist:
    /// one run at a time writes, and readers do not wait for it.
    private static let busyTimeout: Int32 = 5_000

    /// - Throws: `Failure` as ``failure(_:doing:)`` maps SQLite's codes.
    package init(path: [UInt8], mode: Mode, purpose: FilePurpose) throws(Failure) {
        let flags = mode.flag | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        var opened: OpaquePointer?
        let name = Self.fileName(path)
        let code = name.withUnsafeBufferPointer {
            sqlite3_open_v2($0.baseAddress, &opened, flags, ReadErrors.fileSystem)
        }
        guard let opened else {
            throw Failure(
                .io, path: path, "Out of memory while opening the \(purpose.name).",
                remedy: "Close other programs and run again.")
        }
        handle = opened
        self.path = path
        self.purpose = purpose
        guard code == SQLITE_OK else { throw failure(code, doing: "opened") }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Self.busyTimeout)
    }

    deinit {
        // Statements that are still alive keep SQLite's own part open until the last has gone.
        sqlite3_close_v2(handle)
    }

    /// A NUL-ended name that SQLite takes for a file's, never for one of its special names.
    private static func fileName(_ path: [UInt8]) -> [CChar] {
        let bytes = path.first == UInt8(ascii: "/") ? path : Array("./".utf8) + path
        return (bytes + [0]).map { CChar(bitPattern: $0) }
    }

    /// Runs statements that return nothing that matters.
    package func run(_ sql: String) throws(Failure) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, doing: "used") }
    }

    /// The number that a query gives; 0 when it gives nothing.
    package func number(_ sql: String) throws(Failure) -> Int64 {
        let statement = try Statement(sql, on: self)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Whether a transaction is under way.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// How many rows the last insert, update or delete changed.
    package var changedRows: Int { Int(sqlite3_changes(handle)) }

    /// The rowid of the last row inserted.
    package var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }
}
