import FilesinkiSystem
import Glibc

/// The kernel's list of watched folders, and the events that come of it: see inotify(7).
final class Inotify: Sendable {
    private let descriptor: FileHandle

    /// What is heard of: everything that could make a run find something else. `IN_EXCL_UNLINK` spares
    /// the writes to files that have no name any more.
    private static let mask = UInt32(
        IN_CREATE | IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
            | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK)

    /// Nil when the kernel gives no more of these to the user.
    init?() {
        guard let file = FileHandle(inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))) else {
            return nil
        }
        descriptor = file
    }

    /// Becomes readable when there are events.
    var file: Int32 { descriptor.raw }

    /// What came of a request for a watch.
    enum Answer {
        /// The watch; the same as before for a folder that is watched already.
        case watched(Int32)
        /// The user's watches are used up.
        case limit
        /// The folder cannot be watched: it is gone, or may not be read.
        case refused
    }

    /// Watches an open folder, by way of its descriptor: the path could meanwhile lead elsewhere.
    func watch(_ folder: borrowing FileHandle) -> Answer {
        let number = inotify_add_watch(file, "/proc/self/fd/\(folder.raw)", Self.mask)
        if number >= 0 { return .watched(number) }
        return [ENOSPC, ENOMEM].contains(errno) ? .limit : .refused
    }

    func forget(_ watch: Int32) { _ = inotify_rm_watch(file, watch) }

    /// Events that have come; none when there are no more.
    func read() -> [InotifyEvent] {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
            let count = (try? descriptor.read(into: buffer)) ?? 0
            return InotifyEvent.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}
