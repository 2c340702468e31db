import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// Watches a root on a dedicated thread and reports settled changes, together with signals, clock
/// changes and notices of the remote.
///
/// While nothing happens the thread sleeps in poll(2) without a timeout.
package final class LocalWatch: Sendable {
    /// The state that the thread and its users share.
    struct State {
        var notices: [LocalNotice] = []
        var waiter: CheckedContinuation<Void, Never>?
        /// The time at which the waiter continues in any case.
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

    /// Further notices become one ``LocalNotice/everything(_:)``.
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

    /// Starts watching. Every change after this returns is reported.
    ///
    /// - Parameter ignores: Whether a path is ignored, given whether it is a folder. Called on
    ///   the watching thread.
    /// - Returns: The number of watched folders.
    package func start(
        ignores: @escaping @Sendable (RelativePath, Bool) -> Bool
    ) throws(Failure) -> Int {
        let tree = try TreeWatch(root: root, bounds: bounds, ignores: ignores)
        tree.rescan()
        if let shortage = tree.shortage { post(.shortage(shortage)) }
        let count = tree.count
        let thread = WatchThread(self, tree, limits)
        try startThread { thread.runLoop() }
        return count
    }

    /// Changes the rules; ``LocalNotice/rescanned`` follows when they apply.
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

    /// Waits for notices until the deadline, a time of the monotonic clock.
    ///
    /// - Returns: The notices; empty at the deadline.
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

    /// The available notices, without waiting.
    package func drain() -> [LocalNotice] {
        state.withLock { state in
            let notices = state.notices
            state.notices = []
            return notices
        }
    }

    /// Adds a notice and wakes the waiter.
    package func post(_ notice: LocalNotice) {
        let waiter = state.withLock { state in
            if state.notices.count < Self.maximumNotices {
                state.notices.append(notice)
            } else {
                // The notices were not read for a long time.
                state.notices.removeAll {
                    if case .changes = $0 { true } else { $0 == .everything(.flood) }
                }
                state.notices.append(.everything(.flood))
                if case .changes = notice {} else { state.notices.append(notice) }
            }
            return state.removeWaiter()
        }
        waiter?.resume()
    }

    /// Wakes the waiter if its deadline has passed.
    func passDeadline(at now: Duration) {
        let waiter = state.withLock { state in
            guard let deadline = state.deadline, deadline <= now else {
                return nil as CheckedContinuation<Void, Never>?
            }
            return state.removeWaiter()
        }
        waiter?.resume()
    }
}

extension LocalWatch.State {
    mutating func removeWaiter() -> CheckedContinuation<Void, Never>? {
        defer {
            waiter = nil
            deadline = nil
        }
        return waiter
    }
}

extension LocalWatch {
    /// Requests to the thread.
    struct Request {
        var isEnding: Bool
        var isRescanWanted: Bool
        var ignores: (@Sendable (RelativePath, Bool) -> Bool)?
    }

    func removeRequest() -> Request {
        state.withLock { state in
            let request = Request(
                isEnding: state.isEnding, isRescanWanted: state.isRescanWanted,
                ignores: state.ignores)
            state.isRescanWanted = false
            state.ignores = nil
            return request
        }
    }

    var deadline: Duration? { state.withLock { $0.deadline } }

    /// Reports these signals as notices instead of their default action.
    package func reportSignals(_ numbers: [Int32]) {
        for number in numbers { _ = fsk_report_signal(number, signals.signalFile) }
    }

    /// Restores the default action of signals.
    package func restoreSignals(_ numbers: [Int32]) {
        for number in numbers { _ = fsk_report_signal(number, -1) }
    }

    /// Starts a dedicated thread, because it mostly sleeps and the threads of tasks and queues are
    /// few.
    func startThread(_ body: sending @escaping () -> Void) throws(Failure) {
        let work = Unmanaged.passRetained(ThreadBody(body))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                if let argument {
                    Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            }, work.toOpaque())
        guard status == 0 else {
            work.release()
            throw Failure(
                .io, "The watch could not begin: no thread, error \(status).",
                remedy: "Raise the limit of processes (ulimit -u).")
        }
        pthread_detach(thread)
    }
}

private final class ThreadBody {
    let run: () -> Void

    init(_ run: @escaping () -> Void) { self.run = run }
}

/// A notice of a ``LocalWatch``.
package enum LocalNotice: Hashable, Sendable {
    /// These paths have changed and settled.
    case changes(LocalChanges)
    /// Anything may have changed.
    case everything(Reason)
    /// The tree is watched by the rules that were set last.
    case rescanned
    /// Not all of the tree is watched any more.
    case shortage(TreeWatch.Shortage)
    /// All of the tree is watched again.
    case noShortage
    /// The root was moved, deleted or unmounted.
    case rootGone
    /// A signal was received.
    case signal(Int32)
    /// Something may have changed at the remote.
    case remote

    /// Why single paths are unknown.
    package enum Reason: Hashable, Sendable {
        /// Too many changes to report single paths.
        case flood
        /// The kernel dropped events.
        case overflow
        /// A file system below the root was unmounted.
        case unmount
        case clock(ClockReading.Jump)
    }
}
