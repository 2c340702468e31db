import FilesinkiModel
import Glibc

/// An open file of the kernel, closed when the value ends.
struct Descriptor: ~Copyable, Sendable {
    let raw: Int32

    /// Takes over an open descriptor; nil for the -1 of a call that failed.
    init?(_ raw: Int32) {
        guard raw >= 0 else { return nil }
        self.raw = raw
    }

    deinit { _ = Glibc.close(raw) }

    /// What `fstat` says.
    func status() throws(SystemError) -> FileStatus {
        var record = stat()
        guard fstat(raw, &record) == 0 else { throw .last }
        return FileStatus(record)
    }

    /// Whether it is what the path leads to now: others may have removed or replaced that.
    func isStill(at path: String) -> Bool {
        var there = stat()
        var ours = stat()
        return lstat(path, &there) == 0 && fstat(raw, &ours) == 0
            && there.st_ino == ours.st_ino && there.st_dev == ours.st_dev
    }

    /// Reads once, again after a signal; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        while true {
            let count = Glibc.read(raw, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw .last }
        }
    }

    /// Writes all of the bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(raw, part.baseAddress, part.count)
            if count < 0 {
                guard errno == EINTR else { throw .last }
                continue
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits until the disk holds the file, or the folder's names.
    func sync() throws(SystemError) {
        guard fsync(raw) == 0 else { throw .last }
    }
}
