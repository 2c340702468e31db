import FilesinkiManifest
package import FilesinkiModel

/// What is known of paths that were deleted.
extension Replica {
    /// See ``History/deletionRecords(of:)``.
    package func deletionRecords(
        of paths: [DeletedPath]
    ) async throws -> [RelativePath: DeletionRecord] {
        try await History(context).deletionRecords(of: paths)
    }

    /// Whether the last run has found a path on both sides. If it is missing here now, no commit has deleted it.
    package func isSynced(_ path: RelativePath) throws -> Bool {
        try context.manifest.base(path) != nil
    }
}
