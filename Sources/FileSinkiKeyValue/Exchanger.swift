internal import FilesinkiKeyValue
internal import Synchronization

/// Exchanges with the remote meanwhile, once for all that was asked for since it began.
final class Exchanger: Sendable {
    private enum State {
        case idle, running, again
    }

    private let values: KeyValues
    /// Who has read a key hears of what others have set; nil where a listener tells that.
    private let watched: WatchedKeys?
    private let state = Mutex(State.idle)

    init(_ values: KeyValues, telling watched: WatchedKeys?) {
        self.values = values
        self.watched = watched
    }

    /// Exchanges now.
    ///
    /// - Returns: The keys that hold something else here now.
    func run() async throws -> [String] {
        let report = try await values.exchange()
        let keys = report.changed.compactMap { String(validating: $0.bytes, as: UTF8.self) }
        watched?.change(keys)
        return keys
    }

    /// Begins an exchange, or another one after the one that is under way.
    func start() {
        let isFirst = state.withLock { state in
            defer { state = state == .idle ? .running : .again }
            return state == .idle
        }
        guard isFirst else { return }
        Task {
            repeat {
                // What cannot be sent is kept, and sent with the next change.
                _ = try? await run()
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
