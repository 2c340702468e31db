package import FilesinkiItems
import FilesinkiModel
package import FilesinkiRecords
import FilesinkiSQLite

/// A record of a zone on this device.
package struct StoredRecord: Sendable {
    package var record: Record
    package var tag: ChangeTag
    /// Whether it waits to be published.
    package var isPending: Bool

    init?(_ item: Item<RecordState>?, generation: UInt64) {
        guard let item, let record = item.ours.record else { return nil }
        self.record = record
        tag = ChangeTag(item, generation: generation)
        isPending = item.isPending
    }
}

extension RecordZone {
    /// A record on this device; nil when it is not there.
    package func record(_ name: RecordName) throws -> StoredRecord? {
        try database.stored(name.key)
    }

    /// The state of a record in which a change tag could be given, also of a deleted one.
    package func tag(_ name: RecordName) throws -> ChangeTag? {
        let generation = try database.generation()
        return try database.item(name.key).map { ChangeTag($0, generation: generation) }
    }

    /// The zone's schema.
    package func schema() throws -> Schema { try database.schema() }

    /// Changes the schema on this device, and says whether it differs from the former one.
    @discardableResult
    package func setSchema(_ change: (inout Schema) throws -> Void) throws -> Bool {
        try database.write {
            if try database.isGone() { throw Failure.gone(place) }
            var clock = HybridClock(last: try database.number("clock") ?? 0)
            var item = try database.item(RecordKind.schemaKey) ?? .new(RecordKind.schemaKey)
            var schema = item.ours.schema ?? Schema()
            let former = schema
            try change(&schema)
            guard schema != former else { return false }
            item.ours = RecordState(schema, time: clock.tick(now))
            try database.put(item)
            try database.set("clock", number: clock.last)
            return true
        }
    }

    /// The saves and deletions that were refused, in the order of names.
    package func conflicts() throws -> [RecordConflict] { try database.conflicts() }

    /// The saves and deletions that an exchange refused, by their records.
    ///
    /// - Parameter report: Nil if there was none.
    package func conflicts(
        of report: ItemReport<RecordState>?
    ) throws -> [RecordName: RecordConflict] {
        guard let keys = report?.refused, !keys.isEmpty else { return [:] }
        let refused = try conflicts().compactMap { conflict in
            conflict.name.flatMap { keys.contains($0.key) ? ($0, conflict) : nil }
        }
        return Dictionary(refused) { first, _ in first }
    }

    /// Forgets a conflict: what stays in its place is accepted.
    package func forgetConflict(of name: RecordName) throws {
        try database.write { try database.removeConflict(of: name) }
    }
}

extension RecordDatabase {
    /// A record on this device; nil when it is not there.
    func stored(_ key: ItemKey) throws(Failure) -> StoredRecord? {
        try stored(key, generation: try generation())
    }

    /// As ``stored(_:)``, for many records of one transaction.
    func stored(_ key: ItemKey, generation: UInt64) throws(Failure) -> StoredRecord? {
        StoredRecord(try item(key), generation: generation)
    }

    /// The zone's schema on this device.
    func schema() throws(Failure) -> Schema {
        try item(RecordKind.schemaKey)?.ours.schema ?? Schema()
    }
}
