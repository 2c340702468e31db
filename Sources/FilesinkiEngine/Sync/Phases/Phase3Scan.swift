import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension SyncEngine {
    /// Phase 3: scans the local tree into ``SyncRun/local``.
    ///
    /// New contents go to the store on the way if it can be reached. If it goes away meanwhile, the run is
    /// offline from here on: what the store does not hold must not be named.
    ///
    /// - Parameter observe: Scans the paths of the run, and stores new contents if the flag says so.
    func scan(
        _ run: inout SyncRun, _ observe: (SyncRun, _ isStoring: Bool) async throws -> Observation
    ) async throws {
        let isStoring = run.isOnline && !run.options.isDryRun
        do {
            let seen = try await observe(run, isStoring)
            run.local = try await scanAgain(seen, run, isStoring: isStoring)
        } catch let failure as Failure where isStoring && failure.code == .away {
            run.report.away = failure
            run.isOnline = false
            run.local = try await scanAgain(observe(run, false), run, isStoring: false)
        }
        try markSaved(&run)
        run.report.problems += run.local.problems
        run.report.notices += run.local.notices
        run.report.scannedFiles = run.local.fileCount
    }

    /// Reads every file of the whole tree that may have changed.
    ///
    /// - Parameter isStoring: Whether new contents go to the store.
    func read(_ scan: ScanResult, _ run: SyncRun, isStoring: Bool) async throws -> Observation {
        var found = StatScan()
        found.observation.addScan(scan)
        found.observation.ignored = ignoredForGood(scan.ignored, run)
        found.observation.rootDevice = try root.status().stamp.device
        let waiting = try waitingRows()
        for candidate in scan.candidates {
            found.addCandidate(candidate, waiting: waiting[candidate.path], run.base)
        }
        var observation = try await read(found, run, isStoring: isStoring)
        observation.findMoves(
            scan.missing, run.base, now: systemContext.now(), birthTime: root.birthTime(of:))
        return observation
    }

    /// Reads the files whose content the stat scan does not know.
    ///
    /// - Parameter isStoring: Whether new contents go to the store. What a guard may stop, and what the
    ///   run was not asked for, is hashed only.
    func read(
        _ found: StatScan, _ run: SyncRun, isStoring: Bool
    ) async throws -> Observation {
        var observation = found.observation
        let storesSelected = try isStoring && !mayExceedGuards(found, run)
        for (items, isStored) in [
            (found.items.filter { run.selection.contains($0.path) }, storesSelected),
            (found.items.filter { !run.selection.contains($0.path) }, false),
        ] where !items.isEmpty {
            let result = try await intake(items, run, isStoring: isStored)
            observation.addFiles(result, run.base)
            if !isStored { observation.unstored.formUnion(result.files.map(\.path)) }
        }
        return observation
    }

    /// The local changes that earlier runs could not publish, by path.
    private func waitingRows() throws -> [RelativePath: LocalRow] {
        Dictionary(try manifest.loadLocal().map { ($0.path, $0) }) { first, _ in first }
    }

    /// Scans names and file status of the whole tree.
    func scanWhole(_ run: SyncRun) throws -> ScanResult {
        try scanner(run.rules).scan(BaseSnapshot(run.base.rows))
    }

    /// A scanner of the root with the rules of a run.
    func scanner(_ rules: RunRules) throws -> Scanner {
        Scanner(root: root, filter: rules.filter, rootDevice: try manifest.rootDevice)
    }

    /// Reads files, and stores the contents that the store does not have.
    ///
    /// - Parameter bytes: Where the contents are read; nil for the root.
    func intake(
        _ items: [ContentUploader.Item], _ run: SyncRun, isStoring: Bool,
        from bytes: (any ByteSource)? = nil
    ) async throws -> UploadResult {
        guard !items.isEmpty else { return UploadResult() }
        let known = run.currentContents
        let waiting = run.remote.fileContents
        var source: ContentSource?
        var unpublished: [PackReference] = []
        if isStoring {
            unpublished = try await unpublishedPacks(for: run)
            var local = run.local
            local.packs += unpublished
            source = try await storedContents.source(run.remote, local)
        }
        let total = items.reduce(0) { $0 + $1.size }
        let counter = ProgressCounter(
            .hashing, files: items.count, bytes: total, run.options.progress)
        // Publishing a small content twice costs less than reading remote pack indexes.
        let isSmall = !run.isBatch && total <= ContentUploader.inlineLimit
        let intake = ContentUploader(
            source: bytes ?? rootSource(of: run),
            destination: isStoring
                ? try await destination(isSmall: isSmall, run.packSizing) : .nowhere,
            knows: { [source] content in
                if known.contains(content) { return true }
                let isInTree = waiting.contains(content)
                return try await source?.mayBeNamed(
                    content, isInTree: isInTree, isLocal: isSmall) ?? true
            },
            holdsChunk: { [source] chunk in
                try await source?.holdsChunk(chunk, isLocal: isSmall) ?? true
            },
            progress: { counter.add(files: $0, bytes: $1) })
        var result = try await intake.upload(items)
        try source?.requireManifest()
        result.packs = unpublished + result.packs
        return result
    }

    /// The files of the root; the content that the run has just installed is not read again.
    private func rootSource(of run: SyncRun) -> any ByteSource {
        run.installed.map { RootAfterSave(root: root, installed: $0) } ?? root
    }

    private func destination(
        isSmall: Bool, _ sizing: PackSizing
    ) async throws -> ContentUploader.Destination {
        let writer = try await packWriter(sizing)
        return isSmall ? .commit(writer) : .packs(writer)
    }
}
