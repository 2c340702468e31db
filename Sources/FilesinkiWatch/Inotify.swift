import Dispatch
import FilesinkiSystem
import Glibc

/// An inotify(7) instance: watched folders and their events.
final class Inotify: Sendable {
    private let descriptor: FileHandle

    /// All events that can change the result of a scan. `IN_EXCL_UNLINK` excludes writes to
    /// unlinked files.
    private static let mask = UInt32(
        IN_CREATE | IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
            | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK)

    /// Nil when the user's limit of instances is reached.
    init?() {
        guard let file = FileHandle(inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))) else {
            return nil
        }
        descriptor = file
    }

    /// The descriptor; readable when there are events.
    var file: Int32 { descriptor.raw }

    /// The result of adding a watch.
    enum WatchResult {
        /// The watch; the existing one if the folder is watched already.
        case watched(Int32)
        /// The user's limit of watches is reached.
        case limit
        /// The folder cannot be watched: it is missing or not readable.
        case refused
    }

    /// Watches an open folder through its descriptor, because its path may have changed.
    func watch(_ folder: borrowing FileHandle) -> WatchResult {
        let number = inotify_add_watch(file, "/proc/self/fd/\(folder.raw)", Self.mask)
        if number >= 0 { return .watched(number) }
        return [ENOSPC, ENOMEM].contains(errno) ? .limit : .refused
    }

    func forget(_ watch: Int32) { _ = inotify_rm_watch(file, watch) }

    /// Reads the available events; empty when there are none.
    func read() -> [InotifyEvent] {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
            let count = (try? descriptor.read(into: buffer)) ?? 0
            return InotifyEvent.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

/// An event of inotify(7).
struct InotifyEvent {
    /// The watch; -1 for an overflow.
    var watch: Int32
    var mask: UInt32
    /// Equal for both halves of a rename.
    var cookie: UInt32
    /// The name in the watched folder; empty for the folder itself.
    var name: [UInt8]

    func has(_ flag: some BinaryInteger) -> Bool { mask & UInt32(truncatingIfNeeded: flag) != 0 }

    /// Whether the name is a folder.
    var isFolder: Bool { has(IN_ISDIR) }

    /// Parses the records of one read: watch, mask, cookie and length of the name (4 bytes each),
    /// then the name with its NULs.
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

/// Reports writes to files with inotify(7), without a waiting thread.
package enum WriteNotices {
    /// A notice for each write to a file in `folder` whose name starts with `prefix`. Notices that
    /// were not read yet are combined.
    ///
    /// - Returns: Nil when the user's limit of watches is reached or the folder cannot be
    ///   watched.
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
        // Keeps the descriptor open until the source is cancelled.
        source.setCancelHandler { withExtendedLifetime(inotify) {} }
        let events = EventSource(source: source)
        continuation.onTermination = { _ in events.end() }
        source.activate()
        return notices
    }

    /// An overflow may concern any file.
    static func isAbout(_ prefix: String, _ event: InotifyEvent) -> Bool {
        event.has(IN_Q_OVERFLOW) || event.name.starts(with: prefix.utf8)
    }
}

/// A source that any thread may cancel.
private struct EventSource: @unchecked Sendable {
    let source: any DispatchSourceRead

    func end() { source.cancel() }
}
