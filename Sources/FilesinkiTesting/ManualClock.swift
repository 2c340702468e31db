package import FilesinkiModel
import FilesinkiSystem
import Synchronization

/// A clock that a test controls. A sleep returns at once, after other tasks could run, and advances the
/// clock.
package final class ManualClock: Sendable {
    private struct State {
        var now: Timestamp
        var slept: [Duration] = []
        var random: SeededRandom
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - now: The initial time; by default 2023-11-14 22:13:20 UTC.
    ///   - seed: The seed of the random bytes of ``systemContext``.
    package init(
        now: Timestamp = Timestamp(seconds: 1_700_000_000, nanoseconds: 0), seed: UInt64 = 1
    ) {
        state = Mutex(State(now: now, random: SeededRandom(seed: seed)))
    }

    package var now: Timestamp { state.withLock { $0.now } }

    /// The durations of all sleeps, in order.
    package var slept: [Duration] { state.withLock { $0.slept } }

    /// Advances the clock.
    package func advance(by duration: Duration) {
        state.withLock { $0.now = $0.now.advanced(by: duration) }
    }

    /// A context with this clock and its random bytes.
    package var systemContext: SystemContext {
        var context = SystemContext(
            now: { self.now },
            randomBytes: { count in self.state.withLock { $0.random.bytes(count) } },
            sleep: { duration in
                try Task.checkCancellation()
                self.state.withLock { state in
                    state.slept.append(duration)
                    state.now = state.now.advanced(by: duration)
                }
                // Lets other tasks run on the few threads.
                await Task.yield()
            })
        context.keyCost = SystemContext.cheapKeyCost
        return context
    }
}

/// The clock of one machine, which is off from a common one.
package final class SkewedClock: Sendable {
    private let common: ManualClock
    private let seconds = Mutex<Int64>(0)

    package init(_ common: ManualClock) { self.common = common }

    /// How many seconds it is ahead.
    package var offset: Int64 {
        get { seconds.withLock { $0 } }
        set { seconds.withLock { $0 = newValue } }
    }

    package var now: Timestamp { common.now.advanced(by: .seconds(offset)) }

    /// A context with this clock, and the random bytes of the common one.
    package var systemContext: SystemContext {
        var context = common.systemContext
        context.now = { self.now }
        return context
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

extension SystemContext {
    /// The lowest cost of scrypt that a reader accepts.
    package static let cheapKeyCost: UInt64 = 1 << 15

    /// The system's clock and random bytes, for tests with real servers. A sleep returns at once.
    package static let quick: SystemContext = {
        var quick = ofMachine
        quick.sleep = { _ in
            try Task.checkCancellation()
            await Task.yield()
        }
        quick.keyCost = cheapKeyCost
        return quick
    }()
}
