import FilesinkiModel
import FilesinkiWatch
import Glibc

extension Watcher {
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
            agenda.finish(change.isWhole ? .everything : work, at: now, took: now - began)
            if change.hasMore { agenda.noteRemote() }
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
        agenda.fail(work, at: ClockReading.moment, wish: failure.retryAfter ?? .zero)
        let description = failure.description
        if description == trouble { return }
        trouble = description
        let isWaiting = failure.code == .away || failure.code == .busy
        try await tell(isWaiting ? .away(failure) : .trouble(failure))
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
