package import FilesinkiModel
import FilesinkiSQLite
import FilesinkiSystem
import Glibc
import Synchronization

/// Reads and replaces SQLite databases that other programs may have open.
///
/// The file alone is not the content: commits may lie in `NAME-wal`, and a copy made while somebody
/// writes is torn. A database is therefore read as a *snapshot*: a private copy that SQLite's backup
/// makes in one read transaction, with the header of the version that the file holds, see
/// ``KnownHeaders``: what SQLite counts in the header changes without a change of the content. It
/// is replaced by a backup in the other direction, in one transaction, so that programs that have it
/// open read the old content or the new one.
///
/// Reading changes nothing in the user's folder: it creates no `-wal` and no `-shm`.
package struct LiveDatabases: Sendable {
    /// A folder of our own for private copies, on a disk with room for a database.
    private let scratch: String
    /// Nil: every snapshot has the normalized header.
    private let headers: KnownHeaders?
    private let retries: RetryPolicy

    /// - Parameter headers: The folder of ``KnownHeaders``; nil to normalize the header of every
    ///   snapshot.
    package init(
        scratch: String, headers: String? = nil, retries: RetryPolicy = RetryPolicy()
    ) {
        self.scratch = scratch
        self.headers = headers.map(KnownHeaders.init)
        self.retries = retries
    }

    /// How many bytes of a file tell whether it is a database.
    package static let headerLength = 16

    /// Whether a file that begins with these bytes is an SQLite database.
    package static func isDatabase(_ header: some Collection<UInt8>) -> Bool {
        header.prefix(headerLength).elementsEqual("SQLite format 3\0".utf8)
    }

    /// The endings of the files that SQLite keeps beside a database while it is in use. Without the
    /// database of that very moment they mean nothing; they are never synced.
    package static let companions = ["-wal", "-shm", "-journal"]

    /// How a user's file is opened: through no symlink, and without waiting.
    static let openFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

    // MARK: Snapshots

    /// Makes a private copy of a database as of one moment, while others may write to it. Equal
    /// contents of one file give equal bytes, wherever their pages lie and whatever the journal mode
    /// is. Of a file that is seen for the first time, and that no program has open, they are its own.
    ///
    /// Costs two passes over the whole database.
    ///
    /// - Parameter path: An absolute path without symlinks.
    /// - Returns: Nil for a file that begins like a database and is not one; it is to be read as a
    ///   plain file.
    /// - Throws: `Failure` with code `busy` when others hold it longer than the retries last,
    ///   `notFound`, `full` or `io`.
    package func snapshot(of path: String) throws(Failure) -> ScratchFile? {
        if try !hasWholePage(path) { return nil }
        for _ in 0..<max(1, retries.attempts) {
            do {
                guard let copy = try attemptSnapshot(path) else {
                    retries.pause()
                    continue
                }
                try giveHeader(to: copy.path, NamedFile(path, Self.openFlags, of: .local))
                return copy
            } catch let error as SQLiteError {
                if error.kind == .corrupt { return nil }
                throw error.failure(path)
            } catch let failure as Failure {
                throw failure
            } catch { return nil }
        }
        throw .held(path)
    }

    /// Whether the file holds a first page, as even an empty database does. SQLite pads a first page
    /// that is cut off, and would turn a file that is not a database into another content.
    private func hasWholePage(_ path: String) throws(Failure) -> Bool {
        let file = try NamedFile(path, Self.openFlags, of: .local)
        let header = try file.read(from: 0, count: 18)
        guard header.count == 18 else { return false }
        let size = Int(header[16]) << 8 | Int(header[17])
        return (FileStamp(at: path)?.size ?? 0) >= Int64(size == 1 ? 1 << 16 : size)
    }

    /// - Returns: Nil when the file changed while it was copied without locks.
    private func attemptSnapshot(_ path: String) throws -> ScratchFile? {
        let before = DatabaseFiles(path)
        guard before.main != nil else {
            _ = try NamedFile(path, Self.openFlags, of: .local)
            return nil
        }
        if before.hasJournal,
            try !NamedFile(path, Self.openFlags, of: .local).handle.isLockedByOther
        {
            return try recoverCopy(path, before)
        }
        if try !Self.keepsLog(path) || before.hasMemory {
            if let copy = try lockedSnapshot(path) { return copy }
        } else if !before.hasLog {
            let copy = try backUp(Connection(path, .live(.immutable)))
            return DatabaseFiles(path) == before ? copy : nil
        }
        return try recoverCopy(path, before)
    }

    /// - Returns: Nil when a writer died, or the folder is read-only: then SQLite would have to write.
    private func lockedSnapshot(_ path: String) throws(SQLiteError) -> ScratchFile? {
        do throws(SQLiteError) {
            return try backUp(Connection(path, .live(.reading)))
        } catch {
            if error.kind == .cannotOpen || error.kind == .readOnly { return nil }
            throw error
        }
    }

    /// Copies the file with its log or journal, and lets SQLite recover the copy, not the user's file.
    private func recoverCopy(_ path: String, _ before: DatabaseFiles) throws -> ScratchFile? {
        let copy = newFile()
        try NamedFile(path, Self.openFlags, of: .local).copy(to: copy.path)
        for ending in before.recoveryEndings {
            try NamedFile(path + ending, Self.openFlags, of: .local).copy(to: copy.path + ending)
        }
        guard DatabaseFiles(path) == before else { return nil }
        let source = try Connection(copy.path, .live(.writing))
        return try withExtendedLifetime(copy) { try backUp(source) }
    }

    private func backUp(_ source: Connection<SQLiteError>) throws(SQLiteError) -> ScratchFile {
        let copy = newFile()
        let target = try Connection(copy.path, .live(.scratch))
        let backup = try Backup(from: source, into: target)
        try retrying(backup.copyPages)
        return copy
    }

    private func newFile() -> ScratchFile {
        mkdir(scratch, 0o700)
        let number = Self.counter.add(1, ordering: .relaxed).newValue
        return ScratchFile("\(scratch)/\(getpid())-live-\(number)")
    }

    private static let counter = Atomic<UInt64>(0)

    /// Whether the header says that the file keeps a write-ahead log.
    private static func keepsLog(_ path: String) throws(Failure) -> Bool {
        try NamedFile(path, openFlags, of: .local).read(from: 18, count: 2) == [2, 2]
    }

    /// Gives a private database the normalized header, see ``DatabaseHeader/normalized``.
    ///
    /// - Parameter path: A file of our own that nobody has open.
    package static func normalize(_ path: String) throws(Failure) {
        let file = try NamedFile(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK, of: .local)
        guard try isDatabase(file.read(from: 0, count: headerLength)) else { return }
        try DatabaseHeader.normalized.write(to: file)
    }

    /// Gives a snapshot the header of the version that the file holds.
    ///
    /// - Parameter raw: The user's file. It is read without SQLite's locks: a header that somebody
    ///   writes meanwhile may be an old one, and is none the worse for that.
    private func giveHeader(to snapshot: String, _ raw: NamedFile) throws(Failure) {
        try Self.normalize(snapshot)
        guard let header = try headers?.header(of: raw, snapshot: snapshot) else { return }
        try header.write(to: NamedFile(snapshot, O_RDWR | O_NOFOLLOW, of: .local))
    }

    /// Notes that a file of our own will be a user's database: it is read as this content from then
    /// on, whatever programs do to its header.
    package func willInstall(_ content: String) throws(Failure) {
        let file = try NamedFile(content, Self.openFlags, of: .local)
        try headers?.keep(content: file, in: file)
    }

    // MARK: Replacing

    /// Replaces the content of a database that others may have open, in one transaction: a reader sees
    /// the old content or the new one, and a writer comes before or after. The file and its journal
    /// mode stay.
    ///
    /// - Parameters:
    ///   - path: The database, by an absolute path without symlinks.
    ///   - content: The path of the new content, a database that nobody writes.
    ///   - isExpected: Called while no other connection can write, with the path of a snapshot of what
    ///     is to be replaced. False: it is a user's edit, and stays.
    /// - Returns: Whether it was replaced.
    /// - Throws: `Failure` with code `busy` when others hold it longer than the retries last, or have
    ///   it open with a log of another page size; `io` or `full`. Nothing was written then.
    package func replace(
        _ path: String, with content: String, isExpected: (String) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        // Kept open to the end: closing a file gives up all locks that this process has on it.
        let raw = try NamedFile(path, Self.openFlags, of: .local)
        defer { withExtendedLifetime(raw) {} }
        do {
            guard try replace(raw, content, isExpected) else { return false }
            // SQLite has counted the transaction in the header, and has kept the journal mode.
            try? headers?.keep(content: NamedFile(content, Self.openFlags, of: .local), in: raw)
            return true
        } catch let failure as Failure {
            throw failure
        } catch let error as SQLiteError {
            throw error.failure(path)
        } catch {
            throw SQLiteError.unreadable("\(error)", path)
        }
    }

    private func replace(
        _ raw: NamedFile, _ content: String, _ isExpected: (String) throws(Failure) -> Bool
    ) throws -> Bool {
        let plain = try withoutLog(content)
        defer { withExtendedLifetime(plain) {} }
        let source = try Connection(plain?.path ?? content, .live(.immutable))
        let target = try Connection(raw.name, .live(.writing))
        let keepsLog = try raw.read(from: 18, count: 2) == [2, 2]
        do {
            return try transfer(source, target, raw, keepsLog: keepsLog, isExpected)
        } catch let error as SQLiteError where keepsLog && error.kind == .readOnly {
            // The page sizes differ. The log can be left only when nobody else has the file open.
            try retrying { () throws(SQLiteError) in
                try target.execute("PRAGMA journal_mode = DELETE")
            }
            defer { try? target.execute("PRAGMA journal_mode = WAL") }
            return try transfer(source, target, raw, keepsLog: false, isExpected)
        }
    }

    private func transfer(
        _ source: Connection<SQLiteError>, _ target: Connection<SQLiteError>, _ raw: NamedFile,
        keepsLog: Bool, _ isExpected: (String) throws(Failure) -> Bool
    ) throws -> Bool {
        let backup = try Backup(from: source, into: target)
        try retrying(backup.lockTarget)
        let current = try snapshotOfLocked(raw, keepsLog: keepsLog)
        try giveHeader(to: current.path, raw)
        guard try isExpected(current.path) || isExpected(normalized(current)) else { return false }
        try retrying(backup.copyPages)
        return true
    }

    /// A snapshot of a database that this process has locked. With a log, readers are admitted beside
    /// the writer; without one the lock excludes everybody, and the file as it lies is the content.
    private func snapshotOfLocked(_ raw: NamedFile, keepsLog: Bool) throws -> ScratchFile {
        if keepsLog { return try backUp(Connection(raw.name, .live(.reading))) }
        let copy = newFile()
        try raw.copy(to: copy.path)
        return try withExtendedLifetime(copy) {
            try backUp(Connection(copy.path, .live(.immutable)))
        }
    }

    /// A snapshot with the normalized header, which stores have of files from before
    /// ``KnownHeaders``.
    private func normalized(_ snapshot: ScratchFile) throws(Failure) -> String {
        try Self.normalize(snapshot.path)
        return snapshot.path
    }

    /// A copy of a content in WAL mode without that mode, which a backup would give to a file that
    /// programs have open without it; nil for any other content.
    private func withoutLog(_ content: String) throws(Failure) -> ScratchFile? {
        guard try Self.keepsLog(content) else { return nil }
        let copy = newFile()
        try NamedFile(content, Self.openFlags, of: .local).copy(to: copy.path)
        try Self.normalize(copy.path)
        return copy
    }

    /// Repeats `body` while another connection holds a lock, until the retries are used up.
    private func retrying(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        for _ in 1..<max(1, retries.attempts) {
            do throws(SQLiteError) { return try body() } catch {
                guard error.kind == .busy else { throw error }
            }
            retries.pause()
        }
        try body()
    }
}

/// How long to wait for other programs that hold a database.
package struct RetryPolicy: Sendable {
    /// How often to try; at least once.
    package var attempts: Int
    /// Waits between two attempts.
    package var pause: @Sendable () -> Void

    /// Tries for about two seconds.
    package init(attempts: Int = 100, pause: @escaping @Sendable () -> Void = { usleep(20_000) }) {
        self.attempts = attempts
        self.pause = pause
    }
}

extension SQLiteError {
    /// The failure that the error means for a user's database.
    fileprivate func failure(_ path: String) -> Failure {
        switch kind {
        case .busy: .held(path)
        case .full:
            Failure(
                .full, path: path, "No space left for the database: \(text).",
                remedy: "Make room and run again.")
        default: Self.unreadable(text, path)
        }
    }

    fileprivate static func unreadable(_ reason: String, _ path: String) -> Failure {
        Failure(
            .io, path: path, "Cannot read or write the database: \(reason).",
            remedy: "Check the disk and the permissions, and run again.")
    }
}

extension Failure {
    /// Another program held the database longer than the retries lasted.
    fileprivate static func held(_ path: String) -> Failure {
        Failure(
            .busy, path: path, "Another program has locked the database.",
            remedy: "The next run tries again; if this persists, close the program.")
    }
}
