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
        found.problems += Self.problems(out)
    }

    /// The same for a scan of some paths.
    func holdMovedOut(_ seen: inout Observation, _ run: SyncRun) throws {
        let gone = seen.changes.filter { $0.value.entry == nil }.map(\.key)
        let out = try movedOut(gone, run)
        guard !out.isEmpty else { return }
        let held = Set(out.keys)
        for path in gone where path.isAtOrInside(held) { seen.changes[path] = nil }
        seen.blocked.formUnion(held)
        seen.problems += Self.problems(out)
    }

    /// Whether the store does not have the path any more: then there is no deletion to be sent.
    private func isDeletedThere(_ path: RelativePath, _ run: SyncRun) throws -> Bool {
        let change = try run.remote.changes[path]?.entry ?? manifest.remote(path)?.entry
        return change?.entry.kind == .tombstone
    }

    private static func problems(_ out: [RelativePath: RelativePath]) -> [Problem] {
        out.sorted { $0.key < $1.key }.map { Problem($0.key, .movedOut($0.key, to: $0.value)) }
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

extension FileStamp {
    /// Whether a file that was moved may have both stamps: a move changes neither size nor time.
    fileprivate func isSameContent(as other: FileStamp) -> Bool {
        device == other.device && size == other.size && modified == other.modified
    }
}

extension Failure {
    /// A file was moved to where the replica syncs nothing.
    fileprivate static func movedOut(_ path: RelativePath, to place: RelativePath) -> Failure {
        Failure(
            .usage, path: path.bytes,
            "Not sent as deleted: it is at \(place) now, outside of the paths that this replica holds.",
            remedy: "To move it on all devices, run filesinki only add "
                + "\(ShellWord.path(place.bytes)), then sync. To delete it there, move it out of "
                + "the replica.")
    }
}
