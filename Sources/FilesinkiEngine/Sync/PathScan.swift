import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// What is known of the local tree before a content is read: enough for the guards to say whether a
/// plan could exceed them.
struct StatScan: Sendable {
    /// What names and status tell.
    var observation = Observation()
    /// Files that are new, or whose stamp is not the known one.
    var items: [ContentUploader.Item] = []

    /// Adds a file that may have changed. One whose stamp is that of a change which waits since an
    /// earlier run holds that change still, and is not read again.
    ///
    /// - Parameter row: The change that waits at the path; nil for none.
    mutating func take(_ candidate: ScanCandidate, waiting row: LocalRow?, _ base: BaseIndex) {
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
    /// Looks at some paths only, and at nothing below them.
    ///
    /// - Parameter view: Where new contents are to be stored; nil when nothing is to be sent.
    func observe(
        only paths: [RelativePath], _ run: SyncRun, base: BaseIndex, storing view: RemoteView?
    ) async throws -> Observation {
        var narrowed = run
        narrowed.base = base
        let found = try statScan(only: paths, narrowed)
        return try await read(found, narrowed, storing: view)
    }

    /// What can be said of some paths without reading a content.
    func statScan(only paths: [RelativePath], _ run: SyncRun) throws -> StatScan {
        let base = run.base
        let mounts = try MountCheck(root, base, formerDevice: manifest.rootDevice)
        var found = StatScan()
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
                    try found.observation.take(path, status, root, base)
                }
            } catch {
                found.observation.problems.append(Problem(path, error))
                found.observation.blocked.insert(path)
            }
        }
        return found
    }

    /// Looks again at paths that were not what they had been a moment ago: at what has become of the
    /// folders above them too, and at all below.
    func observe(
        again paths: [RelativePath], _ run: SyncRun, storing view: RemoteView?
    ) async throws -> Observation {
        var all = Set(paths)
        for path in paths {
            all.formUnion(path.ancestors)
            for place in [path] + path.ancestors where kind(of: place) != .directory {
                all.formUnion(run.base.rows(below: place).map(\.path))
            }
            all.formUnion(try newBelow(path, run))
        }
        return try await observe(only: all.sorted(), run, base: run.base, storing: view)
    }

    /// Looks once more at files that were gone, or no files any more, when they were to be read, as
    /// long as something else is found there.
    func lookAgain(
        _ first: Observation, _ run: SyncRun, storing view: RemoteView?
    ) async throws -> Observation {
        var seen = first
        for _ in 0..<SyncRun.maximumRounds {
            let again =
                seen.vanished.filter { kind(of: $0) != nil }
                + seen.restless.keys.filter { ![.file, nil].contains(kind(of: $0)) }
            guard !again.isEmpty else { break }
            for path in again {
                seen.vanished.remove(path)
                seen.restless[path] = nil
                seen.blocked.remove(path)
            }
            seen.add(try await observe(again: again.sorted(), run, storing: view))
        }
        seen.problems += seen.restless.sorted { $0.key < $1.key }.map { Problem($0, $1) }
        seen.vanished = []
        seen.restless = [:]
        return seen
    }

    /// What is at a path; nil when nothing is, also because a folder of it is none any more.
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
}

extension Observation {
    /// Takes over a folder or a symlink that was looked at by itself.
    mutating func take(
        _ path: RelativePath, _ status: FileStatus, _ root: RootFolder, _ base: BaseIndex
    ) throws(Failure) {
        let entry: Entry
        switch status.kind {
        case .directory:
            entry = .directory(mode: status.mode, modified: status.stamp.modified)
        case .symlink:
            entry = .symlink(to: try root.readLink(path), modified: status.stamp.modified)
        case .file, .special: return
        }
        if let known = base.row(path)?.entry, known.agrees(with: entry) { return }
        changes[path] = LocalChange(entry)
        stamps[path] = status.stamp
    }
}

extension SyncEngine {
    /// Refuses a path that is nowhere: not in the root, not in what is known of it, not in the store.
    ///
    /// - Parameter view: The remote's state; where the remote is away, nothing can be said.
    /// - Throws: `Failure` with code `not-found`, before anything was changed.
    func requireSelection(_ run: SyncRun, _ view: RemoteView?) throws {
        guard view != nil || !run.report.hasRemote else { return }
        for path in run.selection.paths where try !isKnown(path, run, view) {
            throw Failure(
                .notFound, path: path.bytes, "Not found here or in the store.",
                remedy: "Check the path; filesinki ls lists what the store has.")
        }
    }

    private func isKnown(
        _ path: RelativePath, _ run: SyncRun, _ view: RemoteView?
    ) throws -> Bool {
        if run.base.row(path) != nil || !run.base.rows(below: path).isEmpty { return true }
        if let view, view.changes.keys.contains(where: { $0 == path || $0.isInside(path) }) {
            return true
        }
        if try manifest.tombstone(path) != nil || !manifest.tombstones(below: path).isEmpty {
            return true
        }
        // The run reports what cannot be read.
        do { return try root.status(path) != nil } catch { return true }
    }
}

extension Failure {
    /// No guard stopped a plan of this id.
    static func planNotFound(_ id: String) -> Failure {
        Failure(
            .notFound, path: id, "No stopped plan has this id.",
            remedy: "List the present plan with filesinki sync --dry-run.")
    }
}
