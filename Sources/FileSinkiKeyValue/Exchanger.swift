internal import FilesinkiKeyValue
internal import Synchronization

/// Exchanges with the remote meanwhile, once for all that was asked for since it began.
final class Exchanger: Sendable {
    private enum State {
        case idle, running, again
    }

    let values: KeyValues
    private let state = Mutex(State.idle)

    init(_ values: KeyValues) { self.values = values }

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
                _ = try? await values.exchange()
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
