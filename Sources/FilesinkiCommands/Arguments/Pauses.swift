import FilesinkiModel

/// The pauses between tries to reach a remote: each longer than the one before, until the time is over.
struct Pauses {
    private static let bounds = Duration.milliseconds(200)...Duration.seconds(30)

    private var left: Duration
    private var next = Self.bounds.lowerBound

    /// - Parameter limit: How long all of them may take, in seconds.
    init(limit: Int64) { left = .seconds(limit) }

    /// Whether the time is over.
    var areOver: Bool { left <= .zero }

    /// Waits for the next one, and for as long as the remote asked to be left alone.
    mutating func wait(_ surroundings: Surroundings, after failure: Failure?) async throws {
        let pause = min(max(next, failure?.retryAfter ?? .zero), left)
        try await surroundings.sleep(pause)
        left -= pause
        next = min(next * 2, Self.bounds.upperBound)
    }
}
