import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// Conflict copies that somebody has edited: they stay versions of their conflicts, on every device.
extension Conflicts {
    /// Finds whether the conflict copy has been edited: here since the last run, or anywhere before it.
    func findCopyEdit(of row: ConflictRow, _ sides: inout ConflictSides) throws {
        guard let copy = row.copyPath else { return }
        sides.isCopyEdited = try isEditedCopy(copy)
        guard let base = try manifest.base(copy), base.entry.kind == .file else { return }
        sides.unsentCopy = try unsent(base, besides: base.entry)
    }

    /// The version in which a conflict copy was made; nil if it was edited since, or is not published yet.
    func versionMade(of copy: RelativePath) throws -> UInt64? {
        guard let base = try manifest.base(copy), base.version > 0, try !isEditedCopy(copy) else {
            return nil
        }
        return base.version
    }

    /// Whether a synced conflict copy has another content than it was made with, which its name tells.
    private func isEditedCopy(_ copy: RelativePath) throws -> Bool {
        guard let (_, digits) = conflictOriginal(of: copy), let found = try manifest.base(copy),
            found.entry.kind == .file
        else { return false }
        return !found.entry.content.description.hasPrefix(digits)
    }
}
