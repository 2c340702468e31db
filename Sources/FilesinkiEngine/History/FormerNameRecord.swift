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

    /// The manifest's records of names that a file got from other devices and lost again before this replica has received
    /// it: such a name was never here, so no step tells of it. None of a first fetch: see ``RenamedNames``.
    func journalRows(
        ofPassedNames manifest: ManifestDatabase, run id: Int64, time: Timestamp
    ) throws -> [JournalRow] {
        guard !remote.leftNames.isEmpty, try manifest.token != nil else { return [] }
        return try remote.leftNames.sorted { $0.key < $1.key }.compactMap {
            path, goal -> JournalRow? in
            guard let gone = remote.changes[path], !gone.isThere, selection.contains(path),
                base.row(path) == nil, local.changes[path] == nil,
                try manifest.tombstone(path)?.version != gone.entry.version
            else { return nil }
            let reason = Reason.moved(to: goal)
            return JournalRow(
                run: id, time: time, path: path, action: Action.skip.word, rule: reason.word,
                device: gone.device, baseVersion: 0, version: gone.entry.version,
                note: reason.explanation)
        }
    }
}
