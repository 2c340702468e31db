import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiText

/// Finds what was moved out of the chosen paths of a partial replica, to a place in the root that it does not hold.
///
/// Nobody would send the file from there, and its deletion would go to all devices. So neither is sent until the user says
/// which one is meant.
extension SyncEngine {
    /// The most files and folders outside of the chosen paths that a run looks at.
    private static let limit = 10_000

    /// Leaves what was moved out as it is elsewhere, and says so.
    func holdMovedOut(_ found: inout ScanResult, _ run: SyncRun) throws {
        let out = try movedOut(found.missing, run)
        guard !out.isEmpty else { return }
        let held = Set(out.keys)
        found.missing.removeAll { $0.isAtOrInside(held) }
        found.blocked += out.keys
        found.problems += try problems(out, run)
    }

    /// The same for a scan of some paths.
    func holdMovedOut(_ seen: inout Observation, _ run: SyncRun) throws {
        let gone = seen.changes.filter { $0.value.entry == nil }.map(\.key)
        let out = try movedOut(gone, run)
        guard !out.isEmpty else { return }
        let held = Set(out.keys)
        for path in gone where path.isAtOrInside(held) { seen.changes[path] = nil }
        seen.blocked.formUnion(held)
        seen.problems += try problems(out, run)
    }

    /// Whether the store does not have the path any more: then there is no deletion to be sent.
    private func isDeletedThere(_ path: RelativePath, _ run: SyncRun) throws -> Bool {
        let change = try run.remote.changes[path]?.entry ?? manifest.remote(path)?.entry
        return change?.entry.kind == .tombstone
    }

    /// What a user is told: of a folder that was moved with what is in it, one line.
    private func problems(
        _ out: [RelativePath: RelativePath], _ run: SyncRun
    ) throws -> [Problem] {
        var files: [MovedOut: Int] = [:]
        var gone: [RelativePath: Bool] = [:]
        for (path, place) in out {
            var moved = MovedOut(path: path, place: place)
            while let above = moved.above, run.rules.choice?.contains(above.path) == true {
                let isGone = try gone[above.path] ?? (root.status(above.path) == nil)
                gone[above.path] = isGone
                guard isGone else { break }
                moved = above
            }
            let isInside = moved.path != path && run.base.row(path)?.entry.kind != .directory
            files[moved, default: 0] += isInside ? 1 : 0
        }
        return files.sorted { ($0.key.path, $0.key.place) < ($1.key.path, $1.key.place) }
            .map { Problem($0.key.path, .movedOut($0.key, files: $0.value)) }
    }

    /// Where paths are now that are gone from the chosen ones, by their inode.
    private func movedOut(
        _ gone: [RelativePath], _ run: SyncRun
    ) throws -> [RelativePath: RelativePath] {
        guard let choice = run.rules.choice, !gone.isEmpty else { return [:] }
        var lost: [UInt64: BaseRow] = [:]
        for path in gone where try choice.contains(path) && !isDeletedThere(path, run) {
            if let row = run.base.row(path), let stamp = row.stamp { lost[stamp.inode] = row }
        }
        var out: [RelativePath: RelativePath] = [:]
        var left = Self.limit
        var waiting = lost.isEmpty ? [] : try unheldPaths(run.rules, choice)
        while let path = waiting.popLast(), left > 0, out.count < lost.count {
            left -= 1
            guard let status = try root.status(path) else { continue }
            if let row = lost[status.stamp.inode], row.entry.kind == status.kind.entryKind,
                row.stamp?.isSameContent(as: status.stamp) == true
            {
                out[row.path] = path
            }
            if status.kind == .directory {
                waiting += try root.names(in: path).map { path.appending($0) }
            }
        }
        return out
    }
}

/// A path that was moved, and where it is.
private struct MovedOut: Hashable {
    let path: RelativePath
    let place: RelativePath

    /// The same of the folder of both, if the path has kept its name.
    var above: MovedOut? {
        guard path.name == place.name, let folder = path.parent, let other = place.parent else {
            return nil
        }
        return MovedOut(path: folder, place: other)
    }
}

extension FileStamp {
    /// Whether a file that was moved may have both stamps: a move changes neither size nor time.
    fileprivate func isSameContent(as other: FileStamp) -> Bool {
        device == other.device && size == other.size && modified == other.modified
    }
}

extension Failure {
    /// A path was moved to where the replica syncs nothing.
    ///
    /// - Parameter files: How many files are in it.
    fileprivate static func movedOut(_ moved: MovedOut, files: Int) -> Failure {
        let also = files > 0 ? ", with \(CountText.text(files, "file")) in it" : ""
        return Failure(
            .usage, path: moved.path.bytes,
            "Not sent as deleted\(also): it is at \(moved.place) now, outside of the paths that this replica holds.",
            remedy: "To move it on all devices, run filesinki only add "
                + "\(ShellWord.path(moved.place.bytes)), then sync. To delete it there, move it out of "
                + "the replica.")
    }
}
