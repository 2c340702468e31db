import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting

@testable import FilesinkiItems

/// The file of a toy box, without a store.
struct ToyFile<Kind: ItemKind> {
    let folder: TemporaryFolder
    let place: ItemPlace<Kind>

    init(_ name: String = "default") throws {
        let folder = try TemporaryFolder(inMemory: true)
        self.folder = folder
        place = ItemPlace<Kind>(
            state: folder.path, name: name,
            device: Device(id: [UInt8](repeating: 1, count: 16), name: "a"), address: nil,
            systemContext: ManualClock().systemContext, connect: { _ in MemoryRemote() },
            renewDevice: { Device(id: $0, name: "a") })
    }

    func open() throws -> ItemDatabase<Kind> { try ItemDatabase(opening: place) }
}

extension Item<ToyKind.State> {
    /// An item with these texts; nil for none.
    ///
    /// - Parameter version: Nil for that of an item that the log has if there is a base.
    init(
        _ key: String, ours: String?, base: String? = nil, version: UInt64? = nil, time: Int64 = 7,
        batch: Int64 = 0, note: String = ""
    ) {
        self.init(
            key: ItemKey(unchecked: Array(key.utf8)),
            ours: ToyKind.State(text: ours, time: time), base: ToyKind.State(text: base, time: 3),
            version: version ?? (base == nil ? 0 : 1))
        self.batch = batch
        self.note = Array(note.utf8)
    }
}
