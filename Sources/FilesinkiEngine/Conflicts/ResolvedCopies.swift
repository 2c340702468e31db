import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

extension ManifestDatabase {
    /// Whether a deleted path is a conflict copy that a resolve removed: one that nobody had edited, while the file that
    /// it was made for is there, or was deleted later. Every device sees that by the name, also one that was not there
    /// when the conflict was.
    func isResolvedCopy(_ row: TombstoneRow) throws -> Bool {
        guard let (original, digits) = conflictOriginal(of: row.path), !row.contents.isEmpty,
            row.contents.allSatisfy({ $0.description.hasPrefix(digits) })
        else { return false }
        if try base(original) != nil { return true }
        // What was deleted in one commit with its file is a file like any other.
        guard row.version > 0, let file = try tombstone(original) else { return false }
        return file.version > row.version
    }
}
