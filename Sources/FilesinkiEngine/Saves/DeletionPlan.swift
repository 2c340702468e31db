import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Deletions {
    /// What ``delete(_:recursive:_:)`` would delete. The plan has no id, for it is not approved.
    ///
    /// - Throws: What the deletion would throw.
    func plan(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions, _ rules: RunRules
    ) async throws -> SyncReport {
        var before = try await sync.syncPaths(paths, options, rules: rules)
        for path in paths { try before.requireNotWithheld(path) }
        var rules = rules
        rules.withhold(before.withheldHere)
        try requireSent(paths, recursive: recursive, options, before)
        var options = options
        let movedOut = try await takeMovedOut(paths, &before, &options) {
            try await sync.syncPaths(paths, $0, rules: rules)
        }
        var doomed = DoomedPaths(root: root, filter: rules.filter, recursive: recursive)
        for path in paths where try !doomed.add(path) && !isKnown(path, of: movedOut) {
            if !before.steps.contains(where: { $0.isReceived(atOrInside: path) }) {
                try requireDeleted(path, before)
            }
        }
        var report = SyncReport()
        report.isDryRun = true
        report.hasRemote = before.hasRemote
        report.sequence = before.sequence
        report.notices = before.notices + doomed.keptFolders
        report.notices += try unsentRules(for: paths, isDryRun: true)
        report.problems = before.problems
        report.move = before.move
        report.refusal = before.refusal
        var known: Set<RelativePath> = []
        for path in doomed.paths where known.insert(path).inserted {
            let status = try root.status(path)
            if status?.kind == .special {
                report.problems.append(.keptSpecial(path))
            } else if try !isUnsent(path, before) {
                report.steps.append(try deletion(of: path, isFolder: status?.kind == .directory))
            }
        }
        for path in try gone(paths, movedOut) where known.insert(path).inserted {
            report.steps.append(try deletion(of: path, isFolder: false))
        }
        // What is deleted here already, or would be received to be deleted.
        report.steps += before.steps.filter { step in
            !known.contains(step.path)
                && paths.contains {
                    step.isDeletion(atOrInside: $0) || step.isReceived(atOrInside: $0)
                }
        }.map(\.deletion)
        report.list(
            covers: before.steps.filter { step in paths.contains { step.isCover(atOrInside: $0) } })
        report.foreseeStop(at: config.remote, "The run would delete here, and send nothing.")
        return report
    }

    /// Takes the problems of what was moved out of the chosen paths from a report, because the command names it.
    ///
    /// Where something else is in place of a folder from which it was moved, that is in no history yet, and is not sent before the
    /// deletions are: they are sent at once, with it, by a commit of which `undelete` brings back the folder.
    ///
    /// - Parameters:
    ///   - before: The run that has looked for what is new here, and then the one that has sent these deletions.
    ///   - publish: Syncs the paths.
    /// - Returns: What was moved out.
    func takeMovedOut(
        _ paths: [RelativePath], _ before: inout SyncReport, _ options: inout SyncOptions,
        publish: (SyncOptions) async throws -> SyncReport
    ) async throws -> Set<RelativePath> {
        let movedOut = before.takeMovedOut(atOrInside: paths)
        let isCovered = try paths.contains { path in
            try movedOut.contains { $0.isInside(path) } && isCover(path)
        }
        guard isCovered else { return movedOut }
        options.namesDeletions = true
        options.operation = Commit.deletion
        var report = try await publish(options)
        if !options.isDryRun {
            before.steps.removeAll { $0.action == .skip }
            report.add(done: before)
        }
        before = report
        return movedOut
    }

    /// Whether a file or a symlink is at a path.
    private func isCover(_ path: RelativePath) throws -> Bool {
        let kind = try root.statusIfThere(path)?.kind
        return kind != nil && kind != .directory
    }

    /// What the paths have in the store of what was moved out of the chosen paths.
    private func gone(
        _ paths: [RelativePath], _ movedOut: Set<RelativePath>
    ) throws -> [RelativePath] {
        let tops = paths.filter { $0.isAtOrInside(movedOut) } + movedOut
        let all = try tops + tops.flatMap { try manifest.baseRows(below: $0).map(\.path) }
        let named = Set(paths)
        return Set(all).filter { $0.isAtOrInside(named) }.sorted()
    }

    private func deletion(of path: RelativePath, isFolder: Bool) throws -> Step {
        let row = try manifest.base(path)
        let base = row.map { VersionedEntry($0.entry, version: $0.version) }
        // What no run has seen yet is published, and then deleted.
        let folder = Entry.directory(mode: 0o755, modified: Timestamp(nanoseconds: 0))
        return Step(
            path: path, base: base, ours: base == nil && isFolder ? folder : nil, theirs: base,
            action: .publish(.tombstone), reason: .deleted)
    }
}

extension SyncReport {
    /// Lists what the run sends before it deletes that, too, as it has taken the place of folders which are deleted; then the
    /// deletions, in the order of the run.
    fileprivate mutating func list(covers: [Step]) {
        guard !covers.isEmpty else { return }
        let entries = Dictionary(covers.map { ($0.path, $0.action.entry) }) { first, _ in first }
        let deletions = steps.map { step in
            guard case .some(.some(let entry)) = entries[step.path] else { return step }
            let sent = VersionedEntry(entry, version: step.seen)
            return Step(
                path: step.path, base: sent, theirs: sent, action: .publish(.tombstone),
                reason: .deleted)
        }
        steps = covers + deletions.sorted { $1.path < $0.path }
    }

    /// Records that a store which was moved would take none of the deletions of this plan.
    ///
    /// - Parameters:
    ///   - remote: The address that the replica has.
    ///   - outcome: What the command would do, as a sentence.
    mutating func foreseeStop(at remote: String?, _ outcome: String) {
        guard refusal == nil, let move, !steps.isEmpty else { return }
        notices.removeAll { $0.failure.cause is MovedStore }
        let failure = Failure.moved(move).stoppingPublication(at: remote)
        refusal = failure
        notices.append(failure.foretold(outcome))
    }
}

extension Step {
    /// Whether the step writes the folder or a path below it that only the store has.
    fileprivate func isReceived(atOrInside folder: RelativePath) -> Bool {
        action.writesOurs && action.entry?.kind != .tombstone
            && (path == folder || path.isInside(folder))
    }

    /// Whether the step sends a file or a symlink in place of the folder, or of one below it.
    fileprivate func isCover(atOrInside folder: RelativePath) -> Bool {
        guard case .publish(let entry) = action, entry.kind == .file || entry.kind == .symlink
        else { return false }
        return base?.entry.kind == .directory && (path == folder || path.isInside(folder))
    }

    fileprivate var deletion: Step {
        Step(
            path: path, base: base, ours: ours, theirs: theirs, action: .publish(.tombstone),
            reason: .deleted)
    }
}
