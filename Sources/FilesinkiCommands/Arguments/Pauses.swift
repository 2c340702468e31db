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

    /// Waits for the next one.
    mutating func wait(_ surroundings: Surroundings) async throws {
        let pause = min(next, left)
        try await surroundings.sleep(pause)
        left -= pause
        next = min(next * 2, Self.bounds.upperBound)
    }
}
