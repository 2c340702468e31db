import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiText

/// Says where that is which another device has renamed out of the chosen paths of a partial replica: here it is a deletion.
extension SyncEngine {
    /// Notes the renames of a view whose old names a plan is about to delete here; of a folder that was renamed, one line.
    ///
    /// - Parameter view: With what the replica does not hold.
    func noteRenamedOut(_ view: RemoteView, _ run: inout SyncRun) {
        guard let choice = run.rules.choice else { return }
        var found: [MovedOut: Device?] = [:]
        for (path, change) in view.changes where !choice.holds(path) && change.isThere {
            guard let old = change.movedFrom, choice.contains(old), run.selection.contains(old),
                view.deletes(old), run.base.row(old) != nil
            else { continue }
            var moved = MovedOut(path: old, place: MovedOutPlace(path: path, isCopy: false))
            while let above = moved.above, choice.contains(above.path), view.deletes(above.path) {
                moved = above
            }
            found[moved] = change.device
        }
        let known = Set(run.report.notices.map(\.failure.description))
        run.report.notices += found.sorted { $0.key.path < $1.key.path }
            .map { Problem($0.key.path, .renamedOut($0.key, by: $0.value)) }
            .filter { !known.contains($0.failure.description) }
    }
}

extension RemoteView {
    fileprivate func deletes(_ path: RelativePath) -> Bool {
        changes[path].map { !$0.isThere } ?? false
    }
}

extension Failure {
    fileprivate static func renamedOut(_ moved: MovedOut, by device: Device?) -> Failure {
        let place = moved.place.path
        let doer = device.map { printable($0.name.utf8) } ?? "Another device"
        return Failure(
            .usage, path: moved.path.bytes,
            "\(doer) has renamed it to \(place), which this replica does not hold.",
            remedy: "To have it here, run filesinki only add \(ShellWord.path(place.bytes)), then sync.")
    }
}
