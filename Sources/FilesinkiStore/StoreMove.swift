import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote

/// A note at a store that was copied to another remote: where to, for the devices that still use the old one.
///
/// It is an object of its own below `moved/`, which older programs do not read. In an encrypted store it is sealed like all
/// others. It moves nobody by itself: whoever can write to a store could leave one.
package struct StoreMove: Hashable, Sendable {
    /// The id of the store.
    package let store: [UInt8]
    /// The new address. It has no password: no address may have one.
    package let address: String
    /// The name of the device that has moved the store.
    package let device: String

    package init(store: [UInt8], address: String, device: String) {
        self.store = store
        self.address = address
        self.device = device
    }

    private static let prefix = "moved/"
    private static let title = "filesinki store moved"
    /// The longest note that is read, in bytes, and the most notes.
    private static let maximumLength: Int64 = 16 << 10
    private static let mostNotes = 16

    var bytes: [UInt8] {
        ChecksummedText.encode(
            title: Self.title,
            [("store", hexadecimal(store)), ("address", address), ("device", device)])
    }

    /// Nil for bytes that are no note, or that of another store.
    init?(_ bytes: [UInt8], of store: [UInt8]) {
        guard let values = ChecksummedText(decoding: bytes, title: Self.title)?.values,
            values["store"] == hexadecimal(store), let address = values["address"],
            !address.isEmpty
        else { return nil }
        self.init(store: store, address: address, device: values["device"] ?? "")
    }

    /// Leaves the note at a remote, unless the same one is there.
    package func leave(at remote: any Remote, _ systemContext: SystemContext) async throws {
        guard try await !Self.read(at: remote, of: store).contains(where: { $0.address == address })
        else { return }
        let id = hexadecimal(systemContext.randomBytes(16))
        try await remote.put(bytes, to: ObjectKey(Self.prefix + id))
    }

    /// The notes at a remote, in the order of their keys, which is that of no event. What is no note is skipped. Costs one
    /// request where there is none.
    package static func read(at remote: any Remote, of store: [UInt8]) async throws -> [StoreMove] {
        var notes: [StoreMove] = []
        for object in try await remote.list(prefix: prefix, after: nil, limit: mostNotes)
        where object.size <= maximumLength {
            guard let bytes = try await remote.get(object.key, range: nil),
                let note = StoreMove(bytes, of: store)
            else { continue }
            notes.append(note)
        }
        return notes
    }

    /// Removes the notes at a remote to which the store has come back.
    package static func removeAll(at remote: any Remote) async throws {
        for object in try await remote.list(prefix: prefix, after: nil, limit: mostNotes) {
            try await remote.delete(object.key)
        }
    }
}
