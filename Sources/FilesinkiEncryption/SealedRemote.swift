import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote

/// A remote whose objects are sealed with the key of its store: what lies beneath it sees neither names nor
/// contents.
///
/// Plain are only the description of the store, its key objects and the objects of probes.
///
/// An object that was changed at the remote reads as zeros. No decoder of the store accepts zeros, so that it is
/// reported as damage by the same code as any damaged object, and one of several objects in a request does not hide
/// the others.
package struct SealedRemote: RemoteWrapper, EncryptedRemote {
    package let wrapped: any Remote
    private let key: StoreKey
    private let randomBytes: @Sendable (Int) -> [UInt8]

    package init(_ wrapped: any Remote, key: StoreKey, _ systemContext: SystemContext) {
        self.wrapped = wrapped
        self.key = key
        randomBytes = systemContext.randomBytes
    }

    /// A remote of a store with a key sealed; that of a store without one as it is.
    package static func seal(
        _ remote: any Remote, with key: StoreKey?, _ systemContext: SystemContext
    ) -> any Remote {
        key.map { SealedRemote(remote, key: $0, systemContext) } ?? remote
    }

    package var keyFingerprint: String { key.fingerprint }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        guard isSealed(key.description) else { return try await wrapped.get(key, range: range) }
        let found = try await wrapped.get(
            try sealed(key), range: range.map(SealedObject.sealedRange))
        return try found.map { try open($0, key, range) }
    }

    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        let inner = try requests.map { request in
            guard isSealed(request.key.description) else { return request }
            // The remote has another hash than the caller.
            return ObjectRequest(
                try sealed(request.key), range: request.range.map(SealedObject.sealedRange))
        }
        let replies = try await wrapped.read(inner)
        guard replies.count == requests.count else { return replies }
        return try zip(requests, replies).map { request, reply in
            guard case .bytes(let bytes) = reply, isSealed(request.key.description) else {
                return reply
            }
            return .bytes(try open(bytes, request.key, request.range))
        }
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        guard isSealed(slot.description) else { return try await wrapped.publish(bytes, to: slot) }
        let object = SealedObject(key, name: slot.description)
        let outcome = try await wrapped.publish(
            object.seal(bytes, randomBytes), to: try sealed(slot))
        return try opened(outcome, slot, bytes)
    }

    package func publish(
        _ bytes: [UInt8], to slot: ObjectKey, thenFind search: KeySearch
    ) async throws -> (outcome: PublishOutcome, found: ObjectKey?) {
        guard isSealed(slot.description), try sealed(search.after) == search.after else {
            return (try await publish(bytes, to: slot), try await find(search))
        }
        let object = SealedObject(key, name: slot.description)
        let (outcome, found) = try await wrapped.publish(
            object.seal(bytes, randomBytes), to: slot, thenFind: search)
        return (try opened(outcome, slot, bytes), found)
    }

    /// The outcome for the writer of the plain bytes.
    private func opened(
        _ outcome: PublishOutcome, _ slot: ObjectKey, _ bytes: [UInt8]
    ) throws(Failure) -> PublishOutcome {
        guard case .theirs(let stored) = outcome else { return .mine }
        return PublishOutcome(stored: try open(stored, slot, nil), own: bytes)
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        guard isSealed(key.description) else { return try await wrapped.put(bytes, to: key) }
        let object = SealedObject(self.key, name: key.description)
        try await wrapped.put(object.seal(bytes, randomBytes), to: try sealed(key))
    }

    /// In the order of the sealed names, which is the order of the keys except among the parts of checkpoints.
    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        let found = try await wrapped.list(
            prefix: prefix, after: try after.map { try sealed($0) }, limit: limit)
        return try found.map { object in
            guard isSealed(object.key.description) else { return object }
            return ObjectInfo(
                key: try HashedName(object.key)?.decrypted(key) ?? object.key,
                size: SealedObject.plainSize(object.size))
        }
    }

    package func delete(_ key: ObjectKey) async throws {
        try await wrapped.delete(try sealed(key))
    }

    /// Whether objects of a key are sealed.
    private func isSealed(_ key: String) -> Bool {
        ["packs/", "zones/", "devices/", "moved/"].contains { key.hasPrefix($0) }
    }

    /// The key at the remote beneath.
    private func sealed(_ key: ObjectKey) throws(Failure) -> ObjectKey {
        try HashedName(key)?.encrypted(self.key) ?? key
    }

    private func open(
        _ bytes: [UInt8], _ key: ObjectKey, _ range: Range<Int64>?
    ) throws(Failure) -> [UInt8] {
        let object = SealedObject(self.key, name: key.description)
        if let range {
            if let plain = try object.open(bytes, range: range) { return plain }
        } else if let plain = try object.open(bytes) {
            return plain
        }
        let length = range.map { min(Int64(bytes.count), Int64($0.count)) } ?? Int64(bytes.count)
        return [UInt8](repeating: 0, count: Int(length))
    }
}

extension StoreKey {
    /// The remote as a replica uses it: sealed if the replica's store is encrypted.
    ///
    /// - Parameters:
    ///   - fingerprint: The key of the replica's store; nil for a store that is not encrypted.
    ///   - file: The replica's copy of the key.
    /// - Throws: `Failure` with code `not-allowed` when the replica lacks the key.
    package static func seal(
        _ remote: any Remote, fingerprint: String?, keyIn file: String,
        _ systemContext: SystemContext
    ) throws(Failure) -> any Remote {
        guard let fingerprint else { return remote }
        guard let key = try read(file), key.fingerprint == fingerprint else {
            throw Failure(
                .notAllowed, path: file, "The replica has lost the key of its encrypted store.",
                remedy:
                    "Run filesinki remote set with the store's address; it asks for the passphrase."
            )
        }
        return SealedRemote(remote, key: key, systemContext)
    }
}

/// The key of an object that is named by the hash of its plain bytes: a part of a checkpoint. The hash would confirm a
/// guess of the bytes, so it is encrypted.
private struct HashedName {
    private let folder: String
    private let hash: [UInt8]

    /// Nil for any other key.
    init?(_ key: ObjectKey) {
        let names = key.description.split(separator: "/")
        guard names.count == 5, names[0] == "zones", names[2] == "parts",
            let hash = bytes(hexadecimal: names[4]), hash.count == SHA256.byteCount
        else { return nil }
        folder = names[..<3].joined(separator: "/")
        self.hash = hash
    }

    func encrypted(_ key: StoreKey) throws(Failure) -> ObjectKey {
        try renamed(NameCipher.apply(to: hash, key: key.names, isSealing: true))
    }

    func decrypted(_ key: StoreKey) throws(Failure) -> ObjectKey {
        try renamed(NameCipher.apply(to: hash, key: key.names, isSealing: false))
    }

    private func renamed(_ hash: [UInt8]) throws(Failure) -> ObjectKey {
        let name = hexadecimal(hash)
        return try ObjectKey("\(folder)/\(name.prefix(2))/\(name)")
    }
}
