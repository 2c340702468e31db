import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore

/// The replica's way into its store while a process lasts.
struct StoreConnection: Sendable {
    let remote: any Remote
    let format: StoreFormat
    let log: CommitLog
    let shelf: CheckpointShelf
    /// Whether the end of the log was proved in this process.
    var isEndProven = false

    /// The one zone of files.
    static let zone = "files"

    /// - Parameter limits: What the commits that are published keep to.
    init(
        remote: any Remote, format: StoreFormat, limits: CommitLimits = .standard
    ) throws(Failure) {
        self.remote = remote
        self.format = format
        log = try CommitLog(remote: remote, zone: Self.zone, store: format, limits: limits)
        shelf = try CheckpointShelf(remote: remote, zone: Self.zone, store: format)
    }
}
