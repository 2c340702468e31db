package import FilesinkiModel
import Glibc

extension Surroundings {
    /// The system's clock and chance, for servers that have a clock, too; who sleeps goes on at once.
    package static let quick = Surroundings(
        now: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
        },
        randomBytes: { count in (0..<count).map { _ in .random(in: 0...255) } },
        sleep: { _ in
            try Task.checkCancellation()
            await Task.yield()
        })
}
