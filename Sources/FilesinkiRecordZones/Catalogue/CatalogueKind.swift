package import FilesinkiItems
package import FilesinkiModel
package import FilesinkiRecords
import FilesinkiSQLite

/// The catalogue of the zones of records of a replica: one zone of items, whose keys are the zones' names.
package typealias ZoneCatalogue = ItemZone<CatalogueKind>

/// Entries of the catalogue as a kind of items.
package enum CatalogueKind: ItemKind {
    /// An entry of the catalogue.
    package struct State: ItemState {
        /// Nil when it was removed, which no device does.
        package var entry: ZoneEntry?
        package let time: Int64

        package init(_ entry: ZoneEntry?, time: Int64) {
            self.entry = entry
            self.time = time
        }
    }

    package static var names: ItemNames {
        ItemNames(
            folder: "rec-zones", zonePrefix: "", command: "rec", zone: "catalogue of zones",
            key: "zone", content: "zone")
    }

    package static var file: ItemFileFormat {
        ItemFileFormat(
            // "fszo".
            application: 0x6673_7A6F, version: 1,
            purpose: FilePurpose(
                name: "catalogue of zones",
                damageRemedy:
                    "Move it away and run filesinki rec sync; what was published comes back."))
    }

    /// The catalogue's name, also in the store.
    package static let name = ZoneEntry.catalogue

    package static func isValid(_ state: State, _ key: ItemKey) -> Bool { key.zoneName != nil }

    package static func merge(
        _ merge: ItemMerge<State>, _ context: inout MergeContext<CatalogueKind>
    ) -> ItemOutcome<State> {
        guard merge.isPending else { return .theirs(reason: "") }
        let (ours, theirs) = (merge.ours.entry ?? ZoneEntry(), merge.theirs.entry ?? ZoneEntry())
        let merged = ZoneEntry.merged(ours: ours, theirs: theirs)
        if merged == merge.theirs.entry { return .theirs(reason: "zone") }
        if merged == merge.ours.entry { return .ours }
        return .both(State(merged, time: context.tick()), reason: nil)
    }
}

extension CatalogueKind.State {
    package static func removed(at time: Int64) -> Self { Self(nil, time: time) }

    package init?(encoded bytes: [UInt8], time: Int64) {
        guard let entry = ZoneEntry(encoded: bytes) else { return nil }
        self.init(entry, time: time)
    }

    package static func isNewer(_ bytes: [UInt8]) -> Bool { ZoneEntry.isNewer(bytes) }

    package var encoded: [UInt8]? { entry?.encoded }
    package var size: Int { encoded?.count ?? 0 }
    package var isRemoved: Bool { entry == nil }

    package func hasSameContent(as other: Self) -> Bool { entry == other.entry }
}

extension ItemKey {
    /// The zone of records that the catalogue has under this key; nil for what is no zone's name.
    package var zoneName: String? {
        guard let name = String(validating: bytes, as: UTF8.self),
            (try? RecordPlace.check(name: name)) != nil
        else { return nil }
        return name
    }
}

extension ZoneCatalogue {
    /// What the catalogue has about a zone on this device.
    package func entry(_ zone: String) throws -> ZoneEntry {
        try database.item(ItemKey(zone))?.ours.entry ?? ZoneEntry()
    }

    /// Every zone that has an entry, in the order of names, and whether its last change is not published.
    package func entries() throws -> [(zone: String, entry: ZoneEntry, isPending: Bool)] {
        try database.items().compactMap { item in
            guard let zone = item.key.zoneName, let entry = item.ours.entry else { return nil }
            return (zone, entry, item.isPending)
        }
    }

    /// Ends the present generation of a zone on this device; the next exchange publishes that.
    ///
    /// - Parameter sequence: The last commit of the zone that this device knows.
    /// - Returns: The entry; nil when the zone is gone already.
    /// - Throws: `Failure` with code `limit` for a zone that was ended too often.
    package func end(
        _ zone: String, _ cause: ZoneCause, knowing sequence: UInt64
    ) throws -> ZoneEntry? {
        try change(zone) { entry, mark in
            guard entry.isLive else { return false }
            guard entry.endings.count < ZoneEntry.maximumEndings else {
                throw Failure(
                    .limit, path: zone, "The zone was deleted or reset too often.",
                    remedy: "Use another name.")
            }
            entry.endings.append(ZoneEnding(cause: cause, sequence: sequence, mark: mark))
            if cause == .reset {
                (entry.created, entry.creation) = (entry.generation, mark)
            }
            return true
        }
    }

    /// Creates a zone on this device; the next exchange publishes that.
    ///
    /// - Returns: The entry; nil when the zone is in the catalogue and live.
    package func create(_ zone: String) throws -> ZoneEntry? {
        try change(zone) { entry, mark in
            guard !entry.isLive || entry == ZoneEntry() else { return false }
            (entry.created, entry.creation) = (entry.generation, mark)
            return true
        }
    }

    private func change(
        _ zone: String, _ body: (inout ZoneEntry, ZoneMark) throws -> Bool
    ) throws -> ZoneEntry? {
        try RecordPlace.check(name: zone)
        return try database.write {
            var clock = HybridClock(last: try database.number("clock") ?? 0)
            let key = try ItemKey(zone)
            var item = try database.item(key) ?? .new(key)
            var entry = item.ours.entry ?? ZoneEntry()
            let mark = ZoneMark(time: clock.tick(now), device: device)
            guard try body(&entry, mark) else { return nil }
            item.ours = State(entry, time: mark.time)
            try database.put(item)
            try database.set("clock", number: clock.last)
            try database.recordEvent(.local, [key], at: now)
            return entry
        }
    }
}
