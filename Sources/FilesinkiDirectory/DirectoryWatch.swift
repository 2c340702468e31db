import Dispatch
package import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// Watches one folder of a store by inotify(7), for one wait after another.
///
/// Objects arrive by a rename, so the events are moves into the folder and new subfolders. On a network
/// share the kernel reports no changes by other machines; the wait then lasts until its timeout, as it does
/// where the user's limit of inotify(7) is reached.
package final class DirectoryWatch: Sendable {
    private struct State {
        /// Whether the requested folder is watched, not one of its parents.
        var isReached = false
        /// Whether a folder could not be watched: the user's limit of inotify(7) is reached.
        var isBlind = false
        /// Whether a watched folder went away, or the wait was cancelled.
        var isLost = false
    }

    private let inotify: Int32
    /// Ends a wait early.
    private let pipe: Pipe
    private let state = Mutex(State())
    /// A thread of its own for waits, so that they do not block one of the few shared ones.
    private let queue = DispatchQueue(label: "filesinki.directory-watch")

    /// Watches the folder that the prefix names, or its nearest existing parent.
    ///
    /// - Throws: `Failure` with code `away` when the store's folder is missing.
    init(_ folder: StoreFolder, prefix: String) throws(Failure) {
        pipe = try reported("watch the folder", folder.path) { () throws(SystemError) in
            try Pipe()
        }
        inotify = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        if inotify < 0 { state.withLock { $0.isBlind = true } }
        try addWatches(folder, prefix)
    }

    deinit { if inotify >= 0 { close(inotify) } }

    private func addWatches(_ folder: StoreFolder, _ prefix: String) throws(Failure) {
        let end = prefix.lastIndex(of: "/") ?? prefix.startIndex
        let names = prefix[..<end].split(separator: "/").map(String.init)
        var depth = -1
        // Repeated after each success: the next folder may have appeared before its parent was watched.
        while depth < names.count, let found = try watchDeepest(folder, names, prefix),
            found > depth
        {
            depth = found
        }
        state.withLock { $0.isReached = depth == names.count }
    }

    /// Watches the deepest existing folder of `names`.
    ///
    /// - Returns: Its depth.
    private func watchDeepest(
        _ folder: StoreFolder, _ names: [String], _ prefix: String
    ) throws(Failure) -> Int? {
        for count in stride(from: names.count, through: 0, by: -1) {
            guard let found = try folder.openFolder(names[..<count], for: prefix) else { continue }
            let events = IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
            // By the open descriptor, because the path could lead elsewhere by now.
            if inotify_add_watch(inotify, "/proc/self/fd/\(found.raw)", UInt32(events)) < 0 {
                state.withLock { $0.isBlind = true }
            }
            return count
        }
        return nil
    }

    /// Whether changes may happen that a wait does not see.
    var isBlind: Bool { state.withLock { $0.isBlind } }

    /// Whether another wait would see every change since the last one. Watches folders that appeared on
    /// the way to the requested one.
    func canContinue(_ folder: StoreFolder, prefix: String) -> Bool {
        let (isReached, isLost) = state.withLock { ($0.isReached, $0.isLost) }
        return !isLost && (isReached || (try? addWatches(folder, prefix)) != nil)
    }

    /// Ends the wait, or the next one if there is none now.
    func cancel() {
        state.withLock { $0.isLost = true }
        var byte: UInt8 = 0
        _ = write(pipe.writing.raw, &byte, 1)
    }

    /// Waits until an entry appeared or disappeared, the task is cancelled, or the timeout expires.
    func wait(timeout: Duration) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async {
                    self.block(timeout: timeout)
                    continuation.resume()
                }
            }
        } onCancel: {
            cancel()
        }
    }

    private func block(timeout: Duration) {
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
            if polled[0].revents != 0, readEvents() { return }
        }
    }

    /// Reads the pending events; true if one of them is about something else than an unfinished object.
    private func readEvents() -> Bool {
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

/// Keeps the watches of finished waits. The next wait for the same prefix continues with one of them, so
/// that no change between two waits is missed.
final class IdleWatches: Sendable {
    private struct IdleWatch {
        var prefix: String
        var watch: DirectoryWatch
    }

    /// In the order in which they became idle.
    private let idle = Mutex<[IdleWatch]>([])

    /// The most idle watches. By default, a user has 128 inotify instances for all programs together; the
    /// waits of a log are for one prefix at a time.
    static let maximum = 4

    var count: Int { idle.withLock { $0.count } }

    /// Waits until an entry appeared or disappeared below the prefix, or the timeout expires.
    func wait(_ folder: StoreFolder, prefix: String, timeout: Duration) async throws {
        let watch = try removeWatch(prefix) ?? DirectoryWatch(folder, prefix: prefix)
        await watch.wait(timeout: timeout)
        try Task.checkCancellation()
        if watch.canContinue(folder, prefix: prefix) { add(watch, prefix) }
    }

    private func removeWatch(_ prefix: String) -> DirectoryWatch? {
        idle.withLock { idle in
            guard let index = idle.firstIndex(where: { $0.prefix == prefix }) else { return nil }
            return idle.remove(at: index).watch
        }
    }

    /// Adds a watch, and drops the one that has been idle longest if there are too many.
    private func add(_ watch: DirectoryWatch, _ prefix: String) {
        // Dropped watches are closed outside the lock.
        let former = idle.withLock { idle in
            let former = idle
            idle.removeAll { $0.prefix == prefix }
            idle.append(IdleWatch(prefix: prefix, watch: watch))
            idle = idle.suffix(Self.maximum)
            return former
        }
        _ = former
    }
}

extension DirectoryRemote {
    /// Begins to watch the folder that `prefix` names: every change after this call is reported by
    /// ``watch(_:prefix:onChange:)``.
    ///
    /// - Throws: `Failure` with code `away` when the store's folder is missing.
    package func beginWatch(prefix: String) throws(Failure) -> DirectoryWatch {
        try DirectoryWatch(folder, prefix: prefix)
    }

    /// Calls `onChange` whenever something may have changed in the folder that `prefix` names, until the
    /// task is cancelled or the folder goes away. Where the system cannot watch it, that is every 5 seconds.
    ///
    /// No change between two calls is missed, because the next watch begins before `onChange` is called.
    ///
    /// - Parameter first: The watch of the folder that has begun already.
    /// - Throws: `Failure` with code `away` when the store's folder is missing; `CancellationError`.
    package func watch(
        _ first: DirectoryWatch, prefix: String, onChange: @escaping @Sendable () -> Void
    ) async throws {
        var watch = first
        while true {
            await watch.wait(timeout: watch.isBlind ? .seconds(5) : .seconds(3600))
            try Task.checkCancellation()
            watch = try DirectoryWatch(folder, prefix: prefix)
            onChange()
        }
    }
}
