import FilesinkiModel
import FilesinkiReconcile

/// Old versions that the store does not hold any more.
///
/// What the root has and a path once had at the remote is an old version, no edit: it is deleted or replaced (row 23 of
/// `Docs/Conflicts.md`), because the history has it. Once a prune has removed the content, or it is lost, the root may have the
/// last copy. So it is new there: it stays and is sent, or is in conflict with what the store has.
extension SyncEngine {
    /// Takes those contents out of the former versions of a view that the root has and the store does not hold.
    ///
    /// What this run has sent does not count: no commit names its packs, and none would if the file were deleted here.
    ///
    /// Costs nothing without an old version in the root; else it reads indexes of packs, and the log up to the checkpoint for
    /// what is in no known place.
    ///
    /// - Throws: What the remote throws.
    func forgetUnstoredVersions(_ view: inout RemoteView, _ run: SyncRun) async throws {
        let found = oldVersions(in: run, view)
        guard !found.isEmpty else { return }
        let source = try await storedContents.source(run.remote)
        try await source.locate(found.map(\.entry.content))
        for (path, entry) in found {
            if try await source.keeps(entry) { continue }
            view.changes[path]?.formerContents.remove(entry.content)
        }
        try source.requireManifest()
    }

    /// The files of the root that a remote path had before, each with that path.
    private func oldVersions(
        in run: SyncRun, _ view: RemoteView
    ) -> [(path: RelativePath, entry: Entry)] {
        var found: [(path: RelativePath, entry: Entry)] = []
        for (path, change) in view.changes where !change.formerContents.isEmpty {
            for name in [path, change.movedFrom].compactMap(\.self) {
                guard let entry = run.local.changes[name]?.entry, entry.kind == .file,
                    change.formerContents.contains(entry.content),
                    !entry.hasSameContent(as: change.entry.entry)
                else { continue }
                found.append((path, entry))
            }
        }
        return found
    }
}

extension ContentSource {
    /// Whether all of a file's content can be read; of one that is damaged that is not known.
    fileprivate func keeps(_ entry: Entry) async throws -> Bool {
        do {
            guard try await holds(entry.content) else { return false }
            return try await isWhole(entry.content, size: entry.size)
        } catch let failure as Failure where failure.code == .corrupt {
            return false
        }
    }
}
