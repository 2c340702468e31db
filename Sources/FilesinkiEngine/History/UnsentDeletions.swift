import FilesinkiFileSystem
package import FilesinkiModel
import FilesinkiReconcile

/// What was deleted here and is in no commit yet: the next run would delete it everywhere.
struct UnsentDeletions: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Finds the deletions, folders before what was in them. The old name of a file that was renamed is none. Changes nothing,
    /// and costs what a dry run costs.
    ///
    /// - Throws: Why the store cannot be reached: only it has the contents.
    func find() async throws -> [UnsentDeletion] {
        var options = SyncOptions()
        options.isDryRun = true
        let report = try await sync.syncTree(options)
        if let away = report.away { throw away }
        return report.steps.compactMap { step in
            guard case .publish(let entry) = step.action, entry.kind == .tombstone,
                !step.isMovedAway, let base = step.base
            else { return nil }
            return UnsentDeletion(path: step.path, entry: base.entry)
        }.sorted { $0.path < $1.path }
    }

    /// Writes paths back as they were published. Nothing is published by that: for the store they were never deleted.
    func bringBack(
        _ wanted: [UnsentDeletion], _ options: SyncOptions
    ) async throws -> RestoreReport {
        try await sync.reporting { try await writeBack(wanted, options) }
    }

    private func writeBack(
        _ wanted: [UnsentDeletion], _ options: SyncOptions
    ) async throws -> RestoreReport {
        var report = RestoreReport()
        try sync.noteEmptiedRoot()
        let reader = try await history.historyReader()
        let contents = try await history.historyContents(reader)
        for deletion in wanted {
            let path = deletion.path
            do {
                try await history.requireUnpruned(deletion.entry, at: path, in: reader, contents)
                if try await editor.write(
                    deletion.entry, at: path, from: contents, expecting: .absent)
                {
                    report.restored.append(path)
                } else {
                    report.problems.append(.changedMeanwhile(path, "restored"))
                }
            } catch let failure as Failure where failure.code != .interrupted {
                report.problems.append(Problem(path, failure))
            }
        }
        let paths = Self.paths(of: wanted, report)
        guard let first = paths.first else { return report }
        report.sync = try await sync.afterChange("Restored here", at: first) {
            try await sync.syncPaths(paths, options)
        }
        return report
    }

    /// The paths that a run finds as they were before: of a whole folder the folder, else the files alone, for such a run
    /// would publish what else is missing in the folder.
    private static func paths(
        of wanted: [UnsentDeletion], _ report: RestoreReport
    ) -> [RelativePath] {
        let restored = Set(report.restored)
        guard report.problems.isEmpty else {
            return wanted.filter { $0.entry.kind != .directory && restored.contains($0.path) }
                .map(\.path)
        }
        return report.restored.filter { !$0.ancestors.contains(where: restored.contains) }
    }
}

/// A path that was deleted here, as the last commit has it.
package struct UnsentDeletion: Hashable, Sendable {
    package var path: RelativePath
    var entry: Entry
}
