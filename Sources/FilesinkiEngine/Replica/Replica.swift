import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiRemote
import FilesinkiRules
import FilesinkiStore
import FilesinkiSystem

/// One root together with its manifest: what every command works on.
///
/// The engine is the only one who both decides and acts. A replica is used by one task at a time;
/// the kernel lock that it holds keeps other processes out and dies with this one.
package actor Replica {
    let options: ReplicaOptions
    let state: StateFolder
    let root: RootFolder
    let manifest: ManifestDatabase
    let memory: FilesMemory
    /// The client of the zone of files.
    let zone: ZoneClient
    /// Nil when the replica was opened for reading only.
    private(set) var lock: ReplicaLock?
    /// The conflict copies in the reports of the runs of a command: see ``reporting(_:)``.
    var reportedCopies: [RelativePath] = []
    /// Which files these were when the replica was opened: see ``resume()``.
    let manifestStamp: FileStamp?
    let rootStamp: FileStamp?

    init(
        options: ReplicaOptions, root: RootFolder, manifest: sending ManifestDatabase,
        config: ReplicaConfig, lock: ReplicaLock?
    ) {
        self.options = options
        self.state = options.stateFolder
        self.root = root
        self.manifest = manifest
        self.lock = lock
        let memory = FilesMemory(
            manifest, options.stateFolder, config: config, isWritable: lock != nil)
        self.memory = memory
        zone = ZoneClient(
            .files(options.commitLimits), memory: memory, systemContext: options.systemContext
        ) { try options.openRemote(memory.config) }
        manifestStamp = FileStamp(at: state.manifest, followingSymlinks: true)
        rootStamp = FileStamp(at: options.root, followingSymlinks: true)
    }

    /// Takes, or lets go of, the right to change the replica.
    func hold(_ lock: ReplicaLock?) {
        self.lock = lock
        memory.isWritable = lock != nil
    }

    /// Lets other processes, and other values, at the replica; this one is of no use afterwards.
    ///
    /// The end of the value does the same, but nobody knows when the last task lets go of it.
    package func close() {
        hold(nil)
        zone.disconnect()
    }

    /// Who this replica is, and where its remote is.
    var config: ReplicaConfig {
        get { memory.config }
        set { memory.config = newValue }
    }

    /// This replica's device.
    package var device: Device { config.device }

    /// The id of the store that the replica has met, 16 bytes; empty before the first meeting.
    package var storeID: [UInt8] { config.store }

    /// The remote's address; nil while there is none.
    package var remoteAddress: String? { config.remote }

    var systemContext: SystemContext { options.systemContext }
}
