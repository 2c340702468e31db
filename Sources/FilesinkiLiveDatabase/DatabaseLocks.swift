import FilesinkiSystem
import Glibc

extension FileHandle {
    /// Whether another process has one of SQLite's locks, which are on bytes from 2^30 on
    /// (lockingv3.html). A journal without a lock was left by a process that died.
    var isLockedByOther: Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 1 << 30
        lock.l_len = 512
        return fcntl(raw, F_GETLK, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
    }
}
