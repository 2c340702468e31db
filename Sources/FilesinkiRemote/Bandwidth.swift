package import FilesinkiModel
import Synchronization

/// Spreads what is sent and received over time, so that neither direction exceeds a rate. All connections that share it
/// share the rate.
///
/// Each direction is a bucket that leaks at the rate: who puts bytes into it waits until they have leaked, with all that
/// were there before. The clock only empties it. If that is set back, nobody waits longer than the bytes in the bucket need.
package final class Bandwidth: Sendable {
    private let sending: Bucket?
    private let receiving: Bucket?

    /// - Parameters:
    ///   - sending: The most bytes per second that are sent; nil for no limit. At least 1.
    ///   - receiving: The same for what is received.
    package init(sending: Int64?, receiving: Int64?, systemContext: SystemContext) {
        self.sending = sending.map { Bucket($0, systemContext) }
        self.receiving = receiving.map { Bucket($0, systemContext) }
    }

    /// Waits until the next bytes may be sent.
    ///
    /// - Throws: `CancellationError`.
    package func send(_ count: Int) async throws { try await sending?.add(count) }

    /// Waits after bytes were received, before more are read.
    ///
    /// - Throws: `CancellationError`.
    package func receive(_ count: Int) async throws { try await receiving?.add(count) }

    /// The time that bytes need in the slower direction, at most.
    package func time(for count: Int64) -> Duration {
        max(sending?.time(for: count) ?? .zero, receiving?.time(for: count) ?? .zero)
    }
}

/// The bytes of one direction that are ahead of the rate.
private final class Bucket: Sendable {
    private struct Level {
        var bytes = 0.0
        var time: Timestamp
    }

    /// Who would wait for less does not wait; the bytes count for the next.
    private static let shortestPause = Duration.milliseconds(1)

    private let rate: Double
    private let systemContext: SystemContext
    private let level: Mutex<Level>

    init(_ bytesPerSecond: Int64, _ systemContext: SystemContext) {
        rate = Double(max(1, bytesPerSecond))
        self.systemContext = systemContext
        level = Mutex(Level(time: systemContext.now()))
    }

    func add(_ count: Int) async throws {
        let now = systemContext.now()
        let bytes = level.withLock { level in
            let passed = Double(now.nanoseconds) - Double(level.time.nanoseconds)
            level.bytes = max(0, level.bytes - max(0, passed) / 1e9 * rate) + Double(count)
            level.time = now
            return level.bytes
        }
        let pause = Duration.seconds(bytes / rate)
        if pause >= Self.shortestPause { try await systemContext.sleep(pause) }
    }

    func time(for count: Int64) -> Duration { .seconds(Double(count) / rate) }
}

extension Bandwidth: Hashable {
    package static func == (left: Bandwidth, right: Bandwidth) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
