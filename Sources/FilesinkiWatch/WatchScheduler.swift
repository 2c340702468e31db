import FilesinkiSystem

/// What a watch has to do next: a pure value, which is told what was heard and what became of it.
///
/// Moments are those of the monotonic clock.
package struct WatchScheduler: Sendable {
    package struct Limits: Hashable, Sendable {
        /// How often the whole tree is looked at although nothing was heard.
        package var fullScan: Duration
        /// The same while not all of the tree is heard of; at least this.
        package var shortageScan: Duration
        /// The pauses after failures: they double from the first to the longest.
        package var pauses: ClosedRange<Duration>
        /// So many paths are kept singly.
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
        /// All of both sides.
        case everything
        /// These paths, and whatever changed at the remote.
        ///
        /// - isRemoteHinted: Whether there is word of a change at the remote.
        case changes(LocalChanges, isRemoteHinted: Bool)
    }

    package enum Step: Hashable, Sendable {
        case run(Work)
        /// Nothing to do before this moment, unless something is heard.
        case wait(until: Duration)
        /// The end that was wished for.
        case end
    }

    private let limits: Limits
    private var changes = LocalChanges()
    private var isEverythingDue = true
    private var isRemoteDue = false
    private var isEnding = false
    private var nextScan: Duration
    private var shortageScan: Duration?
    /// No run before this, after a failure.
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

    /// Takes note of a clock that was set or a machine that slept: what failed may go well now.
    package mutating func handleClockJump() {
        pauseEnd = nil
        requestFullRun()
    }

    package mutating func setShortage(_ isShort: Bool, at now: Duration) {
        shortageScan = isShort ? now + limits.shortageScan : nil
        requestFullRun()
    }

    package mutating func requestEnd() { isEnding = true }

    /// What to do now.
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

    /// The work is done.
    ///
    /// - Parameter took: How long it took. Where the tree is not heard of it is looked at again after
    ///   some of these, so that looking is a small part of the time.
    package mutating func finish(_ work: Work, at now: Duration, took: Duration) {
        hasFailed = false
        backoff.reset()
        pauseEnd = nil
        guard case .everything = work else { return }
        nextScan = now + limits.fullScan
        if shortageScan != nil { shortageScan = now + max(limits.shortageScan, took * 20) }
    }

    /// The work failed, and has to be done again after a pause.
    ///
    /// - Parameter wish: How long the remote wants to be left alone.
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
