import FilesinkiEngine
import Synchronization

/// The answer to one divergence, which may take its time.
final class PendingAnswer: Sendable {
    private struct State {
        var answer: ProgramAnswer?
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// The answer; nil while nobody gave one.
    var answer: ProgramAnswer? { state.withLock { $0.answer } }

    /// Takes the first answer; later ones do not count.
    func give(_ answer: ProgramAnswer) {
        let waiting = state.withLock { state in
            guard state.answer == nil else { return [CheckedContinuation<Void, Never>]() }
            state.answer = answer
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until there is an answer.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func wait() async throws {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.answer != nil || Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
        if answer == nil { try Task.checkCancellation() }
    }
}

/// What is handed to the program's closures. When the last of them goes without an answer, there is
/// none: nothing waits for ever for who was forgotten.
final class Reply: Sendable {
    let pending: PendingAnswer

    init(_ pending: PendingAnswer) { self.pending = pending }

    deinit { pending.give(.declined("The program gave no answer.")) }

    func give(_ answer: ProgramAnswer) { pending.give(answer) }
}
