import FilesinkiModel

/// Growing pauses between attempts, up to a maximum.
///
/// A value; the caller sleeps, with an injected clock.
package struct Backoff: Hashable, Sendable {
    /// The first and the longest pause.
    package let bounds: ClosedRange<Duration>
    /// The remaining time for all pauses; nil for no limit.
    package private(set) var left: Duration?
    private let growth: Growth
    private var pause: Duration

    /// The growth from one pause to the next.
    package enum Growth: Hashable, Sendable {
        case double
        case half
    }

    /// - Parameters:
    ///   - bounds: The first and the longest pause.
    ///   - limit: The maximum time of all pauses together; nil for no limit.
    package init(
        _ bounds: ClosedRange<Duration> = .seconds(1)...(.seconds(60)), growth: Growth = .double,
        limit: Duration? = nil
    ) {
        self.bounds = bounds
        self.growth = growth
        left = limit
        pause = bounds.lowerBound
    }

    /// Whether the time for all pauses is used up.
    package var isOver: Bool { left.map { $0 <= .zero } ?? false }

    /// The next pause: at least what the failed remote requested (`Retry-After`), at most the
    /// remaining time.
    package mutating func next(after error: (any Error)? = nil) -> Duration {
        next(atLeast: (error as? Failure)?.retryAfter ?? .zero)
    }

    /// The next pause, at least `wished`.
    package mutating func next(atLeast wished: Duration) -> Duration { spend(max(grow(), wished)) }

    /// The next pause, randomly between half and all of it, so that many devices do not retry at
    /// the same time.
    ///
    /// - Parameter chance: A random byte.
    package mutating func next(chance: UInt8) -> Duration {
        let longest = grow()
        return spend(longest / 2 + longest * Int(chance) / 510)
    }

    /// Starts again with the first pause, after a success.
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
