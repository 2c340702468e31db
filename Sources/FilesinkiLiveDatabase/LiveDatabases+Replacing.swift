package import FilesinkiModel
import FilesinkiSystem
import Glibc

extension LiveDatabases {
    /// Replaces the content of a database that others may have open, as one transaction of it: a
    /// reader sees the old content or the new one, and a writer comes before or after. The file and
    /// its journal mode stay.
    ///
    /// - Parameters:
    ///   - path: The database, by an absolute path without symlinks.
    ///   - content: The path of the new content, a database that holds still.
    ///   - isExpected: Asked once nobody else can write any more, with the path of a snapshot of what
    ///     is to be replaced. No: it is somebody's edit, and stays.
    /// - Returns: Whether it was replaced.
    /// - Throws: `Failure` with code `busy` when others hold it for longer than we wait, or have it
    ///   open with a log of another page size; `io` or `full`. Nothing was written then.
    package func replace(
        _ path: String, with content: String, isExpected: (String) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        // Kept open to the end: to close a file gives up all locks that this process has on it.
        let raw = try NamedFile(path, Self.reading, of: .local)
        defer { withExtendedLifetime(raw) {} }
        do {
            return try replace(raw, content, isExpected)
        } catch let failure as Failure {
            throw failure
        } catch let refusal as SQLiteRefusal {
            throw refusal.failure(path)
        } catch {
            throw SQLiteRefusal(code: 1, text: "\(error)").failure(path)
        }
    }

    private func replace(
        _ raw: NamedFile, _ content: String, _ isExpected: (String) throws(Failure) -> Bool
    ) throws -> Bool {
        let source = try Handle(content, .still)
        let target = try Handle(raw.name, .writing)
        let keepsLog = try raw.read(from: 18, count: 2) == [2, 2]
        do {
            return try transfer(source, target, raw, keepsLog: keepsLog, isExpected)
        } catch let refusal as SQLiteRefusal where keepsLog && refusal.isReadOnly {
            // Another page size. To leave the log takes that nobody else has the file open.
            try waiting { () throws(SQLiteRefusal) in
                try target.run("PRAGMA journal_mode = DELETE")
            }
            defer { try? target.run("PRAGMA journal_mode = WAL") }
            return try transfer(source, target, raw, keepsLog: false, isExpected)
        }
    }

    private func transfer(
        _ source: Handle, _ target: Handle, _ raw: NamedFile, keepsLog: Bool,
        _ isExpected: (String) throws(Failure) -> Bool
    ) throws -> Bool {
        let backup = try Backup(from: source, into: target, patience)
        try backup.lock()
        guard let current = try lockedSnapshot(raw, keepsLog: keepsLog) else { return false }
        try Self.normalize(current.path)
        guard try isExpected(current.path) else { return false }
        try backup.copy()
        return true
    }

    /// A snapshot of a database that this process has locked. Readers are let in beside a log; without
    /// one the lock keeps everybody out, and the file as it lies is the content.
    private func lockedSnapshot(_ raw: NamedFile, keepsLog: Bool) throws -> ScratchFile? {
        if keepsLog { return try backup(of: Handle(raw.name, .reading)) }
        let copy = newFile()
        try raw.copy(to: copy.path)
        return try withExtendedLifetime(copy) { try backup(of: Handle(copy.path, .still)) }
    }

    private func waiting(_ work: () throws(SQLiteRefusal) -> Void) throws(SQLiteRefusal) {
        for _ in 1..<max(2, patience.tries) {
            do {
                return try work()
            } catch {
                guard error.isBusy else { throw error }
            }
            patience.pause()
        }
        try work()
    }
}
