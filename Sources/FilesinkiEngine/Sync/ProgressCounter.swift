import FilesinkiModel
import Synchronization

/// Adds up what several workers have done, and tells it.
final class ProgressCounter: Sendable {
    private let state: Mutex<Progress>
    private let tell: (@Sendable (Progress) -> Void)?

    init(
        _ phase: Progress.Phase, files: Int, bytes: Int64,
        _ tell: (@Sendable (Progress) -> Void)?
    ) {
        state = Mutex(Progress(phase, totalFiles: files, totalBytes: bytes))
        self.tell = tell
    }

    /// Says how much there is, once that is known.
    func expect(files: Int, bytes: Int64) {
        state.withLock { progress in
            progress.totalFiles = files
            progress.totalBytes = bytes
        }
    }

    func add(files: Int, bytes: Int64) {
        guard let tell else { return }
        let present = state.withLock { progress in
            progress.files += files
            progress.bytes += bytes
            return progress
        }
        tell(present)
    }
}
