import FilesinkiModel
import FilesinkiWatch
import Synchronization

/// Waits for word of the remote beside everything else, and tells a ``LocalWatch`` of it.
final class NewsWaiter: Sendable {
    private let news: RemoteNews
    private let poll: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let known: Mutex<UInt64>
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// The pauses while the remote cannot be asked.
    private static let pauses = Duration.seconds(1)...Duration.seconds(60)

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
            var pause = Self.pauses.lowerBound
            // The first wait only begins to listen: what came before it is found by the look.
            var patience = Duration.zero
            while !Task.isCancelled {
                do {
                    try await news.wait(timeout: patience)
                    patience = poll
                    guard let known = self?.known.withLock({ $0 }) else { return }
                    if try await news.hasCommit(after: known) { watch.post(.remote) }
                    pause = Self.pauses.lowerBound
                } catch {
                    // A run will say what is wrong, when there is something to do.
                    let wish = (error as? Failure)?.retryAfter ?? .zero
                    if (try? await sleep(max(pause, wish))) == nil { return }
                    pause = min(pause * 2, Self.pauses.upperBound)
                }
            }
        }
        self.task.withLock { $0 = task }
    }
}
