package import FilesinkiModel

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
