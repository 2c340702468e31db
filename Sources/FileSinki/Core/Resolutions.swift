import FilesinkiEngine
import FilesinkiModel
import Synchronization

/// Knows which files the program resolves, and remembers what it has answered, so that it is asked once
/// for each conflict.
final class Resolutions: ProgramResolver {
    private struct Known {
        var identity: [ContentID]
        var answer: PendingAnswer
    }

    private struct State {
        var files: [RelativePath: Handler] = [:]
        /// Folders with everything in them; the empty path for the root.
        var folders: [(folder: [UInt8], handler: Handler)] = []
        /// Paths that are being saved; whatever else is done to a file is to load it.
        var saving: Set<RelativePath> = []
        var known: [RelativePath: Known] = [:]
        var postponed: [RelativePath: PendingAnswer] = [:]
    }

    private let state = Mutex(State())

    /// Registers the handler of a file.
    func register(_ handler: Handler, at path: RelativePath) {
        state.withLock { $0.files[path] = handler }
    }

    /// Registers the handler of everything below a folder. A handler of a file takes precedence.
    func register(_ handler: Handler, inFolder folder: [UInt8]) {
        state.withLock { state in
            state.folders.removeAll { $0.folder == folder }
            state.folders.append((folder, handler))
        }
    }

    /// Begins a run of a file, or of all files where `path` is nil.
    func begin(_ path: RelativePath?, isLoading: Bool) {
        state.withLock { state in
            state.postponed = state.postponed.filter { path != nil && $0.key != path }
            if let path, !isLoading { state.saving.insert(path) }
        }
    }

    /// Ends a run.
    ///
    /// - Parameter isDone: Whether all that was answered is recorded: when the same contents should meet
    ///   once more, that is another conflict. Else they are the same one.
    func end(_ path: RelativePath?, isDone: Bool) {
        state.withLock { state in
            if let path { state.saving.remove(path) }
            guard isDone else { return }
            let postponed = state.postponed
            state.known = state.known.filter { known in
                path != nil && known.key != path || postponed[known.key] != nil
            }
        }
    }

    /// The pending answers that the last run of the path, or of all files, did not wait for.
    func postponed(_ path: RelativePath?) -> [PendingAnswer] {
        state.withLock { state in
            guard let path else { return Array(state.postponed.values) }
            return state.postponed[path].map { [$0] } ?? []
        }
    }

    func handler(_ path: RelativePath) -> Handler? {
        state.withLock { state in
            if let handler = state.files[path] { return handler }
            return state.folders.last { known in
                known.folder.isEmpty
                    || path.bytes.count > known.folder.count + 1
                        && path.bytes.starts(with: known.folder + [UInt8(ascii: "/")])
            }?.handler
        }
    }

    func handles(_ path: RelativePath) -> Bool { handler(path) != nil }

    func resolve(_ conflict: ConflictContents) -> ProgramAnswer {
        guard let handler = handler(conflict.path), let here = conflict.ours else {
            return .declined("No handler is registered for the file.")
        }
        let isLoading = state.withLock { !$0.saving.contains(conflict.path) }
        // A program that saves a file does not want it deleted.
        if conflict.theirs == nil, !isLoading { return .ours }
        let (pending, isNew) = pending(conflict)
        if isNew {
            let question = Question(
                base: conflict.base, here: here, there: conflict.theirs, isLoading: isLoading)
            handler.ask(question, Reply(pending))
        }
        if let answer = pending.answer { return answer }
        state.withLock { $0.postponed[conflict.path] = pending }
        return .postponed
    }

    private func pending(_ conflict: ConflictContents) -> (PendingAnswer, isNew: Bool) {
        state.withLock { state in
            if let known = state.known[conflict.path], known.identity == conflict.identity {
                return (known.answer, false)
            }
            let answer = PendingAnswer()
            state.known[conflict.path] = Known(identity: conflict.identity, answer: answer)
            return (answer, true)
        }
    }
}

/// The answer to one divergence, which may take its time.
final class PendingAnswer: Sendable {
    private struct State {
        var answer: ProgramAnswer?
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// The answer; nil while it is pending.
    var answer: ProgramAnswer? { state.withLock { $0.answer } }

    /// Sets the answer. Only the first call has an effect.
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

/// The reply that the program's closures hold. When the last reference goes without an answer, the
/// conflict is declined, so that no run waits for ever.
final class Reply: Sendable {
    let pending: PendingAnswer

    init(_ pending: PendingAnswer) { self.pending = pending }

    deinit { pending.give(.declined("The program gave no answer.")) }

    func give(_ answer: ProgramAnswer) { pending.give(answer) }
}
