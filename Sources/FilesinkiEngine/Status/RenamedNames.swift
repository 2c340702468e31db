import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// The old names of renamed files, as the journal has them: for the store a rename deletes the old name, for a user
/// nothing is deleted.
///
/// A replica that was made after a rename knows the old name as a deleted one, and so does a partial one of what was
/// renamed to where it does not hold it. What the store has there, or the log, tells of these: see ``add(unheld:)`` and
/// ``add(_:)``.
struct RenamedNames {
    /// The commit that renamed a path last.
    private var versions: [RelativePath: UInt64]
    /// Versions by which, or before which, paths were renamed to where this replica does not hold them.
    private var unheld: [RelativePath: UInt64] = [:]

    init(_ manifest: ManifestDatabase) throws {
        self.init(try manifest.journalVersions(by: Reason.movedWord))
    }

    init(_ renames: [(path: RelativePath, version: UInt64)]) {
        versions = Dictionary(
            renames.map { ($0.path, $0.version) }, uniquingKeysWith: max)
    }

    /// Adds what the log tells of renames.
    mutating func add(_ renames: [RelativePath: RenameTrail.End]) {
        for (path, end) in renames { versions[path] = max(versions[path] ?? 0, end.version) }
    }

    /// Adds what the store has and this replica does not: an edit behind a rename keeps the old name.
    mutating func add(unheld rows: [RemoteRow]) {
        for row in rows where row.entry.entry.kind != .tombstone {
            guard let old = row.movedFrom else { continue }
            unheld[old] = max(unheld[old] ?? 0, row.entry.version)
        }
    }

    /// The tombstones of what was deleted. A folder counts as renamed if a file in it was, by the same commit, and none was
    /// deleted.
    func others(of rows: [TombstoneRow]) -> [TombstoneRow] {
        let deleted = rows.filter { !isRenamed($0) }
        let files = deleted.filter { !$0.isOfFolder }
        let kept = Set(files.flatMap(\.path.ancestors))
        var renamed: [RelativePath: UInt64] = [:]
        for row in rows where isRenamed(row) {
            for folder in row.path.ancestors {
                renamed[folder] = max(renamed[folder] ?? 0, row.version)
            }
        }
        return deleted.filter { row in
            !row.isOfFolder || kept.contains(row.path) || renamed[row.path] != row.version
        }
    }

    private func isRenamed(_ row: TombstoneRow) -> Bool {
        row.version > 0
            && (versions[row.path] == row.version || unheld[row.path] ?? 0 >= row.version)
    }
}

extension TombstoneRow {
    /// Whether the path was only a folder.
    fileprivate var isOfFolder: Bool { contents.allSatisfy { $0 == .none } }
}

extension History {
    /// Deleted paths without the old names of what was renamed, also where the journal does not tell of that: of a
    /// rename before the replica was made. Reads the log once.
    func withoutRenamed(_ paths: [DeletedPath]) async throws -> [DeletedPath] {
        guard paths.contains(where: { !$0.isUnsent }) else { return paths }
        let rows = try status.tombstones([])
        let reader = try await historyReader()
        let logged = try await renames(of: Set(rows.map(\.path)), in: reader)
        var names = try RenamedNames(manifest)
        names.add(logged)
        let deleted = Set(names.others(of: rows).map(\.path))
        return paths.filter { $0.isUnsent || deleted.contains($0.path) }
    }
}
