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

    /// From now on the file is resolved by this handler.
    func register(_ handler: Handler, at path: RelativePath) {
        state.withLock { $0.files[path] = handler }
    }

    /// From now on everything in the folder is resolved by this handler, unless a file has its own.
    func register(_ handler: Handler, inFolder folder: [UInt8]) {
        state.withLock { state in
            state.folders.removeAll { $0.folder == folder }
            state.folders.append((folder, handler))
        }
    }

    /// Says what the run that begins does with a file; nil for a run of all files.
    func begin(_ path: RelativePath?, isLoading: Bool) {
        state.withLock { state in
            state.postponed = state.postponed.filter { path != nil && $0.key != path }
            if let path, !isLoading { state.saving.insert(path) }
        }
    }

    /// Says that the run has ended.
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

    /// The answers for which the last run of the path, or of all files, did not wait.
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
            return .declined("The program does not know the file.")
        }
        let isLoading = state.withLock { !$0.saving.contains(conflict.path) }
        // Who saves a file wants it to be there.
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
