package import FilesinkiModel
package import FilesinkiReconcile
package import FilesinkiRules
import Synchronization

/// The options of one run.
package struct SyncOptions: Sendable {
    /// Only these paths and what is below them; empty for everything.
    package var paths: [RelativePath] = []
    /// Whether a path that is found neither here nor in the store stops the run.
    package var requiresPaths = false
    /// The user's command, as it appears in the log.
    package var operation = "sync"
    /// Decide and report, but change nothing anywhere.
    package var isDryRun = false
    /// Whether the run only records what of the root waits, and leaves the remote alone.
    package var staysLocal = false
    /// The id of the plan that the user has approved after a guard stopped it.
    package var approved: String?
    /// Whether the paths of the run were not named by a user, so that the guards check it.
    package var isUnattended = false
    /// Whether what is on a file system that is not mounted counts as deleted, because the user said so.
    package var deletesUnmounted = false
    /// Whether a user has named what is gone, so that a later run may publish the deletions without an approval.
    package var namesDeletions = false
    /// Whether a deletion is refused of what was not synced yet, if the remote is away: no history could bring it back.
    package var refusesUnsent = false
    /// How many deletions pass the guards; nil for the limit of the rules.
    package var maxDelete: MaxDelete?
    /// What the run leaves out or includes besides the ignore files. Nothing is decided about a path that it
    /// leaves out.
    package var patterns = RunPatterns.none
    /// The chain of links for every conflict of this run; nil for that of the rules.
    package var strategy: Strategy?
    /// What happens where one side edited and the other deleted a path; nil for what the rules say.
    package var onDelete: OnDelete?
    /// The versions that conflict copies are based on which a command makes, in place of those of the plan.
    package var basesOfCopies: [UInt64] = []
    /// Asks a person about a conflict; nil where there is none to ask.
    package var ask: (@Sendable (Conflict) async -> Resolution.Outcome)?
    /// A run with more changes than this is carried out in batches. A plan of so many takes some 300 MB, and is
    /// faster than batches.
    package var wholeRunLimit = 131_072
    /// How many paths of a large run are carried out together. Memory is bounded by it; at least 1.
    package var batchSize = 16_384
    /// Called with the steps of each batch of a large run once it is recorded; they are then not in the
    /// report. Nil to have all steps in the report.
    package var onSteps: (@Sendable ([Step]) -> Void)?
    /// Called now and then with the progress of the run.
    package var progress: (@Sendable (Progress) -> Void)?
    /// Called before each round of a run of named paths with what was fetched. If it throws, the round changes nothing.
    var checkFetched: (@Sendable (RemoteView) throws -> Void)?

    package init() {}
}

/// The progress of a run.
package struct Progress: Sendable, Hashable {
    package enum Phase: String, Sendable {
        case scanning, hashing, fetching, applying, publishing
        /// A remote is tested that is to get a store; what counts is parts of the test in place of files.
        case testing
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

/// Adds up and reports the progress of several workers.
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

    /// Sets the totals once they are known.
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

/// Divides the progress of one long file into steps of some megabytes.
struct ProgressMeter: Sendable {
    /// The bytes of one step.
    static let step: Int64 = 4 << 20

    /// The bytes that were reported by now.
    private(set) var told: Int64 = 0
    private var done: Int64 = 0
    private let size: Int64

    /// - Parameter size: The bytes that the file counts for in the total, also if it has grown since.
    init(size: Int64) { self.size = size }

    /// - Returns: The bytes to be reported now; nil while they are fewer than a step.
    mutating func add(_ count: Int) -> Int64? {
        done = min(size, done + Int64(count))
        guard done - told >= Self.step else { return nil }
        defer { told = done }
        return done - told
    }
}
