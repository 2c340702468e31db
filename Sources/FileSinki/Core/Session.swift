import FilesinkiEngine
import FilesinkiModel
import FilesinkiNetwork
import FilesinkiRemote
import FilesinkiSystem

/// One replica, used by one task at a time. It is not locked between two runs, so that other processes
/// can use it.
actor Session {
    private let options: ReplicaOptions
    private let address: RemoteAddress?
    private let device: String
    private var replica: Replica?
    private var isMade = false
    /// Held by the task that uses the replica.
    private let turn = TaskLock()

    init(_ options: ReplicaOptions, _ address: RemoteAddress?, device: String) {
        self.options = options
        self.address = address
        self.device = device
    }

    /// Creates the replica if it does not exist, and checks that its remote is the given one.
    ///
    /// - Throws: Code `exists` when it has another remote, `unfit-store`. A remote that is away is not an
    ///   error: it is contacted later.
    func make() async throws {
        await turn.lock()
        defer { turn.unlock() }
        try await makeOnce()
    }

    /// Opens and locks the replica while `body` runs.
    func withReplica<Answer: Sendable>(
        _ body: @Sendable (Replica) async throws -> Answer
    ) async throws -> Answer {
        await turn.lock()
        defer { turn.unlock() }
        try Task.checkCancellation()
        try await makeOnce()
        let replica = try await held()
        do {
            let answer = try await body(replica)
            await replica.pause()
            return answer
        } catch {
            await replica.pause()
            throw error
        }
    }

    private func makeOnce() async throws {
        guard !isMade else { return }
        if let address, try await !Self.wasConnected(options) { await address.makeStoreFolder() }
        _ = try await Replica.initialize(options, address: address?.text, deviceName: device)
        isMade = true
    }

    /// Whether the replica has been connected to a store. The absent folder of such a store is a disk
    /// that is not mounted, and must not be created.
    private static func wasConnected(_ options: ReplicaOptions) async throws -> Bool {
        do {
            let replica = try await Replica.open(options, writable: false)
            let status = try await replica.status()
            await replica.close()
            return !status.store.isEmpty
        } catch let failure as Failure where failure.code == .notFound {
            return false
        }
    }

    private func held() async throws -> Replica {
        if let replica {
            if try await replica.resume() { return replica }
            await replica.close()
            self.replica = nil
        }
        let opened = try await Replica.open(options, writable: true)
        replica = opened
        return opened
    }
}

extension RemoteAddress {
    /// Parses the address of a remote.
    ///
    /// - Throws: Code `usage`, as ``init(absolute:)``.
    init(_ text: String) throws(FileSinkiError) {
        do {
            self = try RemoteAddress(absolute: text)
        } catch {
            throw FileSinkiError(error, "")
        }
    }

    /// The address of another store beside this one, by the last name of its path: a hyphen and `name`
    /// behind it, or `name` alone where there is no path. A host or a bucket stays what it is.
    func beside(_ name: String) -> RemoteAddress {
        switch self {
        case .folder(let path): return .folder(Self.path(path[...], beside: name))
        case .ssh(let address):
            // The path is valid with a longer name, too.
            let beside = try? address.withPath { Self.path($0, beside: name) }
            return .ssh(beside ?? address)
        case .network(let address):
            if let place = try? RcloneAddress(address) {
                return .network(place.beforePath + Self.path(place.path[...], beside: name))
            }
            let host = address.firstRange(of: "://")?.upperBound ?? address.startIndex
            let rest = address[host...]
            let start = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
            let end = rest[start...].firstIndex(of: "?") ?? rest.endIndex
            let path = Self.path(rest[start..<end], beside: name)
            return .network(address[..<start] + path + address[end...])
        }
    }

    private static func path(_ path: Substring, beside name: String) -> String {
        var path = path
        while path.hasSuffix("/") { path.removeLast() }
        return path + (path.isEmpty ? "/" : "-") + name
    }
}
