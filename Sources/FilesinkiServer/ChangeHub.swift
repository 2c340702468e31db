import FilesinkiDirectory
import FilesinkiModel
import FilesinkiProtocol
import NIOCore
import ServiceLifecycle
import Synchronization

/// Sends change notices to event streams: of this server's writes, and of changes by others in the folder.
///
/// A watcher costs a stream and an entry in a table. The folder is watched once for each prefix, not for each
/// watcher, and an event is encoded once for all watchers of one prefix.
final class ChangeHub: Service {
    typealias Notices = AsyncStream<ByteBuffer>

    /// A client with an open event stream.
    private struct Watcher {
        var prefix: String
        var access: Access
        var owner: String
        var continuation: Notices.Continuation
    }

    private struct Folder {
        var watchers = 0
        var task: Task<Void, Never>?
    }

    private struct State {
        var nextID: UInt64 = 0
        var watchers: [UInt64: Watcher] = [:]
        var owners = OwnerCounts()
        var folders: [String: Folder] = [:]
        var pending: Set<String> = []
        var isOver = false
    }

    private let remote: DirectoryRemote
    private let authority: TokenAuthority
    private let limits: ServerLimits
    private let systemContext: SystemContext
    private let state = Mutex(State())
    /// Signals pending changes.
    private let signal: AsyncStream<Void>
    private let signaller: AsyncStream<Void>.Continuation

    /// The most keys in one event; more are reported as a change of the whole store.
    private static let maximumKeys = 256
    /// The most watched folders, because each takes a thread. Other prefixes get only this server's changes.
    private static let maximumFolders = 64

    init(
        _ remote: DirectoryRemote, _ authority: TokenAuthority, _ limits: ServerLimits,
        _ systemContext: SystemContext
    ) {
        self.remote = remote
        self.authority = authority
        self.limits = limits
        self.systemContext = systemContext
        (signal, signaller) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The number of watchers.
    var count: Int { state.withLock { $0.watchers.count } }

    /// Reports to the watchers that a key, or something below a prefix, may have changed.
    func reportChange(_ key: String) {
        let hasWatchers = state.withLock { state in
            guard !state.watchers.isEmpty else { return false }
            if state.pending.count >= Self.maximumKeys { state.pending = [""] }
            state.pending.insert(key)
            return true
        }
        if hasWatchers { signaller.yield() }
    }

    /// Adds a watcher.
    ///
    /// - Parameter owner: The token or address for the limit of watchers.
    /// - Returns: The notices, and a function that ends them. They end by themselves when the server does.
    /// - Throws: ``RequestError``: 429 when the owner has too many watchers, 503 when there are too many in
    ///   total.
    func watch(
        _ prefix: String, _ access: Access, owner: String
    ) throws(RequestError) -> (notices: Notices, end: @Sendable () -> Void) {
        let (notices, continuation) = Notices.makeStream(bufferingPolicy: .bufferingNewest(8))
        let watcher = Watcher(
            prefix: prefix, access: access, owner: owner, continuation: continuation)
        let admitted: Result<UInt64, RequestError> = state.withLock { state in
            guard !state.isOver, state.watchers.count < limits.watchers else {
                return .failure(.busy("Too many event streams."))
            }
            guard state.owners.increment(owner, limit: limits.watchersOfOne) else {
                return .failure(.tooMuch)
            }
            state.nextID += 1
            state.watchers[state.nextID] = watcher
            watchFolder(prefix, &state)
            return .success(state.nextID)
        }
        let id = try admitted.get()
        return (notices, { self.removeWatcher(id) })
    }

    private func watchFolder(_ prefix: String, _ state: inout State) {
        guard state.folders[prefix] != nil || state.folders.count < Self.maximumFolders else {
            return
        }
        state.folders[prefix, default: Folder()].watchers += 1
        guard state.folders[prefix]?.task == nil else { return }
        // Begins before the watcher is greeted: it misses no change after that.
        let first = try? remote.beginWatch(prefix: prefix)
        let report: @Sendable () -> Void = { [weak self] in self?.reportChange(prefix) }
        state.folders[prefix]?.task = Task { [remote, systemContext] in
            var watch = first
            while !Task.isCancelled {
                if let watch { try? await remote.watch(watch, prefix: prefix, onChange: report) }
                // The folder is missing: try again later.
                try? await systemContext.sleep(.seconds(5))
                watch = try? remote.beginWatch(prefix: prefix)
                if watch != nil { report() }
            }
        }
    }

    private func removeWatcher(_ id: UInt64) {
        let ended: (Watcher, Task<Void, Never>?)? = state.withLock { state in
            guard let watcher = state.watchers.removeValue(forKey: id) else { return nil }
            state.owners.decrement(watcher.owner)
            guard var folder = state.folders[watcher.prefix] else { return (watcher, nil) }
            folder.watchers -= 1
            state.folders[watcher.prefix] = folder.watchers == 0 ? nil : folder
            return (watcher, folder.watchers == 0 ? folder.task : nil)
        }
        ended?.0.continuation.finish()
        ended?.1?.cancel()
    }

    /// Sends pending notices and heartbeats until the server ends.
    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.sendNotices() }
                group.addTask { await self.sendHeartbeats() }
                // Sending notices ends when the hub is closed; the heartbeats have to be cancelled.
                await group.next()
                group.cancelAll()
            }
        } onCancelOrGracefulShutdown: {
            self.close()
        }
    }

    private func sendNotices() async {
        for await _ in signal {
            // Coalesces changes: a publication is reported by the request, and seen in the folder.
            try? await systemContext.sleep(limits.coalescing)
            let (keys, watchers) = state.withLock { state in
                let keys = state.pending.sorted()
                state.pending = []
                return (keys, Array(state.watchers.values))
            }
            Self.send(keys, to: watchers)
        }
    }

    private static func send(_ keys: [String], to watchers: [Watcher]) {
        var encoded: [String: ByteBuffer] = [:]
        for watcher in watchers {
            let isShared = watcher.access.zones == nil
            if isShared, let event = encoded[watcher.prefix] {
                watcher.continuation.yield(event)
                continue
            }
            let visible = keys.filter { key in
                (key.hasPrefix(watcher.prefix) || watcher.prefix.hasPrefix(key))
                    && watcher.access.includes(prefix: key)
            }
            if visible.isEmpty { continue }
            let event = ByteBuffer(string: ChangeNotice.change(visible).encoded)
            if isShared { encoded[watcher.prefix] = event }
            watcher.continuation.yield(event)
        }
    }

    private func sendHeartbeats() async {
        let heartbeat = ByteBuffer(string: ChangeNotice.heartbeat.encoded)
        while !Task.isCancelled {
            try? await systemContext.sleep(limits.heartbeat)
            let watchers = state.withLock { $0.watchers }
            for (id, watcher) in watchers {
                // The token was revoked meanwhile, or a token is needed now.
                guard authority.isCurrent(watcher.access) else {
                    removeWatcher(id)
                    continue
                }
                watcher.continuation.yield(heartbeat)
            }
        }
    }

    private func close() {
        signaller.finish()
        let ids = state.withLock { state in
            state.isOver = true
            return Array(state.watchers.keys)
        }
        for id in ids { removeWatcher(id) }
    }
}
