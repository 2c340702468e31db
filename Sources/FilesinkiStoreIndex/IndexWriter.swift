import FilesinkiEngine
import FilesinkiModel
import FilesinkiSQLite
import FilesinkiStore

/// Adds commits to the index. What a commit costs depends on its changes and on the depth of their paths.
struct IndexWriter {
    let database: IndexDatabase

    private var cache: StatementCache<Failure> { database.cache }

    /// Adds commits that follow each other, in one transaction.
    ///
    /// - Parameter start: The commit before them. If another process has added commits since it was read, nothing is
    ///   done: the caller reads the position again.
    func add(
        _ commits: [IndexedCommit], after start: UInt64, of store: KnownStore
    ) throws(Failure) {
        guard let last = commits.last else { return }
        try database.connection.transaction { () throws(Failure) in
            guard try database.number("sequence") == Int64(clamping: start) else { return }
            for commit in commits { try add(commit) }
            try database.setPosition(last.position, of: store)
        }
    }

    private func add(_ commit: IndexedCommit) throws(Failure) {
        let sequence = Int64(clamping: commit.sequence)
        let stored = try addContents(of: commit, sequence)
        let freed = try retire(commit.pruning)
        let device = try addDevice(of: commit, sequence, stored: stored)
        try addCommit(commit, sequence, device: device)
        try addGrowth(on: commit.day, stored: stored, freed: freed)
        for change in commit.superseded { try addVersion(change, sequence, isSuperseded: true) }
        let origins = Set(commit.changes.compactMap(\.movedFrom))
        let touched = commit.changes.touched(for: commit.changes)
        for var change in commit.changes {
            change.movedFrom = change.origin(touched)
            try addVersion(change, sequence, isSuperseded: false)
            try apply(change, sequence, isMoved: origins.contains(change.path))
        }
    }

    // MARK: Commits

    private func addCommit(
        _ commit: IndexedCommit, _ sequence: Int64, device: Int64
    ) throws(Failure) {
        let summary = commit.summary
        try cache.statement("INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").execute([
            .integer(sequence), .integer(commit.time.nanoseconds), .integer(device),
            .text(Array(commit.operation.utf8)), .integer(Int64(summary.added)),
            .integer(Int64(summary.modified)), .integer(Int64(summary.deleted)),
            .integer(Int64(summary.renamed)), .integer(Int64(summary.superseded)),
            .blob(commit.paths),
        ])
    }

    /// - Returns: The number of the device.
    private func addDevice(
        of commit: IndexedCommit, _ sequence: Int64, stored: Int64
    ) throws(Failure) -> Int64 {
        try cache.statement(
            """
            INSERT INTO device (identity, name, sequence, time, commits, stored)
            VALUES (?1, ?2, ?3, ?4, 1, ?5)
            ON CONFLICT DO UPDATE SET name = ?2, sequence = ?3, time = ?4, commits = commits + 1,
                stored = \(SafeSize.sum("stored", "?5"))
            """
        ).execute([
            .blob(commit.device.id), .text(Array(commit.device.name.utf8)), .integer(sequence),
            .integer(commit.time.nanoseconds), .integer(stored),
        ])
        let found = try cache.statement("SELECT id FROM device WHERE identity = ?")
        defer { found.reset() }
        found.bind(.blob(commit.device.id), at: 1)
        return try found.step() ? found.integer(0) : 0
    }

    private func addGrowth(on day: Int64, stored: Int64, freed: Int64) throws(Failure) {
        try cache.statement(
            """
            INSERT INTO growth VALUES (?1, 1, ?2, ?3)
            ON CONFLICT DO UPDATE SET commits = commits + 1,
                stored = \(SafeSize.sum("stored", "?2")), freed = \(SafeSize.sum("freed", "?3"))
            """
        ).execute([.integer(day), .integer(stored), .integer(freed)])
        try database.add(stored - freed, to: "stored")
    }

    // MARK: Contents

    /// - Returns: The bytes that the commit has added to the store.
    private func addContents(of commit: IndexedCommit, _ sequence: Int64) throws(Failure) -> Int64 {
        var stored: Int64 = 0
        let insert = try cache.statement(
            "INSERT INTO pack (identity, size, index_hash) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
        for pack in commit.packs {
            let size = SafeSize.ofOne(pack.size)
            try insert.execute([
                .blob(pack.id), .integer(size), .blob(pack.indexHash.bytes),
            ])
            if database.connection.changedRows > 0 { stored = SafeSize.ofOne(stored + size) }
        }
        let inline = try cache.statement(
            """
            INSERT INTO inline (content, sequence) VALUES (?, ?)
            ON CONFLICT DO UPDATE SET sequence = excluded.sequence
            """)
        for (content, length) in commit.inline {
            try inline.execute([.blob(content.bytes), .integer(sequence)])
            stored = SafeSize.ofOne(stored + Int64(length))
        }
        return stored
    }

    /// Removes the packs that a prune has retired, and the deletions whose versions it has dropped.
    ///
    /// - Returns: The bytes of those packs.
    private func retire(_ pruning: Pruning?) throws(Failure) -> Int64 {
        guard let pruning else { return 0 }
        var freed: Int64 = 0
        let remove = try cache.statement("DELETE FROM pack WHERE identity = ? RETURNING size")
        for id in pruning.retired {
            defer { remove.reset() }
            remove.bind(.blob(id), at: 1)
            while try remove.step() { freed = SafeSize.ofOne(freed + remove.integer(0)) }
        }
        try cache.statement("DELETE FROM deleted WHERE sequence <= ?").execute([
            .integer(Int64(clamping: pruning.ended))
        ])
        return freed
    }

    // MARK: Versions and the tree

    private func addVersion(
        _ change: Change, _ sequence: Int64, isSuperseded: Bool
    ) throws(Failure) {
        let entry = change.entry
        try cache.statement(
            """
            INSERT INTO version (path, sequence, superseded, kind, size, modified, content, target, based_on,
                moved_from, reason)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """
        ).execute([
            .blob(change.path.bytes), .integer(sequence), .integer(isSuperseded ? 1 : 0),
            .integer(Int64(entry.kind.rawValue)), .integer(SafeSize.held(entry.size)),
            .integer(entry.modified.nanoseconds),
            entry.kind == .file ? .blob(entry.content.bytes) : .null,
            entry.kind == .symlink ? .blob(entry.target) : .null,
            .integer(Int64(clamping: change.basedOn)),
            change.movedFrom.map { .blob($0.bytes) } ?? .null, .text(Array(change.reason.utf8)),
        ])
        if entry.kind == .file { try database.add(1, to: "versions") }
    }

    /// Moves a path of the tree to its new entry.
    ///
    /// - Parameter isMoved: Whether another path has the content from here, so that a tombstone is no deletion.
    private func apply(_ change: Change, _ sequence: Int64, isMoved: Bool) throws(Failure) {
        let (path, entry) = (change.path, change.entry)
        let old = try current(path)
        if old?.kind == .file { try count(path, files: -1, bytes: -(old?.size ?? 0)) }
        guard entry.kind != .tombstone else {
            try cache.statement("DELETE FROM entry WHERE path = ?").execute([.blob(path.bytes)])
            guard let old, old.kind == .file, !isMoved else { return }
            try cache.statement(
                "INSERT INTO deleted (path, sequence, last, size) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
            ).execute([
                .blob(path.bytes), .integer(sequence), .integer(old.sequence), .integer(old.size),
            ])
            return
        }
        let size = SafeSize.ofOne(entry.size)
        try cache.statement(
            """
            INSERT INTO entry (path, folder, kind, size, modified, sequence) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT DO UPDATE SET kind = ?3, size = ?4, modified = ?5, sequence = ?6
            """
        ).execute([
            .blob(path.bytes), .blob(path.parent?.bytes ?? []),
            .integer(Int64(entry.kind.rawValue)), .integer(size),
            .integer(entry.modified.nanoseconds), .integer(sequence),
        ])
        if entry.kind == .file { try count(path, files: 1, bytes: size) }
        try cache.statement("DELETE FROM deleted WHERE path = ?").execute([.blob(path.bytes)])
    }

    private struct CurrentEntry {
        var kind: Entry.Kind?
        var size: Int64
        var sequence: Int64
    }

    private func current(_ path: RelativePath) throws(Failure) -> CurrentEntry? {
        let statement = try cache.statement("SELECT kind, size, sequence FROM entry WHERE path = ?")
        defer { statement.reset() }
        statement.bind(.blob(path.bytes), at: 1)
        guard try statement.step() else { return nil }
        return CurrentEntry(
            kind: UInt8(exactly: statement.integer(0)).flatMap(Entry.Kind.init),
            size: statement.integer(1), sequence: statement.integer(2))
    }

    /// Adds to the sums of all folders above a path.
    private func count(_ path: RelativePath, files: Int64, bytes: Int64) throws(Failure) {
        let add = try cache.statement(
            """
            INSERT INTO folder (path, parent, files, bytes) VALUES (?1, ?2, max(?3, 0), max(?4, 0))
            ON CONFLICT DO UPDATE SET files = max(files + ?3, 0),
                bytes = \(SafeSize.sum("bytes", "?4"))
            """)
        for folder in path.ancestors {
            try add.execute([
                .blob(folder.bytes), .blob(folder.parent?.bytes ?? []), .integer(files),
                .integer(bytes),
            ])
        }
        try add.execute([.blob([]), .null, .integer(files), .integer(bytes)])
    }
}
