import FilesinkiModel
import FilesinkiRemote
import FilesinkiSQLite
import FilesinkiStore
import FilesinkiTesting

@testable import FilesinkiItems

/// The smallest kind of items: texts, of which the longer one stays. A change with the note `strict` is
/// refused when the store's item changed, too.
enum ToyKind: ItemKind {
    struct State: ItemState {
        var text: String?
        var time: Int64

        static func removed(at time: Int64) -> State { State(text: nil, time: time) }

        init(text: String?, time: Int64) {
            self.text = text
            self.time = time
        }

        init?(encoded bytes: [UInt8], time: Int64) {
            guard bytes.first == 1, let text = String(validating: bytes.dropFirst(), as: UTF8.self)
            else { return nil }
            self.init(text: text, time: time)
        }

        static func isNewer(_ bytes: [UInt8]) -> Bool { bytes.first.map { $0 > 1 } ?? false }

        var encoded: [UInt8]? { text.map { [1] + Array($0.utf8) } }
        var size: Int { text?.utf8.count ?? 0 }
        var isRemoved: Bool { text == nil }

        func hasSameContent(as other: State) -> Bool { text == other.text }
    }

    static var names: ItemNames {
        ItemNames(
            folder: "toys", zonePrefix: "toy-", command: "toy", zone: "toy box", key: "toy",
            content: "text")
    }

    static var file: ItemFileFormat {
        ItemFileFormat(
            application: 0x746F_7973, version: 1,
            purpose: FilePurpose(name: "toy file", damageRemedy: "Buy another."))
    }

    static func merge(
        _ merge: ItemMerge<State>, _ context: inout MergeContext<ToyKind>
    ) -> ItemOutcome<State> {
        let (ours, theirs) = (merge.ours, merge.theirs)
        if !merge.isPending || ours.hasSameContent(as: theirs) { return .theirs(reason: "") }
        if theirs.hasSameContent(as: merge.base) { return .ours }
        if merge.note == Array("strict".utf8) { return .refused(reason: "strict") }
        return ours.size > theirs.size ? .ours : .theirs(reason: "shorter")
    }
}

/// Devices that share a toy box in one store.
struct ToyBox {
    let remote = MemoryRemote()
    let clock = ManualClock()

    init() async throws {
        _ = try await StoreFormat.create(at: remote, systemContext: clock.systemContext)
    }

    func device(_ name: String, limits: CommitLimits = .standard) throws -> ToyDevice {
        let folder = try TemporaryFolder(inMemory: true)
        let id = Array((name + String(repeating: ".", count: 16)).utf8.prefix(16))
        let remote = remote
        var place = ItemPlace<ToyKind>(
            state: folder.path, device: Device(id: id, name: name), address: "memory",
            systemContext: clock.systemContext, connect: { _ in remote },
            renewDevice: { Device(id: $0.map { $0 ^ 1 }, name: name) })
        place.commitLimits = limits
        return ToyDevice(folder: folder, zone: try ItemZone.open(place))
    }

    /// The commits of the log.
    var commits: [Commit] {
        get async throws {
            guard let format = try await StoreFormat.read(from: remote) else { return [] }
            let log = try CommitLog(remote: remote, zone: "toy-default", store: format)
            var reader = LogReader(log, after: log.genesis)
            var found: [Commit] = []
            while let commit = try await reader.next() { found.append(commit) }
            return found
        }
    }
}

/// A device with a toy box.
struct ToyDevice {
    let folder: TemporaryFolder
    let zone: ItemZone<ToyKind>

    /// Sets texts; nil removes one.
    func set(_ texts: [String: String?], batch: Int64 = 0, note: String = "") async throws {
        try await zone.set(texts, batch: batch, note: note)
    }

    @discardableResult
    func sync() async throws -> ItemReport<ToyKind.State> { try await zone.exchange() }

    var all: [String: String] { get async throws { try await zone.all() } }
}

extension ItemZone<ToyKind> {
    fileprivate func set(_ texts: [String: String?], batch: Int64, note: String) throws {
        try database.write {
            for (name, text) in texts {
                var item = try database.item(ItemKey(name)) ?? .new(try ItemKey(name))
                item.ours = ToyKind.State(text: text, time: now.nanoseconds)
                (item.batch, item.note) = (batch, Array(note.utf8))
                try database.put(item)
            }
        }
    }

    func item(_ name: String) throws -> Item<ToyKind.State>? { try database.item(ItemKey(name)) }

    fileprivate func all() throws -> [String: String] {
        var found: [String: String] = [:]
        for item in try database.items() {
            if let text = item.ours.text { found[item.key.description] = text }
        }
        return found
    }
}
