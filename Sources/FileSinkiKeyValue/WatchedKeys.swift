internal import Observation
internal import Synchronization

/// Tells Observation which keys are read and which have changed.
final class WatchedKeys: Sendable {
    /// One key, as an object that Observation can track.
    private final class Key: Observable, Sendable {
        let registrar = ObservationRegistrar()
        var revision: Int { 0 }
    }

    private let keys = Mutex<[String: Key]>([:])
    private let status = Key()

    /// Notes that a key is read.
    func access(_ name: String) {
        let key = keys.withLock { keys in
            let found = keys[name] ?? Key()
            keys[name] = found
            return found
        }
        key.registrar.access(key, keyPath: \.revision)
    }

    /// Notes that the status is read.
    func accessStatus() { status.registrar.access(status, keyPath: \.revision) }

    /// Tells who has read the keys, or the status, that they have changed.
    func change(_ names: [String]) {
        let found = keys.withLock { keys in names.compactMap { keys[$0] } }
        for key in found + [status] { key.registrar.withMutation(of: key, keyPath: \.revision) {} }
    }
}
