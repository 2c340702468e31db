import FilesinkiModel
import FilesinkiStore
import FilesinkiSystem
import Glibc
import Synchronization

/// The packs of this replica that no commit names yet, for the run after an interruption.
///
/// A pack is recorded before it is sent, and again when the remote has stored it. A run that is interrupted, or
/// that publishes nothing, therefore leaves no content that the next run stores again: that run looks for these
/// packs at the remote, does not store what they hold, and names all of them in its commit.
struct UnpublishedPacks: Equatable {
    struct Item: Equatable {
        /// The id of the store that holds the pack.
        var store: [UInt8]
        var pack: PackReference
        /// Whether the remote has confirmed the pack. If not, its upload may be incomplete.
        var isStored: Bool
    }

    /// Each pack once.
    private(set) var items: [Item] = []

    init() {}

    /// Reads a record; skips malformed lines.
    init(_ bytes: [UInt8]) {
        var positions: [[UInt8]: Int] = [:]
        for item in bytes.noteLines.compactMap(Self.item) {
            if let position = positions[item.pack.id] {
                items[position].isStored = items[position].isStored || item.isStored
            } else {
                positions[item.pack.id] = items.count
                items.append(item)
            }
        }
    }

    var bytes: [UInt8] { items.flatMap(Self.line) }

    /// Removes the packs of a store whose ids are in `ids`.
    mutating func remove(_ ids: Set<[UInt8]>, of store: [UInt8]) {
        items.removeAll { $0.store == store && ids.contains($0.pack.id) }
    }

    /// Records that the store has these packs.
    mutating func confirm(_ ids: Set<[UInt8]>, of store: [UInt8]) {
        for index in items.indices where items[index].store == store {
            if ids.contains(items[index].pack.id) { items[index].isStored = true }
        }
    }

    /// One line, ended by a newline.
    static func line(_ item: Item) -> [UInt8] {
        let pack = item.pack
        let words = [
            hexadecimal(item.store), hexadecimal(pack.id), "\(pack.size)", "\(pack.indexHash)",
        ]
        return Array((words + (item.isStored ? [] : [begun])).joined(separator: " ").utf8) + [10]
    }

    /// The last word of a line for a pack that may be incomplete.
    private static let begun = "begun"

    private static func item(_ words: [String]) -> Item? {
        guard words.count == 4 || words.count == 5 && words[4] == begun,
            let store = FilesinkiModel.bytes(hexadecimal: words[0]),
            let id = FilesinkiModel.bytes(hexadecimal: words[1]),
            id.count == PackReference.idLength, let size = Int64(words[2]), size >= 0,
            let hash = ContentID(hexadecimal: words[3])
        else { return nil }
        return Item(
            store: store, pack: PackReference(id: id, size: size, indexHash: hash),
            isStored: words.count == 4)
    }
}

/// The file that ``UnpublishedPacks`` are kept in.
///
/// Lines are appended, so that the cost of a pack does not depend on their number. The file is synced each time
/// ``syncInterval`` bytes of packs were stored: a power cut may lose the record of the last ones, which are then stored
/// again, and a small save waits for no disk. A kill loses nothing.
final class UnpublishedPacksFile: Sendable {
    let path: String
    /// The id of the store that packs are stored in.
    let store: [UInt8]

    private let appender = Mutex(Appender())

    fileprivate struct Appender: Sendable {
        var file: AppendedFile?
        /// Bytes of stored packs since the last sync.
        var unsynced: Int64 = 0
        /// Bytes that were appended.
        var appended = 0
    }

    /// So many bytes of packs are stored between two syncs of the file: 16 MiB.
    private static let syncInterval: Int64 = 16 << 20
    /// A run appends at most so many bytes, so that the file can be read as a whole.
    private static let limit = StateFile.limit / 4

    init(path: String, store: [UInt8]) {
        self.path = path
        self.store = store
    }

    /// The packs of this store.
    func load() throws(Failure) -> [UnpublishedPacks.Item] {
        try read().items.filter { $0.store == store }
    }

    /// Records a pack before it is sent, and again once it is stored. An error is ignored: it costs a second upload
    /// and nothing else.
    func add(_ pack: PackReference, isStored: Bool) {
        let item = UnpublishedPacks.Item(store: store, pack: pack, isStored: isStored)
        appender.withLock { appender in
            guard appender.appended < Self.limit else { return }
            do throws(SystemError) {
                try appender.append(UnpublishedPacks.line(item), to: path)
                guard isStored else { return }
                appender.unsynced += pack.size
                guard appender.unsynced >= Self.syncInterval else { return }
                appender.unsynced = 0
                try appender.file?.sync()
            } catch {
                appender.file = nil
            }
        }
    }

    /// Removes packs of this store that a commit names by now, or that the store does not have, and records that it has
    /// others.
    func update(removing gone: Set<[UInt8]>, confirming present: Set<[UInt8]> = []) throws(Failure)
    {
        let old = try read()
        var new = old
        new.remove(gone, of: store)
        new.confirm(present, of: store)
        guard new != old else { return }
        appender.withLock { $0.file = nil }
        if new.items.isEmpty {
            unlink(path)
        } else {
            try StateFile.replace(path, with: new.bytes)
        }
    }

    private func read() throws(Failure) -> UnpublishedPacks {
        guard let bytes = try StateFile.read(path) else { return UnpublishedPacks() }
        return UnpublishedPacks(bytes)
    }
}

extension UnpublishedPacksFile.Appender {
    /// Appends a line, in one system call.
    fileprivate mutating func append(_ line: [UInt8], to path: String) throws(SystemError) {
        if file == nil { file = try AppendedFile(path) }
        try file?.append(line)
        appended += line.count
    }
}

extension StateFolder {
    /// The stored bytes of the packs that the store has and no commit names yet: what an interrupted upload has
    /// left for the next run. Zero where that is unknown.
    package var unpublishedBytes: Int64 {
        guard let config = try? ReplicaConfig.read(self),
            let items = try? UnpublishedPacksFile(path: unpublishedPacks, store: config.store)
                .load()
        else { return 0 }
        return items.storedBytes
    }
}

extension [UnpublishedPacks.Item] {
    /// The bytes of the packs that the remote has confirmed.
    var storedBytes: Int64 { reduce(0) { $1.isStored ? $0 + $1.pack.size : $0 } }
}
