package import FilesinkiItems
package import FilesinkiModel
package import FilesinkiRecords
package import FilesinkiSQLite

/// One open zone of records of a replica.
package typealias RecordZone = ItemZone<RecordKind>
/// Where a zone of records of a replica is, and how it reaches its remote.
package typealias RecordPlace = ItemPlace<RecordKind>
/// A zone's file.
typealias RecordDatabase = ItemDatabase<RecordKind>

/// Records as a kind of items. The schema of a zone is an item of it, too.
package enum RecordKind: ItemKind {
    package typealias State = RecordState

    package static var names: ItemNames {
        ItemNames(
            folder: "rec", zonePrefix: "rec-", command: "rec", zone: "zone of records",
            key: "record", content: "record", resync: "changes --resync", option: "zone")
    }

    package static var file: ItemFileFormat {
        ItemFileFormat(
            // "fsre".
            application: 0x6673_7265, version: 4,
            purpose: FilePurpose(
                name: "file of records",
                damageRemedy:
                    "Move it away and run filesinki rec sync; what was published comes back."),
            schema: PackageResources.records_sql + PackageResources.subscriptions_sql
                + ItemTables.assets + PackageResources.field_types_sql)
    }

    package static var hasAssets: Bool { true }

    /// Version 1 had no subscriptions, version 2 no assets, version 3 no types of fields.
    package static func migrate(_ file: OwnConnection, from version: Int64) throws(Failure) {
        if version < 2 {
            try file.execute(String(decoding: PackageResources.subscriptions_sql, as: UTF8.self))
        }
        if version < 3 { try file.execute(String(decoding: ItemTables.assets, as: UTF8.self)) }
        try file.execute(String(decoding: PackageResources.field_types_sql, as: UTF8.self))
        let database = RecordDatabase(file)
        try database.forEachItem { item throws(Failure) in
            if let record = item.ours.record { try database.addFieldTypes(of: record) }
        }
    }

    package static func didReceive(
        _ changes: [ReceivedChange<RecordState>], event: Int64,
        in database: ItemDatabase<RecordKind>, at time: Timestamp
    ) throws {
        try database.fire(changes, event: event, at: time)
    }

    /// No record has this name.
    static let schemaKey = ItemKey(unchecked: Array("_schema".utf8))

    /// A record is under its own name, the schema under the one that no record can have.
    package static func isValid(_ state: RecordState, _ key: ItemKey) -> Bool {
        switch state.content {
        case .record(let record): record.name.key == key
        case .schema: key == schemaKey
        case nil: true
        }
    }

    package static func merge(
        _ merge: ItemMerge<RecordState>, _ context: inout MergeContext<RecordKind>
    ) throws -> ItemOutcome<RecordState> {
        if merge.key == schemaKey { return mergeSchemas(merge, &context) }
        guard merge.isPending else { return .theirs(reason: "") }
        let schema = try context.database.schema()
        let rules = PendingRecord(merge, horizon: HybridClock.horizon(context.now), schema: schema)
        let result = rules.result
        let reason = rules.policy.rawValue
        switch result.outcome {
        case .theirs: return .theirs(reason: reason)
        case .ours: return .ours
        case .both(var record):
            // Values that are nowhere in the log are named, too, if others sent older ones.
            let hasLoser =
                merge.isUnknown || !merge.isBaseStored
                || result.superseded.contains { $0.side == .ours }
            // Neither side's change tag stands for what both come to.
            record.modified = Stamp(time: context.tick(), device: context.device)
            return .both(RecordState(record), reason: hasLoser ? reason : nil)
        case .conflict:
            let conflict = RecordConflict(
                reason: rules.policy == .merge ? "ask" : reason, ancestor: merge.base.record,
                client: merge.ours.record, server: merge.theirs.record)
            try context.database.record(conflict, of: merge.key, at: context.now)
            return .refused(reason: conflict.reason)
        }
    }

    private static func mergeSchemas(
        _ merge: ItemMerge<RecordState>, _ context: inout MergeContext<RecordKind>
    ) -> ItemOutcome<RecordState> {
        guard merge.isPending else { return .theirs(reason: "") }
        let merged = SchemaMerge(
            base: merge.base.schema ?? Schema(), ours: merge.ours.schema ?? Schema(),
            theirs: merge.theirs.schema ?? Schema())
        context.problems += merged.clashes.map(\.failure)
        if merged.schema == merge.theirs.schema { return .theirs(reason: "schema") }
        if merged.schema == merge.ours.schema { return .ours }
        return .both(RecordState(merged.schema, time: context.tick()), reason: nil)
    }

    package static func didChange(
        _ item: Item<RecordState>, in database: ItemDatabase<RecordKind>
    ) throws {
        guard item.key != schemaKey, let name = item.key.recordName else { return }
        try database.setReferences(of: name, to: item.ours.record)
        try database.index(item.ours.record, as: name)
    }

    /// Deletes what refers, with `delete`, to records that others deleted. Only records that they did not
    /// know are left for this.
    package static func didApply(
        _ keys: [ItemKey], _ context: inout MergeContext<RecordKind>
    ) throws {
        let database = context.database
        var gone = try keys.sorted().filter {
            try database.item($0)?.ours.isRemoved ?? false
        }
        while let target = gone.popLast() {
            guard let name = target.recordName else { continue }
            for source in try database.referrers(to: name) {
                guard var item = try database.item(source.key), let record = item.ours.record else {
                    continue
                }
                if item.isPending {
                    try database.recordSuperseded(
                        Superseded(
                            key: item.key, held: item.ours, version: item.version,
                            reason: "reference"))
                }
                context.problems.append(.deletedWith(record.name, name))
                (item.ours, item.note) = (.removed(at: context.tick()), [])
                try database.put(item)
                gone.append(item.key)
            }
        }
    }
}

/// A pending save beside what was fetched.
private struct PendingRecord {
    let merge: ItemMerge<RecordState>
    let horizon: Int64
    let schema: Schema
    let policy: SavePolicy

    init(_ merge: ItemMerge<RecordState>, horizon: Int64, schema: Schema) {
        self.merge = merge
        self.horizon = horizon
        self.schema = schema
        policy = SavePolicy(rawValue: String(decoding: merge.note, as: UTF8.self)) ?? .merge
    }

    var result: RecordMergeResult {
        var (base, ours, theirs) = (merge.base.record, merge.ours.record, merge.theirs.record)
        if merge.isUnknown, merge.initial != .newest, ours?.type == theirs?.type {
            // Of a field that both have, the chosen side's stays.
            if merge.initial == .server {
                (base, ours) = (base?.without(theirs), ours?.without(theirs))
            } else {
                theirs = theirs?.without(ours)
            }
        }
        let type = merge.ours.record?.type ?? merge.theirs.record?.type
        let (schema, horizon) = (schema, horizon)
        return RecordMerge(
            base: base, ours: ours, theirs: theirs, policy: policy, horizon: horizon
        ) { name in
            type.map { schema.rule($0, name) } ?? .newest
        }.result
    }
}

extension Record {
    /// The record without the fields that another one has.
    fileprivate func without(_ other: Record?) -> Record {
        guard let other else { return self }
        var record = Record(name, type, created: created, modified: modified)
        for (name, field) in fields where other.fields[name] == nil {
            // Removing and setting fields that a record has already cannot fail.
            try? record.set(name, field)
        }
        return record
    }
}

extension RecordName {
    /// The record's key in its zone.
    package var key: ItemKey { ItemKey(unchecked: Array(text.utf8)) }
}

extension ItemKey {
    /// The record's name; nil for the schema, and for what is no name.
    package var recordName: RecordName? {
        String(validating: bytes, as: UTF8.self).flatMap { try? RecordName($0) }
    }
}

extension SchemaMerge.Clash {
    fileprivate var failure: Failure {
        Failure(
            .differs, path: "\(type).\(name)",
            "Two devices gave the field '\(type).\(name)' a type: \(kept) and \(dropped). It has the "
                + "type \(kept) now.",
            remedy: "Save the records again whose value has the type \(dropped).")
    }
}

extension Failure {
    /// A record was deleted together with the one that it refers to.
    fileprivate static func deletedWith(_ name: RecordName, _ target: RecordName) -> Failure {
        Failure(
            .differs, path: name.text,
            "'\(name)' was deleted, as it refers to '\(target)', which another device deleted.",
            remedy: "See filesinki rec log \(name); to keep it, save it without that reference.")
    }
}
