import Dispatch
import FilesinkiModel
import FilesinkiSystem
import FoundationEssentials
import Glibc
import Synchronization

/// What `FileSinki.setup` has said, for the calls with closures.
final class Shared: Sendable {
    struct Wishes: Sendable {
        var remote: String?
        var root: String?
        var name = Shared.nameOfProgram
        var device: String?
        var queue = DispatchQueue.main
        var failed: @Sendable (FileSinkiError) -> Void = { _ in }
        /// The clock, chance and pauses; tests have their own.
        var systemContext = SystemContext.ofMachine
    }

    private struct State {
        var wishes = Wishes()
        var sinks: [FileSinki.Root: FileSinki] = [:]
        var observers: [ObjectIdentifier: Subscription] = [:]
        /// Answers that are not given yet.
        var calls = 0
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    static let current = Shared()

    private let state = Mutex(State())

    var wishes: Wishes { state.withLock { $0.wishes } }

    /// Takes new wishes; what is observed or in flight goes on as it was begun.
    func setUp(_ wishes: Wishes) {
        let old = state.withLock { state in
            defer { state.sinks = [:] }
            state.wishes = wishes
            return state.sinks
        }
        _ = consume old
    }

    /// What stands behind a root.
    ///
    /// - Throws: Code `usage` when there is no home folder, or the remote's address is not understood.
    func sink(_ root: FileSinki.Root) throws(FileSinkiError) -> FileSinki {
        if let found = state.withLock({ $0.sinks[root] }) { return found }
        let wishes = wishes
        var folder = wishes.root
        if folder == nil || root != .applicationSupportDirectory {
            folder = try root.folder(of: wishes.name)
        }
        var remote = wishes.remote
        if let first = remote { remote = try root.address(first) }
        let core = try Core(
            root: folder ?? "", remote: remote, device: wishes.device,
            state: nil, systemContext: wishes.systemContext, failed: wishes.failed)
        let made = FileSinki(core: core)
        return state.withLock { state in
            if let found = state.sinks[root] { return found }
            state.sinks[root] = made
            return made
        }
    }

    var sinks: [FileSinki] { state.withLock { Array($0.sinks.values) } }

    // MARK: Observers

    func add(_ subscription: Subscription) {
        state.withLock { $0.observers[ObjectIdentifier(subscription)] = subscription }
    }

    func remove(_ subscription: Subscription) {
        state.withLock { _ = $0.observers.removeValue(forKey: ObjectIdentifier(subscription)) }
    }

    var observers: [Subscription] { state.withLock { Array($0.observers.values) } }

    // MARK: Answers that are on their way

    func begin() { state.withLock { $0.calls += 1 } }

    func end() {
        let idle = state.withLock { state in
            state.calls -= 1
            guard state.calls == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.idle = [] }
            return state.idle
        }
        for continuation in idle { continuation.resume() }
    }

    func settled() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.calls == 0 { return true }
                state.idle.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Calls the program on its queue.
    func tell(_ body: @escaping @Sendable () -> Void) {
        begin()
        wishes.queue.async {
            body()
            self.end()
        }
    }

    /// The last name of the program's path.
    private static let nameOfProgram: String = {
        let path = CommandLine.arguments.first ?? "filesinki"
        let name = path.split(separator: "/").last.map { String($0) } ?? ""
        return name.isEmpty ? "filesinki" : name
    }()
}
