import Dispatch
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import FoundationEssentials
import Glibc
import Synchronization

/// The state behind the calls with closures: the options of `FileSinki.setup`, the roots and the observers.
final class Shared: Sendable {
    struct SetupOptions: Sendable {
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
        var setupOptions = SetupOptions()
        var sinks: [FileSinki.Root: FileSinki] = [:]
        var observers: [ObjectIdentifier: Subscription] = [:]
        /// The number of closures that have not returned yet.
        var calls = 0
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    static let current = Shared()

    private let state = Mutex(State())

    var setupOptions: SetupOptions { state.withLock { $0.setupOptions } }

    /// Replaces the options. Observers and calls that have begun keep the old ones.
    func setUp(_ setupOptions: SetupOptions) {
        let old = state.withLock { state in
            defer { state.sinks = [:] }
            state.setupOptions = setupOptions
            return state.sinks
        }
        _ = consume old
    }

    /// The `FileSinki` of a root.
    ///
    /// - Throws: Code `usage` when there is no home folder, or the remote's address is not understood.
    func sink(_ root: FileSinki.Root) throws(FileSinkiError) -> FileSinki {
        if let found = state.withLock({ $0.sinks[root] }) { return found }
        let setupOptions = setupOptions
        var folder = setupOptions.root
        if folder == nil || root != .applicationSupportDirectory {
            folder = try root.folder(of: setupOptions.name)
        }
        var remote = setupOptions.remote
        if let first = remote { remote = try root.address(first) }
        let core = try Core(
            root: folder ?? "", remote: remote, device: setupOptions.device,
            state: nil, systemContext: setupOptions.systemContext, failed: setupOptions.failed)
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

    // MARK: Closures in flight

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

    /// Calls a closure of the program on the program's queue.
    func callProgram(_ body: @escaping @Sendable () -> Void) {
        begin()
        setupOptions.queue.async {
            body()
            self.end()
        }
    }

    /// The last name of the program's path.
    private static let nameOfProgram: String = {
        let path = ProcessArguments.all.first ?? []
        let name = path.split(separator: UInt8(ascii: "/")).last
        return name.map { String(decoding: $0, as: UTF8.self) } ?? "filesinki"
    }()
}

extension FileSinki {
    /// Which of the user's folders a path is below, for the calls with closures. They follow the XDG
    /// base directory specification.
    public enum Root: String, Sendable, Hashable, CaseIterable {
        /// `$XDG_DATA_HOME/NAME`, usually `~/.local/share/NAME`: what a program keeps for its user.
        case applicationSupportDirectory = "application-support"
        /// `NAME` in the user's folder of documents, usually `~/Documents/NAME`.
        case documentDirectory = "documents"
        /// `$XDG_CACHE_HOME/NAME`, usually `~/.cache/NAME`: what can be made anew.
        case cachesDirectory = "caches"
    }
}

extension FileSinki.Root {
    /// The folder of a program of that name.
    ///
    /// - Parameter environment: Gives a variable's value.
    /// - Throws: Code `usage` when there is no home folder.
    func folder(
        of program: String, _ environment: (String) -> String? = Self.variable
    ) throws(FileSinkiError) -> String {
        try base(environment) + "/" + program
    }

    private func base(_ environment: (String) -> String?) throws(FileSinkiError) -> String {
        switch self {
        case .applicationSupportDirectory:
            try Self.folder("XDG_DATA_HOME", ".local/share", environment)
        case .documentDirectory: try Self.folder("XDG_DOCUMENTS_DIR", "Documents", environment)
        case .cachesDirectory: try Self.folder("XDG_CACHE_HOME", ".cache", environment)
        }
    }

    private static func folder(
        _ name: String, _ usual: String, _ environment: (String) -> String?
    ) throws(FileSinkiError) -> String {
        if let given = environment(name), given.hasPrefix("/") { return given }
        guard let home = environment("HOME"), home.hasPrefix("/") else {
            throw FileSinkiError(
                .usage, path: "", message: "No home folder was found.",
                remedy: "Set HOME, or name the root in FileSinki.setup.")
        }
        return home + "/" + usual
    }

    @Sendable static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The address of the store that a root has of its own, beside that of the first root.
    ///
    /// - Throws: Code `usage` for what is not the address of a store.
    func address(_ remote: String) throws(FileSinkiError) -> String {
        guard self != .applicationSupportDirectory else { return remote }
        return try RemoteAddress(remote).beside(rawValue).text
    }
}
