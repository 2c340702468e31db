import FilesinkiHashing
package import FilesinkiModel
import FilesinkiSystem

/// The key of an encrypted store: 32 random bytes, from which the keys of all objects are derived.
package struct StoreKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// What an object needs to be sealed: the key of its frames is derived from this one and from its name.
    let data: [UInt8]
    /// Encrypts names that are hashes.
    let names: [UInt8]
    /// Identifies the key without revealing it: 32 hexadecimal digits.
    package let fingerprint: String
    let bytes: [UInt8]

    static let length = 32

    /// - Parameter bytes: 32 bytes.
    init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
        data = Self.derive("filesinki objects 1", from: bytes)
        names = Self.derive("filesinki names 1", from: bytes)
        fingerprint = hexadecimal(Self.derive("filesinki fingerprint 1", from: bytes).prefix(16))
    }

    private static func derive(_ purpose: String, from key: [UInt8]) -> [UInt8] {
        HMACSHA256.code(of: Array(purpose.utf8), key: key)
    }

    /// A new key.
    package static func random(_ systemContext: SystemContext) -> StoreKey? {
        StoreKey(bytes: systemContext.randomBytes(length))
    }

    /// The key without its bytes, so that no log or message contains it.
    package var description: String { "StoreKey(\(fingerprint))" }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

// The copy that a replica keeps, so that its later runs need no passphrase.
extension StoreKey {
    /// The name of the file in a replica's state folder.
    package static let fileName = "store-key"

    private static let title = "filesinki store key"

    /// Reads the key that a replica keeps.
    ///
    /// - Parameter path: The file, ``fileName`` in the state folder.
    /// - Returns: Nil if the replica keeps none: then its store is not encrypted.
    /// - Throws: `Failure` with code `not-allowed` when other users can read it, `corrupt` when it is malformed.
    package static func read(_ path: String) throws(Failure) -> StoreKey? {
        guard let bytes = try PrivateFile(path).read() else { return nil }
        guard let text = ChecksummedText(decoding: bytes, title: title),
            let key = text.values["key"].flatMap({ FilesinkiModel.bytes(hexadecimal: $0) })
                .flatMap(StoreKey.init(bytes:))
        else {
            throw Failure(
                .corrupt, path: path, "The replica's copy of the store's key cannot be read.",
                remedy:
                    "Run filesinki remote set with the store's address; it asks for the passphrase."
            )
        }
        return key
    }

    /// Writes the key durably, readable only by its owner.
    package func write(_ path: String) throws(Failure) {
        try PrivateFile(path).replace(
            with: ChecksummedText.encode(title: Self.title, [("key", hexadecimal(bytes))]))
    }
}
