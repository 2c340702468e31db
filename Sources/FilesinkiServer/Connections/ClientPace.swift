/// Holds a client to a minimum rate, at which it sends a body or takes a reply.
///
/// Only the time that is spent waiting for the client counts. There is some time in hand; waiting uses it
/// up, and each byte gives some of it back.
struct ClientPace {
    /// Bytes a second.
    private let rate: Int
    private let most: Duration
    private var left: Duration

    init(_ limits: ServerLimits) {
        rate = max(1, limits.bodyRate)
        most = limits.bodyTime
        left = limits.bodyTime
    }

    /// Counts bytes that the client sent or took.
    ///
    /// - Parameter waited: How long the server waited for it.
    /// - Returns: Whether the client is fast enough.
    mutating func count(_ bytes: Int, waited: Duration) -> Bool {
        left -= waited
        left += .seconds(1) * bytes / rate
        left = min(left, most)
        return left >= .zero
    }
}
