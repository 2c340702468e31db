import FilesinkiModel
import FilesinkiProtocol
import FilesinkiSystem
import Synchronization

/// What the server tells of changes, for whoever waits for them.
///
/// One stream for each prefix is kept open from the first ``wait(prefix:timeout:)`` on, so that
/// nothing is missed between two of them.
final class EventSubscription: Sendable {
    private struct Board {
        /// Whether something may have changed that no ``wait(prefix:timeout:)`` has told yet.
        var isPending = false
        var waiters: [Int: Waiter] = [:]
        var listener: Task<Void, Never>?
        /// How often the stream ended in a row before it said anything.
        var backoff = Backoff(.seconds(1)...(.seconds(30)))
    }

    private struct Waiter {
        var continuation: CheckedContinuation<Void, Never>
        var timer: Task<Void, Never>?

        func end() {
            timer?.cancel()
            continuation.resume()
        }
    }

    private struct State {
        var boards: [String: Board] = [:]
        var nextWaiter = 0
    }

    private let exchange: ServerExchange
    private let systemContext: SystemContext
    private let state = Mutex(State())

    /// How long a stream lasts at most: a day. Its heartbeats keep it from being silent.
    private static let longest = Duration.seconds(86_400)

    init(exchange: ServerExchange, systemContext: SystemContext) {
        self.exchange = exchange
        self.systemContext = systemContext
    }

    deinit {
        for board in state.withLock({ $0.boards }).values { board.listener?.cancel() }
    }

    /// Returns when something may have changed below the prefix, or the time is over.
    func wait(prefix: String, timeout: Duration) async throws {
        listen(prefix)
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(number, prefix, continuation)
                start(timeout, number, prefix)
                // The cancellation may have come before the waiter was in its place.
                if Task.isCancelled { end(number, prefix) }
            }
        } onCancel: {
            end(number, prefix)
        }
        try Task.checkCancellation()
    }

    private func begin(
        _ number: Int, _ prefix: String, _ continuation: CheckedContinuation<Void, Never>
    ) {
        let isOver = state.withLock { state in
            let isOver = state.boards[prefix]?.isPending ?? false
            state.boards[prefix]?.isPending = false
            if !isOver {
                state.boards[prefix, default: Board()].waiters[number] = Waiter(
                    continuation: continuation)
            }
            return isOver
        }
        if isOver { continuation.resume() }
    }

    /// Lets the waiter's time run, once it is in its place.
    private func start(_ timeout: Duration, _ number: Int, _ prefix: String) {
        let timer = Task { [systemContext, weak self] in
            try? await systemContext.sleep(timeout)
            self?.end(number, prefix)
        }
        let isWaiting = state.withLock { state in
            state.boards[prefix]?.waiters[number]?.timer = timer
            return state.boards[prefix]?.waiters[number] != nil
        }
        if !isWaiting { timer.cancel() }
    }

    private func end(_ number: Int, _ prefix: String) {
        state.withLock { $0.boards[prefix]?.waiters.removeValue(forKey: number) }?.end()
    }

    /// Tells everybody who waits; with nobody there, the next one.
    private func tell(_ prefix: String) {
        let waiters = state.withLock { state in
            let waiters = state.boards[prefix]?.waiters ?? [:]
            state.boards[prefix]?.waiters = [:]
            state.boards[prefix]?.isPending = waiters.isEmpty
            return waiters
        }
        for waiter in waiters.values { waiter.end() }
    }

    private func listen(_ prefix: String) {
        state.withLock { state in
            guard state.boards[prefix]?.listener == nil else { return }
            let listener = Listener(board: self)
            state.boards[prefix, default: Board()].listener = Task { [exchange] in
                let reader = Mutex(ChangeNoticeReader())
                var retryAfter: Duration?
                do {
                    try await exchange.stream(
                        "GET", WirePaths.events(prefix: prefix), limit: Self.longest
                    ) { piece in
                        let notices = try reader.withLock { try $0.add(piece) }
                        if notices.contains(where: { $0 != .heartbeat }) { listener.heard(prefix) }
                        return listener.board != nil
                    }
                } catch {
                    retryAfter = (error as? Failure)?.retryAfter
                }
                await listener.board?.ended(prefix, retryAfter)
            }
        }
    }

    /// What a stream holds on to: not the board, which ends its streams when it goes.
    private final class Listener: Sendable {
        weak let board: EventSubscription?

        init(board: EventSubscription) { self.board = board }

        func heard(_ prefix: String) { board?.heard(prefix) }
    }

    private func heard(_ prefix: String) {
        state.withLock { $0.boards[prefix]?.backoff.reset() }
        tell(prefix)
    }

    /// A stream that ended may have kept something back, so everybody looks for himself; the next
    /// one is opened after a pause that grows while none succeeds, and not before the server wants it.
    private func ended(_ prefix: String, _ retryAfter: Duration?) async {
        let pause = state.withLock { state in
            state.boards[prefix]?.backoff.next(atLeast: retryAfter ?? .zero)
        }
        try? await systemContext.sleep(pause ?? .seconds(1))
        state.withLock { $0.boards[prefix]?.listener = nil }
        tell(prefix)
    }
}
