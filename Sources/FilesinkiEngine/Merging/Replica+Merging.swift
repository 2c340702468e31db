import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

extension SyncEngine {
    /// Stores what a round has merged, and notes it before anything is written here.
    func keepMerged(
        _ shelf: MergeOutputs, _ steps: [Step], _ run: inout SyncRun
    ) async throws {
        let items = shelf.items
        guard !items.isEmpty, !run.options.isDryRun else { return }
        let result = try await intake(
            items.map { ContentUploader.Item(path: $0.file, size: $0.entry.size) }, run,
            isStoring: true, from: RootFolder(path: shelf.path))
        if let problem = result.problems.first { throw problem.failure }
        run.local.inline += result.inline
        run.local.packs += result.packs
        var note = try mergeNote()
        note.items.removeAll { item in
            (run.base.row(item.path)?.version ?? 0) >= item.there.version
                || steps.contains { $0.path == item.path }
        }
        note.items += steps.compactMap(MergeNote.Item.init(step:))
        try StateFile.replace(state.merges, with: note.bytes)
    }

    private func mergeNote() throws -> MergeNote {
        try StateFile.read(state.merges).map(MergeNote.init) ?? MergeNote()
    }

    /// Takes merges that were written here, and not recorded, for what they are: edits upon what
    /// was committed when they were made.
    func takeNotedMerges(_ run: inout SyncRun, _ view: inout RemoteView) throws {
        let rows = try mergeNote().items.compactMap { item -> BaseRow? in
            guard (run.base.row(item.path)?.version ?? 0) < item.there.version,
                run.local.changes[item.path]?.entry?.content == item.merged,
                (view.changes[item.path]?.entry.version ?? 0) >= item.there.version
            else { return nil }
            return BaseRow(
                path: item.path, entry: item.there.entry, version: item.there.version, stamp: nil)
        }
        guard !rows.isEmpty else { return }
        run.base = run.base.replacing(rows)
        view.dropAgreed(run.base)
    }
}

extension MergeNote.Item {
    /// The merge of a step; nil for a step that merges nothing, or needs nothing written here.
    fileprivate init?(step: Step) {
        guard case .merged = step.reason, case .both(let entry) = step.action,
            let there = step.theirs
        else { return nil }
        self.init(path: step.path, merged: entry.content, there: there)
    }
}

extension BaseIndex {
    /// The same tree with other rows at some paths.
    fileprivate func replacing(_ others: [BaseRow]) -> BaseIndex {
        let paths = Set(others.map(\.path))
        return BaseIndex(rows.filter { !paths.contains($0.path) } + others)
    }
}
