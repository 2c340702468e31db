import FilesinkiModel

/// Growing pauses between tries: each longer than the one before, up to a longest one.
///
/// A value: whoever tries keeps it, and sleeps by an injected clock.
package struct Backoff: Hashable, Sendable {
    /// The first and the longest pause.
    package let bounds: ClosedRange<Duration>
    /// The time that is left for all pauses together; nil for no limit.
    package private(set) var left: Duration?
    private let growth: Growth
    private var pause: Duration

    /// By how much each pause is longer than the one before.
    package enum Growth: Hashable, Sendable {
        case double
        case half
    }

    /// - Parameters:
    ///   - bounds: The first and the longest pause.
    ///   - limit: How long all pauses together may take; nil for no limit.
    package init(
        _ bounds: ClosedRange<Duration> = .seconds(1)...(.seconds(60)), growth: Growth = .double,
        limit: Duration? = nil
    ) {
        self.bounds = bounds
        self.growth = growth
        left = limit
        pause = bounds.lowerBound
    }

    /// Whether the time for all pauses is over.
    package var isOver: Bool { left.map { $0 <= .zero } ?? false }

    /// The next pause: not shorter than the failed remote asked for (`Retry-After`), not longer than the
    /// time that is left.
    package mutating func next(after error: (any Error)? = nil) -> Duration {
        next(atLeast: (error as? Failure)?.retryAfter ?? .zero)
    }

    /// The next pause, but not shorter than `wished`.
    package mutating func next(atLeast wished: Duration) -> Duration { spend(max(grow(), wished)) }

    /// The next pause, between half of it and all of it as chance says, so that many devices do not come
    /// back at one moment.
    ///
    /// - Parameter chance: A random byte.
    package mutating func next(chance: UInt8) -> Duration {
        let longest = grow()
        return spend(longest / 2 + longest * Int(chance) / 510)
    }

    /// Begins again with the first pause, after a success.
    package mutating func reset() { pause = bounds.lowerBound }

    private mutating func grow() -> Duration {
        defer {
            pause = min(growth == .double ? pause * 2 : pause * 3 / 2, bounds.upperBound)
        }
        return pause
    }

    private mutating func spend(_ wanted: Duration) -> Duration {
        guard let left else { return wanted }
        let given = max(.zero, min(wanted, left))
        self.left = left - given
        return given
    }
}
