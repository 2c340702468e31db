import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote

/// A passphrase, or the bytes of a key file: opens the store's key.
package struct KeySecret: Sendable, CustomStringConvertible, CustomReflectable {
    /// What the user gave.
    package enum Kind: String, Sendable {
        case passphrase
        case keyFile = "key-file"
    }

    package let kind: Kind
    let bytes: [UInt8]

    /// The minimum length of a key file, in bytes.
    package static let minimumFileLength = 16

    /// - Throws: `Failure` with code `usage` for an empty passphrase, or a key file of less than 16 bytes.
    package init(_ kind: Kind, _ bytes: [UInt8]) throws(Failure) {
        guard bytes.count >= (kind == .keyFile ? Self.minimumFileLength : 1) else {
            throw Failure(
                .usage,
                kind == .keyFile
                    ? "A key file must have at least \(Self.minimumFileLength) bytes."
                    : "The passphrase is empty.",
                remedy: kind == .keyFile
                    ? "Make one, for example with head -c 32 /dev/urandom > FILE."
                    : "Choose a passphrase; without it, the store cannot be read.")
        }
        self.kind = kind
        self.bytes = bytes
    }

    /// The secret without its bytes, so that no log or message contains it.
    package var description: String { "..." }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// An object `keys/<id>`: the store's key, sealed with a key that is derived from a secret. A store has one for each
/// secret that opens it.
package struct KeyObject: Sendable {
    /// 16 random bytes as hexadecimal digits: the name of the object.
    package let id: String
    /// The ``StoreKey/fingerprint`` of the key inside.
    package let fingerprint: String
    package let kind: KeySecret.Kind
    /// For people: the device that added it.
    package let name: String
    package let created: Timestamp
    private let hash: PasswordHash
    private let salt: [UInt8]
    /// A nonce, the sealed key, a tag.
    private let sealed: [UInt8]

    private static let title = "filesinki key"

    /// Seals a store's key with a secret.
    init(
        _ key: StoreKey, _ secret: KeySecret, name: String, _ hash: PasswordHash,
        _ systemContext: SystemContext
    ) throws(Failure) {
        id = hexadecimal(systemContext.randomBytes(16))
        fingerprint = key.fingerprint
        kind = secret.kind
        self.name = name
        created = systemContext.now()
        self.hash = hash
        salt = systemContext.randomBytes(32)
        let nonce = systemContext.randomBytes(FrameCipher.nonceLength)
        let cipher = try FrameCipher(key: hash.derive(secret.bytes, salt: salt), isSealing: true)
        var sealed = nonce
        let header = Self.header(
            id, fingerprint, kind, name: name, created: created, hash, salt: salt)
        try cipher.seal(
            key.bytes[...], nonce: nonce, additional: Self.additional(header), to: &sealed)
        self.sealed = sealed
    }

    /// What is authenticated with the sealed key: all other lines.
    private static func header(
        _ id: String, _ fingerprint: String, _ kind: KeySecret.Kind, name: String,
        created: Timestamp, _ hash: PasswordHash, salt: [UInt8]
    ) -> [(key: String, value: String)] {
        [
            ("format", "1"), ("id", id), ("store-key", fingerprint), ("secret", kind.rawValue),
            ("name", name), ("created", String(created.seconds)),
            ("scrypt", "\(hash.cost) \(hash.blockSize) \(hash.parallelism)"),
            ("salt", hexadecimal(salt)),
        ]
    }

    private static func additional(_ header: [(key: String, value: String)]) -> [UInt8] {
        ChecksummedText.encode(title: title, header)
    }

    private var header: [(key: String, value: String)] {
        Self.header(id, fingerprint, kind, name: name, created: created, hash, salt: salt)
    }

    /// The bytes of the object.
    var encoded: [UInt8] {
        ChecksummedText.encode(
            title: Self.title, header + [("sealed", hexadecimal(sealed))])
    }

    /// Decodes an object.
    ///
    /// - Parameter id: The name of the object.
    /// - Throws: `Failure` with code `corrupt` or `newer-format`.
    init(decoding bytes: [UInt8], id: String) throws(Failure) {
        guard let values = ChecksummedText(decoding: bytes, title: Self.title)?.values,
            values["id"] == id, let format = values["format"].flatMap(Int.init)
        else { throw .damagedKey(id) }
        guard format == 1 else {
            throw Failure(
                .newerFormat, path: Self.prefix + id,
                "The key was written by a newer version of filesinki.",
                remedy: "Use that version.")
        }
        let numbers = (values["scrypt"] ?? "").split(separator: " ").compactMap { UInt64($0) }
        guard numbers.count == 3, let fingerprint = values["store-key"],
            let kind = values["secret"].flatMap(KeySecret.Kind.init),
            let seconds = values["created"].flatMap(Int64.init),
            let salt = values["salt"].flatMap({ FilesinkiModel.bytes(hexadecimal: $0) }),
            let sealed = values["sealed"].flatMap({ FilesinkiModel.bytes(hexadecimal: $0) })
        else { throw .damagedKey(id) }
        self.id = id
        self.fingerprint = fingerprint
        self.kind = kind
        name = values["name"] ?? ""
        created = Timestamp(seconds: seconds, nanoseconds: 0)
        hash = PasswordHash(cost: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
        self.salt = salt
        self.sealed = sealed
        guard hash.isAcceptable else { throw .damagedKey(id) }
    }

    /// Opens the store's key.
    ///
    /// Takes a third of a second and 128 MiB of memory, on purpose.
    ///
    /// - Returns: Nil if the secret is another one, or the object was changed.
    func open(_ secret: KeySecret) throws(Failure) -> StoreKey? {
        let length = FrameCipher.nonceLength + StoreKey.length + FrameCipher.tagLength
        guard secret.kind == kind, sealed.count == length else { return nil }
        let cipher = try FrameCipher(key: hash.derive(secret.bytes, salt: salt), isSealing: false)
        let nonce = Array(sealed.prefix(FrameCipher.nonceLength))
        var bytes: [UInt8] = []
        guard
            cipher.open(
                sealed.dropFirst(FrameCipher.nonceLength), nonce: nonce,
                additional: Self.additional(header), to: &bytes),
            let key = StoreKey(bytes: bytes), key.fingerprint == fingerprint
        else {
            return nil
        }
        return key
    }

    static let prefix = "keys/"
}

/// The key objects of a store.
package struct KeyObjects: Sendable {
    private let remote: any Remote
    private let fingerprint: String?

    /// The most key objects that are read: each one costs a third of a second.
    private static let maximum = 64

    /// - Parameters:
    ///   - remote: The store's remote; key objects are never sealed as a whole.
    ///   - fingerprint: The key that the store's description names; nil for any.
    package init(_ remote: any Remote, fingerprint: String?) {
        self.remote = remote
        self.fingerprint = fingerprint
    }

    /// All keys of the store, in the order of their ids. Objects of other stores, and damaged ones, are left out.
    ///
    /// - Throws: Errors of the remote.
    package func all() async throws -> [KeyObject] {
        try await read().compactMap { try? $0.get() }.filter(isOfStore)
    }

    /// What ``check()`` finds.
    package struct Check: Sendable {
        /// The key objects that are damaged, and code `corrupt` with the remote's address if none is sound.
        package var failures: [Failure] = []
        /// Whether the store has a sound key object.
        package var isOpenable = true

        package init() {}
    }

    /// Verifies the key objects by their checksums: no secret is needed.
    ///
    /// - Throws: Errors of the remote.
    package func check() async throws -> Check {
        var check = Check()
        check.isOpenable = false
        for result in try await read() {
            switch result {
            case .success(let key): check.isOpenable = check.isOpenable || isOfStore(key)
            case .failure(let failure): check.failures.append(failure)
            }
        }
        if !check.isOpenable { check.failures.append(.noKey(remote.address)) }
        return check
    }

    private func isOfStore(_ key: KeyObject) -> Bool {
        fingerprint == nil || key.fingerprint == fingerprint
    }

    private func read() async throws -> [Result<KeyObject, Failure>] {
        let found = try await remote.list(
            prefix: KeyObject.prefix, after: nil, limit: Self.maximum)
        var keys: [Result<KeyObject, Failure>] = []
        for object in found {
            guard object.size <= ChecksummedText.maximumLength else {
                keys.append(.failure(.damagedKey(object.key.name)))
                continue
            }
            guard let bytes = try await remote.get(object.key, range: nil) else { continue }
            keys.append(
                Result { () throws(Failure) in
                    try KeyObject(decoding: bytes, id: object.key.name)
                })
        }
        return keys
    }

    /// Opens the store's key with a secret.
    ///
    /// - Throws: `Failure` with code `not-allowed` when the secret opens none of the keys, `corrupt` when the store has
    ///   none; errors of the remote.
    package func open(_ secret: KeySecret) async throws -> (key: StoreKey, id: String) {
        let all = try await all()
        guard !all.isEmpty else { throw Failure.noKey(remote.address) }
        for object in all {
            if let key = try object.open(secret) { return (key, object.id) }
        }
        let what = secret.kind == .passphrase ? "passphrase" : "key file"
        throw Failure(
            .notAllowed, path: remote.address, "The \(what) opens none of the store's keys.",
            remedy: "Check it; the store has \(all.count == 1 ? "1 key" : "\(all.count) keys").")
    }

    /// Stores a key object for a secret.
    ///
    /// - Parameter name: For people: the device that adds it.
    /// - Returns: Its id.
    package func add(
        _ key: StoreKey, _ secret: KeySecret, name: String, _ systemContext: SystemContext
    ) async throws -> String {
        let hash = PasswordHash(cost: systemContext.keyCost, blockSize: 8, parallelism: 1)
        let object = try KeyObject(key, secret, name: name, hash, systemContext)
        // A key object that cannot be opened would be of no use.
        guard try KeyObject(decoding: object.encoded, id: object.id).open(secret) == key else {
            throw Failure.damagedKey(object.id)
        }
        try await remote.put(object.encoded, to: Self.key(object.id))
        return object.id
    }

    /// Removes a key object.
    ///
    /// - Parameter id: An id of ``all()``.
    package func remove(_ id: String) async throws { try await remote.delete(Self.key(id)) }

    private static func key(_ id: String) throws(Failure) -> ObjectKey {
        try ObjectKey(KeyObject.prefix + id)
    }
}

extension Failure {
    fileprivate static func damagedKey(_ id: String) -> Failure {
        Failure(
            .corrupt, path: KeyObject.prefix + id, "The key object is damaged.",
            remedy:
                "Restore it from a copy of the store, or add another key with filesinki key add.")
    }

    fileprivate static func noKey(_ address: String) -> Failure {
        Failure(
            .corrupt, path: address, "The store is encrypted, and none of its keys can be read.",
            remedy: "Restore the objects below keys/ from a copy of the store.")
    }
}
