import FilesinkiModel
import FilesinkiRemote
import Synchronization

/// A remote whose process ends right before or after a commit is published.
final class DyingRemote: Remote {
    private struct Death {
        var commit: Int
        var isAfter: Bool
    }

    private let remote: any Remote
    private let death = Mutex<Death?>(nil)

    init(remote: any Remote) { self.remote = remote }

    /// The process ends before the commit with this number from now on, 1 for the next one.
    func willDie(beforePublishing number: Int) {
        death.withLock { $0 = Death(commit: number, isAfter: false) }
    }

    func willDie(afterPublishing number: Int) {
        death.withLock { $0 = Death(commit: number, isAfter: true) }
    }

    var address: String { remote.address }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        let isNow = death.withLock { death -> Death? in
            death?.commit -= 1
            guard let found = death, found.commit == 0 else { return nil }
            death = nil
            return found
        }
        let killed = Failure(.interrupted, "The run was killed.", remedy: "This is a test.")
        if isNow?.isAfter == false { throw killed }
        let outcome = try await remote.publish(bytes, to: slot)
        if isNow != nil { throw killed }
        return outcome
    }

    func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await remote.get(key, range: range)
    }

    func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await remote.put(bytes, to: key)
    }

    func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        try await remote.list(prefix: prefix, after: after, limit: limit)
    }

    func delete(_ key: ObjectKey) async throws { try await remote.delete(key) }

    func wait(prefix: String, timeout: Duration) async throws {
        try await remote.wait(prefix: prefix, timeout: timeout)
    }
}
