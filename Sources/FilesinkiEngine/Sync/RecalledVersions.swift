import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// Versions that paths had before those that a checkpoint lists.
///
/// A replica without a base, because its manifest was lost or its folder came from a backup, may hold an old version of
/// a file that others have edited or deleted since. A version that the path once had is no edit (row 23 of
/// `Docs/Conflicts.md`), and the log has it. But such a replica begins with a checkpoint, which lists the last version
/// of a file, and of a deleted one what the checkpoint's writer knew. So the log is read, once: when both sides have
/// something else at a path without a base.
extension SyncEngine {
    /// Looks up in the log whether the root has old versions at paths without a base, and adds them to the remote tree as
    /// former versions.
    ///
    /// Costs nothing if the whole log was read, or if no path is in doubt: a clone into an empty folder and a folder that is
    /// up to date read nothing more. Else it reads the log from its first commit until all paths are found, at most up to
    /// the checkpoint. Memory grows with the paths in doubt, not with the history.
    ///
    /// - Throws: What the remote throws. Where a commit cannot be read, what was not found by then counts as an edit.
    func recallVersions(_ run: inout SyncRun) async throws {
        let noted = try manifest.counter(ManifestDatabase.unreadVersionsCounter)
        let last = max(run.unreadVersions, noted)
        guard run.isOnline, last > 0 else { return }
        _ = try await recall(for: &run) { run in
            run.formerVersions = try await formerVersions(among: pathsInDoubt(run), upTo: last)
            run.addFormerVersions()
            run.hasReadVersions = run.isOfWholeTree
        }
    }

    /// The paths without a base where the root has something that the remote tree neither has nor is known to have had,
    /// with what is there. What a user has saved by name is an edit in any case.
    private func pathsInDoubt(_ run: SyncRun) -> [RelativePath: ContentID] {
        var found: [RelativePath: ContentID] = [:]
        for (path, change) in run.remote.changes where run.selection.contains(path) {
            guard let ours = run.local.changes[path], let entry = ours.entry, !ours.isSaved,
                run.base.row(path) == nil, !entry.hasSameContent(as: change.entry.entry),
                let identity = entry.identity, !change.identities.contains(identity)
            else { continue }
            found[path] = identity
        }
        return found
    }

    /// The entries of the log that have the content of a path in doubt, at that path.
    private func formerVersions(
        among paths: [RelativePath: ContentID], upTo last: UInt64
    ) async throws -> [RelativePath: Entry] {
        guard !paths.isEmpty else { return [:] }
        var found: [RelativePath: Entry] = [:]
        try await forEachReadableCommit(upTo: last) { commit in
            for change in commit.changes {
                guard let identity = paths[change.path], change.entry.identity == identity
                else { continue }
                found[change.path] = change.entry
            }
            return found.count < paths.count
        }
        return found
    }

    /// Records whether a later run of the whole tree has to look for old versions: this one has not seen all of the root.
    func noteUnreadVersions(_ run: SyncRun, _ writer: ManifestWriter) throws {
        if run.hasReadVersions {
            try writer.setValue(ManifestDatabase.unreadVersionsCounter, nil)
        } else if run.unreadVersions > 0, !run.isBatch {
            try writer.setCounter(ManifestDatabase.unreadVersionsCounter, run.unreadVersions)
        }
    }
}

extension SyncRun {
    /// Adds the old versions that were looked up to what a round has fetched.
    mutating func addFormerVersions() {
        for (path, entry) in formerVersions {
            switch entry.kind {
            case .file, .directory: remote.changes[path]?.formerContents.insert(entry.content)
            case .symlink: remote.changes[path]?.formerTargets.insert(entry.target)
            case .tombstone: break
            }
        }
    }
}

extension ManifestDatabase {
    /// The name of the last commit whose versions were not read by the run that began with a checkpoint.
    static let unreadVersionsCounter = "unread-versions"
}
