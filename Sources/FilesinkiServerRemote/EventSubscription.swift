import FilesinkiModel
import FilesinkiProtocol
import FilesinkiSystem
import Synchronization

/// Waits for the change notices of the server.
///
/// One stream for each prefix is open from the first ``wait(prefix:timeout:)`` on, so that no change
/// between two waits is missed.
final class EventSubscription: Sendable {
    /// The stream of one prefix, and those who wait for its notices.
    private struct Subscription {
        /// Whether something may have changed that no ``wait(prefix:timeout:)`` has returned for yet.
        var isPending = false
        var waiters: [Int: Waiter] = [:]
        var listener: Task<Void, Never>?
        /// The pauses after streams that ended before their first notice.
        var backoff = Backoff(.seconds(1)...(.seconds(30)))
    }

    private struct Waiter {
        var continuation: CheckedContinuation<Void, Never>
        var timer: Task<Void, Never>?

        func resume() {
            timer?.cancel()
            continuation.resume()
        }
    }

    private struct State {
        var subscriptions: [String: Subscription] = [:]
        var nextWaiter = 0
    }

    private let exchange: ServerExchange
    private let systemContext: SystemContext
    private let state = Mutex(State())

    /// The time limit of a stream: a day. Heartbeats keep its connection alive.
    private static let streamLimit = Duration.seconds(86_400)

    init(exchange: ServerExchange, systemContext: SystemContext) {
        self.exchange = exchange
        self.systemContext = systemContext
    }

    deinit {
        for subscription in state.withLock({ $0.subscriptions }).values {
            subscription.listener?.cancel()
        }
    }

    /// Waits until something may have changed below the prefix, at most for `timeout`.
    func wait(prefix: String, timeout: Duration) async throws {
        startListening(prefix)
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                addWaiter(number, prefix, continuation)
                startTimer(timeout, number, prefix)
                // The task may have been cancelled before the waiter was added.
                if Task.isCancelled { removeWaiter(number, prefix) }
            }
        } onCancel: {
            removeWaiter(number, prefix)
        }
        try Task.checkCancellation()
    }

    private func addWaiter(
        _ number: Int, _ prefix: String, _ continuation: CheckedContinuation<Void, Never>
    ) {
        let isOver = state.withLock { state in
            let isOver = state.subscriptions[prefix]?.isPending ?? false
            state.subscriptions[prefix]?.isPending = false
            if !isOver {
                state.subscriptions[prefix, default: Subscription()].waiters[number] = Waiter(
                    continuation: continuation)
            }
            return isOver
        }
        if isOver { continuation.resume() }
    }

    /// Starts the waiter's timeout, after the waiter was added.
    private func startTimer(_ timeout: Duration, _ number: Int, _ prefix: String) {
        let timer = Task { [systemContext, weak self] in
            try? await systemContext.sleep(timeout)
            self?.removeWaiter(number, prefix)
        }
        let isWaiting = state.withLock { state in
            state.subscriptions[prefix]?.waiters[number]?.timer = timer
            return state.subscriptions[prefix]?.waiters[number] != nil
        }
        if !isWaiting { timer.cancel() }
    }

    private func removeWaiter(_ number: Int, _ prefix: String) {
        state.withLock { $0.subscriptions[prefix]?.waiters.removeValue(forKey: number) }?
            .resume()
    }

    /// Resumes all waiters; if there are none, the next wait returns at once.
    private func resumeWaiters(_ prefix: String) {
        let waiters = state.withLock { state in
            let waiters = state.subscriptions[prefix]?.waiters ?? [:]
            state.subscriptions[prefix]?.waiters = [:]
            state.subscriptions[prefix]?.isPending = waiters.isEmpty
            return waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    private func startListening(_ prefix: String) {
        state.withLock { state in
            guard state.subscriptions[prefix]?.listener == nil else { return }
            let listener = Listener(owner: self)
            state.subscriptions[prefix, default: Subscription()].listener = Task { [exchange] in
                let reader = Mutex(ChangeNoticeReader())
                var retryAfter: Duration?
                do {
                    try await exchange.stream(
                        "GET", WirePaths.events(prefix: prefix), limit: Self.streamLimit
                    ) { piece in
                        let notices = try reader.withLock { try $0.add(piece) }
                        if notices.contains(where: { $0 != .heartbeat }) {
                            listener.receivedNotice(prefix)
                        }
                        return listener.owner != nil
                    }
                } catch {
                    retryAfter = (error as? Failure)?.retryAfter
                }
                await listener.owner?.streamEnded(prefix, retryAfter)
            }
        }
    }

    /// The weak reference to the owner that a stream keeps, so that the owner can be released.
    private final class Listener: Sendable {
        weak let owner: EventSubscription?

        init(owner: EventSubscription) { self.owner = owner }

        func receivedNotice(_ prefix: String) { owner?.receivedNotice(prefix) }
    }

    private func receivedNotice(_ prefix: String) {
        state.withLock { $0.subscriptions[prefix]?.backoff.reset() }
        resumeWaiters(prefix)
    }

    /// Resumes all waiters, because a stream that ended may have missed a notice. The next stream is
    /// opened after a growing pause, and not before the server allows it.
    private func streamEnded(_ prefix: String, _ retryAfter: Duration?) async {
        let pause = state.withLock { state in
            state.subscriptions[prefix]?.backoff.next(atLeast: retryAfter ?? .zero)
        }
        try? await systemContext.sleep(pause ?? .seconds(1))
        state.withLock { $0.subscriptions[prefix]?.listener = nil }
        resumeWaiters(prefix)
    }
}
