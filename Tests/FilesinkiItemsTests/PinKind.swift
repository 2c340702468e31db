import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSQLite
import FilesinkiStore
import FilesinkiTesting

@testable import FilesinkiItems

/// Items that name assets, and a merge that does what the store's text says: `ours`, `both:TEXT`, `lose:TEXT` or
/// `refuse`; else the store's stays. What a merge is told is noted as a problem.
///
/// A text `pins 1,2:500` names the asset of the one byte 1, and one of the byte 2 that claims to have 500 bytes;
/// `0` is the empty one.
enum PinKind: ItemKind {
    struct State: ItemState {
        var text: String?
        var time: Int64

        static func removed(at time: Int64) -> State { State(text: nil, time: time) }

        init(text: String?, time: Int64) {
            self.text = text
            self.time = time
        }

        init?(encoded bytes: [UInt8], time: Int64) {
            guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
            self.init(text: text, time: time)
        }

        static func isNewer(_ bytes: [UInt8]) -> Bool { false }

        var encoded: [UInt8]? { text.map { Array($0.utf8) } }
        var size: Int { text?.utf8.count ?? 0 }
        var isRemoved: Bool { text == nil }

        func hasSameContent(as other: State) -> Bool { text == other.text }

        var assets: [ItemAsset] {
            guard let text, text.hasPrefix("pins ") else { return [] }
            return text.dropFirst("pins ".count).split(separator: ",").map { pin in
                let parts = pin.split(separator: ":").compactMap { Int64($0) }
                let asset = PinKind.asset(UInt8(clamping: parts[0]))
                return ItemAsset(
                    asset.content, size: parts.count > 1 ? parts[1] : asset.size, place: "pin")
            }
        }
    }

    /// The asset of a byte; of 0 the one without bytes.
    static func asset(_ byte: UInt8) -> ItemAsset {
        let bytes = byte == 0 ? [] : [byte]
        return ItemAsset(ContentHasher.hash(bytes), size: Int64(bytes.count), place: "pin")
    }

    static var names: ItemNames {
        ItemNames(
            folder: "pins", zonePrefix: "pin-", command: "pin", zone: "pinboard", key: "pin",
            content: "note", resync: "everything")
    }

    static var file: ItemFileFormat {
        ItemFileFormat(
            application: 0x7069_6E73, version: 1,
            purpose: FilePurpose(name: "pinboard file", damageRemedy: "Pin again."),
            schema: ItemTables.assets)
    }

    static var hasAssets: Bool { true }

    static func merge(
        _ merge: ItemMerge<State>, _ context: inout MergeContext<PinKind>
    ) -> ItemOutcome<State> {
        let note =
            "\(merge.isPending ? "pending" : "agreed") \(merge.isUnknown ? "unknown" : "known") "
            + "\(merge.isBaseStored ? "stored" : "new") \(merge.initial.rawValue)"
        context.problems.append(Failure(.usage, path: merge.key.bytes, note, remedy: ""))
        let words = (merge.theirs.text ?? "").split(separator: ":", maxSplits: 1).map(String.init)
        switch words.first {
        case "ours": return .ours
        case "both": return .both(State(text: words[1], time: context.tick()), reason: nil)
        case "lose": return .both(State(text: words[1], time: context.tick()), reason: "why")
        case "refuse": return .refused(reason: "no")
        default: return .theirs(reason: "theirs")
        }
    }
}

extension Item<PinKind.State> {
    /// An item with these texts; nil for none.
    init(pin key: String, _ ours: String?, base: String? = nil, version: UInt64 = 0) {
        self.init(
            key: ItemKey(unchecked: Array(key.utf8)), ours: PinKind.State(text: ours, time: 7),
            base: PinKind.State(text: base, time: 3), version: version)
    }
}

/// Devices that share a pinboard in one store.
struct PinBoard {
    let remote = MemoryRemote()
    let clock = ManualClock()

    init() async throws {
        _ = try await StoreFormat.create(at: remote, systemContext: clock.systemContext)
    }

    func device(_ name: String) throws -> PinDevice {
        let folder = try TemporaryFolder(inMemory: true)
        let id = Array((name + String(repeating: ".", count: 16)).utf8.prefix(16))
        let remote = remote
        let place = ItemPlace<PinKind>(
            state: folder.path, device: Device(id: id, name: name), address: "memory",
            systemContext: clock.systemContext, connect: { _ in remote },
            renewDevice: { Device(id: $0.map { $0 ^ 1 }, name: name) })
        return PinDevice(folder: folder, zone: try ItemZone.open(place))
    }
}

/// A device with a pinboard.
struct PinDevice {
    let folder: TemporaryFolder
    let zone: ItemZone<PinKind>

    func set(_ name: String, _ text: String?) async throws { try await zone.set(name, text) }

    func text(_ name: String) async throws -> String? { try await zone.text(name) }

    @discardableResult
    func sync(
        _ initial: InitialPolicy = .server
    ) async throws -> ItemReport<PinKind.State> {
        var options = ExchangeOptions()
        options.initial = initial
        return try await zone.exchange(options)
    }
}

extension ItemZone<PinKind> {
    fileprivate func set(_ name: String, _ text: String?) throws {
        try database.write {
            var item = try database.item(ItemKey(name)) ?? .new(try ItemKey(name))
            item.ours = PinKind.State(text: text, time: now.nanoseconds)
            try database.put(item)
        }
    }

    fileprivate func text(_ name: String) throws -> String? {
        try database.item(ItemKey(name))?.ours.text
    }

    /// A setting of the file that is a number.
    func number(_ name: String) throws -> Int64? { try database.number(name) }
}
