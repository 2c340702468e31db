import FilesinkiModel
package import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem
import FilesinkiWatch
import Synchronization

/// Waits for word of the remote beside everything else, and tells a ``LocalWatch`` of it.
final class RemoteChangeListener: Sendable {
    private let news: RemoteNews
    private let poll: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let known: Mutex<UInt64>
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(
        _ news: RemoteNews, known: UInt64, poll: Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.news = news
        self.poll = poll
        self.sleep = sleep
        self.known = Mutex(known)
    }

    deinit { task.withLock { $0?.cancel() } }

    /// Says how far the log is known; what comes after is news.
    func note(_ sequence: UInt64) { known.withLock { $0 = max($0, sequence) } }

    func stop() { task.withLock { $0?.cancel() } }

    func start(telling watch: LocalWatch) {
        let task = Task { [weak self, news, poll, sleep] in
            var backoff = Backoff()
            // The first wait only begins to listen: what came before it is found by the look.
            var patience = Duration.zero
            while !Task.isCancelled {
                do {
                    try await news.wait(timeout: patience)
                    patience = poll
                    guard let known = self?.known.withLock({ $0 }) else { return }
                    if try await news.hasCommit(after: known) { watch.post(.remote) }
                    backoff.reset()
                } catch {
                    // A run will say what is wrong, when there is something to do.
                    if (try? await sleep(backoff.next(after: error))) == nil { return }
                }
            }
        }
        self.task.withLock { $0 = task }
    }
}

/// Word of what others publish, without looking at what it is.
package struct RemoteNews: Sendable {
    let connection: ZoneConnection

    /// Where the remote is, as a person may see it.
    package var address: String { connection.remote.address }

    /// Waits until something may have been published, or the time is over. A hint only.
    package func wait(timeout: Duration) async throws {
        try await connection.remote.wait(prefix: connection.log.watchedPrefix, timeout: timeout)
    }

    /// Whether there is a commit after the one with this number. One request.
    package func hasCommit(after sequence: UInt64) async throws -> Bool {
        try await connection.log.read(sequence &+ 1) != nil
    }
}

/// Keeps remotes from one run to the next, with their connections and what they listen to.
package final class RemoteCache: Sendable {
    private let connect: @Sendable (String) throws -> any Remote
    private let last = Mutex<(address: String, remote: any Remote)?>(nil)

    package init(_ connect: @escaping @Sendable (String) throws -> any Remote) {
        self.connect = connect
    }

    /// The remote at an address; the same as before when it is asked for again.
    package func remote(_ address: String) throws -> any Remote {
        if let last = last.withLock({ $0 }), last.address == address { return last.remote }
        let made = try connect(address)
        last.withLock { $0 = (address, made) }
        return made
    }
}
