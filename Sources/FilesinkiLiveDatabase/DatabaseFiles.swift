import FilesinkiModel
import FilesinkiSystem
import Glibc

/// The stamps of a database and of the files that SQLite keeps beside it, at one moment.
struct DatabaseFiles: Equatable {
    let main: FileStamp?
    private let log: FileStamp?
    private let journal: FileStamp?
    /// Whether a program has, or had, the log in shared memory.
    let hasMemory: Bool

    init(_ path: String) {
        main = FileStamp(at: path)
        log = FileStamp(at: path + "-wal")
        journal = FileStamp(at: path + "-journal")
        hasMemory = FileStamp(at: path + "-shm") != nil
    }

    /// Whether a write-ahead log holds anything.
    var hasLog: Bool { (log?.size ?? 0) > 0 }

    /// Whether a rollback journal holds anything.
    var hasJournal: Bool { (journal?.size ?? 0) > 0 }

    /// The endings of the files that a copy needs so that SQLite can recover it.
    var recoveryEndings: [String] {
        [("-wal", log), ("-journal", journal)].filter { $0.1 != nil }.map(\.0)
    }
}

extension FileHandle {
    /// Whether another process has one of SQLite's locks, which are on bytes from 2^30 on
    /// (lockingv3.html). A journal without a lock was left by a process that died.
    var isLockedByOther: Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 1 << 30
        lock.l_len = 512
        return fcntl(raw, F_GETLK, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
    }
}

/// A private file that is removed when the value is released, with its companions. A process that
/// still has it open keeps its content.
package final class ScratchFile: Sendable {
    package let path: String

    init(_ path: String) { self.path = path }

    deinit {
        for ending in [""] + LiveDatabases.companions { unlink(path + ending) }
    }
}
