import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules

/// Rules that another device has made or changed come before everything else that a run fetches with them.
///
/// What they ignore is private from then on. A device that learned of the rule and of `delete --keep` in one run would
/// delete its own file or, had it been edited, publish it again: the run would go by the rules with which it began.
extension SyncEngine {
    /// Carries out the incoming rules alone, if there are any and the root has something that they could ignore.
    ///
    /// Costs a listing of the log and a run for these paths, in a run that fetches rules; nothing in any other.
    ///
    /// - Returns: Whether the run has to begin again, with the new rules. Its report says what was done.
    func receiveRules(_ run: inout SyncRun, _ found: ScanResult) async throws -> Bool {
        guard run.base.count > 0 || found.hasChanges else { return false }
        return try await receiveRules(&run)
    }

    /// The same for a run for some paths, whose root has what a command is about to write, if nothing else.
    func receiveRules(_ run: inout SyncRun) async throws -> Bool {
        var rules = try incomingRules(run)
        // The settings say whether `.gitignore` files are files of rules, and are merged as such.
        let settings = rules.filter(\.isSyncedSettings)
        if !settings.isEmpty, settings.count < rules.count {
            if try await receive(settings, &run) { return true }
            guard run.isOnline else { return false }
            rules.removeAll(where: \.isSyncedSettings)
        }
        return try await receive(rules, &run)
    }

    /// Carries out incoming files of rules.
    ///
    /// - Returns: Whether the run has to begin again.
    private func receive(_ rules: [RelativePath], _ run: inout SyncRun) async throws -> Bool {
        guard !rules.isEmpty else { return false }
        var options = run.options
        // What a command does to its paths, it does not do to the rules.
        options.basesOfCopies = []
        if PathCommand.names.contains(options.operation) {
            options.operation = SyncOptions().operation
        }
        var done = try await syncPaths(rules, options, areRules: true)
        // The run that follows finds an open conflict again.
        done.steps.removeAll { $0.action == .leave }
        done.conflicts = []
        // A file of rules that could not be written must not keep everything else from being synced, nor the run from ending.
        guard try done.away != nil || isOneReceived(of: rules) else {
            // The run that goes on finds again what failed.
            run.report.add(done: done)
            return false
        }
        let earlier = run.report
        run.report = done
        run.report.add(earlier: earlier)
        // Without them nothing may be sent, should the remote be back in a moment.
        if done.away != nil { run.isOnline = false }
        return done.away == nil
    }

    /// Whether one of the files of rules does not wait any more, so that a run that begins again comes to an end.
    func isOneReceived(of rules: [RelativePath]) throws -> Bool {
        try rules.contains { try manifest.remote($0) == nil }
    }

    /// Whether rules have come since the rounds of a run began. Those before could not be received.
    func hasNewRules(_ run: SyncRun) throws -> Bool {
        guard !run.readsSelectionOnly || run.receivesRules else { return false }
        return try incomingRules(run).contains { path in
            run.remote.changes[path].map { $0.entry.version > run.firstSequence } ?? false
        }
    }

    /// The files of rules that the run is about to receive and that hold for its paths. A plan that is only shown or was
    /// approved is carried out as it is.
    ///
    /// The end of rules has no hurry: see ``noteIgnored(_:)``. A conflict waits for a user.
    func incomingRules(_ run: SyncRun) throws -> [RelativePath] {
        guard run.isOnline, !run.options.isDryRun, run.options.approved == nil else { return [] }
        // What a command does to files of rules only, it does by the rules that it makes.
        guard !run.readsSelectionOnly || !run.selection.paths.allSatisfy(\.holdsRules) else {
            return []
        }
        var ignored = IgnoredPaths(root: root, filter: run.rules.filter)
        return try run.remote.changes.filter { path, change in
            try path.holdsRules && change.entry.entry.kind == .file && change.movedFrom == nil
                && holds(path, for: run.selection)
                && !ignored.contains(path, isDirectory: false)
                && manifest.openConflicts(at: path).isEmpty
        }.keys.sorted()
    }

    /// Whether the folder of a file of rules is in the root, and has or may have selected paths in it.
    private func holds(_ path: RelativePath, for selection: PathSelection) -> Bool {
        guard let folder = path.parent else { return true }
        return selection.contains(folder) && kind(at: folder) == .directory
    }

    /// Syncs the paths of a run again, because rules have come.
    ///
    /// - Parameters:
    ///   - earlier: What was done by now.
    ///   - isFetched: Whether the run that has received them has fetched everything else, too.
    func syncPaths(
        again run: SyncRun, after earlier: SyncReport, isFetched: Bool
    ) async throws -> SyncReport {
        do {
            var report = try await syncPaths(
                run.options.paths, run.options, after: isFetched ? earlier : nil, saved: run.saved,
                installed: run.installed)
            report.knownSequence = earlier.knownSequence
            report.add(earlier: earlier)
            return report
        } catch {
            try keepUnreported(earlier.copies)
            throw error
        }
    }

    /// Syncs the tree again, because rules have come.
    ///
    /// - Parameter earlier: What was done by now.
    func syncTree(_ options: SyncOptions, after earlier: SyncReport) async throws -> SyncReport {
        var earlier = earlier
        var report: SyncReport
        do {
            report = try await syncTree(options, withholding: earlier.withheld)
            // By the new rules the run that has begun again has said what is still withheld.
            earlier.notices.removeAll(where: \.isOfWithheldBefore)
        } catch {
            guard let failure = error as? Failure, failure.code != .interrupted, earlier.hasActed
            else {
                try keepUnreported(earlier.copies)
                throw error
            }
            report = SyncReport()
            report.stopped = failure
        }
        report.knownSequence = earlier.knownSequence
        report.sequence = max(report.sequence, earlier.sequence)
        report.givenSteps += earlier.givenSteps
        report.add(earlier: earlier)
        return report
    }
}

extension SyncReport {
    /// Whether rules of another device were written here: what a command has asked before may not hold any more.
    var hasReceivedRules: Bool {
        steps.contains { $0.path.holdsRules && $0.action.writesOurs }
    }
}
