import FilesinkiModel
package import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem
import FilesinkiWatch
import Synchronization

/// Waits for commits of other devices in a background task, and posts ``LocalNotice/remote`` to a
/// ``LocalWatch`` for each.
final class RemoteChangeListener: Sendable {
    private let changes: RemoteChanges
    private let poll: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let known: Mutex<UInt64>
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(
        _ changes: RemoteChanges, known: UInt64, poll: Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.changes = changes
        self.poll = poll
        self.sleep = sleep
        self.known = Mutex(known)
    }

    deinit { task.withLock { $0?.cancel() } }

    /// Sets the last known commit; only later commits are posted.
    func acknowledge(_ sequence: UInt64) { known.withLock { $0 = max($0, sequence) } }

    /// Cancels the background task.
    func stop() { task.withLock { $0?.cancel() } }

    /// Starts the background task. It retries with growing pauses if the remote is away.
    func start(posting watch: LocalWatch) {
        let task = Task { [weak self, changes, poll, sleep] in
            var backoff = Backoff()
            // The first wait only subscribes; the read after it finds earlier commits.
            var timeout = Duration.zero
            while !Task.isCancelled {
                do {
                    try await changes.wait(timeout: timeout)
                    timeout = poll
                    guard let known = self?.known.withLock({ $0 }) else { return }
                    if try await changes.hasCommit(after: known) { watch.post(.remote) }
                    backoff.reset()
                } catch {
                    // The next run reports the failure, if it persists.
                    if (try? await sleep(backoff.next(after: error))) == nil { return }
                }
            }
        }
        self.task.withLock { $0 = task }
    }
}

/// Detects new commits in the store without reading their contents.
package struct RemoteChanges: Sendable {
    let connection: ZoneConnection

    /// The remote's address without secrets, for messages.
    package var address: String { connection.remote.address }

    /// Waits until something may have been published, or the timeout has passed. Returning early is
    /// only a hint.
    package func wait(timeout: Duration) async throws {
        try await connection.remote.wait(prefix: connection.log.watchedPrefix, timeout: timeout)
    }

    /// Whether a commit after this number exists. Usually one request.
    package func hasCommit(after sequence: UInt64) async throws -> Bool {
        try await connection.log.hasCommit(after: sequence)
    }
}

/// Keeps the last opened remote, so that its connections and subscriptions survive from run to run.
package final class RemoteCache: Sendable {
    private let connect: @Sendable (String) throws -> any Remote
    private let last = Mutex<(address: String, remote: any Remote)?>(nil)

    package init(_ connect: @escaping @Sendable (String) throws -> any Remote) {
        self.connect = connect
    }

    /// Returns the remote at an address; the same object as long as the address is the same.
    package func remote(_ address: String) throws -> any Remote {
        if let last = last.withLock({ $0 }), last.address == address { return last.remote }
        let opened = try connect(address)
        last.withLock { $0 = (address, opened) }
        return opened
    }
}
