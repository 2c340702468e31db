import FilesinkiSystem

/// Decides what a watch does next. A pure value that receives changes and results.
///
/// All times are those of the monotonic clock.
package struct WatchScheduler: Sendable {
    package struct Limits: Hashable, Sendable {
        /// The interval of full runs without changes.
        package var fullScan: Duration
        /// The minimum interval of full runs while the tree is not watched completely.
        package var shortageScan: Duration
        /// The pauses after failures, which double from the lower to the upper bound.
        package var pauses: ClosedRange<Duration>
        /// The maximum number of single paths.
        package var paths: Int

        package init(
            fullScan: Duration = .seconds(600), shortageScan: Duration = .seconds(10),
            pauses: ClosedRange<Duration> = .seconds(1)...(.seconds(60)), paths: Int = 2000
        ) {
            self.fullScan = fullScan
            self.shortageScan = shortageScan
            self.pauses = pauses
            self.paths = paths
        }
    }

    /// The work of one run.
    package enum Work: Hashable, Sendable {
        /// Both sides completely.
        case everything
        /// These paths, and all changes at the remote.
        ///
        /// - isRemoteHinted: Whether a change at the remote was reported.
        case changes(LocalChanges, isRemoteHinted: Bool)
    }

    package enum Step: Hashable, Sendable {
        case run(Work)
        /// Nothing to do before this time without a new change.
        case wait(until: Duration)
        /// Stop, as requested.
        case end
    }

    private let limits: Limits
    private var changes = LocalChanges()
    private var isEverythingDue = true
    private var isRemoteDue = false
    private var isEnding = false
    private var nextScan: Duration
    private var shortageScan: Duration?
    /// The end of the pause after a failure.
    private var pauseEnd: Duration?
    private var backoff: Backoff
    /// Whether the last run failed.
    package private(set) var hasFailed = false

    package init(_ limits: Limits = Limits(), at now: Duration) {
        self.limits = limits
        backoff = Backoff(limits.pauses)
        nextScan = now + limits.fullScan
    }

    package mutating func add(_ more: LocalChanges) {
        changes.add(more)
        if changes.count > limits.paths { requestFullRun() }
    }

    package mutating func requestFullRun() {
        isEverythingDue = true
        changes = LocalChanges()
    }

    package mutating func requestRemoteCheck() { isRemoteDue = true }

    /// Ends a pause after the clock was set or the machine was suspended, because the cause may be
    /// gone.
    package mutating func handleClockJump() {
        pauseEnd = nil
        requestFullRun()
    }

    package mutating func setShortage(_ isShort: Bool, at now: Duration) {
        shortageScan = isShort ? now + limits.shortageScan : nil
        requestFullRun()
    }

    package mutating func requestEnd() { isEnding = true }

    /// The next step.
    package mutating func next(at now: Duration) -> Step {
        if isEnding { return .end }
        let scan = min(nextScan, shortageScan ?? nextScan)
        if scan <= now { requestFullRun() }
        let isWorkThere = isEverythingDue || isRemoteDue || !changes.isEmpty
        if let pauseEnd, now < pauseEnd {
            return .wait(until: pauseEnd)
        }
        guard isWorkThere else { return .wait(until: scan) }
        defer {
            isEverythingDue = false
            isRemoteDue = false
            changes = LocalChanges()
        }
        if isEverythingDue { return .run(.everything) }
        return .run(.changes(changes, isRemoteHinted: isRemoteDue))
    }

    /// Records that the work succeeded.
    ///
    /// - Parameter took: The duration of the work. While the tree is not watched completely, the
    ///   next full run follows after 20 times as long, so that scans take a small part of the time.
    package mutating func finish(_ work: Work, at now: Duration, took: Duration) {
        hasFailed = false
        backoff.reset()
        pauseEnd = nil
        guard case .everything = work else { return }
        nextScan = now + limits.fullScan
        if shortageScan != nil { shortageScan = now + max(limits.shortageScan, took * 20) }
    }

    /// Records that the work failed and must be repeated after a pause.
    ///
    /// - Parameter retryAfter: The minimum pause that the remote requested.
    package mutating func fail(_ work: Work, at now: Duration, retryAfter: Duration = .zero) {
        hasFailed = true
        pauseEnd = now + backoff.next(atLeast: retryAfter)
        switch work {
        case .everything:
            requestFullRun()
            nextScan = max(nextScan, now + limits.fullScan)
            if shortageScan != nil { shortageScan = now + limits.shortageScan }
        case .changes(let missed, _):
            isRemoteDue = true
            if !isEverythingDue { add(missed) }
        }
    }
}
