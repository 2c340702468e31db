import FilesinkiItems
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Glibc

@testable import FilesinkiKeyValue

/// Several devices that share one store in memory.
final class Meeting: Sendable {
    let remote: MemoryRemote
    let clock = ManualClock()

    /// - Parameter sleep: How the remote lets the time of a wait pass.
    init(
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }
    ) async throws {
        remote = MemoryRemote(sleep: sleep)
        _ = try await StoreFormat.create(at: remote, systemContext: clock.systemContext)
    }

    /// Another device with a replica of the store.
    func device(_ name: String, store: String = "default") throws -> Device {
        try Device(name, remote: remote, clock: clock, store: store)
    }

    /// The keys of which the log keeps a value that gave way.
    var superseded: [String] {
        get async throws {
            guard let format = try await StoreFormat.read(from: remote) else { return [] }
            let log = try CommitLog(remote: remote, zone: "kv-default", store: format)
            var reader = LogReader(log, after: log.genesis)
            var found: [String] = []
            while let commit = try await reader.next() {
                found += commit.superseded.compactMap { ValueKey(path: $0.path)?.description }
            }
            return found
        }
    }
}

/// A device with one key-value store.
struct Device: Sendable {
    let folder: TemporaryFolder
    let place: KeyValuePlace
    let values: KeyValues

    init(
        _ name: String, remote: any Remote, clock: ManualClock, store: String = "default",
        folder: TemporaryFolder? = nil
    ) throws {
        self.folder = try folder ?? TemporaryFolder(inMemory: true)
        let id = Array((name + String(repeating: ".", count: 16)).utf8.prefix(16))
        place = KeyValuePlace(
            state: self.folder.path, name: store,
            device: FilesinkiModel.Device(id: id, name: name), address: "memory",
            systemContext: clock.systemContext, connect: { _ in remote },
            renewDevice: { former in
                FilesinkiModel.Device(id: former.map { $0 ^ 1 }, name: name + " again")
            })
        values = try KeyValues.open(place)
    }

    /// The same store as another process has it open.
    func anotherProcess() throws -> KeyValues { try KeyValues.open(place) }

    /// The same device at another remote.
    func moved(to remote: any Remote) throws -> KeyValues {
        var place = place
        place.connect = { _ in remote }
        return try KeyValues.open(place)
    }

    func set(_ key: String, _ value: TypedValue?, _ policy: MergePolicy? = nil) async throws {
        try await values.apply([ValueChange(ValueKey(key), value, policy: policy)])
    }

    func get(_ key: String) async throws -> TypedValue? {
        try await values.get(ValueKey(key)).value
    }

    @discardableResult
    func sync(_ initial: InitialPolicy = .server) async throws -> ExchangeReport {
        var options = ExchangeOptions()
        options.initial = initial
        return try await values.exchange(options)
    }

    var all: [String: TypedValue] {
        get async throws {
            var result: [String: TypedValue] = [:]
            for item in try await values.list() { result["\(item.key)"] = item.held.value }
            return result
        }
    }
}

/// Runs some work and gives back how it failed.
func failure(_ work: () async throws -> Void) async -> Failure? {
    do { try await work() } catch { return error as? Failure }
    return nil
}

/// A remote that lets others go on, or does what a test wants, before each publication or wait: what
/// happens while a commit is on its way, or between a look and a wait, happens here.
struct SlowRemote: RemoteWrapper {
    let wrapped: any Remote
    private let meanwhile: @Sendable () async throws -> Void
    private let beforeWait: @Sendable () async throws -> Void

    init(
        _ wrapped: any Remote,
        meanwhile: @escaping @Sendable () async throws -> Void = {
            for _ in 0..<20 { await Task.yield() }
        }, beforeWait: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.wrapped = wrapped
        self.meanwhile = meanwhile
        self.beforeWait = beforeWait
    }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await meanwhile()
        return try await wrapped.publish(bytes, to: slot)
    }

    /// A wait that only starts the subscription does not count.
    func wait(prefix: String, timeout: Duration) async throws {
        if timeout > .zero { try await beforeWait() }
        try await wrapped.wait(prefix: prefix, timeout: timeout)
    }
}
