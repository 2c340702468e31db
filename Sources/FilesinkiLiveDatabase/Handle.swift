import CSQLite
import FilesinkiModel

/// One open database, without any trust in what it holds: no SQL of its schema is ever run.
final class Handle {
    let pointer: OpaquePointer
    /// The file, for messages.
    let path: String

    enum Access {
        /// With SQLite's locks, to read.
        case reading
        /// Without locks, a file that holds still.
        case still
        /// With SQLite's locks, to write.
        case writing
        /// A new file of our own.
        case scratch
    }

    init(_ path: String, _ access: Access) throws(SQLiteRefusal) {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(
            Self.address(path) + (access == .still ? "?immutable=1" : ""), &opened,
            Self.flags(access) | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
                | SQLITE_OPEN_PRIVATECACHE, nil)
        guard let opened else { throw SQLiteRefusal(code: SQLITE_NOMEM, text: "no memory") }
        pointer = opened
        self.path = path
        sqlite3_extended_result_codes(pointer, 1)
        guard code == SQLITE_OK else { throw refusal(code) }
        if access == .scratch {
            try run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        }
    }

    deinit { sqlite3_close_v2(pointer) }

    private static func flags(_ access: Access) -> Int32 {
        switch access {
        case .reading, .still: SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW
        case .writing: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW
        case .scratch: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
    }

    func run(_ sql: String) throws(SQLiteRefusal) {
        let code = sqlite3_exec(pointer, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw refusal(code) }
    }

    func refusal(_ code: Int32) -> SQLiteRefusal {
        SQLiteRefusal(code: code, text: String(cString: sqlite3_errmsg(pointer)))
    }

    /// The path as a URI, in which no byte means anything else.
    private static func address(_ path: String) -> String {
        let plain = Array("/._-".utf8)
        return "file:"
            + path.utf8.map { byte in
                let isPlain =
                    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || plain.contains(byte)
                if isPlain { return String(UnicodeScalar(byte)) }
                return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
    }
}

/// What SQLite answered instead of doing it.
struct SQLiteRefusal: Error {
    /// An extended result code.
    var code: Int32
    var text: String

    private var kind: Int32 { code & 0xFF }

    /// Whether somebody else holds the database.
    var isBusy: Bool { kind == SQLITE_BUSY || kind == SQLITE_LOCKED }

    /// Whether the bytes are no database.
    var isMalformed: Bool { kind == SQLITE_NOTADB || kind == SQLITE_CORRUPT }

    /// Whether reading would have to write: a log or a journal without its memory, a folder that is
    /// read only.
    var needsWriting: Bool { kind == SQLITE_CANTOPEN || kind == SQLITE_READONLY }

    /// Whether the backup meets another page size, which a write-ahead log cannot take.
    var isReadOnly: Bool { kind == SQLITE_READONLY }

    func failure(_ path: String) -> Failure {
        if isBusy { return .held(path) }
        if kind == SQLITE_FULL {
            return Failure(
                .full, path: path, "No space left for the database: \(text).",
                remedy: "Make room and run again.")
        }
        return Failure(
            .io, path: path, "The database could not be read or written: \(text).",
            remedy: "Check the disk and the permissions, and run again.")
    }
}

extension Failure {
    /// Somebody has held the database for longer than we wait.
    static func held(_ path: String) -> Failure {
        Failure(
            .busy, path: path, "Another program holds the database.",
            remedy: "The next run tries again; close the program if it lasts.")
    }
}
