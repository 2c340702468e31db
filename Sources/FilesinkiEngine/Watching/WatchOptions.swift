package import FilesinkiModel
import FilesinkiReconcile
package import FilesinkiWatch

/// The settings of a ``Watcher``.
package struct WatchOptions: Sendable {
    /// When a changed path counts as unchanged again.
    package var debouncing = Debouncer.Limits()
    /// When to scan without a change event, and the pauses after failures.
    package var scheduler = WatchScheduler.Limits()
    /// How often the remote is polled if it sends no change events.
    package var poll = Duration.seconds(30)
    /// Limits that replace the system's own, for tests.
    package var bounds = TreeWatch.Bounds()
    /// The options of each run.
    package var sync = SyncOptions()
    /// The exit code with which a failed run is recorded; nil for a failure that is not recorded.
    package var recordedExitCode: @Sendable (Failure) -> Int32? = { _ in nil }
    /// Called after each run of everything, and once the remote is back, with the replica unlocked: the remote can be reached. An
    /// error that it throws ends the watch.
    package var onConnected: @Sendable () async throws -> Void = {}

    package init() {}
}

/// A message of a watch for the user.
package enum WatchNotice: Sendable {
    /// The watch covers the whole tree from now on; `folders` is the number of watched folders.
    case started(folders: Int)
    /// A run that changed something, or found something that was not reported before.
    case synced(SyncReport)
    /// The remote is away or another run is active; the watch retries.
    case away(Failure)
    /// A run succeeded after a failure; `wasAway` tells whether it was one of the connection.
    case resumed(wasAway: Bool)
    /// A run failed; the watch retries.
    case failed(Failure)
    /// Not all folders can be watched; the tree is scanned regularly instead.
    case shortage(TreeWatch.Shortage)
    /// The ignore rules were read again.
    case rulesReloaded
    /// Everything is scanned, for this reason.
    case scansEverything(LocalNotice.Reason)
}
