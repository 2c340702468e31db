import Dispatch
import FilesinkiModel

extension DirectoryRemote {
    /// Calls `onChange` whenever something may have changed in the folder that `prefix` names, until
    /// the task is cancelled or the folder goes away.
    ///
    /// No change is missed between two calls: the next watch stands before the last one is told. A
    /// thread of its own waits, for the system's common ones are few.
    ///
    /// - Throws: `Failure` with code `away` when the store's folder is not there; `CancellationError`.
    package func watch(
        prefix: String, onChange: @escaping @Sendable () -> Void
    ) async throws {
        let queue = DispatchQueue(label: "filesinki.watch")
        var watch = try DirectoryWatch(folder, prefix: prefix)
        while true {
            let current = watch
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    queue.async {
                        current.wait(timeout: .seconds(3600))
                        continuation.resume()
                    }
                }
            } onCancel: {
                current.cancel()
            }
            try Task.checkCancellation()
            watch = try DirectoryWatch(folder, prefix: prefix)
            onChange()
        }
    }
}
