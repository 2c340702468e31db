/// When a zone is due for a checkpoint: one in 256 commits, whoever stores it.
package struct CheckpointSchedule: Hashable, Sendable {
    /// After so many commits upon the newest checkpoint, the next is due.
    package static let interval: UInt64 = 256

    /// After a failure it is tried again upon so many further commits, for each try costs as much as a
    /// checkpoint.
    package static let retryInterval: UInt64 = 16

    /// The number of the newest checkpoint that is known; 0 for none.
    package var newest: UInt64
    /// The commit at which a checkpoint could not be stored; 0 for none.
    package var failed: UInt64

    package init(newest: UInt64, failed: UInt64 = 0) {
        self.newest = newest
        self.failed = failed
    }

    /// Whether a device that has seen the log up to `sequence` looks after the next checkpoint.
    package func isDue(at sequence: UInt64) -> Bool {
        guard sequence > newest, sequence - newest >= Self.interval else { return false }
        return failed == 0 || sequence < failed || sequence - failed >= Self.retryInterval
    }
}
