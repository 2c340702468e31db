import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// The old names of renamed files, as the journal has them: for the store a rename deletes the old name, for a user
/// nothing is deleted.
///
/// A replica that was made after a rename knows the old name as a deleted one.
struct RenamedNames {
    /// The commit that renamed a path last.
    private let versions: [RelativePath: UInt64]

    init(_ manifest: ManifestDatabase) throws {
        self.init(try manifest.journalVersions(by: Reason.movedWord))
    }

    init(_ renames: [(path: RelativePath, version: UInt64)]) {
        versions = Dictionary(
            renames.map { ($0.path, $0.version) }, uniquingKeysWith: max)
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
        row.version > 0 && versions[row.path] == row.version
    }
}

extension TombstoneRow {
    /// Whether the path was only a folder.
    fileprivate var isOfFolder: Bool { contents.allSatisfy { $0 == .none } }
}
