import FilesinkiFileSystem
package import FilesinkiModel
import FilesinkiRules
import FilesinkiSystem
import FilesinkiWatch
import Glibc

/// Keeps a replica and its remote in step as files change here or there.
///
/// The replica is locked while a run lasts and at no other time, so that commands work beside a watch.
package actor Watcher {
    let replicaOptions: ReplicaOptions
    let options: WatchOptions
    let tell: @Sendable (WatchNotice) async throws -> Void
    let local: LocalWatch
    var scheduler: WatchScheduler
    var memory = WatchMemory()
    var replica: Replica?
    var waiter: RemoteChangeListener?
    /// Whether a run went well.
    var hasRun = false
    /// The last failure that was told; nil when the last run went well.
    var trouble: String?
    private var lock: ReplicaLock?

    /// Ends a watch when what is in flight is done.
    private static let ends = [SIGTERM, SIGINT]

    /// - Parameter tell: Told what happens, between two runs; what it throws ends the watch.
    package init(
        _ replica: ReplicaOptions, _ options: WatchOptions,
        tell: @escaping @Sendable (WatchNotice) async throws -> Void
    ) throws(Failure) {
        var replica = replica
        let cache = RemoteCache(replica.connect)
        replica.connect = { try cache.remote($0) }
        replicaOptions = replica
        self.options = options
        self.tell = tell
        local = try LocalWatch(
            root: replica.root, limits: options.settling, bounds: options.bounds)
        scheduler = WatchScheduler(options.scheduler, at: ClockReading.moment)
    }

    /// Watches until a signal, ``end()``, or something that makes no sense to try again.
    ///
    /// - Throws: Code `busy` when another process watches the replica, `not-found` when there is no
    ///   replica or no remote, `io` when the root went away.
    package func run() async throws {
        lock = try takeLock()
        local.reportSignals(Self.ends + [SIGHUP])
        defer {
            waiter?.stop()
            local.stop()
            local.restoreSignals(Self.ends + [SIGHUP])
        }
        try await begin()
        loop: while true {
            try await hear(local.drain())
            switch scheduler.next(at: ClockReading.moment) {
            case .end: break loop
            case .wait(let end): try await hear(await local.next(until: end))
            case .run(let work): try await perform(work)
            }
        }
        await replica?.close()
        lock = nil
    }

    /// Ends the watch when what is in flight is done.
    package nonisolated func end() { local.post(.signal(SIGTERM)) }

    /// One process watches a replica; it may be killed at any moment, and leaves nothing behind.
    private func takeLock() throws -> ReplicaLock {
        let path = replicaOptions.stateFolder.watch
        guard let lock = try ReplicaLock.tryAcquire(path) else {
            let holder = try? StateFile.read(path).map { String(decoding: $0, as: UTF8.self) }
            throw Failure(
                .busy, path: replicaOptions.root,
                "Another process watches this replica: \(holder ?? "unknown").",
                remedy: "Let it go on, or stop it first.")
        }
        lock.writeHolder("process \(getpid())")
        return lock
    }

    /// Opens the replica and listens, before the first look at anything: what comes in between is
    /// heard of.
    private func begin() async throws {
        let replica = try await Replica.open(replicaOptions, writable: true)
        self.replica = replica
        guard await replica.remoteAddress != nil else {
            throw Failure(
                .notFound, path: replicaOptions.root, "The replica has no remote.",
                remedy: "Give it one with filesinki remote set URL.")
        }
        let judge = try await replica.ignoreMatcher()
        await replica.pause()
        let folders = try local.start { judge.ignores($0, isDirectory: $1) }
        try await tell(.began(folders: folders))
    }

    // MARK: What is heard

    private func hear(_ notices: [LocalNotice]) async throws {
        for notice in notices { try await hear(notice) }
    }

    private func hear(_ notice: LocalNotice) async throws {
        switch notice {
        case .changes(let changes):
            if changes.touchRules { try await readRules() }
            scheduler.add(changes)
        case .everything(let reason):
            try await tell(.lookingAtAll(reason))
            if case .clock = reason {
                scheduler.handleClockJump()
            } else {
                scheduler.requestFullRun()
            }
        case .rescanned: scheduler.requestFullRun()
        case .shortage(let shortage):
            scheduler.setShortage(true, at: ClockReading.moment)
            try await tell(.shortage(shortage))
        case .noShortage: scheduler.setShortage(false, at: ClockReading.moment)
        case .remote: scheduler.requestRemoteCheck()
        case .signal(SIGHUP): try await readRules()
        case .signal:
            // A second one ends the process at once; the next run puts in order what it leaves.
            local.restoreSignals(Self.ends)
            scheduler.requestEnd()
        case .rootGone: throw rootGone
        }
    }

    /// Goes by the rules as they are now, and looks at everything by them.
    private func readRules() async throws {
        guard let judge = try await replica?.ignoreMatcher() else { return }
        try await tell(.rulesRead)
        local.follow { judge.ignores($0, isDirectory: $1) }
    }

    var rootGone: Failure {
        Failure(
            .io, path: replicaOptions.root, "The root was moved, deleted or unmounted.",
            remedy: "Put it back, and start the watch again.")
    }

    /// Does the work, and takes note of what came of it.
    func perform(_ work: WatchScheduler.Work) async throws {
        let began = ClockReading.moment
        do {
            let change = try await run(work)
            if let failure = change.report.away ?? change.report.stopped {
                if change.report.hasActed { try await tellNews(change.withoutEnd) }
                throw failure
            }
            let now = ClockReading.moment
            scheduler.finish(change.isWhole ? .everything : work, at: now, took: now - began)
            if change.hasMore { scheduler.requestRemoteCheck() }
            if trouble != nil { try await tell(.back) }
            trouble = nil
            hasRun = true
            try await tellNews(change)
            try await listen(change)
        } catch let failure as Failure {
            try await deal(with: failure, work)
        }
    }

    private func tellNews(_ change: ChangeReport) async throws {
        guard !change.isIdle,
            let news = memory.news(of: change.report, isWhole: change.isWhole)
        else { return }
        try await tell(.ran(news))
    }

    private func run(_ work: WatchScheduler.Work) async throws -> ChangeReport {
        let replica = try await held()
        do {
            let report = try await run(work, replica)
            await replica.pause()
            return report
        } catch {
            await replica.pause()
            throw error
        }
    }

    private func run(
        _ work: WatchScheduler.Work, _ replica: Replica
    ) async throws -> ChangeReport {
        switch work {
        case .everything:
            var sync = options.sync
            sync.isUnattended = true
            var report = ChangeReport(try await replica.sync(sync))
            report.isWhole = true
            return report
        case .changes(let changes, let isRemoteHinted):
            return try await replica.syncChanges(
                changes, isRemoteHinted: isRemoteHinted, options.sync)
        }
    }

    /// The replica, locked; opened anew when another process has set it up anew.
    private func held() async throws -> Replica {
        if let replica {
            if try await replica.resume() { return replica }
            await replica.close()
            self.replica = nil
            waiter?.stop()
            waiter = nil
        }
        let opened = try await Replica.open(replicaOptions, writable: true)
        replica = opened
        return opened
    }

    /// Waits for word of the remote from the first run on that reached it.
    private func listen(_ change: ChangeReport) async throws {
        if let waiter { return waiter.note(change.report.sequence) }
        guard let replica, change.report.hasRemote else { return }
        let made = RemoteChangeListener(
            try await replica.news(), known: change.report.sequence, poll: options.poll,
            sleep: replicaOptions.systemContext.sleep)
        made.start(telling: local)
        waiter = made
    }

    /// Tries again later, unless that makes no sense.
    private func deal(with failure: Failure, _ work: WatchScheduler.Work) async throws {
        guard failure.isWorthAnotherTry(afterSuccess: hasRun) else {
            // A run may find out that the root is gone before the word of it has come.
            let isGone = failure.code == .notFound && access(replicaOptions.root, F_OK) != 0
            throw isGone ? rootGone : failure
        }
        scheduler.fail(work, at: ClockReading.moment, retryAfter: failure.retryAfter ?? .zero)
        let description = failure.description
        if description == trouble { return }
        trouble = description
        let isWaiting = failure.code == .away || failure.code == .busy
        try await tell(isWaiting ? .away(failure) : .trouble(failure))
    }
}

extension LocalChanges {
    /// Whether a file of rules is among them.
    fileprivate var touchRules: Bool {
        paths.contains { path in
            Settings.syncedFile.utf8.elementsEqual(path.bytes)
                || IgnoreFilter.fileNames.contains { $0.utf8.elementsEqual(path.name) }
        }
    }
}

extension Failure {
    /// Whether a watch goes on after it. What is wrong from the start is said at once.
    fileprivate func isWorthAnotherTry(afterSuccess hasRun: Bool) -> Bool {
        switch code {
        case .away, .busy, .limit, .changing, .full: true
        case .notFound, .usage: false
        default: hasRun
        }
    }
}
