package import FilesinkiModel
package import FilesinkiReconcile
import Synchronization

/// What one run is asked to do.
package struct SyncOptions: Sendable {
    /// Only these paths and what is below them; empty for everything.
    package var paths: [RelativePath] = []
    /// Whether a path that is found neither here nor in the store stops the run.
    package var requiresPaths = false
    /// What the user asked for, as the log tells it.
    package var operation = "sync"
    /// Decide and report, but change nothing anywhere.
    package var isDryRun = false
    /// The id of a plan that a guard stopped and a person has looked at.
    package var approved: String?
    /// Whether nobody named the paths of the run by hand, so that the guards hold for it, too.
    package var isUnattended = false
    /// Whether what is on a file system that is not mounted counts as deleted: the user said so.
    package var deletesUnmounted = false
    /// How many deletions are let through; nil for what the rules say.
    package var maxDelete: MaxDelete?
    /// The chain for every conflict of this run, in place of the rules.
    package var strategy: Strategy?
    /// What happens to an edit that meets a deletion in this run, in place of the rules.
    package var onDelete: OnDelete?
    /// Asks a person about a conflict; nil where there is none to ask.
    package var ask: (@Sendable (Conflict) async -> Resolution.Outcome)?
    /// Told now and then how far the run is.
    package var progress: (@Sendable (Progress) -> Void)?

    package init() {}
}

/// How far a run is.
package struct Progress: Sendable, Hashable {
    package enum Phase: String, Sendable {
        case scanning, hashing, fetching, applying, publishing
    }
    package var phase: Phase
    /// Files done in this phase.
    package var files: Int
    /// Files that the phase has in all; 0 when it is not known yet.
    package var totalFiles: Int
    /// Bytes done in this phase.
    package var bytes: Int64
    /// Bytes that the phase has in all; 0 when it is not known yet.
    package var totalBytes: Int64

    package init(
        _ phase: Phase, files: Int = 0, totalFiles: Int = 0, bytes: Int64 = 0, totalBytes: Int64 = 0
    ) {
        self.phase = phase
        self.files = files
        self.totalFiles = totalFiles
        self.bytes = bytes
        self.totalBytes = totalBytes
    }
}

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

/// Says of one file how many of its bytes are news, some megabytes at a time: so a long file shows that
/// it gets on, and a short one costs nothing.
struct ProgressMeter: Sendable {
    /// So many bytes are told at a time.
    static let step: Int64 = 4 << 20

    /// What was told by now.
    private(set) var told: Int64 = 0
    private var done: Int64 = 0
    private let size: Int64

    /// - Parameter size: What the file counts for in the whole; one that grew counts for no more.
    init(size: Int64) { self.size = size }

    /// - Returns: How many bytes are to be told now; nil while they are few.
    mutating func add(_ count: Int) -> Int64? {
        done = min(size, done + Int64(count))
        guard done - told >= Self.step else { return nil }
        defer { told = done }
        return done - told
    }
}
