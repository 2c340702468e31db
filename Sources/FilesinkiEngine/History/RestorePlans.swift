import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// What `restore` and `undelete` would write, for their `--dry-run`. Changes nothing, here or in the store.
///
/// Costs what the command costs before it writes; contents are looked for, and not read.
struct RestorePlans: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    private static let options: SyncOptions = {
        var options = SyncOptions()
        options.isDryRun = true
        return options
    }()

    /// What ``ManyRestores/restore(_:_:)`` would restore.
    func restore(_ points: [PathAtPoint]) async throws -> RestoreReport {
        var report = RestoreReport()
        var synced = try rulesReader.syncedPaths(Self.options)
        let many = ManyRestores(replica)
        let points = try await report.keep(points, path: \.path) { try many.require($0, &synced) }
        guard !points.isEmpty else { return report }
        let before = try await sync.syncPaths(
            points.map(\.path), Self.options, rules: synced.rules)
        let reader = try await many.reader(of: points, after: nil)
        try await add(ManyRestores.wanted(points), in: reader, after: before, &report)
        await Restores(replica).noteReplaced(try ReplacedVersions(before, manifest), &report)
        try Restores(replica).noteLater(&report, planned: before.steps)
        report.foreseeStop(before, at: config.remote, isPublishing: !report.restored.isEmpty)
        return report
    }

    /// What ``Undeletions/undelete(_:_:)`` and ``UnsentDeletions/bringBack(_:before:_:)`` would restore.
    func undelete(
        _ paths: [RelativePath], _ unsent: [UnsentDeletion]
    ) async throws -> RestoreReport {
        var report = RestoreReport()
        if !unsent.isEmpty {
            try await add(unsent, &report)
            report.notices += try UnsentDeletions(replica).notices(ofMoved: unsent, report)
            try await Restores(replica).noteDeletedEarlier(
                in: report.folders, before: paths, &report)
        }
        var synced = try rulesReader.syncedPaths(Self.options)
        let many = Undeletions(replica)
        let taken = try await many.failures(ofTaken: paths)
        var asked = try await report.keep(paths, path: \.self) {
            try many.requirePossible($0, &synced, taken)
        }
        guard !asked.isEmpty else { return report }
        let before = try await sync.syncPaths(asked, Self.options, rules: synced.rules)
        // The command says more of one path that is named alone.
        let isOne = unsent.isEmpty && paths.count == 1
        asked = try await report.keep(asked, path: \.self) { path in
            let found = try root.status(path)
            if isOne {
                try await Restores(replica).requireAbsent(found, at: path, after: nil)
            } else {
                try many.requireAbsent(path)
            }
            if let kind = before.kind(receivedAt: path) {
                try await Restores(replica).requireNoFileForFolder(kind, at: path, after: nil)
            }
        }
        let received = asked.filter { report.add(received: $0, before) }
        asked.removeAll(where: received.contains)
        // The run before has recorded nothing, so the log is read to its end.
        let reader = try await history.historyReader()
        let wanted = try await many.wanted(asked, in: reader, &report)
        let known = report.restored.count
        try await add(wanted, in: reader, after: before, &report)
        let isPublishing = report.restored.count > known
        let restored = Set(report.restored)
        report.notices.removeAll { !restored.contains($0.path) }
        try await Restores(replica).noteDeletedEarlier(in: asked, &report)
        report.foreseeStop(before, at: config.remote, isPublishing: isPublishing)
        for path in received where report.folders.contains(path) {
            try await Restores(replica).noteStillDeleted(in: path, &report)
        }
        return report
    }

    /// What ``Restores/export(_:write:)`` would write into a folder.
    func export(_ tree: TreeAtPoint) async throws -> RestoreReport {
        var report = RestoreReport()
        let source = try await history.historyContents(tree.reader)
        let entries = tree.all.map { ($0.0, $0.1.entry) }
        try await source.locate(entries.lazy.map(\.1).filter { $0.kind == .file }.map(\.content))
        for (path, entry) in entries {
            do {
                try await history.requireUnpruned(entry, at: path, in: tree.reader, source)
                report.add(restored: path, entry)
            } catch let failure as Failure where failure.code == .notFound {
                report.problems.append(Problem(path, failure))
            }
        }
        return report
    }

    private func add(
        _ deletions: [UnsentDeletion], _ report: inout RestoreReport
    ) async throws {
        let reader = try await history.historyReader()
        let contents = try await history.historyContents(reader)
        for deletion in deletions.sorted(by: { $0.path < $1.path }) {
            let (path, entry) = (deletion.path, deletion.entry)
            do {
                try Restores(replica).requireFolders(above: deletion)
                try await history.requireUnpruned(entry, at: path, in: reader, contents)
                report.add(restored: path, entry)
            } catch let failure as Failure where failure.code != .interrupted {
                report.problems.append(Problem(path, failure))
            }
        }
    }

    /// - Parameter before: The run that the command would begin with.
    private func add(
        _ wanted: [ManyRestores.Wanted], in reader: HistoryReader, after before: SyncReport,
        _ report: inout RestoreReport
    ) async throws {
        let contents = try await history.historyContents(reader)
        try await contents.locate(wanted.map(\.entry).filter { $0.kind == .file }.map(\.content))
        let places = Restores(replica)
        let synced = Dictionary(before.steps.lazy.map { ($0.path, $0) }) { first, _ in first }
        var ignored = IgnoredPaths(
            root: root, filter: try rulesReader.runRules(Self.options).filter)
        for item in wanted {
            do {
                try await places.require(item, in: reader, from: contents, leaving: &ignored)
                let step = synced[item.path]
                if step?.action == .leave { throw Failure.wouldReplaceUnpublished(item.path) }
                let present = step?.action == .agree ? step?.ours : step?.action.entry
                let isInPlace =
                    try present?.agrees(with: item.entry)
                    ?? places.isInPlace(item.entry, at: item.path)
                if isInPlace {
                    report.unchanged.append(item.path)
                } else {
                    report.add(restored: item.path, item.entry)
                }
            } catch let failure as Failure where failure.code != .interrupted {
                report.problems.append(Problem(item.path, failure))
            }
        }
    }
}

extension RestoreReport {
    /// Records that the store was moved, and would take nothing of this plan.
    ///
    /// - Parameters:
    ///   - before: The run that the command would begin with.
    ///   - remote: The address that the replica has.
    ///   - isPublishing: Whether the command would publish something.
    fileprivate mutating func foreseeStop(
        _ before: SyncReport, at remote: String?, isPublishing: Bool
    ) {
        refusal = before.refusal
        guard refusal == nil, isPublishing, let move = before.move else {
            notices += before.moveNotices
            return
        }
        let failure = Failure.moved(move).stoppingPublication(at: remote)
        refusal = failure
        notices.append(failure.foretold("The run would restore here, and send nothing."))
    }
}

extension SyncReport {
    /// What the run writes at a path; nil for nothing.
    fileprivate func kind(receivedAt path: RelativePath) -> FileStatus.Kind? {
        guard let step = steps.first(where: { $0.path == path && $0.action.writesOurs }) else {
            return nil
        }
        return switch step.action.entry?.kind {
        case .file: .file
        case .symlink: .symlink
        case .directory: .directory
        case .tombstone, nil: nil
        }
    }

    /// That the store was moved: what the command would publish is stopped there.
    fileprivate var moveNotices: [Problem] { notices.filter { $0.failure.code == .wrongStore } }
}
