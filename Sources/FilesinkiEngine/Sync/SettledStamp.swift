import FilesinkiModel
import Glibc

extension FileStamp {
    /// Whether the stamp, taken just now, will tell every later change: a file that was changed only
    /// a moment ago may be changed again within the same tick of the file system's clock, which
    /// would leave the stamp as it is.
    var isSettled: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let present = Timestamp(seconds: Int64(now.tv_sec), nanoseconds: Int64(now.tv_nsec))
        return abs(present.nanoseconds - changed.nanoseconds) > Self.tick
    }

    /// Longer than a tick of any Linux kernel's file time, in nanoseconds.
    private static let tick: Int64 = 12_000_000
}
