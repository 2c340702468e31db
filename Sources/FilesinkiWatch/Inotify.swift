import Dispatch
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
    enum WatchResult {
        /// The watch; the same as before for a folder that is watched already.
        case watched(Int32)
        /// The user's watches are used up.
        case limit
        /// The folder cannot be watched: it is gone, or may not be read.
        case refused
    }

    /// Watches an open folder, by way of its descriptor: the path could meanwhile lead elsewhere.
    func watch(_ folder: borrowing FileHandle) -> WatchResult {
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

/// One event as the kernel tells it: see inotify(7).
struct InotifyEvent {
    /// The watch that it comes from; -1 of an overflow.
    var watch: Int32
    var mask: UInt32
    /// The same for both halves of a rename.
    var cookie: UInt32
    /// The name in the watched folder; empty when it is about the folder itself.
    var name: [UInt8]

    func has(_ flag: some BinaryInteger) -> Bool { mask & UInt32(truncatingIfNeeded: flag) != 0 }

    /// Whether the name is a folder's.
    var isFolder: Bool { has(IN_ISDIR) }

    /// Takes the records of one read: watch, mask, cookie and length of the name (4 bytes each), then
    /// the name with its NULs.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> [InotifyEvent] {
        let header = 16
        var events: [InotifyEvent] = []
        var position = 0
        while position + header <= bytes.count {
            let length = Int(bytes.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self))
            let end = min(position + header + length, bytes.count)
            events.append(
                InotifyEvent(
                    watch: bytes.loadUnaligned(fromByteOffset: position, as: Int32.self),
                    mask: bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self),
                    cookie: bytes.loadUnaligned(fromByteOffset: position + 8, as: UInt32.self),
                    name: Array(bytes[(position + header)..<end].prefix { $0 != 0 })))
            position = end
        }
        return events
    }
}

/// Tells that a file was written, by inotify(7), without a thread that waits for it.
package enum WriteNotices {
    /// Hears of every file in a folder whose name begins like that. What is written before the last
    /// notice is taken counts as one.
    ///
    /// - Returns: Nil when the kernel gives the user no more watches, or the folder cannot be watched.
    package static func stream(in folder: String, prefix: String) -> AsyncStream<Void>? {
        guard let inotify = Inotify(),
            let opened = try? FileHandle(folder, O_RDONLY | O_DIRECTORY),
            case .watched = inotify.watch(opened)
        else { return nil }
        let (notices, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let source = DispatchSource.makeReadSource(fileDescriptor: inotify.file)
        source.setEventHandler {
            if inotify.read().contains(where: { isAbout(prefix, $0) }) { continuation.yield() }
        }
        // The descriptor stays open until the source has let go of it.
        source.setCancelHandler { withExtendedLifetime(inotify) {} }
        let events = EventSource(source: source)
        continuation.onTermination = { _ in events.end() }
        source.activate()
        return notices
    }

    /// An overflow names nothing, and may be about anything.
    static func isAbout(_ prefix: String, _ event: InotifyEvent) -> Bool {
        event.has(IN_Q_OVERFLOW) || event.name.starts(with: prefix.utf8)
    }
}

/// A source of notices, which any thread may end.
private struct EventSource: @unchecked Sendable {
    let source: any DispatchSourceRead

    func end() { source.cancel() }
}
