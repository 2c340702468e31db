import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiText

/// Holds back the deletion of what was moved out of the chosen paths of a partial replica, to a place in the root that it does not hold,
/// and of what cannot be seen: see ``CoveredPaths``.
///
/// Nobody would send the file from there, and its deletion would go to all devices. So neither is sent until the user says
/// which one is meant.
extension SyncEngine {
    /// Leaves what was moved out as it is elsewhere, and says so.
    func holdMovedOut(_ found: inout ScanResult, _ run: SyncRun) throws {
        let (held, problems) = try heldBack(found.missing, run) { [found] in
            found.candidates.map(\.status.stamp) + found.changed.map(\.stamp)
        }
        guard !held.isEmpty else { return }
        found.missing.removeAll { $0.isAtOrInside(held) }
        found.blocked += held.sorted()
        found.problems += problems
    }

    /// The same for a scan of some paths.
    func holdMovedOut(_ seen: inout Observation, _ run: SyncRun) throws {
        let gone = seen.changes.filter { $0.value.entry == nil }.map(\.key)
        let (held, problems) = try heldBack(gone, run) { [seen] in Array(seen.stamps.values) }
        guard !held.isEmpty else { return }
        for path in gone where path.isAtOrInside(held) { seen.changes[path] = nil }
        seen.blocked.formUnion(held)
        seen.problems += problems
    }

    /// The paths, of those that are gone from the chosen ones, whose deletion is not sent, and why.
    ///
    /// - Parameter new: The stamps of what is new or changed in the chosen ones: what was renamed there was neither moved out
    ///   nor is it covered.
    private func heldBack(
        _ gone: [RelativePath], _ run: SyncRun, besides new: () -> [FileStamp]
    ) throws -> (paths: Set<RelativePath>, problems: [Problem]) {
        guard let choice = run.rules.choice, !gone.isEmpty else { return ([], []) }
        // Deletions that a command named are sent, wherever the file is now.
        let named = try reviewNamedDeletions(isDryRun: true)
        let renamed = Set(new().map(\.inode))
        let out = try movedOut(gone, run, choice, besides: renamed, named: named)
        var search = CoveredPaths(root, choice)
        var covers: [RelativePath: CoveredPaths.Cover] = [:]
        for path in gone where out[path] == nil {
            guard run.base.row(path)?.isAt(renamed) != true,
                let cover = try search.cover(of: path),
                try isUndecided(path, besides: named, run, choice)
            else { continue }
            covers[path] = cover
        }
        let covered = search.problems(covers) { run.base.row($0)?.entry.kind == .directory }
        return (Set(covers.keys).union(out.keys), try problems(out, run) + covered)
    }

    /// Whether the deletion of a path would be sent though no command has named it.
    private func isUndecided(
        _ path: RelativePath, besides named: Set<RelativePath>, _ run: SyncRun, _ choice: PathChoice
    ) throws -> Bool {
        try choice.contains(path) && !named.contains(path)
            && !(run.options.namesDeletions && run.selection.contains(path))
            && !isDeletedThere(path, run)
    }

    /// Whether the store does not have the path any more: then there is no deletion to be sent.
    func isDeletedThere(_ path: RelativePath, _ run: SyncRun) throws -> Bool {
        let change = try run.remote.changes[path]?.entry ?? manifest.remote(path)?.entry
        return change?.entry.kind == .tombstone
    }

    /// What a user is told: of a folder that was moved with what is in it, one line.
    private func problems(
        _ out: [RelativePath: MovedOutPlace], _ run: SyncRun
    ) throws -> [Problem] {
        var files: [MovedOut: Int] = [:]
        var gone: [RelativePath: Bool] = [:]
        for (path, place) in out {
            var moved = MovedOut(path: path, place: place)
            while let above = moved.above, run.rules.choice?.contains(above.path) == true {
                let isGone = try gone[above.path] ?? !root.holds(above.path)
                gone[above.path] = isGone
                guard isGone else { break }
                moved = above
            }
            let isInside = moved.path != path && run.base.row(path)?.entry.kind != .directory
            files[moved, default: 0] += isInside ? 1 : 0
        }
        return files.sorted { ($0.key.path, $0.key.place.path) < ($1.key.path, $1.key.place.path) }
            .map { moved, files in
                let isFolder = files > 0 || run.base.row(moved.path)?.entry.kind == .directory
                return Problem(moved.path, .movedOut(moved, files: files, isFolder: isFolder))
            }
    }

    /// Where paths are now that are gone from the chosen ones.
    ///
    /// - Parameters:
    ///   - renamed: The inodes of what is new or changed in the chosen ones: what was renamed there was not moved out.
    ///   - named: What commands have named to be deleted.
    private func movedOut(
        _ gone: [RelativePath], _ run: SyncRun, _ choice: PathChoice,
        besides renamed: Set<UInt64>, named: Set<RelativePath>
    ) throws -> [RelativePath: MovedOutPlace] {
        // A run for some paths has not looked for the folders above them.
        let folders = try Set(gone.flatMap(\.ancestors)).subtracting(gone)
            .filter { try choice.contains($0) && !root.holds($0) }
        let lost = try (gone + folders).compactMap { path -> BaseRow? in
            guard let row = run.base.row(path), !row.isAt(renamed),
                try isUndecided(path, besides: named, run, choice)
            else { return nil }
            return row
        }
        guard !lost.isEmpty else { return [:] }
        var search = MovedOutSearch(root, lost: lost)
        try search.look(at: unheldPaths(run.rules, choice))
        return search.places
    }
}

extension BaseRow {
    /// Whether the file is one of those with these inodes; false where its own is not known.
    fileprivate func isAt(_ inodes: Set<UInt64>) -> Bool {
        stamp.map { inodes.contains($0.inode) } ?? false
    }
}

/// A path that was moved, and where it is.
struct MovedOut: Hashable {
    let path: RelativePath
    let place: MovedOutPlace

    /// The same of the folder of both, if the path has kept its name.
    var above: MovedOut? {
        guard path.name == place.path.name, let folder = path.parent,
            let other = place.path.parent
        else { return nil }
        return MovedOut(path: folder, place: MovedOutPlace(path: other, isCopy: place.isCopy))
    }
}

extension Failure {
    /// A path was moved to where the replica syncs nothing.
    ///
    /// - Parameter files: How many files are in it.
    fileprivate static func movedOut(
        _ moved: MovedOut, files: Int, isFolder: Bool
    ) -> Failure {
        let also = files > 0 ? ", with \(CountText.text(files, "file")) in it" : ""
        let place = moved.place.path
        let found = moved.place.isCopy ? "a copy of it is at" : "it is at"
        return Failure(
            .usage, path: moved.path.bytes,
            "Not sent as deleted\(also): \(found) \(place) now, outside of the paths that this replica holds.",
            remedy:
                "To move it on all devices, run filesinki only add \(ShellWord.path(place.bytes)), then sync. "
                + "To delete it there, run filesinki delete \(isFolder ? "-r " : "")"
                + "\(ShellWord.path(moved.path.bytes)).",
            cause: moved.place.isCopy ? HeldDeletionCause.copied : .moved)
    }

    /// Whether what was deleted from the chosen paths was copied before, of a deletion that was held back; nil for any other
    /// failure.
    var isCopiedOut: Bool? {
        switch cause as? HeldDeletionCause {
        case .copied: true
        case .moved: false
        case .covered, nil: nil
        }
    }

    /// Whether it says that the deletion of a chosen path was held back.
    var isOfHeldDeletion: Bool { cause is HeldDeletionCause }
}

/// Marks a failure as one of a deletion that was held back.
enum HeldDeletionCause: Error, CustomStringConvertible {
    /// It was moved out of the chosen paths.
    case moved
    /// A copy of it is outside of them.
    case copied
    /// Something is in place of a folder above it.
    case covered

    var description: String { "Nothing is synced from where it is." }
}

extension SyncReport {
    /// Removes the problems that report held-back deletions of these paths, because a command has named them.
    ///
    /// - Returns: The paths, or the folders above them.
    mutating func takeMovedOut(atOrInside paths: [RelativePath]) -> Set<RelativePath> {
        let named = Set(paths)
        let held = problems.filter { problem in
            problem.failure.isOfHeldDeletion
                && (problem.path.isAtOrInside(named)
                    || paths.contains { $0.isInside(problem.path) })
        }.map(\.path)
        problems.removeAll { $0.failure.isOfHeldDeletion && held.contains($0.path) }
        return Set(held)
    }
}
