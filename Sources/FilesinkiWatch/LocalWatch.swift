package import FilesinkiModel
import Glibc
import Synchronization

/// Watches a root on a thread of its own, and tells what has come to rest; with it whatever else may
/// wake whoever waits for it: signals, a clock that was set, word of the remote.
///
/// While nothing happens the thread sleeps in poll(2) without a time-out.
package final class LocalWatch: Sendable {
    /// What the thread and its users share.
    struct State {
        var notices: [LocalNotice] = []
        var waiter: CheckedContinuation<Void, Never>?
        /// When the waiter wants to go on in any case.
        var deadline: Duration?
        var ignores: (@Sendable (RelativePath, Bool) -> Bool)?
        var isRescanWanted = false
        var isEnding = false
    }

    let state = Mutex(State())
    let pipe: WakePipe
    let signals: WakePipe
    private let root: String
    private let limits: Debouncer.Limits
    private let bounds: TreeWatch.Bounds

    /// More is told as "anything".
    private static let maximumNotices = 64

    package init(
        root: String, limits: Debouncer.Limits, bounds: TreeWatch.Bounds = TreeWatch.Bounds()
    ) throws(Failure) {
        self.root = root
        self.limits = limits
        self.bounds = bounds
        pipe = try WakePipe()
        signals = try WakePipe()
    }

    /// Begins. Everything that happens after this returns is heard of.
    ///
    /// - Parameter ignores: Whether a path is left out, given whether it is a folder; called on the
    ///   watching thread.
    /// - Returns: How many folders are watched.
    package func start(
        ignores: @escaping @Sendable (RelativePath, Bool) -> Bool
    ) throws(Failure) -> Int {
        let tree = try TreeWatch(root: root, bounds: bounds, ignores: ignores)
        tree.rescan()
        if let shortage = tree.shortage { post(.shortage(shortage)) }
        let count = tree.count
        let thread = WatchingThread(self, tree, limits)
        try startThread { thread.run() }
        return count
    }

    /// Looks at the tree by other rules from now on; ``LocalNotice/rescanned`` tells when that is so.
    package func follow(ignores: @escaping @Sendable (RelativePath, Bool) -> Bool) {
        state.withLock { state in
            state.ignores = ignores
            state.isRescanWanted = true
        }
        pipe.wake()
    }

    /// Ends the thread.
    package func stop() {
        state.withLock { $0.isEnding = true }
        pipe.wake()
    }

    /// What has come; waits for it until the deadline, a moment of the monotonic clock.
    ///
    /// - Returns: Nothing when the time is over.
    package func next(until deadline: Duration?) async -> [LocalNotice] {
        await withCheckedContinuation { continuation in
            let isHere = state.withLock { state in
                if !state.notices.isEmpty { return true }
                state.waiter = continuation
                state.deadline = deadline
                return false
            }
            if isHere { continuation.resume() } else { pipe.wake() }
        }
        return drain()
    }

    /// What has come, without waiting.
    package func drain() -> [LocalNotice] {
        state.withLock { state in
            let notices = state.notices
            state.notices = []
            return notices
        }
    }

    /// Tells something to whoever waits.
    package func post(_ notice: LocalNotice) {
        let waiter = state.withLock { state in
            if state.notices.count < Self.maximumNotices {
                state.notices.append(notice)
            } else {
                // Nobody has looked for long.
                state.notices.removeAll {
                    if case .changes = $0 { true } else { $0 == .everything(.flood) }
                }
                state.notices.append(.everything(.flood))
                if case .changes = notice {} else { state.notices.append(notice) }
            }
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// Tells the deadline's end.
    func passDeadline(at now: Duration) {
        let waiter = state.withLock { state in
            guard let deadline = state.deadline, deadline <= now else {
                return nil as CheckedContinuation<Void, Never>?
            }
            return state.takeWaiter()
        }
        waiter?.resume()
    }
}

extension LocalWatch.State {
    mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
        defer {
            waiter = nil
            deadline = nil
        }
        return waiter
    }
}
