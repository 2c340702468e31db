package import FilesinkiModel
import Synchronization

/// A clock that a test moves. Who sleeps by it goes on at once, behind all others that can
/// go on, and the clock with them.
package final class ManualClock: Sendable {
    private struct State {
        var now: Timestamp
        var slept: [Duration] = []
        var random: SeededRandom
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - now: The first moment; by default 2023-11-14 22:13:20 UTC.
    ///   - seed: Of the chance that ``systemContext`` gives.
    package init(
        now: Timestamp = Timestamp(seconds: 1_700_000_000, nanoseconds: 0), seed: UInt64 = 1
    ) {
        state = Mutex(State(now: now, random: SeededRandom(seed: seed)))
    }

    package var now: Timestamp { state.withLock { $0.now } }

    /// What was slept, in order.
    package var slept: [Duration] { state.withLock { $0.slept } }

    /// Lets time pass.
    package func advance(by duration: Duration) {
        state.withLock { $0.now = $0.now.advanced(by: duration) }
    }

    /// SystemContext with this clock and its chance.
    package var systemContext: SystemContext {
        SystemContext(
            now: { self.now },
            randomBytes: { count in self.state.withLock { $0.random.bytes(count) } },
            sleep: { duration in
                try Task.checkCancellation()
                self.state.withLock { state in
                    state.slept.append(duration)
                    state.now = state.now.advanced(by: duration)
                }
                // Whoever is waited for needs a thread, and there are few.
                await Task.yield()
            })
    }
}

extension Timestamp {
    fileprivate func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (sum, overflow) = self.seconds.addingReportingOverflow(seconds)
        let bound: Int64 = seconds < 0 ? .min : .max
        return Timestamp(
            seconds: overflow ? bound : sum, nanoseconds: remainder + attoseconds / 1_000_000_000)
    }
}
