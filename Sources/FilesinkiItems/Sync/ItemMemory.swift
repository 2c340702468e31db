internal import FilesinkiModel
internal import FilesinkiStore

/// The state of the zone client of a zone of items, in the zone's file.
final class ItemMemory<Kind: ItemKind>: ZoneMemory {
    private let database: ItemDatabase<Kind>
    private let place: ItemPlace<Kind>
    var device: Device

    init(_ database: ItemDatabase<Kind>, _ place: ItemPlace<Kind>) {
        self.database = database
        self.place = place
        device = place.device
    }

    var store: KnownStore? { get throws { try database.knownStore() } }
    var position: LogPosition? { get throws { try database.logPosition() } }

    /// Store and position change together, when what was fetched is applied.
    func remember(_ store: KnownStore) {}

    func number(_ counter: ZoneCounter) throws -> UInt64 {
        UInt64(clamping: try database.number(counter.rawValue) ?? 0)
    }

    func set(_ numbers: [ZoneCounter: UInt64]) throws {
        try database.writeWithoutWaiting { try database.set(numbers) }
    }

    func recordOwn(_ commit: OwnCommit) throws {
        try database.writeWithoutWaiting {
            try database.recordPublishing(commit.id, sequence: commit.sequence)
        }
    }

    func recordedOwn(_ commits: [OwnCommit]) throws -> [OwnCommit] {
        try commits.filter { try database.isOwn($0.id) }
    }

    /// Reads all rows at once, in one transaction: other processes may write between two.
    func checkpoint(at token: ChangeToken) throws -> CheckpointSource? {
        try database.read {
            guard try database.logPosition()?.token == token else { return nil }
            var rows = checkpointRows(of: try database.items())
            rows.pruned = UInt64(clamping: try database.number("pruned") ?? 0)
            if Kind.hasAssets {
                let generation = try database.generation()
                let zone = place.storeZone(generation: generation)
                rows.packs = try database.packs(of: generation, zone: zone)
                    .filter { $0.sequence > 0 }.map(\.pack)
            }
            return CheckpointSource(rows)
        }
    }

    private func checkpointRows(of items: [Item<Kind.State>]) -> CheckpointRows {
        var rows: [CheckpointRow] = []
        var inline: [InlineLocation] = []
        for item in items where item.version > 0 {
            let (entry, content) = item.base.entry
            if let content {
                inline.append(InlineLocation(id: content.id, sequence: item.version))
            }
            rows.append(
                CheckpointRow(
                    path: item.key.path, entry: VersionedEntry(entry, version: item.version)))
        }
        rows.sort { $0.path < $1.path }
        return CheckpointRows(entries: rows, inline: inline)
    }
}

extension ItemDatabase {
    func set(_ numbers: [ZoneCounter: UInt64]) throws(Failure) {
        for (counter, number) in numbers {
            try set(counter.rawValue, number: number == 0 ? nil : Int64(clamping: number))
        }
    }
}

extension Zone {
    /// The zone of a place, in one of its generations.
    init<Kind: ItemKind>(_ place: ItemPlace<Kind>, generation: UInt64) {
        let names = Kind.names
        let accepting = names.accepting(of: place.name, place.database)
        self.init(
            name: place.storeZone(generation: generation), carriesContents: true,
            limits: place.commitLimits,
            remedyForOther: "What is here stays, and is not sent. To use this store, " + accepting,
            remedyForMissing: "To continue with the store as it is, " + accepting)
    }
}
