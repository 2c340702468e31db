import Synchronization

/// The observers of a root that were added, but do not know yet where they start.
///
/// All observers share one replica. What one of them fetches before another has its starting point would be
/// no news to the other, so a fetch waits for these. An observer that cannot reach the remote is not waited
/// for: it starts later.
final class ObserverStarts: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Notes an observer, which counts as long as the object that is returned lives.
    func begin() -> ObserverStart {
        state.withLock { $0.count += 1 }
        return ObserverStart(self)
    }

    /// Waits until each observer that was added has its starting point.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.count > 0 { state.waiting.append(continuation) }
                return state.count == 0
            }
            if isOver { continuation.resume() }
        }
    }

    /// Whether somebody waits.
    var isAwaited: Bool { state.withLock { !$0.waiting.isEmpty } }

    fileprivate func end() {
        let over = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in over { continuation.resume() }
    }
}

/// One observer that has no starting point yet.
final class ObserverStart: Sendable {
    private let starts: ObserverStarts

    fileprivate init(_ starts: ObserverStarts) { self.starts = starts }

    deinit { starts.end() }
}
