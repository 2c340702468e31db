import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote

/// A note at a store that was copied to another remote: where to, for the devices that still use the old one.
///
/// It is a slot beside the log, read together with the log's end, so that whoever looks for commits meets it without a request
/// of its own. In an encrypted store it is sealed like all others. It moves nobody by itself: whoever can write to a store could
/// leave one.
package struct StoreMove: Hashable, Sendable {
    /// The id of the store.
    package let store: [UInt8]
    /// The new address. It has no password: no address may have one.
    package let address: String
    /// The name of the device that has moved the store.
    package let device: String
    /// What opens the copy, where that is encrypted and the old store is not; nil else, and if it is not known.
    package let secret: Secret?

    /// What the devices need that have no key of the store.
    package enum Secret: String, Sendable {
        case passphrase
        case keyFile = "key-file"

        /// The option with which they give it, after a space.
        package var option: String {
            switch self {
            case .passphrase: " --passphrase-file FILE"
            case .keyFile: " --key-file FILE"
            }
        }
    }

    package init(store: [UInt8], address: String, device: String, secret: Secret? = nil) {
        self.store = store
        self.address = address
        self.device = device
        self.secret = secret
    }

    private static let title = "filesinki store moved"
    /// The longest note that is read, in bytes.
    private static let maximumLength: Int64 = 16 << 10
    /// How often a device tries to leave a note where something else is.
    private static let attempts = 2

    private static func slot() throws(Failure) -> ObjectKey { try ObjectKey(StoreLayout.move) }

    var bytes: [UInt8] {
        var lines: [(key: String, value: String)] = [
            ("store", hexadecimal(store)), ("address", address), ("device", device),
        ]
        if let secret { lines.append((key: "secret", value: secret.rawValue)) }
        return ChecksummedText.encode(title: Self.title, lines)
    }

    /// Nil for bytes that are no note, or that of another store.
    init?(_ bytes: [UInt8], of store: [UInt8]) {
        guard let values = ChecksummedText(decoding: bytes, title: Self.title)?.values,
            values["store"] == hexadecimal(store), let address = values["address"],
            !address.isEmpty
        else { return nil }
        self.init(
            store: store, address: address, device: values["device"] ?? "",
            secret: values["secret"].flatMap(Secret.init(rawValue:)))
    }

    /// Leaves the note at a remote, unless there is one: of several devices that move a store at the same time, one wins.
    ///
    /// - Returns: The note that is there now.
    package func leave(at remote: any Remote) async throws -> StoreMove {
        let slot = try Self.slot()
        for _ in 1...Self.attempts {
            guard case .theirs(let found) = try await remote.publish(bytes, to: slot) else { break }
            if let note = StoreMove(found, of: store) { return note }
            // It leads nowhere.
            try await remote.delete(slot)
        }
        return self
    }

    /// The request whose reply ``init(reply:of:)`` decodes, to be sent together with others.
    package static func request() throws(Failure) -> ObjectRequest {
        ObjectRequest(try slot(), range: 0..<maximumLength)
    }

    /// Decodes the reply to ``request()``; nil when there is no note.
    package init?(reply: ObjectReply, of store: [UInt8]) {
        guard case .bytes(let bytes) = reply else { return nil }
        self.init(bytes, of: store)
    }

    /// The note at a remote; nil if there is none, or if what is there is no note. One request.
    package static func read(at remote: any Remote, of store: [UInt8]) async throws -> StoreMove? {
        try await remote.get(slot(), range: 0..<maximumLength).flatMap { StoreMove($0, of: store) }
    }

    /// Removes the note at a remote to which the store has come back. Who finds none needs no right to remove it.
    package static func remove(at remote: any Remote) async throws {
        let slot = try Self.slot()
        guard try await remote.get(slot, range: 0..<1) != nil else { return }
        try await remote.delete(slot)
    }
}
