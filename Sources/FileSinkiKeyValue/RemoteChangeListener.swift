internal import FilesinkiKeyValue
internal import FilesinkiModel
internal import FilesinkiSystem
internal import Synchronization

/// Brings here what others set, and tells of every change, for as long as it is kept.
final class RemoteChangeListener: Sendable {
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - token: Where to begin.
    ///   - failed: Called when an error begins; a remote that is away is none.
    init(
        _ place: KeyValuePlace, since token: FeedToken,
        failed: @escaping @Sendable (any Error) -> Void,
        tell: @escaping @Sendable (ValueEvent) -> Void
    ) {
        task = Task {
            var token: FeedToken? = token
            var backoff = Backoff()
            while !Task.isCancelled {
                do {
                    // A connection of its own, so that what this process fetches is heard of, too.
                    let observer = try await ValueObserver(
                        try KeyValues.open(place), place: place, since: token)
                    while true {
                        for event in try await observer.next() {
                            tell(event)
                            token = event.token
                        }
                        backoff.reset()
                    }
                } catch is CancellationError {
                    return
                } catch {
                    if (error as? Failure)?.code == .tokenExpired { token = nil }
                    failed(error)
                    try? await place.systemContext.sleep(backoff.next())
                }
            }
        }
    }

    deinit { task.cancel() }
}

/// The changes that this process has made, so that it is not told of them by the listener.
final class OwnChanges: Sendable {
    private let numbers = Mutex<Set<Int64>>([])

    /// Makes a change; nobody asks whether an event is an own one meanwhile.
    ///
    /// - Parameter body: Gives the number of the event that it has noted; nil when nothing has changed.
    func make(_ body: () throws -> Int64?) rethrows -> Bool {
        try numbers.withLock { numbers in
            guard let number = try body() else { return false }
            numbers.insert(number)
            return true
        }
    }

    /// Whether an event is an own one. Events are told once each, in order.
    func takes(_ event: ValueEvent) -> Bool {
        numbers.withLock { numbers in
            let isOwn = numbers.remove(event.token.number) != nil
            // What the listener has passed will not be asked for.
            if numbers.count > 1_000 { numbers = numbers.filter { $0 > event.token.number } }
            return isOwn
        }
    }
}
