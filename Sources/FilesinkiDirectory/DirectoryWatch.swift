import Dispatch
import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// Watches one folder of a store by inotify(7), for one wait after the other.
///
/// Objects arrive by a rename, so moves into the folder and new folders are what counts. On a share
/// the kernel hears nothing of other machines; then the wait simply lasts its time.
final class DirectoryWatch: Sendable {
    private struct State {
        /// Whether the folder is the one that was meant, not one above it.
        var isReached = false
        /// Whether a folder went away, or the wait was cancelled.
        var isLost = false
    }

    private let inotify: Int32
    /// Ends a wait early.
    private let pipe: Pipe
    private let state = Mutex(State())
    /// A thread for waits, which would take one from those who work.
    private let queue = DispatchQueue(label: "filesinki.directory-watch")

    /// - Throws: `Failure` with code `away` when the store's folder is not there.
    init(_ folder: StoreFolder, prefix: String) throws(Failure) {
        pipe = try reported("watch the folder", folder.path) { () throws(SystemError) in
            try Pipe()
        }
        inotify = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        try watch(folder, prefix)
    }

    deinit { if inotify >= 0 { close(inotify) } }

    /// Watches the folder that the prefix names, or the nearest one above it that is there.
    private func watch(_ folder: StoreFolder, _ prefix: String) throws(Failure) {
        let end = prefix.lastIndex(of: "/") ?? prefix.startIndex
        let names = prefix[..<end].split(separator: "/").map(String.init)
        var depth = -1
        // Once more after each success: the next folder may have come before its parent was watched.
        while depth < names.count, let found = try deepest(folder, names, prefix), found > depth {
            depth = found
        }
        state.withLock { $0.isReached = depth == names.count }
    }

    /// Whether a further wait hears of everything since this one. Folders on the way to the one that
    /// was meant may have come: they are watched from now on.
    func lasts(_ folder: StoreFolder, prefix: String) -> Bool {
        let (isReached, isLost) = state.withLock { ($0.isReached, $0.isLost) }
        return !isLost && (isReached || (try? watch(folder, prefix)) != nil)
    }

    /// Adds a watch to the deepest folder of `names` that is there.
    ///
    /// - Returns: How many names lead to it.
    private func deepest(
        _ folder: StoreFolder, _ names: [String], _ prefix: String
    ) throws(Failure) -> Int? {
        for count in stride(from: names.count, through: 0, by: -1) {
            guard let found = try folder.descend(names[..<count], prefix) else { continue }
            let events = IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
            // By way of the descriptor: the path could meanwhile lead elsewhere.
            _ = inotify_add_watch(inotify, "/proc/self/fd/\(found.raw)", UInt32(events))
            return count
        }
        return nil
    }

    /// Ends the wait now, or before it begins.
    func cancel() {
        state.withLock { $0.isLost = true }
        var byte: UInt8 = 0
        _ = write(pipe.writing.raw, &byte, 1)
    }

    func waitOnItsThread(timeout: Duration) async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.wait(timeout: timeout)
                continuation.resume()
            }
        }
    }

    /// Blocks until something came or went, ``cancel()`` was called, or the time is over.
    func wait(timeout: Duration) {
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: min(timeout, .seconds(86_400)))
        while true {
            let left = max(.zero, clock.now.duration(to: deadline))
            let milliseconds =
                left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
            var polled = [
                pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
                pollfd(fd: pipe.reading.raw, events: Int16(POLLIN), revents: 0),
            ]
            let pause = left > .zero ? Int32(clamping: milliseconds + 1) : 0
            let ready = unlessInterrupted { poll(&polled, 2, pause) }
            if polled[1].revents != 0 || ready == 0 && left == .zero { return }
            if ready < 0 { return }
            if polled[0].revents != 0, sawObject() { return }
        }
    }

    /// Takes the events that have come; true when one is about more than an unfinished name.
    private func sawObject() -> Bool {
        let header = MemoryLayout<inotify_event>.size
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        let capacity = buffer.count
        let count = read(inotify, &buffer, capacity)
        guard count > 0 else { return true }
        var offset = 0
        var isFound = false
        while offset + header <= count {
            let event = buffer.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            }
            let length = Int(event.len)
            if event.mask & UInt32(IN_IGNORED | IN_MOVE_SELF) != 0 {
                state.withLock { $0.isLost = true }
            }
            let isUnfinished = length > 0 && buffer[offset + header] == UInt8(ascii: ".")
            isFound = isFound || !isUnfinished
            offset += header + length
        }
        return isFound
    }
}
