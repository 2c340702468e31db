import FilesinkiModel
import Glibc

/// System calls that take a path as bytes.
enum FileCall {
    /// `open(2)`.
    static func open(_ path: [UInt8], _ flags: Int32, mode: mode_t = 0) -> Int32 {
        withPath(path) { Glibc.open($0, flags, mode) }
    }

    /// `rename(2)`.
    static func rename(_ old: [UInt8], to new: [UInt8]) -> Int32 {
        withPath(old) { old in withPath(new) { Glibc.rename(old, $0) } }
    }

    /// `unlink(2)`.
    @discardableResult
    static func unlink(_ path: [UInt8]) -> Int32 {
        withPath(path) { Glibc.unlink($0) }
    }

    /// `lstat(2)`; nil when there is nothing, or it cannot be seen.
    static func status(_ path: [UInt8]) -> stat? {
        var status = stat()
        return withPath(path) { lstat($0, &status) } == 0 ? status : nil
    }

    /// `readlink(2)`; nil when it is no symlink.
    static func readLink(_ path: [UInt8]) -> [UInt8]? {
        let size = Int(PATH_MAX)
        var target = [CChar](repeating: 0, count: size)
        let count = withPath(path) { readlink($0, &target, size) }
        return count < 0 ? nil : target.prefix(count).map { UInt8(bitPattern: $0) }
    }

    /// `mkdir(2)`.
    static func makeFolder(_ path: [UInt8], mode: mode_t) -> Int32 {
        withPath(path) { mkdir($0, mode) }
    }

    /// `symlink(2)`.
    static func makeSymlink(_ target: [UInt8], at path: [UInt8]) -> Int32 {
        withPath(target) { target in withPath(path) { symlink(target, $0) } }
    }

    /// Sets the time of the last change of content; a symlink's own, not that of its target.
    static func setModified(_ path: [UInt8], _ time: Timestamp) {
        let value = timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.remainder))
        withUnsafePointer(to: (value, value)) { pair in
            pair.withMemoryRebound(to: timespec.self, capacity: 2) { times in
                _ = withPath(path) { utimensat(AT_FDCWD, $0, times, AT_SYMLINK_NOFOLLOW) }
            }
        }
    }

    /// Sets the permission bits.
    static func setMode(_ path: [UInt8], _ mode: UInt16) {
        _ = withPath(path) { chmod($0, mode_t(mode)) }
    }

    /// Whether the path is a folder without anything in it.
    static func isEmptyFolder(_ path: [UInt8]) -> Bool {
        guard let stream = withPath(path, opendir) else { return false }
        defer { closedir(stream) }
        var count = 0
        while readdir(stream) != nil { count += 1 }
        // A folder holds at least itself and its parent.
        return count <= 2
    }

    private static func withPath<Result>(
        _ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Result
    ) -> Result {
        (path.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { characters in
            withUnsafePointer(to: CChar(0)) { body(characters.baseAddress ?? $0) }
        }
    }
}
