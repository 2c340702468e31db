package import FilesinkiEncryption
package import FilesinkiMerge
package import FilesinkiModel
package import FilesinkiRemote
package import FilesinkiRules
package import FilesinkiWatch

// The operations of a replica. Each is documented at its implementation.

/// Sync: see ``SyncEngine``.
extension Replica {
    /// Syncs everything, or the paths of the options: see ``SyncEngine/syncTree(_:withholding:)``. A run that is killed leaves a ``RunMark``.
    package func sync(_ options: SyncOptions) async throws -> SyncReport {
        guard !options.isDryRun else { return try await SyncEngine(context).syncTree(options) }
        return try await RunMark.during(holding: context.lock) {
            try await SyncEngine(context).syncTree(options)
        }
    }

    /// See ``SyncEngine/recordFailedRun(_:exitCode:)``.
    package func recordFailedRun(_ failure: Failure, exitCode: Int32) throws {
        try SyncEngine(context).recordFailedRun(failure, exitCode: exitCode)
    }

    /// See ``SyncEngine/recordCancelledRun(_:exitCode:_:)``.
    package func recordCancelledRun(
        _ outcome: String, exitCode: Int32, _ options: SyncOptions
    ) async throws {
        try await SyncEngine(context).recordCancelledRun(outcome, exitCode: exitCode, options)
    }

    /// See ``SyncEngine/recordRecoveredRun()``.
    package func recordRecoveredRun() throws { try SyncEngine(context).recordRecoveredRun() }

    /// Syncs the paths of a watch: see ``SyncEngine/syncChanges(_:isRemoteHinted:_:)``.
    package func syncChanges(
        _ changes: LocalChanges, isRemoteHinted: Bool, _ options: SyncOptions
    ) async throws -> ChangeReport {
        try await SyncEngine(context)
            .syncChanges(changes, isRemoteHinted: isRemoteHinted, options)
    }

    /// Whether the store was moved, asked now: see ``SyncEngine/findMove()``.
    package func findMove() async throws -> Failure? { try await SyncEngine(context).findMove() }

    /// Copies the store to another remote: see ``StoreMigration``.
    package func migrate(
        to address: String, _ keys: KeyOptions,
        connect: @escaping @Sendable (String) throws -> any Remote,
        progress: (@Sendable (Progress) -> Void)? = nil
    ) async throws -> MigrationReport {
        try await StoreMigration(context).migrate(
            to: address, keys, connect: connect, progress)
    }

    /// The keys of the encrypted store: see ``StoreKeys``.
    package func keys() async throws -> [KeyObject] { try await StoreKeys(context).list() }

    /// Adds a key: see ``StoreKeys/add(_:)``.
    package func addKey(_ secret: KeySecret) async throws -> String {
        try await StoreKeys(context).add(secret)
    }

    /// Replaces a key: see ``StoreKeys/replace(_:by:)``.
    package func replaceKey(
        _ id: String, by secret: KeySecret
    ) async throws -> (old: String, new: String) {
        try await StoreKeys(context).replace(id, by: secret)
    }

    /// Removes a key: see ``StoreKeys/remove(_:)``.
    package func removeKey(_ id: String) async throws -> KeyObject {
        try await StoreKeys(context).remove(id)
    }
}

/// Single paths: see ``Saves``.
extension Replica {
    /// See ``Saves/save(_:_:content:)``.
    package func save(
        _ path: RelativePath, _ options: SaveOptions,
        content write: @Sendable ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) async throws -> SaveReport {
        try await Saves(context).save(path, options, content: write)
    }

    /// See ``Saves/publish(_:_:)``.
    package func publish(
        _ path: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await Saves(context).publish(path, options)
    }

    /// See ``Saves/publishDeletion(of:_:)``.
    package func publishDeletion(
        of path: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await Saves(context).publishDeletion(of: path, options)
    }

    /// See ``Saves/refresh(_:_:)``.
    package func refresh(
        _ path: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await Saves(context).refresh(path, options)
    }

    /// See ``Deletions/delete(_:recursive:_:)``.
    package func delete(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await Deletions(context).delete(paths, recursive: recursive, options)
    }

    /// See ``Deletions/deleteInStore(_:recursive:_:)``.
    package func deleteInStore(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await Deletions(context).deleteInStore(paths, recursive: recursive, options)
    }

    /// See ``Renames/move(_:_:)``.
    package func move(
        _ renames: [PathRename], _ options: SyncOptions
    ) async throws -> SyncReport {
        try await Renames(context).move(renames, options)
    }

    /// See ``Saves/load(_:isOffline:_:_:)``.
    package func load(
        _ path: RelativePath, isOffline: Bool, _ options: SyncOptions,
        _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> LoadReport {
        try await Saves(context).load(path, isOffline: isOffline, options, body)
    }
}

/// Conflicts: see ``Conflicts``.
extension Replica {
    /// See ``Conflicts/open()``.
    package func conflicts() throws -> [OpenConflict] { try Conflicts(context).open() }

    /// See ``Conflicts/withBases(_:)``.
    package func withBases(_ conflicts: [OpenConflict]) async throws -> [OpenConflict] {
        try await Conflicts(context).withBases(conflicts)
    }

    /// See ``Conflicts/present(_:at:limit:)``.
    package func present(_ entry: Entry, at place: RelativePath, limit: Int) throws -> [UInt8]? {
        try Conflicts(context).present(entry, at: place, limit: limit)
    }

    /// See ``Conflicts/contentInPlace(of:)``.
    package func contentInPlace(of path: RelativePath) throws -> ContentID? {
        try Conflicts(context).contentInPlace(of: path)
    }

    /// See ``Conflicts/resolve(_:_:of:_:)``.
    package func resolve(
        _ path: RelativePath, _ choice: ConflictChoice, of scope: ConflictScope = .only,
        _ options: SyncOptions
    ) async throws -> SyncReport {
        try await Conflicts(context).resolve(path, choice, of: scope, options)
    }

    /// See ``Conflicts/unresolve(_:_:)``.
    package func unresolve(
        _ path: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await Conflicts(context).unresolve(path, options)
    }
}

/// History: see ``History`` and ``Restores``.
extension Replica {
    /// See ``History/commits(limit:inside:only:listing:where:)``.
    package func commits(
        limit: Int?, inside folder: RelativePath? = nil, only number: UInt64? = nil,
        listing listed: Int = CommitSummary.usualLength,
        where isWanted: (@Sendable (Timestamp, Device) -> Bool)? = nil
    ) async throws -> [CommitSummary] {
        try await History(context).commits(
            limit: limit, inside: folder, only: number, listing: listed, where: isWanted)
    }

    /// See ``History/versions(of:)``.
    package func history(of path: RelativePath) async throws -> [PathVersion] {
        try await History(context).versions(of: path)
    }

    /// See ``History/tree(at:of:)``.
    package func tree(
        at point: HistoryPoint, of paths: [RelativePath]
    ) async throws -> TreeAtPoint {
        try await History(context).tree(at: point, of: paths)
    }

    /// See ``History/show(_:in:_:)``.
    package func show(
        _ path: RelativePath, in tree: TreeAtPoint,
        _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        try await History(context).show(path, in: tree, body)
    }

    /// See ``History/show(content:_:)``.
    package func show(
        content: ContentID, _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        try await History(context).show(content: content, body)
    }

    /// The settings by which a merge at this path decides.
    package func mergeSettings(of path: RelativePath) throws -> MergeSettings {
        try RulesReader(context).runRules(SyncOptions()).merging(path)
    }

    /// See ``Journal/explain(_:)``.
    package func explain(_ path: RelativePath) async throws -> Explanation {
        try await Journal(context).explain(path)
    }

    /// See ``Restores/restore(_:from:_:)``.
    package func restore(
        _ path: RelativePath, from tree: TreeAtPoint, _ options: SyncOptions
    ) async throws -> RestoreReport {
        try await Restores(context).restore(path, from: tree, options)
    }

    /// See ``ManyRestores/restore(_:_:)``.
    package func restore(
        _ points: [PathAtPoint], _ options: SyncOptions
    ) async throws -> RestoreReport {
        try await ManyRestores(context).restore(points, options)
    }

    /// See ``Restores/undelete(_:_:)``.
    package func undelete(
        _ path: RelativePath, _ options: SyncOptions
    ) async throws -> RestoreReport {
        try await Restores(context).undelete(path, options)
    }

    /// See ``Undeletions/undelete(_:_:)``.
    package func undelete(
        _ paths: [RelativePath], _ options: SyncOptions
    ) async throws -> RestoreReport {
        try await Undeletions(context).undelete(paths, options)
    }

    /// See ``UnsentDeletions/find()``.
    package func unsentDeletions() async throws -> [UnsentDeletion] {
        try await UnsentDeletions(context).find()
    }

    /// See ``UnsentDeletions/bringBack(_:before:_:)``.
    package func bringBack(
        _ deletions: [UnsentDeletion], before later: [RelativePath] = [], _ options: SyncOptions
    ) async throws -> RestoreReport {
        try await UnsentDeletions(context).bringBack(deletions, before: later, options)
    }

    /// See ``Restores/export(_:write:)``.
    package func export(
        _ tree: TreeAtPoint,
        write: @escaping @Sendable (RelativePath, Entry, [UInt8]?) throws -> Void
    ) async throws -> RestoreReport {
        try await Restores(context).export(tree, write: write)
    }
}

/// State: see ``ReplicaStatus``, ``Devices``, ``Trust`` and ``StoreVerification``.
extension Replica {
    /// See ``ReplicaStatus/report()``.
    package func status() throws -> StatusReport { try ReplicaStatus(context).report() }

    /// See ``LocalStateScan/find()``.
    package func localState() async throws -> LocalState? {
        try await LocalStateScan(context).find()
    }

    /// See ``ReplicaStatus/list(_:)``.
    package func list(_ paths: [RelativePath]) throws -> [(RelativePath, VersionedEntry)] {
        try ReplicaStatus(context).list(paths)
    }

    /// See ``ReplicaStatus/listUnheld(_:)``.
    package func listUnheld(_ paths: [RelativePath]) throws -> [(RelativePath, VersionedEntry)] {
        try ReplicaStatus(context).listUnheld(paths)
    }

    /// See ``ReplicaStatus/listIgnored(_:)``.
    package func listIgnored(_ paths: [RelativePath]) throws -> [(RelativePath, VersionedEntry)] {
        try ReplicaStatus(context).listIgnored(paths)
    }

    /// See ``ReplicaStatus/deleted(_:)``.
    package func deleted(_ paths: [RelativePath]) throws -> [DeletedPath] {
        try ReplicaStatus(context).deleted(paths)
    }

    /// Where the file of a path is that was renamed; nil if it was not, or that is not known.
    package func place(ofRenamed path: RelativePath) throws -> RenamedPlace? {
        try context.manifest.place(ofRenamed: path)
    }

    /// See ``ReplicaStatus/metrics()``.
    package func metrics() throws -> ReplicaMetrics { try ReplicaStatus(context).metrics() }

    /// See ``Devices/list()``.
    package func devices() async throws -> [DeviceReport] { try await Devices(context).list() }

    /// See ``Devices/forget(_:)``.
    @discardableResult
    package func forgetDevice(_ name: String) async throws -> Bool {
        try await Devices(context).forget(name)
    }

    /// See ``Trust/report()``.
    package func trust() throws -> TrustReport { try Trust(context).report() }

    /// See ``Trust/set(_:)``.
    package func setTrust(_ isTrusted: Bool) throws -> TrustReport {
        try Trust(context).set(isTrusted)
    }

    /// See ``StoreUsage/paths(_:depth:history:)``.
    package func usage(
        of paths: [RelativePath], depth: Int, history: Bool
    ) async throws -> PathUsageReport {
        try await StoreUsage(context).paths(paths, depth: depth, history: history)
    }

    /// See ``StoreUsage/statistics()``.
    package func statistics() async throws -> StoreStatistics {
        try await StoreUsage(context).statistics()
    }

    /// See ``StoreVerification/check(_:progress:)``.
    package func check(
        _ data: CheckedData, progress: (@Sendable (Progress) -> Void)?
    ) async throws -> CheckReport {
        try await StoreVerification(context).check(data, progress: progress)
    }

    /// See ``StoreRepair/repair(forgetting:_:)``.
    package func repair(
        forgetting forgets: Bool = false, _ progress: (@Sendable (Progress) -> Void)?
    ) async throws -> RepairReport {
        try await StoreRepair(context).repair(forgetting: forgets, progress)
    }

    /// See ``RulesReader/pruneRules()``.
    package func pruneRules() throws -> [PruneKey: Int64] {
        try RulesReader(context).pruneRules()
    }

    /// See ``StorePrune/prune(_:recompresses:isDryRun:_:)``.
    package func prune(
        _ policy: RetentionPolicy, recompresses: Bool = false, isDryRun: Bool,
        _ progress: (@Sendable (Progress) -> Void)?
    ) async throws -> PruneReport {
        try await StorePrune(context).prune(
            policy, recompresses: recompresses, isDryRun: isDryRun, progress)
    }

    /// Gives a replica a new device id: see ``DeviceIdentity/renew(insteadOf:)``.
    package static func renewDevice(
        _ options: ReplicaOptions, insteadOf former: [UInt8]
    ) async throws -> Device {
        let context = try await ReplicaContext.open(options, writable: true)
        defer { context.close() }
        return try DeviceIdentity(context).renew(insteadOf: former)
    }
}

/// Events: see ``Events``.
extension Replica {
    /// See ``Events/startingPoint(of:)``.
    package func startingPoint(of scope: EventScope) async throws -> (
        waiting: [(path: RelativePath, entry: Entry)], token: EventToken
    ) {
        try await Events(context).startingPoint(of: scope)
    }

    /// Performs an operation of a part that has no method here.
    func perform<Part: ReplicaPart, Result: Sendable>(
        _ part: Part.Type, _ operation: @Sendable (Part) async throws -> Result
    ) async throws -> Result {
        try await operation(Part(context))
    }
}
