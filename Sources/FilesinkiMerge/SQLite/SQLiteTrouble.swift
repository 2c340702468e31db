import CSQLite
import FilesinkiModel

/// Why a merge of databases stops before its end.
enum SQLiteTrouble: Error {
    /// The contents do not let it be.
    case declined([MergeConflict])
    /// The machine does not.
    case failed(Failure)

    static func declined(_ place: String, _ reason: String) -> SQLiteTrouble {
        .declined([MergeConflict(place, reason)])
    }
}

extension SQLiteTrouble {
    /// What a result code stands for.
    ///
    /// The files are from outside: what SQLite says about their bytes, their schema or their rows
    /// declines. What it says about the disk or the memory is a failure.
    init(_ code: Int32, _ text: String, place: String, path: String) {
        switch code & 0xFF {
        case SQLITE_FULL:
            self = .failed(
                Failure(
                    .full, path: path, "No space left to merge the database: \(text).",
                    remedy: "Make room and run again."))
        case SQLITE_NOMEM, SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_BUSY,
            SQLITE_LOCKED:
            self = Self.refused(text, path)
        case SQLITE_IOERR where code != Self.shortRead:
            self = Self.refused(text, path)
        case SQLITE_INTERRUPT:
            self = .declined(place, "The merge would take too long.")
        default:
            self = .declined(place, "SQLite refuses: \(text).")
        }
    }

    private static func refused(_ text: String, _ path: String) -> SQLiteTrouble {
        .failed(
            Failure(
                .io, path: path, "The database could not be merged: \(text).",
                remedy: "Check the disk and the permissions of its folder, and run again."))
    }

    /// `SQLITE_IOERR_SHORT_READ`: the file ends too early, which is the fault of its writer.
    private static let shortRead: Int32 = SQLITE_IOERR | (2 << 8)
}
