import FilesinkiModel
import Synchronization

/// The watches of a store's folders that waits have left behind. The next wait for the same prefix
/// goes on with one: so nothing is missed between two waits.
final class DirectoryNotices: Sendable {
    private struct Kept {
        var prefix: String
        var watch: DirectoryWatch
    }

    /// Those left last stand last.
    private let idle = Mutex<[Kept]>([])

    /// A user has 128 inotify instances, where nobody raised it, for all programs together; a log's
    /// waits are for one prefix at a time.
    static let maximum = 4

    /// How many are kept.
    var count: Int { idle.withLock { $0.count } }

    /// Waits until something came or went below the prefix, or the time is over.
    func wait(_ folder: StoreFolder, prefix: String, timeout: Duration) async throws {
        let watch = try take(prefix) ?? DirectoryWatch(folder, prefix: prefix)
        await withTaskCancellationHandler {
            await watch.waitOnItsThread(timeout: timeout)
        } onCancel: {
            watch.cancel()
        }
        try Task.checkCancellation()
        if watch.lasts(folder, prefix: prefix) { keep(watch, prefix) }
    }

    private func take(_ prefix: String) -> DirectoryWatch? {
        idle.withLock { idle in
            guard let place = idle.firstIndex(where: { $0.prefix == prefix }) else { return nil }
            return idle.remove(at: place).watch
        }
    }

    /// Lets go of the one that was left longest ago, where there are enough.
    private func keep(_ watch: DirectoryWatch, _ prefix: String) {
        // What is let go is closed outside the lock.
        let former = idle.withLock { idle in
            let former = idle
            idle.removeAll { $0.prefix == prefix }
            idle.append(Kept(prefix: prefix, watch: watch))
            idle = idle.suffix(Self.maximum)
            return former
        }
        _ = former
    }
}
