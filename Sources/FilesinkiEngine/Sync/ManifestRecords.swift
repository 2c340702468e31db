import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

extension ManifestWriter {
    /// Records what both sides have at a path from now on.
    ///
    /// - Parameter former: What a deleted path held before.
    func agree(
        on agreed: VersionedEntry, at path: RelativePath, former: [ContentID], stamp: FileStamp?
    ) throws {
        try removeRemote(path)
        if agreed.entry.kind == .tombstone {
            try removeBase(path)
            try putTombstone(
                TombstoneRow(path: path, version: agreed.version, contents: former))
        } else {
            try removeTombstone(path)
            try putBase(
                BaseRow(path: path, entry: agreed.entry, version: agreed.version, stamp: stamp))
        }
    }

    /// Records a remote change that waits for a run, with what the path had held before.
    func putRemote(_ path: RelativePath, _ change: RemoteChange) throws {
        try putRemote(RemoteRow(path: path, entry: change.entry, movedFrom: change.movedFrom))
        guard !change.identities.isEmpty else { return }
        try putTombstone(TombstoneRow(path, change))
    }

    /// Takes a path out of the base that this replica leaves alone from now on: what the store has there waits, or a
    /// later change of it. A waiting change keeps what the path had before, by which a stale copy is told from an edit.
    func takeOutOfBase(_ row: BaseRow, _ manifest: ManifestDatabase) throws {
        try removeBase(row.path)
        guard let waiting = try manifest.remote(row.path) else {
            let entry = VersionedEntry(row.entry, version: row.version)
            return try putRemote(RemoteRow(path: row.path, entry: entry, movedFrom: nil))
        }
        guard let identity = row.entry.identity, identity != waiting.entry.entry.identity else {
            return
        }
        let known = try manifest.tombstone(row.path)
        let version = waiting.entry.version
        let contents = known?.version == version ? known?.contents ?? [] : []
        try putTombstone(
            TombstoneRow(
                path: row.path, version: version,
                contents: TombstoneRow.sorted(Set(contents + [identity]))))
    }

    /// Records where the contents are that were fetched with a view, and forgets the packs that were retired.
    func addContents(of view: RemoteView, _ manifest: ManifestDatabase) throws {
        for pack in view.retired { try removePack(pack) }
        if view.pruned > 0 { try setCounter(ManifestDatabase.prunedCounter, view.pruned) }
        if view.ended > 0 { try endTombstones(view.ended) }
        if !view.lost.isEmpty { try setLost(manifest.lost.union(view.lost)) }
        if let fetched = view.fetched, fetched.extent != .changes {
            try setCounter(ManifestDatabase.unlistedContentsCounter, fetched.checkpoint)
        }
        for (pack, sequence) in view.packs { try addPack(pack.manifestRow(sequence)) }
        for (content, sequence) in view.inline { try addInline(content, sequence: sequence) }
    }

    /// Forgets the tombstones that have ended.
    private func endTombstones(_ last: UInt64) throws {
        try removeTombstones(upTo: last)
        try setCounter(ManifestDatabase.endedCounter, last)
    }

    /// Records local changes that wait for the remote.
    func recordWaiting(_ observation: Observation) throws {
        for row in observation.refreshed { try putBase(row) }
        for (path, change) in observation.changes {
            try putWaiting(path, change, observation)
        }
    }

    /// Records a local change that waits for the remote.
    func putWaiting(
        _ path: RelativePath, _ change: LocalChange, _ observation: Observation
    ) throws {
        try putLocal(
            LocalRow(
                path: path, entry: change.entry, stamp: observation.settledStamp(path),
                movedFrom: change.movedFrom))
        guard change.isSaved, let content = change.entry?.content else { return }
        try setValue(SyncEngine.savedKey(path), content.bytes)
    }

    /// Removes a local change that is published.
    func removeWaiting(_ path: RelativePath, _ change: LocalChange?) throws {
        try removeLocal(path)
        if change?.isSaved == true { try setValue(SyncEngine.savedKey(path), nil) }
    }

    func setRootDevice(_ number: UInt64) throws { try setCounter("root-device", number) }

    func set(_ numbers: [ZoneCounter: UInt64]) throws {
        for (counter, number) in numbers {
            if number == 0 {
                try setValue(counter.rawValue, nil)
            } else {
                try setCounter(counter.rawValue, number)
            }
        }
    }

    /// Forgets everything about the store, so that it or another one is synced as for the first time.
    func forgetStore() throws {
        try clearTrees()
        try setToken(nil)
        for counter in ZoneCounter.allCases { try setValue(counter.rawValue, nil) }
        for name in ManifestDatabase.storeValues { try setValue(name, nil) }
        try setLastDeviceCommits(LastDeviceCommits())
    }

    /// Records the position in the log.
    ///
    /// - Parameter storedHeader: See ``FilesinkiStore/Commit/storedHeader``; empty where it is not known.
    func setTip(_ token: ChangeToken, _ storedHeader: [UInt8]) throws {
        try setToken(token)
        if !storedHeader.isEmpty { try setValue("tip", token.tipName + storedHeader) }
    }

    func setCounter(_ name: String, _ number: UInt64) throws {
        try setValue(name, Array(String(number).utf8))
    }
}

extension ManifestDatabase {
    /// The device that the root was on when all of it was last seen; nil when that is not known.
    var rootDevice: UInt64? {
        get throws {
            let number = try counter("root-device")
            return number == 0 ? nil : number
        }
    }

    fileprivate static let prunedCounter = "pruned"
    fileprivate static let endedCounter = "ended-tombstones"

    /// The name of the checkpoint that this replica began with.
    fileprivate static let unlistedContentsCounter = "unlisted-contents"

    /// The values that say something about the store.
    fileprivate static let storeValues =
        [
            prunedCounter, endedCounter, lostName, unreadDeletionsCounter, unreadVersionsCounter,
            unlistedContentsCounter, emptiedRootName, arrivalsName,
        ] + moveValues

    /// The last commit of a prune that was read; 0 for none. Before it, a content that the history names may be gone.
    var pruned: UInt64 {
        get throws { try counter(Self.prunedCounter) }
    }

    /// Up to which commit contents of old versions may lie in commits without being listed here: the checkpoint that the
    /// replica began with, 0 for none. A manifest of an earlier program does not tell.
    var unlistedContents: UInt64 {
        get throws {
            guard try value(Self.unlistedContentsCounter) != nil else {
                return try token?.sequence ?? 0
            }
            return try counter(Self.unlistedContentsCounter)
        }
    }

    /// Up to which commit tombstones have ended; 0 for none.
    var endedTombstones: UInt64 {
        get throws { try counter(Self.endedCounter) }
    }

    /// The stored header of the commit that a token names; empty where it is not known.
    func storedHeader(of token: ChangeToken) throws -> [UInt8] {
        let name = token.tipName
        guard let tip = try value("tip"), tip.starts(with: name) else { return [] }
        return Array(tip.dropFirst(name.count))
    }

    /// A number that is kept under a name; 0 before it was first set.
    func counter(_ name: String) throws -> UInt64 {
        guard let bytes = try value(name) else { return 0 }
        return UInt64(String(decoding: bytes, as: UTF8.self)) ?? 0
    }
}

extension TombstoneRow {
    /// What is known of a path that the remote deleted.
    init(_ path: RelativePath, _ change: RemoteChange) {
        self.init(
            path: path, version: change.entry.version,
            contents: Self.sorted(change.identities))
    }

    static func sorted(_ contents: Set<ContentID>) -> [ContentID] {
        contents.sorted { $0.description < $1.description }
    }
}

extension ChangeToken {
    /// Identifies the commit that a stored header belongs to.
    fileprivate var tipName: [UInt8] { Array("\(sequence) ".utf8) + hash.bytes }
}

extension PackReference {
    init(row: PackRow) {
        self.init(id: row.id, size: row.size, indexHash: row.indexHash)
    }

    /// The row that the manifest keeps of the pack, with the commit that named it.
    func manifestRow(_ sequence: UInt64) -> PackRow {
        PackRow(id: id, size: size, indexHash: indexHash, sequence: sequence)
    }
}
