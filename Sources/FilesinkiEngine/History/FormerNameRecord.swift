import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

extension SyncRun {
    /// The manifest's record of the name that a file had before both sides renamed it. Nothing is to be done at that
    /// name, so no step tells of the rename; without the record it would count as deleted: see ``RenamedNames``.
    ///
    /// - Parameter step: A step that was carried out.
    /// - Returns: Nil unless the step takes the name that the other side gave to such a file.
    func journalRow(ofFormerNameOf step: Step, run id: Int64, time: Timestamp) -> JournalRow? {
        guard step.isReceived, case .bothNames(of: let former) = step.reason,
            let gone = remote.changes[former], !gone.isThere
        else { return nil }
        let reason = Reason.moved(to: step.path)
        return JournalRow(
            run: id, time: time, path: former, action: Action.both(gone.entry.entry).word,
            rule: reason.word, device: gone.device,
            baseVersion: base.row(former)?.version ?? 0, version: gone.entry.version,
            note: reason.explanation)
    }

    /// The manifest's records of other names that commits of other devices have given up by a rename, and of which no step tells:
    /// one that was never here, as the file got and lost it before it was received; one that is gone here, too, where the
    /// file here is taken for another one; and one whose new name the run does not look at. None of a first fetch: see
    /// ``RenamedNames``. Call it when the steps are recorded.
    func journalRows(
        ofLeftNames manifest: ManifestDatabase, run id: Int64, time: Timestamp
    ) throws -> [JournalRow] {
        guard !remote.leftNames.isEmpty, try manifest.token != nil else { return [] }
        return try remote.leftNames.sorted { $0.key < $1.key }.compactMap {
            path, goal -> JournalRow? in
            guard let gone = remote.changes[path], !gone.isThere, selection.contains(path),
                hasNoStep(ofRename: path, to: goal)
            else { return nil }
            let reason = Reason.moved(to: goal)
            let version = gone.entry.version
            let known = try manifest.journal(of: path, limit: 100)
            if known.contains(where: { $0.rule == reason.word && $0.version == version }) {
                return nil
            }
            return JournalRow(
                run: id, time: time, path: path, action: Action.skip.word, rule: reason.word,
                device: gone.device, baseVersion: base.row(path)?.version ?? 0, version: version,
                note: reason.explanation)
        }
    }

    /// Whether a path that was renamed in the store is nothing here, or the rename cannot be seen.
    private func hasNoStep(ofRename path: RelativePath, to goal: RelativePath) -> Bool {
        let change = local.changes[path]
        guard base.row(path) != nil else { return change == nil }
        guard let change else { return !selection.contains(goal) }
        return change.entry == nil
    }
}
