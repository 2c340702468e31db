package import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiSQLite

extension RecordZone {
    /// Applies operations on this device, in one transaction and in their order. Nothing is published: the
    /// next exchange does that.
    ///
    /// Costs as much as there are operations, whatever the zone holds. All of them are one transaction and one event, and may
    /// refer to each other in any order, so that none is written before all are known: until it returns, the operations, the
    /// records after them, the items that are written and the results stay in memory, besides up to 64 MiB of the
    /// transaction's pages. Values are shared by the first three; nothing is kept encoded.
    ///
    /// - Parameters:
    ///   - isAtomic: Whether all or none are applied, and published in one commit. If one fails,
    ///     the others have the error `batch-failed`.
    ///   - assets: The bytes of assets that operations name and that are not in the zone yet.
    /// - Returns: A result for each operation.
    /// - Throws: `Failure` with code `limit` for an atomic batch that no commit has room for.
    package func apply(
        _ operations: [RecordOperation], isAtomic: Bool = false, assets: [StagedAsset] = []
    ) throws -> [RecordResult] {
        var replaced: Set<ContentID> = []
        defer { try? removeUnneeded(replaced) }
        return try database.write {
            if try database.isGone() { throw Failure.gone(place) }
            var transaction = try RecordTransaction(
                database: database, place: place, device: device.id, now: now, isAtomic: isAtomic)
            try transaction.prepare(operations)
            guard !(isAtomic && transaction.hasFailed) else { return transaction.failedBatch() }
            let changes = try transaction.changes()
            if isAtomic, !fitsIntoCommit(changes.lazy.map(\.item)) { throw Failure.tooLargeBatch }
            let named = Set(changes.flatMap { $0.item.ours.assets.map(\.content) })
            try assets.filter { $0.isOne(of: named) }.forEach { try $0.install() }
            replaced = Set(changes.flatMap(\.replacedAssets)).subtracting(named)
            return try transaction.write(changes)
        }
    }

    /// Checks that each asset that operations name, and that is not staged, is known: a record must not name bytes
    /// that nobody has.
    ///
    /// - Throws: `Failure` with code `not-found` for the first one that is not; `away` when that cannot be found out.
    package func checkAssets(
        of operations: [RecordOperation], staged: [StagedAsset]
    ) async throws {
        for operation in operations where operation.kind == .save {
            let item = try database.item(operation.name.key)
            var known = Set((item?.ours.assets ?? []).map(\.content))
            known.formUnion((item?.base.assets ?? []).map(\.content))
            for (field, value) in operation.fields.sorted(by: { $0.key < $1.key }) {
                for asset in value?.assets ?? []
                where !known.contains(asset.content)
                    && !staged.contains(where: { $0.isOne(of: [asset.content]) })
                {
                    let named = ItemAsset(asset, in: field)
                    guard try await knowsAsset(named) else {
                        throw Failure.unknownAsset(named, of: operation.name)
                    }
                }
            }
        }
    }
}

/// Applies operations to the records of a zone, inside one transaction: first it computes what each would
/// do, then it writes.
private struct RecordTransaction {
    private let database: RecordDatabase
    private let place: RecordPlace
    private let device: [UInt8]
    private let now: Timestamp
    private let isAtomic: Bool
    private let generation: UInt64
    private let former: Schema
    private var schema: Schema
    private var clock: HybridClock
    /// The one time of all changes.
    private let stamp: Stamp
    /// Those of the operations.
    private var policies: [SavePolicy] = []
    private(set) var results: [RecordResult] = []
    /// The records that are saved, by their names, and by which operation.
    private var saved: [RecordName: (record: Record, index: Int)] = [:]
    /// The records that are deleted, and by which operation.
    private var deleted: [RecordName: Int] = [:]

    init(
        database: RecordDatabase, place: RecordPlace, device: [UInt8], now: Timestamp,
        isAtomic: Bool
    ) throws {
        self.database = database
        self.place = place
        self.device = device
        self.now = now
        self.isAtomic = isAtomic
        generation = try database.generation()
        former = try database.schema()
        schema = former
        clock = HybridClock(last: try database.number("clock") ?? 0)
        stamp = Stamp(time: clock.tick(now), device: device)
    }

    var hasFailed: Bool { results.contains { $0.error != nil } }

    /// Computes what each operation would do. Writes nothing.
    mutating func prepare(_ operations: [RecordOperation]) throws {
        policies = operations.map(\.policy)
        for (index, operation) in operations.enumerated() {
            results.append(RecordResult(name: operation.name))
            do {
                try prepare(operation, index)
            } catch {
                guard error is RecordConflict || (error as? Failure)?.isAboutOperation == true
                else {
                    throw error
                }
                results[index].error = error
            }
        }
        try checkReferences()
    }

    private mutating func prepare(_ operation: RecordOperation, _ index: Int) throws {
        let item = try item(operation.name)
        let present =
            deleted[operation.name] == nil
            ? saved[operation.name]?.record ?? item.ours.record : nil
        switch operation.existence {
        case .mustExist where present == nil: throw Failure.unknownRecord(operation.name)
        case .mustNotExist where present != nil: throw Failure.recordExists(operation.name)
        default: break
        }
        if let tag = operation.tag,
            !ChangeTag(item, generation: generation).matches(tag) || present == nil,
            operation.kind == .save || present != nil
        {
            throw RecordConflict(
                reason: "tag", ancestor: item.base.record,
                client: try? record(operation, over: present), server: present)
        }
        guard operation.kind == .save else {
            results[index].isDeleted = present != nil
            saved[operation.name] = nil
            if present != nil { deleted[operation.name] = index }
            return
        }
        let record = try record(operation, over: present)
        try record.checkLimits()
        try schema.add(record)
        results[index].isCreated = present == nil
        deleted[operation.name] = nil
        saved[operation.name] = (record, index)
    }

    /// The record after a save. Fields that keep their value keep their stamp.
    private func record(_ operation: RecordOperation, over present: Record?) throws -> Record {
        guard let type = operation.type ?? present?.type else {
            throw Failure.missingType(operation.name)
        }
        if let present, present.type != type {
            throw Failure.otherType(operation.name, present.type, type)
        }
        var record = present ?? Record(operation.name, type, created: stamp)
        if operation.replacesAll {
            for name in record.fieldNames where operation.fields[name] == nil {
                try record.set(name, nil)
            }
        }
        for (name, value) in operation.fields where record[name] != value {
            try record.set(name, value.map { Field($0, stamp) })
        }
        if let present, present.hasSameContents(as: record) { return present }
        record.modified = stamp
        return record
    }

    /// Refuses saves with invalid references, so that in a batch that is not atomic the others are done.
    private mutating func checkReferences() throws {
        while true {
            let graph = graph()
            let violations = graph.violations()
            guard violations.isEmpty else {
                // Others may refer to what was refused.
                for (name, failure) in violations { refuse(name, failure) }
                continue
            }
            do throws(Failure) { try graph.checkOwners() } catch {
                let name = String(decoding: error.path, as: UTF8.self)
                guard
                    let wrong = saved.keys.first(where: { $0.text == name })
                        ?? saved.min(by: { $0.value.index < $1.value.index })?.key
                else { throw error }
                refuse(wrong, error)
                continue
            }
            return deleteReferrers(graph)
        }
    }

    private mutating func refuse(_ name: RecordName, _ failure: Failure) {
        guard let index = saved.removeValue(forKey: name)?.index else { return }
        results[index].error = failure
        results[index].isCreated = false
    }

    /// Lets each deletion take with it what the batch does not delete.
    private mutating func deleteReferrers(_ graph: ReferenceGraph) {
        var known: Set<RecordName> = []
        for (name, index) in deleted.sorted(by: { $0.value < $1.value }) {
            let taken = graph.cascade(of: name, beside: &known)
            results[index].cascade = taken
            for name in taken {
                saved[name] = nil
                deleted[name] = index
            }
        }
    }

    /// The references after the batch.
    private func graph() -> ReferenceGraph {
        let database = database
        return ReferenceGraph(
            saves: saved.values.map(\.record), deletions: Array(deleted.keys),
            lookup: { try? database.item($0.key)?.ours.record },
            referrers: { (try? database.referrers(to: $0)) ?? [] },
            otherZone: { [place] in try? place.otherZone(with: $0) })
    }

    private func item(_ name: RecordName) throws -> Item<RecordState> {
        try database.item(name.key) ?? .new(name.key)
    }

    // MARK: Writing

    /// An item as it will be, and whether its content differs from the present one.
    struct ItemChange {
        var item: Item<RecordState>
        let isChanged: Bool
        /// What waited with the present content.
        let replacedAssets: [ContentID]

        init(_ present: Item<RecordState>, _ state: RecordState, note: [UInt8] = []) {
            item = present
            item.beginChange()
            item.ours = state
            item.note = note
            isChanged = !state.hasSameContent(as: present.ours)
            replacedAssets =
                isChanged && present.isPending ? present.ours.assets.map(\.content) : []
        }
    }

    /// The items that are written, without a batch. They take the place of the saves and deletions, which are forgotten.
    mutating func changes() throws -> [ItemChange] {
        let saves = saved.values.sorted { $0.record.name < $1.record.name }
        let deletions = deleted.sorted { $0.key < $1.key }
        (saved, deleted) = ([:], [:])
        // One for all items of a policy.
        let notes = Dictionary(
            uniqueKeysWithValues: SavePolicy.allCases.map { ($0, Array($0.rawValue.utf8)) })
        func note(_ index: Int) -> [UInt8] { notes[policies[index]] ?? [] }
        var changes: [ItemChange] = []
        changes.reserveCapacity(saves.count + deletions.count + 1)
        for (record, index) in saves {
            changes.append(
                ItemChange(try item(record.name), RecordState(record), note: note(index)))
        }
        for (name, index) in deletions {
            changes.append(
                ItemChange(try item(name), .removed(at: stamp.time), note: note(index)))
        }
        if schema != former {
            let present = try database.item(RecordKind.schemaKey) ?? .new(RecordKind.schemaKey)
            changes.append(ItemChange(present, RecordState(schema, time: stamp.time)))
        }
        return changes
    }

    mutating func write(_ changes: [ItemChange]) throws -> [RecordResult] {
        var changes = changes
        if isAtomic { try join(&changes) }
        for change in changes {
            try database.put(change.item)
            if let name = change.item.key.recordName { try database.removeConflict(of: name) }
        }
        let changed = changes.filter(\.isChanged).map(\.item.key)
        try database.set("clock", number: clock.last)
        try database.recordEvent(.local, changed.sorted(), at: now)
        for index in results.indices where results[index].error == nil {
            let name = results[index].name
            if let item = try database.item(name.key), item.ours.record != nil {
                results[index].tag = ChangeTag(item, generation: generation)
            }
        }
        return results
    }

    /// Gives the items the number of a new batch. Batches that they belong to become a part of it.
    private func join(_ changes: inout [ItemChange]) throws {
        let number = (try database.number("batch") ?? 0) + 1
        try database.set("batch", number: number)
        for former in Set(changes.map(\.item.batch)) where former != 0 {
            for var item in try database.pending(ofBatch: former) {
                item.batch = number
                try database.put(item, isChanged: false)
            }
        }
        for index in changes.indices { changes[index].item.batch = number }
    }

    /// The results of an atomic batch of which an operation failed.
    func failedBatch() -> [RecordResult] {
        results.map { result in
            RecordResult(
                name: result.name, error: result.error ?? Failure.batchFailed(result.name))
        }
    }
}

extension Failure {
    /// Whether the failure is one operation's, and not the device's.
    fileprivate var isAboutOperation: Bool {
        [.usage, .limit, .notFound, .exists].contains(code)
    }

    fileprivate static func unknownRecord(_ name: RecordName) -> Failure {
        Failure(
            .notFound, path: name.text, "The record does not exist.",
            remedy: "Create it, or save it without requiring that it exists.")
    }

    fileprivate static func recordExists(_ name: RecordName) -> Failure {
        Failure(
            .exists, path: name.text, "The record exists already.",
            remedy: "Update it, or choose another name.")
    }

    fileprivate static func missingType(_ name: RecordName) -> Failure {
        Failure(
            .usage, path: name.text, "The record is new, and its type is not given.",
            remedy: "Give the type of the record.")
    }

    fileprivate static func otherType(
        _ name: RecordName, _ present: RecordType, _ given: RecordType
    ) -> Failure {
        Failure(
            .usage, path: name.text, "The record has the type '\(present)', not '\(given)'.",
            remedy: "Give its type, or delete it first.")
    }

    fileprivate static func batchFailed(_ name: RecordName) -> Failure {
        Failure(
            .declined, path: name.text,
            "batch-failed: another operation of the batch failed; nothing was changed.",
            remedy: "Correct the operation that failed, and send the batch again.")
    }

    fileprivate static func unknownAsset(_ asset: ItemAsset, of name: RecordName) -> Failure {
        Failure(
            .notFound, path: name.text,
            "The asset '\(asset.place)' of the record '\(name)' is not in the zone: its bytes "
                + "(\(asset.content)) were not found.",
            remedy: "Give the file: \(asset.place):asset=@FILE, or {\"file\":…} in JSON.")
    }

    fileprivate static let tooLargeBatch = Failure(
        .limit, "The batch is too large for one commit; nothing was changed.",
        remedy: "Divide it, or send it without requiring that all or none is done.")
}

extension RecordPlace {
    /// Which other zone on this device, of any database, has a record of this name.
    fileprivate func otherZone(with record: RecordName) throws -> String? {
        for scope in try LocalZones<RecordKind>.scopes(state: state) {
            for name in try LocalZones<RecordKind>.names(state: state, scope)
            where name != self.name || scope != self.scope {
                let file = Self.file(of: name, in: state, scope)
                guard let other = try RecordDatabase(reading: file),
                    try other.stored(record.key) != nil
                else { continue }
                return scope == self.scope
                    ? "the zone \(name)" : "the zone \(name) of the database \(scope)"
            }
        }
        return nil
    }
}
