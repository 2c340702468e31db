import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem
import Glibc

/// Removes the packs at the remote that no commit names: those of killed runs that will not go on, and those that a
/// prune has retired and could not remove.
///
/// A pack that no commit names may belong to a run that is about to name it. So it is retired by a commit, as any
/// other: a commit that names it either comes before that one, and is then read here, or its writer has read that the
/// pack is retired, and stores again what was in it. Nothing can be lost thereby, whatever clocks show.
///
/// What this device has stored itself goes at once when it is no longer wanted: nobody else would ever name it; see
/// ``UnwantedUpload``.
///
/// To be stored again is a waste, though. So a prune first notes the packs that it finds, and a later one retires those
/// whose writers have had their chance: every device that has acknowledged a commit has published or acknowledged a later
/// one since.
struct UnnamedPacks: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// The most packs that one commit retires.
    static let packsPerCommit = 4096

    typealias ReachedPosition = (device: Device, position: UInt64)

    /// What a listing has shown.
    struct Found {
        /// The sizes of the packs that no commit and no record of this replica names.
        var unnamed: [[UInt8]: Int64] = [:]
        /// The sizes of those that the next commit of this replica names.
        var own: [[UInt8]: Int64] = [:]
        /// Retired packs that are still there.
        var left: [ObjectKey] = []

        var ids: [[UInt8]] { Self.ids(unnamed) }
        var ownIDs: [[UInt8]] { Self.ids(own) }

        private static func ids(_ sizes: [[UInt8]: Int64]) -> [[UInt8]] {
            sizes.keys.sorted { $0.lexicographicallyPrecedes($1) }
        }
    }

    /// Adds to a report what ``sweep(_:_:_:)`` would do.
    func plan(
        _ log: LogCheck, _ connection: ZoneConnection, _ report: inout PruneReport
    ) async throws {
        let found = try await find(log, connection)
        let note = try UnnamedPacksNote.read(state, config.store)
        let reached = try await reached(log, connection.devices, for: found)
        let due = due(found.ids, note: note, reached)
        let gone = try await due + UnwantedUpload(replica).packs(found.own, connection)
        report.removedPacks += found.left.count
        report.removedUnnamedPacks = gone.count
        report.freedBytes += gone.reduce(0) { $0 + (found.unnamed[$1] ?? found.own[$1] ?? 0) }
        reportWaiting(found, without: Set(gone), note, log, reached, &report)
    }

    /// Removes the packs that are retired, and those that no commit names and whose devices had the time to name them.
    /// Notes the others.
    ///
    /// - Throws: What the remote throws, and code `corrupt` for a damaged commit.
    func sweep(
        _ log: inout LogCheck, _ connection: ZoneConnection, _ report: inout PruneReport
    ) async throws {
        var note = try UnnamedPacksNote.read(state, config.store)
        let found = try await find(log, connection)
        for key in found.left { try await connection.remote.delete(key) }
        report.removedPacks += found.left.count
        let unwanted = try await UnwantedUpload(replica).packs(found.own, connection)
        let reached = try await reached(log, connection.devices, for: found)
        var due = (due(found.ids, note: note, reached) + unwanted)[...]
        while !due.isEmpty {
            let step = Array(due.prefix(Self.packsPerCommit))
            due = due.dropFirst(step.count)
            for id in try await retire(step, &log, in: zone) {
                try await connection.remote.delete(key(id))
                report.removedUnnamedPacks += 1
                report.freedBytes += found.unnamed[id] ?? found.own[id] ?? 0
            }
        }
        // The next run would not find them, and forget them then.
        try sync.unpublishedPacksFile.update(removing: Set(unwanted))
        let named = known(log)
        let left = found.unnamed.keys.filter { !named.contains($0) }
        note.keep(Set(left), foundAt: log.view.token.sequence)
        try note.write(state)
        reportWaiting(found, without: named.union(unwanted), note, log, reached, &report)
    }

    /// Removes packs that this replica has stored and that no commit names, before its next one does. No other device has
    /// ever named them, and the replica is locked: none of its runs is about to.
    func discard(_ ids: [[UInt8]], _ connection: ZoneConnection) async throws {
        for id in ids { try await connection.remote.delete(key(id)) }
        try sync.unpublishedPacksFile.update(removing: Set(ids))
    }

    /// Adds to a report what stays, and for whom.
    private func reportWaiting(
        _ found: Found, without gone: Set<[UInt8]>, _ note: UnnamedPacksNote, _ log: LogCheck,
        _ reached: [ReachedPosition], _ report: inout PruneReport
    ) {
        let left = found.unnamed.filter { !gone.contains($0.key) }
        let own = found.own.filter { !gone.contains($0.key) }
        report.waitingUnnamedPacks = left.count
        report.waitingUnnamedBytes = left.values.reduce(0, +)
        report.ownUnnamedPacks = own.count
        report.ownUnnamedBytes = own.values.reduce(0, +)
        guard !left.isEmpty else { return }
        let end = log.view.token.sequence
        let last = left.keys.map { note.positions[$0] ?? end }.max() ?? end
        report.awaitedDevices = reached.filter { $0.position <= last }.map(\.device.name).sorted()
    }

    func key(_ id: [UInt8]) throws -> ObjectKey {
        try ObjectKey(PackReference.keyText(of: id))
    }

    /// The packs that commits name, those that are retired, and those that this replica's next commit names.
    private func known(_ log: LogCheck) -> Set<[UInt8]> {
        log.view.retired.union(log.view.packs.lazy.map(\.pack.id))
    }

    func find(_ log: LogCheck, _ connection: ZoneConnection) async throws -> Found {
        var found = Found()
        let known = known(log)
        let own = Set(try sync.unpublishedPacksFile.load().map(\.pack.id))
        try await connection.remote.listPages(prefix: "packs/") { page in
            for object in page {
                guard let id = PackReference.id(in: object.key) else { continue }
                if log.view.retired.contains(id) {
                    found.left.append(object.key)
                } else if own.contains(id), !known.contains(id) {
                    found.own[id] = object.size
                } else if !known.contains(id) {
                    found.unnamed[id] = object.size
                }
            }
        }
        return found
    }

    /// Those of the packs that no device is about to name, as far as that is known.
    func due(
        _ ids: [[UInt8]], note: UnnamedPacksNote, _ reached: [ReachedPosition]
    ) -> [[UInt8]] {
        guard replica.options.sparesUnnamedPacks else { return ids }
        return ids.filter { id in
            guard let position = note.positions[id] else { return false }
            return reached.allSatisfy { $0.position > position }
        }
    }

    /// Reads the devices once, and only if there are packs that one of them might name.
    private func reached(
        _ log: LogCheck, _ devices: DeviceRegistry, for found: Found
    ) async throws -> [ReachedPosition] {
        found.unnamed.isEmpty ? [] : try await reached(log, devices)
    }

    /// The last commit that each other device is known to have read. What this one has stored is in a record of its own.
    ///
    /// - Parameter devices: Those of the zone of the log.
    func reached(
        _ log: LogCheck, _ devices: DeviceRegistry
    ) async throws -> [ReachedPosition] {
        let published = log.view.authors.items
        return try await devices.all().filter { $0.device.id != config.device.id }.map {
            ($0.device, max($0.token.sequence, published[$0.device.id]?.sequence ?? 0))
        }
    }

    /// Publishes that packs are retired, directly after the last commit.
    ///
    /// - Parameter client: That of the zone of the log.
    /// - Returns: Those that are retired: without the ones that a commit has named meanwhile.
    func retire(
        _ ids: [[UInt8]], _ log: inout LogCheck, in client: ZoneClient
    ) async throws -> [[UInt8]] {
        var lostRaces = 0
        while true {
            let known = known(log)
            let retired = ids.filter { !known.contains($0) }
            guard !retired.isEmpty else { return [] }
            let end = log.view.token.sequence
            var draft = CommitDraft(
                device: config.device, time: systemContext.now(), changes: [],
                operation: Commit.prune)
            // No version is dropped by it.
            draft.pruning = Pruning(
                retired: retired, kept: KeptVersions(trees: end > 0 ? [1...end] : []))
            if try await client.publish(draft, after: log.view.token).commit() != nil {
                try await log.readOn()
                return retired
            }
            lostRaces += 1
            try await sync.pause(afterLosing: lostRaces)
            try await log.readOn()
        }
    }
}

/// The packs that prunes of this replica have found and that no commit named, each with the end of the log at that
/// time.
///
/// A lost note costs time: the packs are removed by a later prune.
struct UnnamedPacksNote: Equatable {
    /// The id of the store.
    let store: [UInt8]
    /// The last commit when a prune first found the pack, by the pack's id.
    private(set) var positions: [[UInt8]: UInt64] = [:]

    /// So many packs are noted, so that the note can be read as a whole.
    private static let limit = 100_000

    init(store: [UInt8]) { self.store = store }

    /// Reads a note; skips malformed lines, and those of another store.
    init(_ bytes: [UInt8], store: [UInt8]) {
        self.store = store
        for words in bytes.noteLines where words.count == 3 {
            guard FilesinkiModel.bytes(hexadecimal: words[0]) == store,
                let id = FilesinkiModel.bytes(hexadecimal: words[1]),
                id.count == PackReference.idLength, let position = UInt64(words[2])
            else { continue }
            positions[id] = position
        }
    }

    var bytes: [UInt8] {
        let lines = positions.map { "\(hexadecimal(store)) \(hexadecimal($0)) \($1)\n" }
        return Array(lines.sorted().joined().utf8)
    }

    /// Forgets all packs but these, and adds those that are new.
    mutating func keep(_ ids: Set<[UInt8]>, foundAt position: UInt64) {
        positions = positions.filter { ids.contains($0.key) }
        for id in ids where positions[id] == nil && positions.count < Self.limit {
            positions[id] = position
        }
    }

    /// - Parameter zone: The zone of the packs; nil for that of files.
    static func read(
        _ state: StateFolder, _ store: [UInt8], zone: String? = nil
    ) throws(Failure) -> UnnamedPacksNote {
        guard let bytes = try StateFile.read(state.unnamedPacks(of: zone)) else {
            return UnnamedPacksNote(store: store)
        }
        return UnnamedPacksNote(bytes, store: store)
    }

    func write(_ state: StateFolder, zone: String? = nil) throws(Failure) {
        let path = state.unnamedPacks(of: zone)
        if positions.isEmpty {
            unlink(path)
        } else {
            try StateFile.replace(path, with: bytes)
        }
    }
}
