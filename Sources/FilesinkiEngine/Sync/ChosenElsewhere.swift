import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiText

extension ReplicaPart {
    /// Where that is which another device has renamed, as of the last sync; nil for what was deleted, and where it is
    /// not known.
    ///
    /// Costs a pass over what the replica does not hold.
    func placeOfRenamed(_ path: RelativePath) throws -> RelativePath? {
        let below = try manifest.tombstones(below: path)
        guard let gone = try manifest.tombstone(path) ?? below.first else { return nil }
        var whole = RenamedWhole(
            path, without: Set(below.filter { $0.version == gone.version }.map(\.path)))
        let pages = manifest.remotePages()
        while case let rows = try pages.next(), !rows.isEmpty {
            for row in rows
            where row.entry.entry.kind != .tombstone && row.entry.version >= gone.version {
                if let old = row.movedFrom { whole.add(old, at: row.path) }
            }
        }
        if let place = whole.place { return place }
        // What the replica holds is in its journal.
        let held = try manifest.place(ofRenamed: path)
        return held?.isDeleted == false ? held?.path : nil
    }
}

extension SyncEngine {
    /// Notes the chosen paths that were never written here, as after `only add`, and that another device has renamed or
    /// deleted in between: the run has nothing to do for them.
    ///
    /// - Parameter view: With what the replica does not hold.
    func noteChosenElsewhere(_ view: RemoteView, _ run: inout SyncRun) throws {
        guard let choice = run.rules.choice else { return }
        var found: [Problem] = []
        for path in choice.paths {
            guard let change = view.changes[path], !change.isThere, run.selection.contains(path),
                run.base.row(path) == nil, let known = try manifest.remote(path),
                known.entry.entry.kind != .tombstone, try !root.holds(path)
            else { continue }
            let gone = view.changes.filter { $0.key.isInside(path) && !$0.value.isThere }.map(\.key)
            var whole = RenamedWhole(path, without: Set(gone))
            for (new, other) in view.changes where other.isThere {
                if let old = other.movedFrom { whole.add(old, at: new) }
            }
            guard let place = whole.place else {
                found.append(Problem(path, .chosenDeleted(path, by: change.device), isNews: true))
                continue
            }
            if choice.contains(place) { continue }
            found.append(
                Problem(path, .renamedOut(path, to: place, by: change.device), isNews: true))
        }
        let known = Set(run.report.notices.map(\.failure.description))
        run.report.notices += found.filter { !known.contains($0.failure.description) }
    }
}

extension Failure {
    fileprivate static func chosenDeleted(_ path: RelativePath, by device: Device?) -> Failure {
        Failure(
            .notFound, path: path.bytes,
            "\(doer(device)) has deleted it before it was written here.",
            remedy: "To bring it back, run filesinki undelete \(ShellWord.path(path.bytes)).")
    }
}
