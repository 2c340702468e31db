import FilesinkiManifest
package import FilesinkiModel

/// What is known of the past.
extension Replica {
    /// See ``History/deletionRecords(of:)``.
    package func deletionRecords(
        of paths: [DeletedPath]
    ) async throws -> [RelativePath: DeletionRecord] {
        try await History(context).deletionRecords(of: paths)
    }

    /// See ``History/withoutRenamed(_:)``.
    package func withoutRenamed(_ paths: [DeletedPath]) async throws -> [DeletedPath] {
        try await History(context).withoutRenamed(paths)
    }

    /// See ``LocalDeletions/find()``.
    package func localDeletions() async throws -> [DeletedPath] {
        try await LocalDeletions(context).find()
    }

    /// See ``History/unreceivedDeletions()``.
    package func unreceivedDeletions() async throws -> [UnreceivedDeletion] {
        try await History(context).unreceivedDeletions()
    }

    /// Whether the last run has found a path on both sides. If it is missing here now, no commit has deleted it.
    package func isSynced(_ path: RelativePath) throws -> Bool {
        try context.manifest.base(path) != nil
    }

    /// That the store was moved, as far as this replica knows, as a warning. Costs no request.
    package func knownMove() throws -> Failure? {
        try context.manifest.movedStore.map { .moved($0) }
    }

    /// See ``History/fate(of:asOf:)``.
    package func fate(
        of path: RelativePath, asOf version: UInt64 = .max
    ) async throws -> PathFate? {
        try await History(context).fate(of: path, asOf: version)
    }

    /// See ``History/changes(of:)``.
    package func changes(ofCommit number: UInt64) async throws -> CommitChanges {
        try await History(context).changes(of: number)
    }
}

/// What a command would do: see ``RestorePlans``.
extension Replica {
    /// See ``RestorePlans/restore(_:)``.
    package func planRestore(_ points: [PathAtPoint]) async throws -> RestoreReport {
        try await RestorePlans(context).restore(points)
    }

    /// See ``RestorePlans/undelete(_:_:)``.
    package func planUndelete(
        _ paths: [RelativePath], _ unsent: [UnsentDeletion]
    ) async throws -> RestoreReport {
        try await RestorePlans(context).undelete(paths, unsent)
    }

    /// See ``RestorePlans/export(_:)``.
    package func planExport(_ tree: TreeAtPoint) async throws -> RestoreReport {
        try await RestorePlans(context).export(tree)
    }
}
