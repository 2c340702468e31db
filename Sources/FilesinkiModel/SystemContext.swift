/// Everything that makes two runs on equal input differ: the clock and chance. Tests give their own.
package struct SystemContext: Sendable {
    /// The present moment.
    package var now: @Sendable () -> Timestamp
    /// As many random bytes as asked for.
    package var randomBytes: @Sendable (Int) -> [UInt8]
    /// Waits; a test's clock returns at once.
    package var sleep: @Sendable (Duration) async throws -> Void

    package init(
        now: @escaping @Sendable () -> Timestamp,
        randomBytes: @escaping @Sendable (Int) -> [UInt8],
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.randomBytes = randomBytes
        self.sleep = sleep
    }
}
