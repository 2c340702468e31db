import Synchronization

/// How many bytes of a body may be sent before the other end gives more credit, so that neither end holds more
/// than that of a body which nobody reads.
final class StreamWindow: Sendable {
    private struct State {
        var available: Int
        var waiter: CheckedContinuation<Void, Never>?
        /// Why nothing more may be sent; nil while it may.
        var end: (any Error)?
    }

    private let state: Mutex<State>

    /// The most credit that an end may have, in bytes. No honest end gives more.
    private static let maximum = 1 << 30

    init(_ available: Int) { state = Mutex(State(available: available)) }

    /// Waits until something may be sent, and counts it as sent. One task at a time calls this.
    ///
    /// - Returns: From 1 to `count`.
    /// - Throws: What ended the exchange, and `CancellationError`.
    func take(upTo count: Int) async throws -> Int {
        while true {
            try Task.checkCancellation()
            let taken: Int = try state.withLock { state in
                if let end = state.end { throw end }
                let taken = min(count, state.available)
                state.available -= taken
                return taken
            }
            if taken > 0 { return taken }
            await waitForCredit()
        }
    }

    private func waitForCredit() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // What came since then, also a cancellation, must not be missed.
                    if state.end != nil || state.available > 0 || Task.isCancelled { return true }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
    }

    /// Adds credit from the other end.
    ///
    /// - Returns: False when it has given more than any end may.
    func add(_ count: Int) -> Bool {
        let isAllowed = state.withLock { state in
            state.available += count
            return state.available <= Self.maximum
        }
        wake()
        return isAllowed
    }

    /// Ends the sending, for the first reason that is given.
    func end(_ reason: any Error) {
        state.withLock { $0.end = $0.end ?? reason }
        wake()
    }

    private func wake() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
