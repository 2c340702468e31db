import FilesinkiModel
import Synchronization

/// The watches of a store's folders that waits have left behind. The next wait for the same prefix
/// goes on with one: so nothing is missed between two waits.
final class DirectoryNotices: Sendable {
    private let idle = Mutex<[String: DirectoryWatch]>([:])

    /// Waits until something came or went below the prefix, or the time is over.
    func wait(_ folder: StoreFolder, prefix: String, timeout: Duration) async throws {
        let left = idle.withLock { $0.removeValue(forKey: prefix) }
        let watch = try left ?? DirectoryWatch(folder, prefix: prefix)
        await withTaskCancellationHandler {
            await watch.waitOnItsThread(timeout: timeout)
        } onCancel: {
            watch.cancel()
        }
        try Task.checkCancellation()
        if watch.isLasting { idle.withLock { $0[prefix] = watch } }
    }
}
