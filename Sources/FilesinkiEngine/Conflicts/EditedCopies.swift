import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// Conflict copies that somebody has edited: they stay versions of their conflicts, on every device.
extension Conflicts {
    /// Whether a synced conflict copy has another content than it was made with, which its name tells.
    func isEditedCopy(_ copy: RelativePath) throws -> Bool {
        guard let (_, digits) = conflictOriginal(of: copy), let found = try manifest.base(copy),
            found.entry.kind == .file
        else { return false }
        return !found.entry.content.description.hasPrefix(digits)
    }
}
