import FilesinkiFileSystem
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiSystem
import FilesinkiWatch
import Glibc

/// Syncs a replica continuously, as files change in the root or at the remote.
///
/// The replica is locked only during a run, so other commands can work beside a watch.
package actor Watcher {
    let replicaOptions: ReplicaOptions
    let options: WatchOptions
    let onNotice: @Sendable (WatchNotice) async throws -> Void
    let local: LocalWatch
    var scheduler: WatchScheduler
    var deduplicator = ReportDeduplicator()
    var replica: Replica?
    var listener: RemoteChangeListener?
    /// Whether any run has succeeded.
    var hasRun = false
    /// The last reported failure; nil if the last run succeeded.
    var lastFailure: String?
    /// Whether the remote was away at the last reported failure.
    private var wasAway = false
    private var lock: ReplicaLock?
    /// The stamps of this device's files of rules at the last run.
    private var ruleStamps: [FileStamp?] = []

    /// What was moved out of the chosen paths, as the last run has found: its deletion is held back.
    private var movedOut: Set<RelativePath> = []

    /// The signals that stop a watch after the current run.
    private static let stopSignals = [SIGTERM, SIGINT]

    /// - Parameter onNotice: Called between two runs. An error that it throws ends the watch.
    package init(
        _ replica: ReplicaOptions, _ options: WatchOptions,
        onNotice: @escaping @Sendable (WatchNotice) async throws -> Void
    ) throws(Failure) {
        var replica = replica
        let cache = RemoteCache(replica.connect)
        replica.connect = { try cache.remote($0) }
        replicaOptions = replica
        self.options = options
        self.onNotice = onNotice
        local = try LocalWatch(
            root: replica.root, limits: options.debouncing, bounds: options.bounds)
        scheduler = WatchScheduler(options.scheduler, at: ClockReading.moment)
    }

    /// Watches until a signal, ``requestStop()``, or a failure that a retry cannot cure.
    ///
    /// - Throws: Code `busy` if another process watches the replica, `not-found` if the folder is
    ///   no replica or has no remote, `io` if the root is gone.
    package func watch() async throws {
        lock = try acquireLock()
        local.reportSignals(Self.stopSignals + [SIGHUP])
        defer {
            listener?.stop()
            local.stop()
            local.restoreSignals(Self.stopSignals + [SIGHUP])
        }
        try await startLocalWatch()
        loop: while true {
            try await handle(local.drain())
            switch scheduler.next(at: ClockReading.moment) {
            case .end: break loop
            case .wait(let end): try await handle(await local.next(until: end))
            case .run(let work): try await syncAndSchedule(work)
            }
        }
        await replica?.close()
        lock = nil
    }

    /// Stops the watch after the current run. Callable from any task.
    package nonisolated func requestStop() { local.post(.signal(SIGTERM)) }

    /// One process watches a replica. The kernel releases the lock when the process dies.
    private func acquireLock() throws -> ReplicaLock {
        let path = replicaOptions.stateFolder.watch
        guard let lock = try ReplicaLock.tryAcquire(path) else {
            let holder = try? StateFile.read(path).map { String(decoding: $0, as: UTF8.self) }
            throw Failure(
                .busy, path: replicaOptions.root,
                "Another process watches this replica: \(holder ?? "unknown").",
                remedy: "Leave it running, or stop it first.")
        }
        lock.writeHolder("process \(getpid())")
        return lock
    }

    /// Opens the replica and starts the local watch. Both happen before the first scan, so no
    /// change between them is missed.
    private func startLocalWatch() async throws {
        let replica = try await Replica.open(replicaOptions, writable: true)
        self.replica = replica
        guard await replica.remoteAddress != nil else {
            throw Failure.noRemote(of: replicaOptions.root)
        }
        ruleStamps = presentRuleStamps
        let judge = try await replica.ignoreMatcher(options.sync)
        await replica.pause()
        let folders = try local.start { judge.ignores($0, isDirectory: $1) }
        try await onNotice(.started(folders: folders))
    }

    // MARK: Notices of the local watch

    private func handle(_ notices: [LocalNotice]) async throws {
        for notice in notices { try await handle(notice) }
    }

    private func handle(_ notice: LocalNotice) async throws {
        switch notice {
        case .changes(let changes):
            if changes.touchRules { try await reloadRules() }
            scheduler.add(changes)
        case .everything(let reason):
            try await onNotice(.scansEverything(reason))
            if case .clock = reason {
                scheduler.handleClockJump()
            } else {
                scheduler.requestFullRun()
            }
        case .rescanned: scheduler.requestFullRun()
        case .shortage(let shortage):
            scheduler.setShortage(true, at: ClockReading.moment)
            try await onNotice(.shortage(shortage))
        case .noShortage: scheduler.setShortage(false, at: ClockReading.moment)
        case .remote: scheduler.requestRemoteCheck()
        case .signal(SIGHUP): try await reloadRules()
        case .signal:
            // A second signal ends the process at once; the next run cleans up.
            local.restoreSignals(Self.stopSignals)
            scheduler.requestEnd()
        case .rootGone: throw rootGone
        }
    }

    /// Reads the ignore rules again and watches and scans by them.
    private func reloadRules() async throws {
        guard let judge = try await replica?.ignoreMatcher(options.sync) else { return }
        try await onNotice(.rulesReloaded)
        local.follow { judge.ignores($0, isDirectory: $1) }
    }

    /// Reloads the rules if another process has changed which paths the replica holds, or an ignore file of
    /// this device: both are outside of what is watched.
    private func followRuleFiles() async throws -> Bool {
        let present = presentRuleStamps
        guard present != ruleStamps else { return false }
        ruleStamps = present
        try await reloadRules()
        return true
    }

    private var presentRuleStamps: [FileStamp?] {
        let state = replicaOptions.stateFolder
        return [state.only, state.ignore, replicaOptions.userIgnoreFile].map { path in
            path.flatMap { FileStamp(at: $0, followingSymlinks: true) }
        }
    }

    var rootGone: Failure {
        Failure(
            .io, path: replicaOptions.root, "The root was moved, deleted or unmounted.",
            remedy: "Put it back, and start the watch again.")
    }

    /// Runs a sync and schedules the next one from its result.
    func syncAndSchedule(_ work: WatchScheduler.Work) async throws {
        let began = ClockReading.moment
        do {
            let change = try await sync(work)
            if let failure = change.report.away ?? change.report.stopped {
                if change.report.hasActed { try await reportChanges(change.withoutEnd) }
                throw failure
            }
            let now = ClockReading.moment
            scheduler.finish(change.isWhole ? .everything : work, at: now, took: now - began)
            if change.hasMore { scheduler.requestRemoteCheck() }
            let isBack = lastFailure != nil
            if isBack { try await onNotice(.resumed(wasAway: wasAway)) }
            lastFailure = nil
            hasRun = true
            try await reportChanges(change)
            if change.isWhole || isBack && change.hasAsked { try await options.onConnected() }
            try await startListening(after: change)
        } catch let failure as Failure {
            try await scheduleRetry(of: work, after: failure)
        }
    }

    private func reportChanges(_ change: ChangeReport) async throws {
        guard !change.isIdle,
            let unreported = deduplicator.unreported(in: change.report, isWhole: change.isWhole)
        else { return }
        try await onNotice(.synced(unreported))
    }

    private func sync(_ work: WatchScheduler.Work) async throws -> ChangeReport {
        let replica = try await lockedReplica()
        do {
            let isReloaded = try await followRuleFiles()
            let report = try await sync(isReloaded ? .everything : work, replica)
            await record(report, replica)
            await replica.pause()
            return report
        } catch {
            if let failure = error as? Failure { await record(failure, replica) }
            await replica.pause()
            throw error
        }
    }

    /// Records for `status` and for monitors that runs fail, or that they succeed again.
    private func record(_ change: ChangeReport, _ replica: Replica) async {
        if let failure = change.report.away ?? change.report.stopped {
            return await record(failure, replica)
        }
        // A run that has not asked the remote does not know whether it is back.
        guard lastFailure != nil, change.hasAsked else { return }
        try? await replica.recordRecoveredRun()
    }

    /// Records a failure unless it is that of the last attempt. The replica is locked. What cannot be recorded is reported
    /// all the same.
    private func record(_ failure: Failure, _ replica: Replica) async {
        guard failure.description != lastFailure, let code = options.recordedExitCode(failure)
        else {
            return
        }
        try? await replica.recordFailedRun(failure, exitCode: code)
    }

    private func sync(
        _ work: WatchScheduler.Work, _ replica: Replica
    ) async throws -> ChangeReport {
        switch work {
        case .everything:
            var sync = options.sync
            sync.isUnattended = true
            var report = ChangeReport(try await replica.sync(sync))
            report.isWhole = true
            noteMovedOut(report)
            return report
        case .changes(var changes, let isRemoteHinted):
            // It may be back, under another name.
            if !changes.isEmpty { changes.add(LocalChanges(paths: movedOut)) }
            let report = try await replica.syncChanges(
                changes, isRemoteHinted: isRemoteHinted, options.sync)
            if !changes.isEmpty || report.isWhole { noteMovedOut(report) }
            return report
        }
    }

    private func noteMovedOut(_ change: ChangeReport) {
        movedOut = Set(change.report.problems.filter { $0.failure.isCopiedOut != nil }.map(\.path))
    }

    /// Returns the replica, locked. Opens it again if another process has initialised it again.
    private func lockedReplica() async throws -> Replica {
        if let replica {
            if try await replica.resume() { return replica }
            await replica.close()
            self.replica = nil
            listener?.stop()
            listener = nil
        }
        let opened = try await Replica.open(replicaOptions, writable: true)
        replica = opened
        return opened
    }

    /// Starts listening to the remote after the first run that reached it.
    private func startListening(after change: ChangeReport) async throws {
        if let listener { return listener.acknowledge(change.report.sequence) }
        guard let replica, change.report.hasRemote else { return }
        let started = RemoteChangeListener(
            try await replica.remoteChanges(), known: change.report.sequence, poll: options.poll,
            sleep: replicaOptions.systemContext.sleep)
        started.start(posting: local)
        listener = started
    }

    /// Schedules a retry, or throws if a retry cannot succeed.
    private func scheduleRetry(of work: WatchScheduler.Work, after failure: Failure) async throws {
        guard failure.isWorthAnotherTry(afterSuccess: hasRun) else {
            // A run may notice that the root is gone before the local watch does.
            let isGone = failure.code == .notFound && access(replicaOptions.root, F_OK) != 0
            throw isGone ? rootGone : failure
        }
        scheduler.fail(work, at: ClockReading.moment, retryAfter: failure.retryAfter ?? .zero)
        let description = failure.description
        if description == lastFailure { return }
        lastFailure = description
        wasAway = failure.code == .away
        let isWaiting = wasAway || failure.code == .busy
        try await onNotice(isWaiting ? .away(failure) : .failed(failure))
    }
}

/// Removes from reports what a watch has reported before: a lasting condition, such as an open
/// conflict or an unreadable file, is reported once and not after each run.
struct ReportDeduplicator: Sendable {
    private var reported: Set<String> = []
    /// Above this number of entries all are forgotten, which bounds the memory.
    private static let maximum = 10_000

    /// Returns the report without what was reported before; nil if nothing is left.
    ///
    /// - Parameter isWhole: Whether the run covered everything. Then a condition that it does not
    ///   report has ended, and is reported again if it comes back.
    mutating func unreported(in full: SyncReport, isWhole: Bool) -> SyncReport? {
        var report = full
        var lasting: Set<String> = []
        report.steps.removeAll { step in
            switch step.action {
            case .agree: return true
            case .leave, .undecided, .skip: return !isNew(step.description, &lasting)
            case .publish, .take, .both: return false
            }
        }
        report.problems.removeAll { !isNew("\($0.path): \($0.failure)", &lasting) }
        report.notices.removeAll { !isNew("\($0.path): \($0.failure)", &lasting) }
        if isWhole { reported = lasting } else { reported.formUnion(lasting) }
        if reported.count > Self.maximum { reported = [] }
        let isEmpty = report.steps.isEmpty && report.problems.isEmpty && report.notices.isEmpty
        return isEmpty ? nil : report
    }

    private func isNew(_ text: String, _ lasting: inout Set<String>) -> Bool {
        lasting.insert(text)
        return !reported.contains(text)
    }
}

extension LocalChanges {
    /// Whether a file of rules was changed.
    fileprivate var touchRules: Bool {
        paths.contains(where: \.holdsRules)
    }
}

extension Failure {
    /// Whether a watch retries after this failure. Most failures of the first run end the watch.
    fileprivate func isWorthAnotherTry(afterSuccess hasRun: Bool) -> Bool {
        if cause is UnreadableSettings { return true }
        return switch code {
        case .away, .busy, .limit, .changing, .full: true
        case .notFound, .usage: false
        default: hasRun
        }
    }
}
