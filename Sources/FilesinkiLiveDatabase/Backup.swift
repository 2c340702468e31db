import CSQLite
import FilesinkiModel

/// SQLite's online backup of one database into another (backup.html).
final class Backup {
    private let pointer: OpaquePointer
    private let target: Handle
    private let patience: Patience

    init(from source: Handle, into target: Handle, _ patience: Patience) throws(SQLiteRefusal) {
        guard
            let pointer = sqlite3_backup_init(target.pointer, "main", source.pointer, "main")
        else { throw target.refusal(sqlite3_extended_errcode(target.pointer)) }
        self.pointer = pointer
        self.target = target
        self.patience = patience
    }

    deinit { sqlite3_backup_finish(pointer) }

    /// Takes the target's write lock and copies nothing yet.
    func lock() throws(SQLiteRefusal) { try step(0) }

    /// Copies all pages within one read transaction of the source, so that no writer makes it begin
    /// anew, and commits them as one transaction of the target.
    func copy() throws(SQLiteRefusal) { try step(-1) }

    private func step(_ pages: Int32) throws(SQLiteRefusal) {
        var code = sqlite3_backup_step(pointer, pages)
        var tries = 1
        while SQLiteRefusal(code: code, text: "").isBusy, tries < patience.tries {
            patience.pause()
            code = sqlite3_backup_step(pointer, pages)
            tries += 1
        }
        guard code == SQLITE_OK || code == SQLITE_DONE else {
            throw SQLiteRefusal(code: code, text: String(cString: sqlite3_errstr(code)))
        }
    }
}
