internal import FilesinkiModel

/// The last commits that objects beside the log prove to have been there.
struct LogEndProof: Sendable {
    var checkpoint: UInt64 = 0
    var acknowledged: UInt64 = 0

    var last: UInt64 { max(checkpoint, acknowledged) }

    /// What it means that a log ends at `end`; nil when nothing is missing.
    ///
    /// - Parameters:
    ///   - accepted: A person has approved of what is missing up to here.
    ///   - remedy: How to go on without it.
    func mismatch(
        end: UInt64, accepted: UInt64, log: CommitLog, remedy: String
    ) -> StoreMismatch? {
        guard last > max(end, accepted) else { return nil }
        let witness =
            checkpoint > max(end, accepted)
            ? "there is a checkpoint of commit \(checkpoint)"
            : "a device has acknowledged commit \(acknowledged)"
        if last == end + 1, checkpoint <= end {
            return StoreMismatch(
                .truncated,
                Failure(
                    .corrupt, path: log.watchedPrefix,
                    "Commit \(last) is missing: the log ends at \(end), but \(witness).",
                    remedy: "Restore the object from a copy of the store. " + remedy))
        }
        return StoreMismatch(
            .truncated,
            Failure(
                .wrongStore, path: log.watchedPrefix,
                "The log ends at \(end), but \(witness): the store was restored from a backup, or lost "
                    + "commits.",
                remedy: "Restore the missing commits from a copy of the store. " + remedy))
    }

    /// The mismatch of a log that has a commit of which a later one is gone.
    static func gap(at sequence: UInt64, log: CommitLog, remedy: String) -> StoreMismatch {
        StoreMismatch(
            .truncated,
            Failure(
                .wrongStore, path: log.watchedPrefix,
                "Commit \(sequence) is gone while earlier ones are there: the store was restored from "
                    + "a backup, or lost commits.",
                remedy: "Restore the missing commits from a copy of the store. " + remedy))
    }
}
