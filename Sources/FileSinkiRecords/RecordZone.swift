import FilesinkiItems
import FilesinkiLibrary
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords

/// Records that sync between devices: typed fields under names, with CloudKit's words.
///
/// A record is on the disk when a save returns, and published if the remote answers; else it waits for the next exchange,
/// also of another process. Reading never waits for a network. Changes of other devices arrive with each save,
/// with ``exchangeNow()``, and while ``changes(since:)`` is read. Changes of one record on two devices are merged field by
/// field, unless a ``SavePolicy`` says otherwise. The command `filesinki rec` works on the same records.
public final class RecordZone: Sendable {
    let zone: FilesinkiRecordZones.RecordZone

    /// A database: a part of a store that a server can give rights for.
    public struct Database: Sendable, Hashable {
        let name: String

        /// Whoever may use the store.
        public static let `private` = Database(name: "private")
        /// Everyone may read it, if the server allows it.
        public static let `public` = Database(name: "public")
        /// One of those that some share.
        ///
        /// - Parameter name: 1 to 40 of `a-z 0-9 _`.
        public static func shared(_ name: String) -> Database { Database(name: "shared-" + name) }
    }

    /// What a save does if the record was changed elsewhere meanwhile.
    public struct SavePolicy: Sendable, Hashable {
        let kept: FilesinkiRecords.SavePolicy

        /// Both changes are merged, field by field.
        public static let merge = SavePolicy(kept: .merge)
        /// The save fails with ``RecordError/Kind/conflict``, as CloudKit's `ifServerRecordUnchanged`.
        public static let ifServerRecordUnchanged = SavePolicy(kept: .unchanged)
        /// The fields that were changed here win; all others are theirs.
        public static let changedKeys = SavePolicy(kept: .changedKeys)
        /// All fields of the record win; fields that only the other one has stay.
        public static let allKeys = SavePolicy(kept: .allKeys)
    }

    init(_ zone: FilesinkiRecordZones.RecordZone) { self.zone = zone }

    /// Opens a zone; the folder becomes a replica if it is not one yet.
    ///
    /// - Parameters:
    ///   - folder: The replica's folder.
    ///   - remote: The remote that devices share: `dir:/path`, `ssh://`, `host:path`, `http(s)://` of a
    ///     `filesinki serve`, `webdav(s)://` or `s3://`. Nil for the remote that the replica has, if any.
    ///   - database: The database that the zone is in.
    ///   - name: The zone's name: 1 to 48 of `a-z 0-9 _ -`. It needs no creation.
    /// - Throws: ``RecordError``.
    public static func open(
        folder: String, remote: String? = nil, database: Database = .private,
        name: String = "default"
    ) async throws -> RecordZone {
        try await withRecordErrors {
            let scope = try DatabaseScope(parsing: database.name)
            let replica = try await ProgramReplica.open(folder: folder, remote: remote)
            return RecordZone(
                try .open(replica.place(of: RecordKind.self, name, in: scope)))
        }
    }

    // MARK: Reading

    /// The record of a name on this device; nil if there is none.
    ///
    /// - Throws: ``RecordError``.
    public func record(_ name: String) async throws -> Record? {
        try await withRecordErrors { try await zone.record(RecordName(name)).map { Record($0) } }
    }

    /// The records of a type on this device for which a predicate is true.
    ///
    /// - Parameter cursor: Where the page before ended; nil for the first one.
    /// - Throws: ``RecordError`` with the kind `invalid` for an invalid query: it names the token and the column.
    public func records(
        matching query: Query, after cursor: String? = nil
    ) async throws -> Query.Page {
        try await withRecordErrors {
            let now = zone.place.systemContext.now().nanoseconds / 1_000_000
            let prepared = try query.prepared(after: cursor, now: now)
            if query.isStrict {
                let schema = try await zone.schema()
                try schema.checkIndexes(prepared.predicate, of: prepared.type)
                try schema.checkIndexes(prepared.order, of: prepared.type)
            }
            let page = try await zone.query(prepared)
            return Query.Page(records: page.records.map { Record($0) }, cursor: page.cursor)
        }
    }

    /// The zone's types and fields, as `filesinki rec schema show` prints them.
    ///
    /// - Throws: ``RecordError``.
    public func schema() async throws -> String {
        try await withRecordErrors { SchemaText.encode(try await zone.schema()) }
    }

    // MARK: Saving

    /// Saves the fields of a record that were changed since it was fetched, and publishes it if the remote answers.
    ///
    /// - Parameter progress: Called now and then while assets are sent.
    /// - Returns: The record as it is now, with its change tag; ``Record/isPending`` if it is not published.
    /// - Throws: ``RecordError``; with the kind `conflict` if the policy refuses the save. Then the server's record stays.
    @discardableResult
    public func save(
        _ record: Record, policy: SavePolicy = .merge,
        progress: (@Sendable (AssetProgress) -> Void)? = nil
    ) async throws -> Record {
        let results = try await modify(
            saving: [record], deleting: [], policy: policy, atomically: false, progress: progress)
        return try results.saved[record.name]?.get() ?? record
    }

    /// Deletes a record on all devices, and those that refer to it with `deletesSelf`. Deleting one that is not there
    /// succeeds.
    ///
    /// - Returns: The names of the records that were deleted with it.
    /// - Throws: ``RecordError``.
    @discardableResult
    public func delete(_ name: String) async throws -> [String] {
        let results = try await modify(
            saving: [], deleting: [name], policy: .merge, atomically: false)
        return try results.deleted[name]?.get() ?? []
    }

    /// What came of a batch, by the names of the records.
    public struct BatchResults: Sendable {
        /// The saved records, as they are now.
        public internal(set) var saved: [String: Result<Record, RecordError>] = [:]
        /// The names of those that were deleted with each one.
        public internal(set) var deleted: [String: Result<[String], RecordError>] = [:]
    }

    /// Saves and deletes records, in this order, and publishes them if the remote answers.
    ///
    /// - Parameters:
    ///   - atomically: Whether all are published in one commit, or none is done; if one fails, the others have an
    ///     error of the kind `batchFailed`. An atomic batch must fit into a commit.
    ///   - progress: Called now and then while assets are sent.
    /// - Returns: What came of each of them.
    /// - Throws: ``RecordError`` if nothing was done.
    public func modify(
        saving records: [Record], deleting names: [String] = [], policy: SavePolicy = .merge,
        atomically: Bool = true, progress: (@Sendable (AssetProgress) -> Void)? = nil
    ) async throws -> BatchResults {
        try await withRecordErrors {
            var assets: [StagedAsset] = []
            var operations = try records.map { record in
                try record.operation(policy) { asset in
                    try asset.staged(in: zone) { assets.append($0) }
                }
            }
            operations += try names.map { RecordOperation.delete(try RecordName($0)) }
            try await zone.checkAssets(of: operations, staged: assets)
            let results = try await zone.apply(
                operations, isAtomic: atomically, assets: assets)
            let isAny = results.contains { $0.error == nil }
            let report = isAny ? try await exchangeIfReached(progress) : nil
            return try await outcome(
                of: results, saves: records.count, refused: zone.conflicts(of: report))
        }
    }

    private func outcome(
        of results: [RecordResult], saves: Int, refused: [RecordName: RecordConflict]
    ) async throws -> BatchResults {
        var outcome = BatchResults()
        for (number, result) in results.enumerated() {
            let present = try await zone.record(result.name).map { Record($0) }
            let error = (refused[result.name] ?? result.error).map { error in
                (error as? RecordConflict).map {
                    RecordError($0, serverTag: present?.changeTag)
                } ?? RecordError(error)
            }
            let name = result.name.text
            if number >= saves {
                let cascade = result.cascade.map(\.text)
                outcome.deleted[name] = error.map { .failure($0) } ?? .success(cascade)
            } else if let error {
                outcome.saved[name] = .failure(error)
            } else if let present {
                outcome.saved[name] = .success(present)
            }
        }
        return outcome
    }

    // MARK: Exchange

    /// Sends changes of this device and receives those of others.
    ///
    /// - Parameter progress: Called now and then while assets are sent.
    /// - Returns: The names of the records that changed on this device.
    /// - Throws: ``RecordError``; with the kind `away` when the remote does not answer.
    @discardableResult
    public func exchangeNow(
        progress: (@Sendable (AssetProgress) -> Void)? = nil
    ) async throws -> [String] {
        try await withRecordErrors {
            try await zone.exchange(ExchangeOptions(progress)).changed.compactMap {
                $0.recordName?.text
            }
        }
    }

    /// What was saved waits if the remote does not answer.
    private func exchangeIfReached(
        _ progress: (@Sendable (AssetProgress) -> Void)?
    ) async throws -> ItemReport<RecordState>? {
        guard zone.place.address != nil else { return nil }
        do { return try await zone.exchange(ExchangeOptions(progress)) } catch let failure
            as Failure
            where failure.code == .away || failure.code == .busy
        {
            return nil
        }
    }

    /// The saves that were refused and that nobody has dealt with since: by saving or deleting the record, or by
    /// ``acceptServerRecord(_:)``.
    ///
    /// - Throws: ``RecordError``.
    public func conflicts() async throws -> [RecordError.Conflict] {
        try await withRecordErrors {
            try await zone.conflicts().compactMap { RecordError($0, serverTag: nil).conflict }
        }
    }

    /// Ends the conflict of a record: the version that is here stays.
    ///
    /// - Throws: ``RecordError``.
    public func acceptServerRecord(_ name: String) async throws {
        try await withRecordErrors { try await zone.forgetConflict(of: RecordName(name)) }
    }
}
