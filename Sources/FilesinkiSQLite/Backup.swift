internal import CSQLite

/// SQLite's online backup of one database into another (https://www.sqlite.org/backup.html).
package final class Backup<Thrown: Error> {
    private let handle: OpaquePointer
    private let source: Connection<Thrown>
    private let target: Connection<Thrown>

    package init(
        from source: Connection<Thrown>, into target: Connection<Thrown>
    ) throws(Thrown) {
        guard let handle = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw target.error(sqlite3_extended_errcode(target.handle), .copy)
        }
        self.handle = handle
        self.source = source
        self.target = target
    }

    deinit { sqlite3_backup_finish(handle) }

    /// Takes the write lock of the target, and copies nothing.
    package func lockTarget() throws(Thrown) { try step(0) }

    /// Copies all pages in one read transaction of the source, and commits them as one transaction of
    /// the target.
    package func copyPages() throws(Thrown) { try step(-1) }

    private func step(_ pages: Int32) throws(Thrown) {
        let code = sqlite3_backup_step(handle, pages)
        guard code == SQLITE_OK || code == SQLITE_DONE else {
            throw target.error(code, text: String(cString: sqlite3_errstr(code)), .copy)
        }
    }
}
