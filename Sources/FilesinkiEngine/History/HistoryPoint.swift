package import FilesinkiModel
import FilesinkiStore

/// A point of the history: how many commits of the log count.
package enum HistoryPoint: Hashable, Sendable {
    /// Up to the commit with this number.
    case commit(UInt64)
    /// Up to the last commit, in the order of the log, whose clock says this time or an earlier one.
    case time(Timestamp)
    /// As `commit`, for the version of a path that the log lists: where that commit only kept a content
    /// of a path that is named, because another one won, this content is at the path.
    case version(UInt64)

    /// The last commit that counts, where the point names it.
    var lastCommit: UInt64? {
        switch self {
        case .commit(let number), .version(let number): number
        case .time: nil
        }
    }
}

/// A commit whose clock is later than that of one which follows it.
package struct ClockContradiction: Hashable, Sendable {
    package var sequence: UInt64
    package var device: Device
    package var time: Timestamp

    /// What a person should know when the state after commit `last` was taken for the one of a time.
    func warning(_ last: UInt64) -> Failure {
        Failure(
            .differs,
            "The clocks of the devices contradict the order of the log: by its clock commit "
                + "\(sequence) of \(printable(device.name.utf8)) is later than commit \(last), "
                + "which follows it.",
            remedy: "The state after commit \(last) was used.")
    }
}
