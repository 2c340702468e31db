import FilesinkiModel
import FilesinkiSystem
import Glibc

/// System calls that take a path as bytes.
enum FileCall {
    /// `lstat(2)`; nil when there is nothing, or it cannot be seen.
    static func status(_ path: [UInt8]) -> stat? {
        var status = stat()
        return path.withCString { lstat($0, &status) } == 0 ? status : nil
    }

    /// `readlink(2)`; nil when it is no symlink.
    static func readLink(_ path: [UInt8]) -> [UInt8]? {
        let size = Int(PATH_MAX)
        var target = [CChar](repeating: 0, count: size)
        let count = path.withCString { readlink($0, &target, size) }
        return count < 0 ? nil : target.prefix(count).map { UInt8(bitPattern: $0) }
    }

    /// `mkdir(2)`.
    static func makeFolder(_ path: [UInt8], mode: mode_t) -> Int32 {
        path.withCString { mkdir($0, mode) }
    }

    /// `symlink(2)`.
    static func makeSymlink(_ target: [UInt8], at path: [UInt8]) -> Int32 {
        target.withCString { target in path.withCString { symlink(target, $0) } }
    }

    /// Sets the time of the last change of content; a symlink's own, not that of its target.
    static func setModified(_ path: [UInt8], _ time: Timestamp) {
        let value = timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.remainder))
        withUnsafePointer(to: (value, value)) { pair in
            pair.withMemoryRebound(to: timespec.self, capacity: 2) { times in
                _ = path.withCString { utimensat(AT_FDCWD, $0, times, AT_SYMLINK_NOFOLLOW) }
            }
        }
    }

    /// Sets the permission bits.
    static func setMode(_ path: [UInt8], _ mode: UInt16) {
        _ = path.withCString { chmod($0, mode_t(mode)) }
    }

    /// Whether the path is a folder without anything in it.
    static func isEmptyFolder(_ path: [UInt8]) -> Bool {
        guard let folder = try? FileHandle(path, O_RDONLY | O_DIRECTORY),
            let listing = try? FolderListing(folder)
        else { return false }
        return listing.entries.isEmpty
    }
}
