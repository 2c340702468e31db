import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

extension ManifestDatabase {
    /// Whether a deleted path is a conflict copy that a resolve removed: one that nobody had edited, while the file that it was
    /// made for is there. Every device sees that by the name, also one that was not there when the conflict was.
    func isResolvedCopy(_ row: TombstoneRow) throws -> Bool {
        guard let (original, digits) = conflictOriginal(of: row.path), !row.contents.isEmpty,
            row.contents.allSatisfy({ $0.description.hasPrefix(digits) })
        else { return false }
        return try base(original) != nil
    }
}
