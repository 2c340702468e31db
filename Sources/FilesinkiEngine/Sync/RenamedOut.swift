import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiText

/// Says where that is which another device has renamed out of the chosen paths of a partial replica: here it is a deletion.
extension SyncEngine {
    /// Notes the renames of a view whose old names a plan is about to delete here; of a folder that was renamed, one line.
    ///
    /// - Parameter view: With what the replica does not hold.
    func noteRenamedOut(_ view: RemoteView, _ run: inout SyncRun) throws {
        guard let choice = run.rules.choice else { return }
        var moves: [MovedOut: Device?] = [:]
        for (path, change) in view.changes where !choice.holds(path) && change.isThere {
            guard let old = change.movedFrom, choice.contains(old), run.selection.contains(old),
                view.deletes(old), run.base.row(old) != nil,
                // An older rename, of what was edited here meanwhile, is not what has deleted the path.
                change.entry.version >= view.changes[old]?.entry.version ?? 0
            else { continue }
            let place = MovedOutPlace(path: path, isCopy: false)
            moves[MovedOut(path: old, place: place)] = change.device
        }
        // A folder that was there before has only got more files.
        let folders = try view.renamedFolders(Array(moves.keys), choice)
            .filter { try manifest.remote($0.value.place.path) == nil }
        var found: [MovedOut: Device?] = [:]
        for (move, device) in moves {
            var moved = move.path.parent.flatMap { folders[$0] } ?? move
            while let above = moved.above, choice.contains(above.path), view.deletes(above.path),
                try manifest.remote(above.place.path) == nil
            {
                moved = above
            }
            found[moved] = device
        }
        let known = Set(run.report.notices.map(\.failure.description))
        run.report.notices += found.sorted { $0.key.path < $1.key.path }
            .map {
                Problem($0.key.path, .renamedOut($0.key.path, to: $0.key.place.path, by: $0.value))
            }
            .filter { !known.contains($0.failure.description) }
    }
}

extension RemoteView {
    fileprivate func deletes(_ path: RelativePath) -> Bool {
        changes[path].map { !$0.isThere } ?? false
    }

    /// The chosen folders that were renamed after files in them had been: what was in each is in one new folder now.
    fileprivate func renamedFolders(
        _ moves: [MovedOut], _ choice: PathChoice
    ) -> [RelativePath: MovedOut] {
        var places: [RelativePath: Set<RelativePath?>] = [:]
        for move in moves {
            guard let folder = move.path.parent, choice.contains(folder), deletes(folder) else {
                continue
            }
            places[folder, default: []].insert(move.place.path.parent)
        }
        var found: [RelativePath: MovedOut] = [:]
        for (folder, targets) in places where targets.count == 1 {
            guard case .some(.some(let target)) = targets.first, changes[target]?.isThere == true,
                !choice.holds(target)
            else { continue }
            found[folder] = MovedOut(
                path: folder, place: MovedOutPlace(path: target, isCopy: false))
        }
        return found
    }
}

extension Failure {
    /// A path of the choice has a name outside of it.
    static func renamedOut(
        _ path: RelativePath, to place: RelativePath, by device: Device?
    ) -> Failure {
        Failure(
            .usage, path: path.bytes,
            "\(doer(device)) has renamed it to \(place), which this replica does not hold.",
            remedy: "To have it here, run filesinki only add "
                + "\(ShellWord.path(place.bytes)), then sync.")
    }

    /// A device as the one that has done something.
    static func doer(_ device: Device?) -> String {
        device.map { printable($0.name.utf8) } ?? "Another device"
    }
}
