internal import CSQLite
package import FilesinkiModel
internal import FilesinkiSystem
internal import Glibc

extension Connection {
    /// The failure that SQLite's result code stands for.
    ///
    /// - Parameter deed: What could not be done to the file, as `opened` or `read`.
    func failure(_ code: Int32, doing deed: String) -> Failure {
        let text = String(cString: sqlite3_errmsg(handle))
        switch code & 0xFF {
        case SQLITE_FULL:
            return full(text)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return Failure(
                .busy, path: path, "The \(purpose.name) is held by another process: \(text).",
                remedy: "Wait until the other run has ended.")
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH,
            SQLITE_SCHEMA, SQLITE_RANGE, SQLITE_FORMAT:
            // The statements are our own: one that does not fit meets a schema that is not ours.
            return corrupt(text)
        case SQLITE_IOERR where sqlite3_system_errno(handle) == EDQUOT:
            return full(text)
        case SQLITE_TOOBIG, SQLITE_NOMEM:
            return Failure(
                .limit, path: path,
                "A row of the \(purpose.name) does not fit into memory: \(text).",
                remedy: "Close other programs and run again.")
        case SQLITE_INTERRUPT:
            return Failure(
                .interrupted, path: path, "The work was stopped.", remedy: "Run it again.")
        default:
            return refused(text, doing: deed)
        }
    }

    /// The failure for bytes that are not what was written.
    package func corrupt(_ what: String) -> Failure {
        purpose.noteDamage(path)
        return Failure(
            .corrupt, path: path, "The \(purpose.name) is damaged: \(what).",
            remedy: purpose.whenDamaged)
    }

    private func full(_ text: String) -> Failure {
        Failure(
            .full, path: path, "The disk that holds the \(purpose.name) is full: \(text).",
            remedy: "Make room and run again; nothing was half written.")
    }

    private func refused(_ text: String, doing deed: String) -> Failure {
        let number = sqlite3_system_errno(handle)
        let reason = number == 0 ? text : SystemError(number).words
        return Failure(
            .io, path: path, "The \(purpose.name) could not be \(deed): \(reason).",
            remedy: "Check the permissions of its folder and the disk.")
    }
}
