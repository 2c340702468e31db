import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension SyncEngine {
    /// Looks at the local tree, and reads every file that may have changed.
    ///
    /// - Parameter view: Where new contents are to be stored; nil when nothing is to be sent.
    func observe(_ run: SyncRun, storing view: RemoteView?) async throws -> Observation {
        let known = BaseSnapshot(
            run.base.rows.map { KnownFile(path: $0.path, entry: $0.entry, stamp: $0.stamp) })
        let scan = try scanner(run.rules).scan(known)
        var found = StatScan()
        found.observation.take(scan, run.base)
        found.observation.rootDevice = try root.status().stamp.device
        let waiting = try waitingRows()
        for candidate in scan.candidates {
            found.take(candidate, waiting: waiting[candidate.path], run.base)
        }
        var observation = try await read(found, run, storing: view)
        observation.findMoves(scan.missing, run.base)
        return observation
    }

    /// Reads the contents that a stat scan could not tell.
    ///
    /// - Parameter view: Where new contents are to be stored; nil when nothing is to be sent. What a
    ///   guard may stop, and what the run was not asked for, is hashed only.
    func read(
        _ found: StatScan, _ run: SyncRun, storing view: RemoteView?
    ) async throws -> Observation {
        var observation = found.observation
        var stored = view
        if let view, try mayExceedGuards(found, run, view) { stored = nil }
        for (items, target) in [
            (found.items.filter { run.selection.contains($0.path) }, stored),
            (found.items.filter { !run.selection.contains($0.path) }, nil),
        ] where !items.isEmpty {
            let result = try await intake(items, run, storing: target)
            observation.take(result, run.base)
            if target == nil { observation.unstored.formUnion(result.files.map(\.path)) }
        }
        return observation
    }

    /// What earlier runs have seen and could not publish, by path.
    private func waitingRows() throws -> [RelativePath: LocalRow] {
        Dictionary(try manifest.loadLocal().map { ($0.path, $0) }) { first, _ in first }
    }

    /// What scans the root by the rules of a run.
    func scanner(_ rules: RunRules) throws -> Scanner {
        Scanner(root: root, filter: rules.filter, rootDevice: try manifest.rootDevice)
    }

    /// Reads the files, and stores what is new to the store.
    ///
    /// - Parameter folder: Where the files are; nil for the root.
    func intake(
        _ items: [ContentUploader.Item], _ run: SyncRun, storing view: RemoteView?,
        from folder: RootFolder? = nil
    ) async throws -> IntakeResult {
        guard !items.isEmpty else { return IntakeResult() }
        let known = run.base.contents
        var source: ContentSource?
        var unpublished: [PackReference] = []
        if let view {
            unpublished = try await unpublishedPacks(beyond: run.observation, view)
            var observation = run.observation
            observation.packs += unpublished
            source = try await storedContents.source(view, observation)
        }
        let total = items.reduce(0) { $0 + $1.size }
        let counter = ProgressCounter(
            .hashing, files: items.count, bytes: total, run.options.progress)
        // A small content is sooner published twice than looked for in packs that are far away.
        let isSmall = total <= ContentUploader.inlineLimit
        let intake = ContentUploader(
            root: folder ?? root, destination: try await destination(view, isSmall: isSmall),
            knows: { [source] content in
                if known.contains(content) { return true }
                return try await source?.holds(content, isLocal: isSmall) ?? true
            },
            holdsChunk: { [source] chunk in
                try await source?.holdsChunk(chunk, isLocal: isSmall) ?? true
            },
            progress: { counter.add(files: $0, bytes: $1) })
        var result = try await intake.run(items)
        result.packs = unpublished + result.packs
        return result
    }

    private func destination(
        _ view: RemoteView?, isSmall: Bool
    ) async throws -> ContentUploader.Destination {
        guard view != nil else { return .nowhere }
        let remote = try await connected().remote
        let file = unpublishedPacksFile
        let writer = PackWriter(
            remote: remote, systemContext: systemContext,
            cache: IndexFolder(path: state.indexes), onStored: { file.add($0) })
        return isSmall ? .commit(writer) : .packs(writer)
    }
}

extension Observation {
    /// Takes over what the scan knows without reading contents.
    mutating func take(_ scan: ScanResult, _ base: BaseIndex) {
        for change in scan.changed {
            changes[change.path] = LocalChange(change.entry)
            stamps[change.path] = change.stamp
        }
        for path in scan.missing { changes[path] = LocalChange(nil) }
        blocked.formUnion(scan.blocked)
        blocked.formUnion(scan.ignored)
        ignored = scan.ignored
        problems += scan.problems
        for known in scan.restamped {
            guard let row = base.row(known.path) else { continue }
            refreshed.append(
                BaseRow(path: row.path, entry: row.entry, version: row.version, stamp: known.stamp))
        }
        notices += scan.mountPoints.map { Problem($0, .mountPoint($0)) }
        notices += scan.replicas.map { Problem($0, .innerReplica($0)) }
        notices += scan.specials.map { special in
            Problem(
                special.path,
                Failure(
                    .usage, path: special.path.bytes,
                    "This is a \(special.word); it is not kept in step.",
                    remedy: "Name it in .filesinkiignore to hear no more of it."))
        }
        fileCount = scan.fileCount
        folderCount = scan.directoryCount
    }

    /// Takes over the files that were read.
    mutating func take(_ result: IntakeResult, _ base: BaseIndex) {
        for file in result.files {
            if !file.isSettled { unsettled.insert(file.path) }
            if let row = base.row(file.path), file.agrees(with: row.entry) {
                refreshed.append(
                    BaseRow(
                        path: row.path, entry: row.entry, version: row.version,
                        stamp: file.isSettled ? file.stamp : nil))
                changes[file.path] = nil
                // What replaces the file compares with this, not with the row of the base.
                stamps[file.path] = file.stamp
            } else {
                changes[file.path] = LocalChange(file.entry)
                stamps[file.path] = file.stamp
            }
        }
        for problem in result.problems {
            blocked.insert(problem.path)
            if problem.failure.code == .changing {
                restless[problem.path] = problem.failure
            } else {
                problems.append(problem)
            }
        }
        // What stays away is looked at by the next run.
        blocked.formUnion(result.vanished)
        vanished.formUnion(result.vanished)
        inline += result.inline
        packs += result.packs
    }

    /// Tells which new files are old ones under another name: same inode, size and time. The inode
    /// alone would not do, for a file system gives that of a deleted file to the next new one.
    mutating func findMoves(_ missing: [RelativePath], _ base: BaseIndex) {
        guard !missing.isEmpty else { return }
        var gone: [UInt64: RelativePath] = [:]
        for path in missing {
            if let stamp = base.row(path)?.stamp { gone[stamp.inode] = path }
        }
        guard !gone.isEmpty else { return }
        for (path, stamp) in stamps where base.row(path) == nil {
            guard let origin = gone[stamp.inode],
                let row = base.row(origin), let old = row.stamp, old.device == stamp.device,
                old.size == stamp.size, old.modified == stamp.modified,
                row.entry.kind == changes[path]?.entry?.kind
            else { continue }
            changes[path]?.movedFrom = origin
        }
    }
}
