import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiRules
import FilesinkiStore
import FilesinkiSystem

/// What the client of the files' zone remembers: the store in the replica's configuration, position and
/// numbers in the manifest, and the own commits in a note beside it, which outlives a lost manifest.
final class FilesMemory: ZoneMemory {
    let manifest: ManifestDatabase
    private let state: StateFolder
    var config: ReplicaConfig
    /// Whether the replica is locked for this process.
    var isWritable: Bool

    init(
        _ manifest: ManifestDatabase, _ state: StateFolder, config: ReplicaConfig, isWritable: Bool
    ) {
        self.manifest = manifest
        self.state = state
        self.config = config
        self.isWritable = isWritable
    }

    var device: Device { config.device }

    var store: KnownStore? {
        config.store.isEmpty ? nil : KnownStore(id: config.store, epoch: config.epoch)
    }

    var position: LogPosition? {
        get throws {
            try manifest.token.map {
                LogPosition($0, storedHeader: try manifest.storedHeader(of: $0))
            }
        }
    }

    func remember(_ store: KnownStore) throws {
        config.store = store.id
        config.epoch = store.epoch
        if isWritable { try saveConfig() }
    }

    func saveConfig() throws(Failure) {
        try StateFile.replace(state.config, with: Array(config.text.utf8))
    }

    func number(_ counter: ZoneCounter) throws -> UInt64 {
        try manifest.counter(counter.rawValue)
    }

    func set(_ numbers: [ZoneCounter: UInt64]) throws {
        try manifest.write { try $0.set(numbers) }
    }
}

// Own commits.
extension FilesMemory {
    func recordOwn(_ commit: OwnCommit) throws {
        var note = try publishingNote()
        if let position = try basePosition() { note.move(to: position) }
        note.add(commit)
        try write(note)
    }

    func recordedOwn(_ commits: [OwnCommit]) throws -> [OwnCommit] {
        guard !commits.isEmpty else { return [] }
        let note = try publishingNote()
        return commits.filter { note.names($0.sequence, $0.id) }
    }

    /// Notes the position of the base, unless the commits of this replica imply it. Call it after the
    /// manifest has recorded the position.
    func noteBasePosition() throws {
        guard let position = try basePosition() else { return }
        var note = try publishingNote()
        guard !note.covers(position) else { return }
        note.move(to: position)
        try write(note)
    }

    /// Durably forgets what a lost manifest would be recovered from. Call it before paths leave the base
    /// that stay in the remote tree: recovered, they would be taken for deleted here.
    ///
    /// The commits that the manifest has not recorded yet stay as they are.
    func forgetBasePosition() throws {
        let former = try publishingNote()
        var note = former
        note.forgetBase(upTo: try manifest.token?.sequence ?? .max)
        guard note != former else { return }
        try StateFile.replace(state.publishing, with: note.bytes)
    }

    /// As ``forgetBasePosition()``, before the replica holds other paths. If the manifest is lost, nothing leaves its base,
    /// and what is noted stays: without it, what others have deleted of it might come back. What was not held is left out.
    ///
    /// - Parameter choice: What the replica has held until now; nil for everything.
    func noteChange(of choice: PathChoice?) throws {
        guard try manifest.token == nil else { return try forgetBasePosition() }
        let former = try publishingNote()
        guard let choice, former != PublishingNote() else { return }
        var note = former
        note.leaveOut(outside: choice)
        if note != former { try StateFile.replace(state.publishing, with: note.bytes) }
    }

    /// Durably forgets the commits that were noted of a store. Call it before the manifest forgets the store.
    func forgetPublishing() throws {
        try StateFile.replace(state.publishing, with: [])
    }

    func publishingNote() throws -> PublishingNote {
        try StateFile.read(state.publishing).map { PublishingNote($0) } ?? PublishingNote()
    }

    private func write(_ note: PublishingNote) throws {
        try StateFile.replace(state.publishing, with: note.bytes, durable: false)
    }

    /// The position of the base; nil before the first fetch, and if more paths are open than a note holds.
    private func basePosition() throws -> PublishingNote.Position? {
        guard let token = try manifest.token,
            try manifest.remoteCount() <= PublishingNote.maximumOpen
        else { return nil }
        let open = try manifest.loadRemote().map(\.path).sorted()
        var bases: [RelativePath: VersionedEntry] = [:]
        for path in open {
            guard let row = try manifest.base(path) else { continue }
            bases[path] = VersionedEntry(row.entry, version: row.version)
        }
        return PublishingNote.Position(token: token, open: open, bases: bases)
    }

    func checkpoint(at token: ChangeToken) throws -> CheckpointSource? {
        let checkpoint = try FilesCheckpoint(manifest)
        return CheckpointSource(minimumEntries: try manifest.baseCount()) {
            try checkpoint.next()
        }
    }
}

extension Zone {
    /// The name of the one zone of files.
    package static let filesName = "files"

    /// - Parameters:
    ///   - limits: The limits of published commits.
    ///   - checkpointInterval: The number of commits between two checkpoints.
    static func files(
        _ limits: CommitLimits, checkpointInterval: UInt64 = CheckpointSchedule.interval
    ) -> Zone {
        Zone(
            name: filesName, carriesContents: false, limits: limits,
            checkpointInterval: checkpointInterval,
            remedyForOther:
                "Nothing was changed. See its address with filesinki remote show; to accept it, "
                + "run filesinki sync and follow its instructions.",
            remedyForMissing:
                "To continue without them, run filesinki sync and follow its instructions.")
    }
}
