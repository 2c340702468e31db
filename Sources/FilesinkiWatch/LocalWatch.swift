import CKernel
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
        let thread = WatchThread(self, tree, limits)
        try startThread { thread.runLoop() }
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
            return state.removeWaiter()
        }
        waiter?.resume()
    }

    /// Tells the deadline's end.
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
    /// What the thread was asked for.
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

    /// From now on these signals end nothing: they are told as notices.
    package func reportSignals(_ numbers: [Int32]) {
        for number in numbers { _ = fsk_report_signal(number, signals.signalFile) }
    }

    /// Gives signals their usual effect again.
    package func restoreSignals(_ numbers: [Int32]) {
        for number in numbers { _ = fsk_report_signal(number, -1) }
    }

    /// A thread of its own: those of tasks and queues are few, and this one mostly sleeps.
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

/// What a ``LocalWatch`` tells.
package enum LocalNotice: Hashable, Sendable {
    /// These paths have changed and come to rest.
    case changes(LocalChanges)
    /// Anything may have changed.
    case everything(Reason)
    /// The tree is looked at by the rules that were asked for last.
    case rescanned
    /// Not all of the tree is heard of any more.
    case shortage(TreeWatch.Shortage)
    /// All of the tree is heard of again.
    case noShortage
    /// The root was moved, deleted or unmounted.
    case rootGone
    /// A signal came.
    case signal(Int32)
    /// Something may have changed at the remote.
    case remote

    /// Why nothing is known of single paths.
    package enum Reason: Hashable, Sendable {
        /// So many changes that they are not told singly.
        case flood
        /// The kernel had to drop events.
        case overflow
        /// A file system below the root was unmounted.
        case unmount
        case clock(ClockReading.Jump)
    }
}
