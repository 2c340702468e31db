package import FilesinkiModel
import Glibc

extension SystemContext {
    /// The clock and the chance of this machine.
    package static let ofMachine = SystemContext(
        now: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
        },
        randomBytes: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        },
        sleep: { try await Task.sleep(for: $0) })
}
