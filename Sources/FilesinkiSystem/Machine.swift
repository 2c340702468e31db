import Dispatch
package import FilesinkiModel
import Glibc

extension SystemContext {
    /// The clock and randomness of this machine.
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

/// The host name up to its first dot, as the default name of a device; `device` if it is not
/// printable.
package func nameOfHost() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "device" }
    let bytes = buffer.prefix { $0 != 0 && $0 != CChar(bitPattern: UInt8(ascii: ".")) }
    let name = String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.isEmpty || printable(name.utf8) != name ? "device" : name
}

/// Runs blocking work on a separate thread, so that it does not block the threads of Swift's tasks.
package func offload<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(with: Swift.Result { try work() })
        }
    }
}
