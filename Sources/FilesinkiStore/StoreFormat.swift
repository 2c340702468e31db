import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote

/// The description of a store. It is created once and never changes.
///
/// It is text, so that a user who opens the folder sees what it is. See ``StoreFormatText``.
package struct StoreFormat: Hashable, Sendable {
    /// The version of the layout; this program supports ``currentVersion``.
    package var formatVersion: Int
    /// 16 random bytes.
    package var id: [UInt8]
    /// Incremented when the store's history restarts under the same id.
    package var epoch: UInt64
    /// The method that makes slots write-once at this remote, such as `rename-folder`.
    package var slots: String
    /// Identifies the key of an encrypted store: 32 hexadecimal digits; nil for a store that is not encrypted.
    package var keyFingerprint: String?

    /// The newest version that this program can read.
    package static let currentVersion = 2
    /// The version that this program writes, so that programs that cannot read an encrypted store stop.
    static let plainVersion = 1
    static let encryptedVersion = 2

    package init(
        formatVersion: Int, id: [UInt8], epoch: UInt64, slots: String,
        keyFingerprint: String? = nil
    ) {
        self.formatVersion = formatVersion
        self.id = id
        self.epoch = epoch
        self.slots = slots
        self.keyFingerprint = keyFingerprint
    }

    /// The token before the first commit of any zone: number 0, the store's id and 16 zeros.
    package var genesis: ChangeToken {
        let padded = id + Array(repeating: 0, count: max(0, ContentID.byteCount - id.count))
        return ChangeToken(sequence: 0, hash: ContentID(padded) ?? .none)
    }

    /// Reads the description of the store at a remote; nil when there is no store.
    ///
    /// - Throws: `Failure` with code `newer-format`, `corrupt`, or what the remote throws.
    package static func read(from remote: any Remote) async throws -> StoreFormat? {
        guard let bytes = try await remote.get(key(), range: nil) else { return nil }
        return try StoreFormatText.decode(bytes)
    }

    /// Creates a store at a remote, or returns the existing one. When several devices try at once,
    /// one wins and all get the same description.
    ///
    /// - Parameters:
    ///   - slots: The method for write-once slots that the probe found.
    ///   - keyFingerprint: The key of an encrypted store, whose key objects are stored; nil for none.
    ///   - createdBy: The program and its version, for display.
    /// - Throws: `Failure` with code `newer-format`, `corrupt`, or what the remote throws.
    package static func create(
        at remote: any Remote, systemContext: SystemContext, slots: String = "rename-folder",
        keyFingerprint: String? = nil, createdBy: String = "filesinki"
    ) async throws -> StoreFormat {
        try await StoreFormat(
            formatVersion: keyFingerprint == nil ? plainVersion : encryptedVersion,
            id: systemContext.randomBytes(16), epoch: 0, slots: slots,
            keyFingerprint: keyFingerprint
        ).create(at: remote, createdBy: createdBy)
    }

    /// Creates a store with this description, or returns the existing one.
    package func create(
        at remote: any Remote, createdBy: String = "filesinki"
    ) async throws -> StoreFormat {
        if let existing = try await Self.read(from: remote) { return existing }
        let (fresh, key) = (self, try Self.key())
        let text = StoreFormatText.encode(fresh, createdBy: createdBy)
        switch try await remote.publish(text, to: key) {
        case .mine: return fresh
        case .theirs(let bytes): return try StoreFormatText.decode(bytes)
        }
    }

    /// The request whose reply ``init(reply:)`` decodes, to be sent together with others.
    package static func request() throws(Failure) -> ObjectRequest { ObjectRequest(try key()) }

    /// Decodes the reply to ``request()``; nil when there is no store.
    ///
    /// - Throws: `Failure` with code `newer-format` or `corrupt`.
    package init?(reply: ObjectReply) throws(Failure) {
        guard case .bytes(let bytes) = reply else { return nil }
        self = try StoreFormatText.decode(bytes)
    }

    private static func key() throws(Failure) -> ObjectKey { try ObjectKey(StoreLayout.format) }

    /// Where the description is in a store that is a folder.
    package static let place = StoreLayout.format

    /// Whether a file begins as a description does, of whatever version.
    package static func begins(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.starts(with: StoreFormatText.title.utf8)
    }

    /// Makes this the description of an encrypted store.
    package mutating func encrypt(with fingerprint: String) {
        keyFingerprint = fingerprint
        formatVersion = Self.encryptedVersion
    }

    /// Checks that a remote seals the objects of the store with its key, or does not seal those of a store that is not
    /// encrypted. So a store never gets plain objects because its description was exchanged.
    ///
    /// - Throws: `Failure` with code `not-allowed`.
    package func checkKey(of remote: any Remote) throws(Failure) {
        let own = remote.unwrapped(as: (any EncryptedRemote).self)?.keyFingerprint
        guard own != keyFingerprint else { return }
        if own == nil { throw .keyNeeded(remote.address) }
        throw Failure(
            .notAllowed, path: remote.address,
            keyFingerprint == nil
                ? "The store is not encrypted, but this replica has the key of an encrypted one."
                : "The store has another key than this replica.",
            remedy:
                "Check that this is the right store: filesinki remote set URL reads its key anew.")
    }
}

extension Failure {
    /// The store is encrypted, and nothing was given that opens its key.
    package static func keyNeeded(_ address: String) -> Failure {
        Failure(
            .notAllowed, path: address, "The store is encrypted.",
            remedy: "Give its passphrase with --passphrase-file FILE or FILESINKI_PASSPHRASE to "
                + "filesinki init, clone or remote set.")
    }
}

/// Encodes and decodes the text of a store's description: lines of `key = value` between a fixed
/// first and last line.
///
/// ```
/// filesinki store
/// format = 1
/// id = 00112233445566778899aabbccddeeff
/// epoch = 0
/// slots = rename-folder
/// created-by = filesinki
/// sha256 = (64 digits: of all bytes before this line)
/// ```
enum StoreFormatText {
    static let title = MisplacedStore.storeTitle

    /// The word for the one way in which objects are sealed.
    private static let cipher = "aes-256-gcm"

    static func encode(_ format: StoreFormat, createdBy: String) -> [UInt8] {
        var pairs = [
            ("format", String(format.formatVersion)), ("id", hexadecimal(format.id)),
            ("epoch", String(format.epoch)), ("slots", format.slots),
        ]
        if let key = format.keyFingerprint { pairs += [("encryption", cipher), ("key", key)] }
        return ChecksummedText.encode(title: title, pairs + [("created-by", createdBy)])
    }

    /// - Throws: `Failure` with code `newer-format` when a later version of the program created
    ///   the store, `corrupt` when the text is invalid.
    static func decode(_ bytes: [UInt8]) throws(Failure) -> StoreFormat {
        guard let values = ChecksummedText(decoding: bytes, title: title)?.values else {
            throw damaged("This is not the description of a filesinki store.")
        }
        guard let version = values["format"].flatMap(Int.init), version > 0 else {
            throw damaged("The description names no format.")
        }
        guard version <= StoreFormat.currentVersion else {
            throw Envelope.newer(
                StoreLayout.format,
                "The store has format \(version), which is newer than this program.")
        }
        guard let id = values["id"].flatMap({ FilesinkiModel.bytes(hexadecimal: $0) }),
            id.count == 16, let epoch = values["epoch"].flatMap(UInt64.init)
        else { throw damaged("The description lacks the store's id or epoch.") }
        let key = try keyFingerprint(values)
        guard (version == StoreFormat.encryptedVersion) == (key != nil) else {
            throw damaged("The description's format does not fit its encryption.")
        }
        return StoreFormat(
            formatVersion: version, id: id, epoch: epoch, slots: values["slots"] ?? "",
            keyFingerprint: key)
    }

    private static func keyFingerprint(_ values: [String: String]) throws(Failure) -> String? {
        guard let found = values["encryption"] else { return nil }
        guard found == cipher else {
            throw Envelope.newer(
                StoreLayout.format,
                "The store is encrypted by a method that this program does not know.")
        }
        guard let key = values["key"], bytes(hexadecimal: key)?.count == 16 else {
            throw damaged("The description names no key.")
        }
        return key
    }

    private static func damaged(_ message: String) -> Failure {
        Envelope.damaged(StoreLayout.format, message)
    }
}
