import FilesinkiModel
import Glibc

extension Surroundings {
    /// The clock and the chance of this machine.
    static let ofMachine = Surroundings(
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

/// The name of this device where the program gave none: the host's, up to its first dot.
func nameOfHost() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "device" }
    let bytes = buffer.prefix { $0 != 0 && $0 != CChar(bitPattern: UInt8(ascii: ".")) }
    let name = String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.isEmpty || printable(name.utf8) != name ? "device" : name
}
