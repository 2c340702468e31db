import FilesinkiEncryption
import FilesinkiFileSystem
import FilesinkiLiveDatabase
import FilesinkiManifest
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

/// The open files of a replica, shared by the parts of the engine: the root, the manifest and the
/// client of the store.
///
/// Not Sendable: a ``Replica`` owns it, and all parts run on that actor.
final class ReplicaContext {
    let options: ReplicaOptions
    let state: StateFolder
    let root: RootFolder
    let manifest: ManifestDatabase
    let memory: FilesMemory
    /// The client of the zone of files.
    let zone: ZoneClient
    /// Nil while the replica is read-only.
    private(set) var lock: ReplicaLock?
    /// The conflict copies that the reports of the current command list; see
    /// ``SyncEngine/reporting(_:)``.
    var reportedCopies: [RelativePath] = []
    /// The same of what its runs have begun to withhold.
    var reportedWithheld: Set<RelativePath> = []

    init(
        options: ReplicaOptions, root: RootFolder, manifest: sending ManifestDatabase,
        config: ReplicaConfig, lock: ReplicaLock?
    ) {
        self.options = options
        state = options.stateFolder
        self.root = root
        self.manifest = manifest
        self.lock = lock
        let memory = FilesMemory(
            manifest, options.stateFolder, config: config, isWritable: lock != nil)
        self.memory = memory
        zone = ZoneClient(
            .files(options.commitLimits, checkpointInterval: options.checkpointInterval),
            memory: memory, systemContext: options.systemContext
        ) { try options.openRemote(memory.config) }
    }

    /// Sets or releases the lock that allows changes.
    func setLock(_ lock: ReplicaLock?) {
        self.lock = lock
        memory.isWritable = lock != nil
    }

    /// Releases the lock and the connection; the value cannot be used afterwards.
    func close() {
        setLock(nil)
        zone.disconnect()
    }

    /// Opens a replica; see ``Replica/open(_:writable:)``.
    static func open(
        _ options: ReplicaOptions, writable: Bool
    ) async throws -> sending ReplicaContext {
        let state = options.stateFolder
        let config = try ReplicaConfig.read(options)
        let root = try RootFolder(
            path: options.root,
            live: LiveAdapter(scratch: state.staging, headers: state.databases),
            sharesStore: { ReplicaConfig(bytes: $0)?.sharesStore(with: config) == true })
        try checkMarker(root, config, options)
        var lock: ReplicaLock?
        if writable {
            lock = try await ReplicaLock.acquire(
                state.lock, waiting: options.lockWait, sleep: options.systemContext.sleep)
            // Clean up after a killed run: a user's file that it had taken out is restored.
            try Staging(root: root, folder: state.staging).clear()
        }
        let manifest = try openManifest(state, writable: writable)
        let context = ReplicaContext(
            options: options, root: root, manifest: manifest, config: config, lock: lock)
        if writable {
            try SyncEngine(context).recordWritten()
            try PartialReplica(context).finish()
        }
        return context
    }

    /// Opens a replica for changes if no other process holds it; nil if one does.
    static func openIfFree(_ options: ReplicaOptions) async throws -> sending ReplicaContext? {
        var options = options
        options.lockWait = .zero
        do {
            return try await open(options, writable: true)
        } catch let failure as Failure where failure.code == .busy {
            return nil
        }
    }

    /// A root without its marker is an unmounted disk or an emptied folder. It is never treated as
    /// a deletion of its files.
    private static func checkMarker(
        _ root: RootFolder, _ config: ReplicaConfig, _ options: ReplicaOptions
    ) throws {
        switch try config.checkMarker(of: root) {
        case .ok: return
        case .missing:
            throw Failure(
                .io, path: options.root,
                "The folder has lost its marker: it may be an unmounted disk or an emptied folder.",
                remedy: "Mount it; if it is the right folder, run filesinki init there again.")
        case .other:
            throw Failure(
                .io, path: options.root, "The folder belongs to another replica.",
                remedy: "Check --root and --state.")
        }
    }

    /// Opens the manifest. A damaged one is set aside and created anew, because it can be rebuilt
    /// from the log.
    private static func openManifest(
        _ state: StateFolder, writable: Bool
    ) throws -> sending ManifestDatabase {
        guard writable else { return try ManifestDatabase.openReadOnly(at: state.manifest) }
        let found = try openSound(state)
        // Damage found while opening is handled below.
        ManifestDatabase.clearDoubt(state.manifest)
        if let found { return found }
        try ManifestDatabase.setAside(state.manifest)
        return try ManifestDatabase.open(at: state.manifest, create: true)
    }

    /// Opens the manifest; nil if it is damaged. If an earlier run found damage, the whole file is
    /// verified.
    private static func openSound(_ state: StateFolder) throws -> sending ManifestDatabase? {
        do {
            let isDoubted = ManifestDatabase.isDoubted(state.manifest)
            let found = try ManifestDatabase.open(at: state.manifest, create: true)
            if isDoubted { try found.verify() }
            return found
        } catch {
            guard error.code == .corrupt else { throw error }
            return nil
        }
    }
}

/// A part of the engine: the operations of one kind of command on an open replica.
protocol ReplicaPart {
    var replica: ReplicaContext { get }

    init(_ replica: ReplicaContext)
}

extension ReplicaPart {
    var options: ReplicaOptions { replica.options }
    var state: StateFolder { replica.state }
    var root: RootFolder { replica.root }
    var manifest: ManifestDatabase { replica.manifest }
    var memory: FilesMemory { replica.memory }
    var zone: ZoneClient { replica.zone }
    var systemContext: SystemContext { replica.options.systemContext }

    /// The replica's identity and the address of its remote.
    var config: ReplicaConfig {
        get { replica.memory.config }
        nonmutating set { replica.memory.config = newValue }
    }

    /// Writes ``config`` durably.
    func saveConfig() throws(Failure) { try memory.saveConfig() }

    /// Connects to the store; see ``FilesinkiStore/ZoneClient/connected()``.
    func connected() async throws -> ZoneConnection { try await zone.connected() }
}

// Each part can use the others.
extension ReplicaPart {
    var sync: SyncEngine { SyncEngine(replica) }
    var rulesReader: RulesReader { RulesReader(replica) }
    var storedContents: Contents { Contents(replica) }
    var editor: RootEditor { RootEditor(replica) }
    var conflicts: Conflicts { Conflicts(replica) }
    var history: History { History(replica) }
    var journal: Journal { Journal(replica) }
    var status: ReplicaStatus { ReplicaStatus(replica) }
    var trust: Trust { Trust(replica) }
}

extension ReplicaOptions {
    /// Opens the remote of a configuration; its objects are sealed if the store is encrypted.
    ///
    /// - Throws: Code `not-found` if it has none, `not-allowed` if the key is missing, and what ``connect`` throws.
    func openRemote(_ config: ReplicaConfig) throws -> any Remote {
        guard let address = config.remote else { throw Failure.noRemote(of: root) }
        return try StoreKey.seal(
            connect(address), fingerprint: config.keyFingerprint, keyIn: stateFolder.storeKey,
            systemContext)
    }
}

/// Treats SQLite databases as live files of a root: they are copied by SQLite's own means while
/// programs use them.
struct LiveAdapter: LiveFiles {
    private let databases: LiveDatabases

    /// - Parameters:
    ///   - scratch: The folder for private copies. The next run that writes empties it.
    ///   - headers: The folder of what is known of databases' headers; nil to normalize them.
    init(scratch: String, headers: String? = nil) {
        databases = LiveDatabases(scratch: scratch, headers: headers)
    }

    func isLive(_ header: [UInt8]) -> Bool { LiveDatabases.isDatabase(header) }

    func snapshot(at path: String) throws(Failure) -> (any LiveSnapshot)? {
        guard let file = try databases.snapshot(of: path) else { return nil }
        return Snapshot(file: file)
    }

    func replace(
        _ path: String, with content: String, isExpected: (String) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        try databases.replace(path, with: content, isExpected: isExpected)
    }

    func willInstall(_ content: String) throws(Failure) { try databases.willInstall(content) }

    private struct Snapshot: LiveSnapshot {
        let file: ScratchFile

        var path: String { file.path }
    }
}
