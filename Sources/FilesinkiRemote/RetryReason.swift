package import FilesinkiModel
import Synchronization

/// Why a command is still trying to reach a remote, for what ends it by a time limit.
///
/// It is a task-local value, because the retries of a request are far below the command, and no failure gets from there to
/// it as long as they go on.
package final class RetryReason: Sendable {
    /// That of the command that the task belongs to; nil where nobody asks.
    @TaskLocal package static var current: RetryReason?

    private let failure = Mutex<Failure?>(nil)

    package init() {}

    /// The failure of the last attempt; nil if the remote was reached since, or nothing failed.
    package var last: Failure? {
        get { failure.withLock { $0 } }
        set { failure.withLock { $0 = newValue } }
    }
}
