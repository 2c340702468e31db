import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// The keys below which the store changes when there is something new, for
    /// ``FilesinkiRemote/Remote/wait(prefix:timeout:)``; nil before the store was reached.
    package var watchedPrefix: String? { zone.reached?.log.watchedPrefix }
}
