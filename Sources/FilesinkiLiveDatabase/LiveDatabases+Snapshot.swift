package import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

extension LiveDatabases {
    /// Makes a private copy of a database as of one moment, whoever writes to it meanwhile. Equal
    /// contents give equal bytes, wherever their pages lie and whatever the journal mode.
    ///
    /// - Parameter path: An absolute path without symlinks.
    /// - Returns: Nil for a file that begins like a database and is none: it is read as it lies.
    /// - Throws: `Failure` with code `busy` when others hold it for longer than we wait, `notFound`,
    ///   `full` or `io`.
    package func snapshot(of path: String) throws(Failure) -> ScratchFile? {
        if try !hasWholePage(path) { return nil }
        for _ in 0..<max(1, patience.tries) {
            do {
                guard let copy = try attempt(path) else {
                    patience.pause()
                    continue
                }
                try Self.normalize(copy.path)
                return copy
            } catch let refusal as SQLiteRefusal {
                if refusal.isMalformed { return nil }
                throw refusal.failure(path)
            } catch let failure as Failure {
                throw failure
            } catch { return nil }
        }
        throw .held(path)
    }

    /// Whether the file holds a first page, which even an empty database has. SQLite fills up what is
    /// cut off within it, and would so make another content of a file that is none.
    private func hasWholePage(_ path: String) throws(Failure) -> Bool {
        let file = try NamedFile(path, Self.reading, of: .local)
        let header = try file.read(from: 0, count: 18)
        guard header.count == 18 else { return false }
        let size = Int(header[16]) << 8 | Int(header[17])
        return (FileStamp(at: path)?.size ?? 0) >= Int64(size == 1 ? 1 << 16 : size)
    }

    /// - Returns: Nil when the file changed under a way that cannot take it.
    private func attempt(_ path: String) throws -> ScratchFile? {
        let before = SystemContext(path)
        guard before.main != nil else {
            _ = try NamedFile(path, Self.reading, of: .local)
            return nil
        }
        let isLeft =
            try (before.journal?.size ?? 0) > 0
            && !NamedFile(path, Self.reading, of: .local).handle.isLockedByOther
        if isLeft { return try withPrivateCopy(path, before) }
        if try !Self.keepsLog(path) || before.hasMemory {
            if let copy = try sharedSnapshot(path) { return copy }
        } else if before.log?.size ?? 0 == 0 {
            let copy = try backup(of: Handle(path, .still))
            return SystemContext(path) == before ? copy : nil
        }
        return try withPrivateCopy(path, before)
    }

    /// - Returns: Nil when somebody died while writing, or the folder is read only.
    private func sharedSnapshot(_ path: String) throws(SQLiteRefusal) -> ScratchFile? {
        do {
            return try backup(of: Handle(path, .reading))
        } catch {
            if error.needsWriting { return nil }
            throw error
        }
    }

    /// Lets SQLite recover a copy of the file and its log or journal, and not the user's own.
    private func withPrivateCopy(_ path: String, _ before: SystemContext) throws -> ScratchFile? {
        let copy = newFile()
        try NamedFile(path, Self.reading, of: .local).copy(to: copy.path)
        for (ending, look) in [("-wal", before.log), ("-journal", before.journal)] where look != nil
        {
            try NamedFile(path + ending, Self.reading, of: .local).copy(to: copy.path + ending)
        }
        guard SystemContext(path) == before else { return nil }
        let source = try Handle(copy.path, .writing)
        return try withExtendedLifetime(copy) { try backup(of: source) }
    }

    func backup(of source: Handle) throws(SQLiteRefusal) -> ScratchFile {
        let copy = newFile()
        let target = try Handle(copy.path, .scratch)
        try Backup(from: source, into: target, patience).copy()
        return copy
    }

    func newFile() -> ScratchFile {
        mkdir(scratch, 0o700)
        let number = Self.counter.add(1, ordering: .relaxed).newValue
        return ScratchFile("\(scratch)/\(getpid())-live-\(number)")
    }

    /// How a file of the user's is opened: through no symlink, and without waiting.
    static let reading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

    private static let counter = Atomic<UInt64>(0)

    /// Whether the header says that the file keeps a write-ahead log.
    static func keepsLog(_ path: String) throws(Failure) -> Bool {
        try NamedFile(path, Self.reading, of: .local).read(from: 18, count: 2) == [2, 2]
    }
}

/// A database and what lies beside it.
private struct SystemContext: Equatable {
    let main: FileStamp?
    let log: FileStamp?
    let journal: FileStamp?
    /// Whether somebody has, or had, the log in shared memory.
    let hasMemory: Bool

    init(_ path: String) {
        main = FileStamp(at: path)
        log = FileStamp(at: path + "-wal")
        journal = FileStamp(at: path + "-journal")
        hasMemory = FileStamp(at: path + "-shm") != nil
    }
}
