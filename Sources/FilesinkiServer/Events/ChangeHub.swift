import FilesinkiDirectory
import FilesinkiModel
import FilesinkiProtocol
import NIOCore
import ServiceLifecycle
import Synchronization

/// Tells watchers what changed: what this server wrote, and what others did in the folder.
///
/// A watcher costs a stream and an entry in a table. The folder is watched once for each prefix that
/// anybody watches, not once for each watcher; an event is encoded once for all who watch one prefix.
final class ChangeHub: Service {
    typealias Notices = AsyncStream<ByteBuffer>

    /// One who watches.
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
    /// Says that something is pending.
    private let signal: AsyncStream<Void>
    private let signaller: AsyncStream<Void>.Continuation

    /// More places than these in one event are told as the whole store.
    private static let mostPlaces = 256
    /// More prefixes than these are told only what this server writes: each takes a thread.
    private static let mostFolders = 64

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

    /// How many watch.
    var count: Int { state.withLock { $0.watchers.count } }

    /// Notes that something at a key, or below a prefix, may have changed.
    func changed(_ place: String) {
        let isNews = state.withLock { state in
            guard !state.watchers.isEmpty else { return false }
            if state.pending.count >= Self.mostPlaces { state.pending = [""] }
            state.pending.insert(place)
            return true
        }
        if isNews { signaller.yield() }
    }

    /// Begins to watch.
    ///
    /// - Parameter owner: Whose share of watchers it counts for.
    /// - Returns: The notices, and what ends them; they end by themselves when the server does.
    /// - Throws: ``RequestError``: 429 when the owner watches too much, 503 when all do.
    func watch(
        _ prefix: String, _ access: Access, owner: String
    ) throws(RequestError) -> (notices: Notices, end: @Sendable () -> Void) {
        let (notices, continuation) = Notices.makeStream(bufferingPolicy: .bufferingNewest(8))
        let watcher = Watcher(
            prefix: prefix, access: access, owner: owner, continuation: continuation)
        let admitted: Result<UInt64, RequestError> = state.withLock { state in
            guard !state.isOver, state.watchers.count < limits.watchers else {
                return .failure(.busy("Too many watch."))
            }
            guard state.owners.admit(owner, limit: limits.watchersOfOne) else {
                return .failure(.tooMuch)
            }
            state.nextID += 1
            state.watchers[state.nextID] = watcher
            watchFolder(prefix, &state)
            return .success(state.nextID)
        }
        let id = try admitted.get()
        return (notices, { self.end(id) })
    }

    private func watchFolder(_ prefix: String, _ state: inout State) {
        guard state.folders[prefix] != nil || state.folders.count < Self.mostFolders else { return }
        state.folders[prefix, default: Folder()].watchers += 1
        guard state.folders[prefix]?.task == nil else { return }
        state.folders[prefix]?.task = Task { [remote, systemContext] in
            while !Task.isCancelled {
                // A folder that is away is looked for again.
                try? await remote.watch(prefix: prefix) { [weak self] in self?.changed(prefix) }
                try? await systemContext.sleep(.seconds(5))
            }
        }
    }

    private func end(_ id: UInt64) {
        let ended: (Watcher, Task<Void, Never>?)? = state.withLock { state in
            guard let watcher = state.watchers.removeValue(forKey: id) else { return nil }
            state.owners.leave(watcher.owner)
            guard var folder = state.folders[watcher.prefix] else { return (watcher, nil) }
            folder.watchers -= 1
            state.folders[watcher.prefix] = folder.watchers == 0 ? nil : folder
            return (watcher, folder.watchers == 0 ? folder.task : nil)
        }
        ended?.0.continuation.finish()
        ended?.1?.cancel()
    }

    /// Tells what is pending, and that connections live, until the server ends.
    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.tell() }
                group.addTask { await self.beat() }
                // The telling ends when the hub does; the beating is only asleep.
                await group.next()
                group.cancelAll()
            }
        } onCancelOrGracefulShutdown: {
            self.close()
        }
    }

    private func tell() async {
        for await _ in signal {
            // What happens together is told together: a publication is seen twice, by the one who
            // made it here and in the folder.
            try? await systemContext.sleep(limits.coalescing)
            let (places, watchers) = state.withLock { state in
                let places = state.pending.sorted()
                state.pending = []
                return (places, Array(state.watchers.values))
            }
            Self.tell(watchers, places)
        }
    }

    private static func tell(_ watchers: [Watcher], _ places: [String]) {
        var encoded: [String: ByteBuffer] = [:]
        for watcher in watchers {
            let isShared = watcher.access.zones == nil
            if isShared, let event = encoded[watcher.prefix] {
                watcher.continuation.yield(event)
                continue
            }
            let wanted = places.filter { place in
                (place.hasPrefix(watcher.prefix) || watcher.prefix.hasPrefix(place))
                    && watcher.access.reaches(place)
            }
            if wanted.isEmpty { continue }
            let event = ByteBuffer(string: ChangeNotice.change(wanted).encoded)
            if isShared { encoded[watcher.prefix] = event }
            watcher.continuation.yield(event)
        }
    }

    private func beat() async {
        let heartbeat = ByteBuffer(string: ChangeNotice.heartbeat.encoded)
        while !Task.isCancelled {
            try? await systemContext.sleep(limits.heartbeat)
            let watchers = state.withLock { $0.watchers }
            for (id, watcher) in watchers {
                // A token that was revoked meanwhile, or none where one is needed by now.
                guard authority.isCurrent(watcher.access) else {
                    end(id)
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
        for id in ids { end(id) }
    }
}
