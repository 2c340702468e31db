import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiSystem
import Observation
import Synchronization

/// Exchanges with the remote whenever something changes there, and delivers every change, until it is
/// released.
final class RemoteChangeListener: Sendable {
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - token: Where to begin.
    ///   - failed: Called with an error other than an unreachable remote; it retries after that.
    ///   - deliver: Called with each event, once and in order.
    init(
        _ place: KeyValuePlace, since token: FeedToken,
        failed: @escaping @Sendable (any Error) -> Void,
        deliver: @escaping @Sendable (ValueEvent) -> Void
    ) {
        task = Task {
            var token: FeedToken? = token
            var backoff = Backoff()
            while !Task.isCancelled {
                do {
                    // A connection of its own, so that it also sees what this process fetches.
                    let observer = try await ValueObserver(
                        try KeyValues.open(place), place: place, since: token)
                    while true {
                        for event in try await observer.next() {
                            deliver(event)
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

/// The events of changes by this process, which the listener does not report to it.
final class OwnChanges: Sendable {
    private let numbers = Mutex<Set<Int64>>([])

    /// Makes a change, and records its event before the listener can see it.
    ///
    /// - Parameter body: Returns the number of the recorded event; nil when nothing changed.
    /// - Returns: Whether something changed.
    func record(_ body: () throws -> Int64?) rethrows -> Bool {
        try numbers.withLock { numbers in
            guard let number = try body() else { return false }
            numbers.insert(number)
            return true
        }
    }

    /// Whether an event is an own one; forgets it. Events must be passed once each, in order.
    func consume(_ event: ValueEvent) -> Bool {
        numbers.withLock { numbers in
            let isOwn = numbers.remove(event.token.number) != nil
            // Older events are not passed any more.
            if numbers.count > 1_000 { numbers = numbers.filter { $0 > event.token.number } }
            return isOwn
        }
    }
}

/// Exchanges with the remote in the background, once for all requests since the last exchange began.
final class Exchanger: Sendable {
    private enum State {
        case idle, running, again
    }

    private let values: KeyValues
    /// Notified of changed keys; nil when a listener does that.
    private let watched: WatchedKeys?
    private let state = Mutex(State.idle)

    init(_ values: KeyValues, notifying watched: WatchedKeys?) {
        self.values = values
        self.watched = watched
    }

    /// Exchanges now.
    ///
    /// - Returns: The keys whose value changed on this device.
    func exchangeNow() async throws -> [String] {
        let report = try await values.exchange()
        let keys = report.changed.compactMap { String(validating: $0.bytes, as: UTF8.self) }
        watched?.change(keys)
        return keys
    }

    /// Starts an exchange, or another one after the running one.
    func start() {
        let isFirst = state.withLock { state in
            defer { state = state == .idle ? .running : .again }
            return state == .idle
        }
        guard isFirst else { return }
        Task {
            repeat {
                // A change that cannot be sent is kept, and sent with the next one.
                _ = try? await exchangeNow()
            } while !end()
        }
    }

    private func end() -> Bool {
        state.withLock { state in
            state = state == .again ? .running : .idle
            return state == .idle
        }
    }
}

/// Reports to Observation which keys are read and which have changed.
final class WatchedKeys: Sendable {
    /// One key, as an object that Observation can track.
    private final class Key: Observable, Sendable {
        let registrar = ObservationRegistrar()
        var revision: Int { 0 }
    }

    private let keys = Mutex<[String: Key]>([:])
    private let status = Key()

    /// Records that a key is read.
    func access(_ name: String) {
        let key = keys.withLock { keys in
            let found = keys[name] ?? Key()
            keys[name] = found
            return found
        }
        key.registrar.access(key, keyPath: \.revision)
    }

    /// Records that the status is read.
    func accessStatus() { status.registrar.access(status, keyPath: \.revision) }

    /// Reports to readers of the keys and of the status that they have changed.
    func change(_ names: [String]) {
        let found = keys.withLock { keys in names.compactMap { keys[$0] } }
        for key in found + [status] { key.registrar.withMutation(of: key, keyPath: \.revision) {} }
    }
}
