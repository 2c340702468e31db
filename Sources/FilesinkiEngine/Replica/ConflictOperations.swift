import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel

/// What is asked of conflicts that are not open.
extension Replica {
    /// See ``Conflicts/endedInPlace(_:)``.
    package func endedConflict(_ name: RelativePath) async throws -> Failure? {
        try await Conflicts(context).endedInPlace(name)
    }

    /// See ``Conflicts/reopenable()``.
    package func reopenableConflicts() throws -> [RelativePath] {
        try Conflicts(context).reopenable()
    }

    /// The content of a file that was deleted or renamed here, as a run has last seen it; nil if something is at the path, and
    /// if a run has sent the deletion.
    package func unsentDeletion(of path: RelativePath) throws -> ContentID? {
        guard try !context.root.holds(path) else { return nil }
        return try context.manifest.base(path)?.entry.identity
    }
}
