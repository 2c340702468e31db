import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiStore
import FilesinkiSystem

/// Packs that this replica has stored and that no commit names yet.
///
/// A pack is noted once the remote has taken it. A run that is interrupted, or that publishes nothing,
/// therefore leaves no content that the next run stores again: that run looks into these packs first,
/// and its commit names all of them. A pack whose upload was cut off is not noted, because it
/// is not known to be complete.
struct UnpublishedPacks: Equatable {
    struct Item: Equatable {
        /// The id of the store that holds the pack.
        var store: [UInt8]
        var pack: PackReference
    }

    var items: [Item] = []

    init() {}

    /// Reads a note; skips malformed lines.
    init(_ bytes: [UInt8]) {
        items = bytes.noteLines.compactMap(Self.item)
    }

    var bytes: [UInt8] { Array(items.map { Self.line($0) + "\n" }.joined().utf8) }

    private static func line(_ item: Item) -> String {
        let pack = item.pack
        return "\(hexadecimal(item.store)) \(hexadecimal(pack.id)) \(pack.size) \(pack.indexHash)"
    }

    private static func item(_ words: [String]) -> Item? {
        guard words.count == 4, let store = FilesinkiModel.bytes(hexadecimal: words[0]),
            let id = FilesinkiModel.bytes(hexadecimal: words[1]),
            id.count == PackReference.idLength, let size = Int64(words[2]), size >= 0,
            let hash = ContentID(hexadecimal: words[3])
        else { return nil }
        return Item(store: store, pack: PackReference(id: id, size: size, indexHash: hash))
    }
}

/// The file that ``UnpublishedPacks`` are kept in.
struct UnpublishedPacksFile: Sendable {
    let path: String
    /// The id of the store that packs are stored in.
    let store: [UInt8]

    /// The packs of this store.
    func load() throws(Failure) -> [PackReference] {
        try read().items.filter { $0.store == store }.map(\.pack)
    }

    /// Adds a pack that was just stored. An error is ignored: it costs a second upload and nothing else.
    func add(_ pack: PackReference) {
        guard var note = try? read() else { return }
        note.items.append(UnpublishedPacks.Item(store: store, pack: pack))
        try? StateFile.replace(path, with: note.bytes)
    }

    /// Removes packs of this store that a commit names by now, or that the store has lost.
    func remove(_ ids: Set<[UInt8]>) throws(Failure) {
        var note = try read()
        note.items.removeAll { $0.store == store && ids.contains($0.pack.id) }
        try StateFile.replace(path, with: note.bytes, durable: false)
    }

    private func read() throws(Failure) -> UnpublishedPacks {
        guard let bytes = try StateFile.read(path) else { return UnpublishedPacks() }
        return UnpublishedPacks(bytes)
    }
}
