import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel

/// What is asked of conflicts that are not open.
extension Replica {
    /// See ``Conflicts/endedInPlace(_:)``.
    package func endedConflict(_ name: RelativePath) async throws -> Failure? {
        try await Conflicts(context).endedInPlace(name)
    }

    /// Whether nothing is at a path, and no run has sent that.
    package func isDeletedHere(_ path: RelativePath) throws -> Bool {
        try !context.root.holds(path) && context.manifest.base(path) != nil
    }
}
