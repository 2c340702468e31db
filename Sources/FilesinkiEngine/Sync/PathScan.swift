import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// The local tree before a content is read: enough for the guards to say whether a plan could exceed
/// them.
struct StatScan: Sendable {
    /// What names and file status say.
    var observation = Observation()
    /// Files that are new, or whose stamp is not the known one.
    var items: [ContentUploader.Item] = []

    /// Adds a file that may have changed. If its stamp is that of a change that waits since an earlier run,
    /// the file still holds that change and is not read again.
    ///
    /// - Parameter row: The change that waits at the path; nil for none.
    mutating func addCandidate(
        _ candidate: ScanCandidate, waiting row: LocalRow?, _ base: BaseIndex
    ) {
        let path = candidate.path
        guard let entry = row?.entry, entry.kind == .file, let stamp = row?.stamp,
            stamp == candidate.status.stamp, entry.mode == candidate.status.mode,
            base.row(path)?.entry.agrees(with: entry) != true
        else {
            items.append(ContentUploader.Item(path: path, size: candidate.status.stamp.size))
            return
        }
        observation.changes[path] = LocalChange(entry)
        observation.stamps[path] = stamp
        observation.unstored.insert(path)
    }
}

extension SyncEngine {
    /// Scans some paths, and nothing below them.
    ///
    /// - Parameter isStoring: Whether new contents go to the store.
    func scanPaths(
        _ paths: [RelativePath], _ run: SyncRun, base: BaseIndex, isStoring: Bool
    ) async throws -> Observation {
        var narrowed = run
        narrowed.base = base
        return try await readPaths(statScan(paths, narrowed), narrowed, isStoring: isStoring)
    }

    /// Reads what a scan of some paths found, and tells deletions from moves.
    func readPaths(
        _ found: StatScan, _ run: SyncRun, isStoring: Bool
    ) async throws -> Observation {
        var seen = try await read(found, run, isStoring: isStoring)
        try holdMovedOut(&seen, run)
        // By the inode, as in a scan of everything: no content tells one empty file from another.
        let missing = seen.changes.filter { $0.value.entry == nil }.map(\.key)
        seen.findMoves(
            missing, run.base, now: systemContext.now(), birthTime: root.birthTime(of:))
        return seen
    }

    /// Scans some paths without reading a content.
    func statScan(_ paths: [RelativePath], _ run: SyncRun) throws -> StatScan {
        let base = run.base
        let mounts = try MountCheck(root, base, formerDevice: manifest.rootDevice)
        var found = StatScan()
        found.observation.scanned = Set(paths)
        for path in paths {
            do throws(Failure) {
                var device: UInt64?
                guard let status = try statusInTree(path, device: &device) else {
                    if !run.options.deletesUnmounted, mounts.isUnmounted(path, above: device) {
                        throw Failure.unmounted(path)
                    }
                    if base.row(path) != nil { found.observation.changes[path] = LocalChange(nil) }
                    continue
                }
                if status.kind == .file {
                    found.items.append(.init(path: path, size: status.stamp.size))
                } else {
                    try found.observation.addStatus(path, status, root, base)
                }
            } catch {
                found.observation.problems.append(Problem(path, error))
                found.observation.blocked.insert(path)
            }
        }
        return found
    }

    /// Scans paths again that were not what they had been a moment ago, with the folders above them and
    /// everything below.
    func scanAround(
        _ paths: [RelativePath], _ run: SyncRun, isStoring: Bool
    ) async throws -> Observation {
        var all = Set(paths)
        for path in paths {
            all.formUnion(path.ancestors)
            for place in [path] + path.ancestors where kind(at: place) != .directory {
                all.formUnion(run.base.rows(below: place).map(\.path))
                all.formUnion(run.local.changes.keys.filter { $0.isInside(place) })
            }
            all.formUnion(try newBelow(path, run))
        }
        return try await scanPaths(all.sorted(), run, base: run.base, isStoring: isStoring)
    }

    /// Scans files again that were gone, or no longer regular files, when they were to be read, until
    /// nothing else is found there.
    func scanAgain(
        _ first: Observation, _ run: SyncRun, isStoring: Bool
    ) async throws -> Observation {
        var seen = first
        for _ in 0..<SyncRun.maximumRounds {
            let again =
                seen.vanished.filter { kind(at: $0) != nil }
                + seen.restless.keys.filter { ![.file, nil].contains(kind(at: $0)) }
            guard !again.isEmpty else { break }
            for path in again {
                seen.vanished.remove(path)
                seen.restless[path] = nil
                seen.blocked.remove(path)
            }
            seen.add(try await scanAround(again.sorted(), run, isStoring: isStoring))
        }
        seen.problems += seen.restless.sorted { $0.key < $1.key }.map { Problem($0, $1) }
        seen.vanished = []
        seen.restless = [:]
        return seen
    }

    /// What is at a path; nil if nothing is there, or if a folder above it is no longer a folder.
    ///
    /// - Parameter device: Set to the device of the last folder on the way; nil is the root's.
    private func statusInTree(
        _ path: RelativePath, device: inout UInt64?
    ) throws(Failure) -> FileStatus? {
        for folder in path.ancestors.reversed() {
            guard let status = try root.status(folder), status.kind == .directory else {
                return nil
            }
            device = status.stamp.device
        }
        return try root.status(path)
    }

    /// Refuses a selected path that exists neither in the root nor in the base nor in the store. Does
    /// nothing while the remote is away.
    ///
    /// - Throws: `Failure` with code `not-found`, before anything was changed.
    func requireSelection(_ run: SyncRun) throws {
        guard run.isOnline || !run.report.hasRemote else { return }
        for path in run.selection.paths where try !isKnown(path, run) {
            throw Failure(
                .notFound, path: path.bytes, "Not found here or in the store.",
                remedy: path.bytes.contains { "*?[".utf8.contains($0) }
                    ? "No pattern is taken here: name files and folders; filesinki ls lists them."
                    : "Check the path; filesinki ls lists what the store has.")
        }
    }

    private func isKnown(
        _ path: RelativePath, _ run: SyncRun
    ) throws -> Bool {
        if run.base.row(path) != nil || !run.base.rows(below: path).isEmpty { return true }
        if run.isOnline,
            run.remote.changes.keys.contains(where: { $0 == path || $0.isInside(path) })
        {
            return true
        }
        if try manifest.tombstone(path) != nil || !manifest.tombstones(below: path).isEmpty {
            return true
        }
        // What cannot be read is reported by the run.
        do { return try root.status(path) != nil } catch { return true }
    }
}

extension Failure {
    /// The failure for an approval of a plan that no guard stopped.
    static func planNotFound(_ id: String) -> Failure {
        Failure(
            .notFound, path: id, "No stopped plan has this id.",
            remedy: "Print the current plan with filesinki sync --dry-run.")
    }
}
