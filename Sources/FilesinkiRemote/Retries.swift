package import FilesinkiModel
import FilesinkiSystem

/// Tries again what failed because the other side was away or busy, with growing pauses.
///
/// The pauses double from 0.1 s and are drawn by chance from their upper half, so that many devices
/// do not come back at one moment. A side that says how long it wants to be left alone (`Retry-After`) is
/// left alone for as long, by all requests that share these retries.
package struct Retries: Sendable {
    private let systemContext: SystemContext
    private let tries: Int
    private let quiet: QuietPeriod

    /// The first pause is half of this to all of it.
    package static let firstPause = Duration.milliseconds(100)

    /// A side that asks to be left alone for longer than this is away: 5 minutes.
    package static let longestPause = QuietPeriod.longest

    /// - Parameter tries: How often a request is made at most; 1 or more.
    package init(_ systemContext: SystemContext, tries: Int = 5) {
        self.systemContext = systemContext
        self.tries = max(1, tries)
        quiet = QuietPeriod(systemContext)
    }

    /// Makes a request until it succeeds, fails for good, or was made often enough.
    ///
    /// - Throws: The last failure.
    package func run<Answer>(
        _ request: (_ isRepeated: Bool) async throws -> Answer
    ) async throws -> Answer {
        var count = 1
        var backoff = Backoff(Self.firstPause...(Self.firstPause * 64))
        while true {
            try await quiet.wait()
            do {
                return try await request(count > 1)
            } catch let failure as Failure where failure.isPassing {
                quiet.note(failure)
                guard count < tries else { throw failure }
                if failure.retryAfter == nil {
                    let chance = systemContext.randomBytes(1).first ?? 0
                    try await systemContext.sleep(backoff.next(chance: chance))
                }
                count += 1
            }
        }
    }
}

extension Failure {
    /// Whether the same request may succeed a little later.
    fileprivate var isPassing: Bool { code == .away || code == .busy }
}
