import FilesinkiEncryption
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore

/// The keys of an encrypted store: each passphrase or key file that opens it has one.
///
/// All of them seal the same key of the store, so that none is needed to add another, and contents are never uploaded
/// again. A device that has opened the store once may have kept its key; only a new store has another.
struct StoreKeys: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// The store's keys.
    ///
    /// - Throws: Code `not-found` for a store that is not encrypted.
    func list() async throws -> [KeyObject] { try await objects().0.all() }

    /// Adds a key.
    ///
    /// - Returns: Its id.
    func add(_ secret: KeySecret) async throws -> String {
        let (objects, key) = try await objects()
        return try await objects.add(key, secret, name: config.device.name, systemContext)
    }

    /// Removes a key, unless it is the last one.
    ///
    /// - Parameter id: The beginning of its id.
    /// - Throws: Code `not-found`; `usage` for the last key, or if several ids begin so.
    func remove(_ id: String) async throws -> KeyObject {
        let (objects, _) = try await objects()
        let all = try await objects.all()
        let key = try Self.find(id, in: all)
        guard all.count > 1 else {
            throw Failure(
                .usage, path: id,
                "This is the store's only key; without it, the store cannot be read.",
                remedy: "Add another one first, with filesinki key add.")
        }
        try await objects.remove(key.id)
        return key
    }

    /// Replaces a key by one for another secret: adds that first.
    ///
    /// - Parameter id: The beginning of the id of the old key; empty for the only one.
    /// - Throws: As ``remove(_:)``.
    /// - Returns: The ids of the old and of the new key.
    func replace(_ id: String, by secret: KeySecret) async throws -> (old: String, new: String) {
        let (objects, key) = try await objects()
        let old = try await Self.find(id, in: objects.all()).id
        let new = try await objects.add(key, secret, name: config.device.name, systemContext)
        try await objects.remove(old)
        return (old, new)
    }

    /// Verifies the key objects; finds nothing in a store that is not encrypted.
    func check() async throws -> KeyObjects.Check {
        guard let fingerprint = config.keyFingerprint else { return KeyObjects.Check() }
        return try await KeyObjects(connected().remote, fingerprint: fingerprint).check()
    }

    private static func find(_ id: String, in all: [KeyObject]) throws(Failure) -> KeyObject {
        let found = all.filter { $0.id.hasPrefix(id) }
        guard let key = found.first else {
            throw Failure(
                .notFound, path: id, "The store has no such key.",
                remedy: "See filesinki key list.")
        }
        guard found.count == 1 else {
            throw Failure(
                .usage, path: id, "The store has \(found.count) such keys.",
                remedy: "Name one of those that filesinki key list shows.")
        }
        return key
    }

    private func objects() async throws -> (KeyObjects, StoreKey) {
        let connection = try await connected()
        guard let fingerprint = config.keyFingerprint,
            let key = try StoreKey.read(state.storeKey)
        else {
            throw Failure(
                .notFound, path: connection.remote.address, "The store is not encrypted.",
                remedy: "To encrypt it, copy it with filesinki remote set NEW --migrate --encrypt.")
        }
        return (KeyObjects(connection.remote, fingerprint: fingerprint), key)
    }
}
