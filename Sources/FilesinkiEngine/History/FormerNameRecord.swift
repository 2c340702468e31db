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
}
