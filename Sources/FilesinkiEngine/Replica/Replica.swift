import FilesinkiFileSystem
package import FilesinkiModel
import FilesinkiStore
import FilesinkiSystem

/// A root folder together with its manifest: what every command works on.
///
/// One task at a time uses a replica. The kernel lock that it holds keeps other processes out and
/// is released when this process dies. The replica opens, locks and closes, and passes each
/// operation to the part of the engine that carries it out; see ``ReplicaPart``.
package actor Replica {
    let context: ReplicaContext
    /// The identities of the manifest and the root when the replica was opened; see ``resume()``.
    private let manifestStamp: FileStamp?
    private let rootStamp: FileStamp?

    init(_ context: sending ReplicaContext) {
        manifestStamp = FileStamp(at: context.state.manifest, followingSymlinks: true)
        rootStamp = FileStamp(at: context.options.root, followingSymlinks: true)
        self.context = context
    }

    /// Opens a replica.
    ///
    /// - Parameter writable: Whether the replica may be changed. If so, it is locked against other
    ///   processes until it is closed or the process ends. Readers never wait.
    /// - Throws: Code `not-found` if the folder is not a replica, `busy` if another process holds
    ///   the lock for longer than ``ReplicaOptions/lockWait``, `io` if the root is not the
    ///   replica's own.
    package static func open(_ options: ReplicaOptions, writable: Bool) async throws -> Replica {
        Replica(try await ReplicaContext.open(options, writable: writable))
    }

    /// Opens a replica for a save: writable if no other process holds it, else for reading; then
    /// ``save(_:_:content:)`` enqueues the save for the process that holds it.
    package static func openToSave(_ options: ReplicaOptions) async throws -> Replica {
        if let context = try await ReplicaContext.openIfFree(options) { return Replica(context) }
        do {
            return try await open(options, writable: false)
        } catch {
            // Another process may be initialising it right now.
            return try await open(options, writable: true)
        }
    }

    /// Releases the lock and the connection. The replica cannot be used afterwards.
    ///
    /// Deinitialisation does the same, but at an undefined time.
    package func close() { context.close() }

    /// Releases the lock until ``resume()``, so that other processes may change the replica.
    package func pause() { context.setLock(nil) }

    /// Acquires the lock again after ``pause()``.
    ///
    /// - Returns: Whether the replica is unchanged. If it is not, because another process
    ///   initialised it again, it must be closed and opened again.
    /// - Throws: As ``open(_:writable:)``.
    package func resume() async throws -> Bool {
        let options = context.options
        context.setLock(
            try await ReplicaLock.acquire(
                context.state.lock, waiting: options.lockWait, sleep: options.systemContext.sleep))
        guard try isUnchanged() else {
            context.setLock(nil)
            return false
        }
        try Staging(root: context.root, folder: context.state.staging).clear()
        try SyncEngine(context).recordWritten()
        try PartialReplica(context).finish()
        return true
    }

    private func isUnchanged() throws -> Bool {
        let config = context.memory.config
        guard let present = try ReplicaConfig.read(context.state), present.text == config.text,
            let manifest = FileStamp(at: context.state.manifest, followingSymlinks: true),
            manifestStamp?.isSameInode(as: manifest) == true,
            let root = FileStamp(at: context.options.root, followingSymlinks: true),
            rootStamp?.isSameInode(as: root) == true
        else { return false }
        return try config.checkMarker(of: context.root) == .ok
    }

    /// The device of this replica.
    package var device: Device { context.memory.config.device }

    /// The id of the replica's store, 16 bytes; empty before the first sync.
    package var storeID: [UInt8] { context.memory.config.store }

    /// The remote's address; nil if the replica has no remote.
    package var remoteAddress: String? { context.memory.config.remote }

    /// Whether the replica's store is encrypted.
    package var isStoreEncrypted: Bool { context.memory.config.keyFingerprint != nil }

    /// The prefix of the keys that every commit creates, for
    /// ``FilesinkiRemote/Remote/wait(prefix:timeout:)``; nil before the store was reached.
    package var watchedPrefix: String? { context.zone.reached?.log.watchedPrefix }

    /// Returns a listener for commits of other devices. Connects to the store first.
    package func remoteChanges() async throws -> RemoteChanges {
        RemoteChanges(connection: try await context.zone.connected())
    }

    /// Reads the current ignore rules.
    ///
    /// - Parameter options: Those of the runs, which may have patterns of their own.
    package func ignoreMatcher(_ options: SyncOptions = SyncOptions()) throws -> IgnoreMatcher {
        IgnoreMatcher(
            root: context.root, filter: try RulesReader(context).runRules(options).filter)
    }
}
