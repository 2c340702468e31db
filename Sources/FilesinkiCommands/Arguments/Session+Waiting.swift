import FilesinkiEngine
import FilesinkiModel
import FilesinkiSystem

extension Session {
    /// The same replica, opened anew by a process that had let go of it.
    func reopened() async throws -> Session {
        Session(
            replica: try await Replica.open(settings, writable: true), root: root,
            console: console, settings: settings)
    }

    /// Runs again until the remote was reached or the time is over; others may use the replica
    /// between two tries.
    ///
    /// - Returns: The last run's report, with what the runs before it have done; at once the first
    ///   one's when it reached the remote, or when there is no limit to wait for.
    func untilReached(
        _ first: SyncReport, _ options: SyncOptions, _ waiting: WaitOptions
    ) async throws -> SyncReport {
        guard let limit = try waiting.limit() else { return first }
        var backoff = Backoff.untilReached(limit: limit)
        var session = self
        var report = first
        while report.away != nil, !backoff.isOver {
            await session.replica.close()
            try await console.systemContext.sleep(backoff.next(after: report.away))
            session = try await session.reopened()
            let earlier = report
            report = try await session.replica.sync(options)
            report.add(done: earlier)
        }
        await session.replica.close()
        return report
    }

    /// What came of a change of some paths in the end, when the user wants it to be there.
    func settle(
        _ report: SyncReport, of paths: [RelativePath], _ patience: PatienceOption,
        _ waiting: WaitOptions
    ) async throws -> SyncReport {
        guard patience.wait, report.away != nil else { return report }
        var options = SyncOptions()
        options.paths = paths
        var settled = try await untilReached(report, options, waiting)
        settled.notices = report.notices + settled.notices
        return settled
    }

    /// What came of a save in the end, when the user wants it to be there.
    func settle(
        _ report: SaveReport, of path: RelativePath, _ patience: PatienceOption,
        _ waiting: WaitOptions
    ) async throws -> SaveReport {
        guard patience.wait, report.sync.away != nil else { return report }
        var settled = report
        settled.sync = try await settle(report.sync, of: [path], patience, waiting)
        guard settled.sync.away == nil else { return settled }
        let reader = try await Replica.open(settings, writable: false)
        let known = try await reader.list([path]).first { $0.0 == path }?.1
        settled.version = known?.version ?? 0
        settled.differs = known?.entry.content != report.entry?.content && report.entry != nil
        settled.entry = known?.entry ?? report.entry
        return settled
    }
}

extension Backoff {
    /// The pauses of a command that waits for its remote.
    ///
    /// - Parameter limit: How long all of them may take, in seconds.
    static func untilReached(limit: Int64) -> Backoff {
        Backoff(.milliseconds(200)...(.seconds(30)), limit: .seconds(limit))
    }
}
