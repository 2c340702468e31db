package import FilesinkiModel
package import FilesinkiRemote

/// A store's description of itself: created once, then the same for ever.
///
/// It is text, so that a person who opens the store sees what it is: see ``StoreFormatText``.
package struct StoreFormat: Hashable, Sendable {
    /// The version of the layout; this program knows ``currentVersion``.
    package var formatVersion: Int
    /// 16 random bytes.
    package var id: [UInt8]
    /// Raised when the store's history is begun anew under the same id.
    package var epoch: UInt64
    /// How the remote keeps the promise of write-once slots, such as `rename-folder`.
    package var slots: String

    /// The version that this program writes, and the newest that it reads.
    package static let currentVersion = 1

    package init(formatVersion: Int, id: [UInt8], epoch: UInt64, slots: String) {
        self.formatVersion = formatVersion
        self.id = id
        self.epoch = epoch
        self.slots = slots
    }

    /// The token before the first commit of any zone: number 0, the store's id and 16 zeros.
    package var genesis: ChangeToken {
        let padded = id + Array(repeating: 0, count: max(0, ContentID.byteCount - id.count))
        return ChangeToken(sequence: 0, hash: ContentID(padded) ?? .none)
    }

    /// What the store at a remote says of itself; nil when there is no store.
    ///
    /// - Throws: `Failure` with code `newer-format`, `corrupt`, or what the remote throws.
    package static func read(from remote: any Remote) async throws -> StoreFormat? {
        guard let bytes = try await remote.get(key(), range: nil) else { return nil }
        return try StoreFormatText.decode(bytes)
    }

    /// Makes a store at a remote, or finds the one that is there: of all who try at once one wins,
    /// and all get the same answer.
    ///
    /// - Parameters:
    ///   - slots: How the remote keeps its promise, as found by a race.
    ///   - createdBy: The program and its version, for people.
    /// - Throws: `Failure` with code `newer-format`, `corrupt`, or what the remote throws.
    package static func create(
        at remote: any Remote, systemContext: SystemContext, slots: String = "rename-folder",
        createdBy: String = "filesinki"
    ) async throws -> StoreFormat {
        if let existing = try await read(from: remote) { return existing }
        let fresh = StoreFormat(
            formatVersion: currentVersion, id: systemContext.randomBytes(16), epoch: 0, slots: slots
        )
        let text = StoreFormatText.encode(fresh, createdBy: createdBy)
        switch try await remote.publish(text, to: key()) {
        case .mine: return fresh
        case .theirs(let bytes): return try StoreFormatText.decode(bytes)
        }
    }

    /// What ``init(reply:)`` reads, for a request together with others.
    package static func request() throws(Failure) -> ObjectRequest { ObjectRequest(try key()) }

    /// What the store says of itself in the reply to ``request()``; nil when there is no store.
    ///
    /// - Throws: `Failure` with code `newer-format` or `corrupt`.
    package init?(reply: ObjectReply) throws(Failure) {
        guard case .bytes(let bytes) = reply else { return nil }
        self = try StoreFormatText.decode(bytes)
    }

    private static func key() throws(Failure) -> ObjectKey { try ObjectKey(StoreLayout.format) }
}
