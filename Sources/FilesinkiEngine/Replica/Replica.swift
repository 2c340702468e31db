import FilesinkiFileSystem
package import FilesinkiModel
import FilesinkiStore
import FilesinkiSystem

/// One root together with its manifest: what every command works on.
///
/// The engine is the only one who both decides and acts. A replica is used by one task at a time; the
/// kernel lock that it holds keeps other processes out and dies with this one. It opens, locks, closes,
/// and passes each operation to the part of the engine that carries it out.
package actor Replica {
    let context: ReplicaContext
    /// Which files these were when the replica was opened: see ``resume()``.
    private let manifestStamp: FileStamp?
    private let rootStamp: FileStamp?

    init(_ context: sending ReplicaContext) {
        manifestStamp = FileStamp(at: context.state.manifest, followingSymlinks: true)
        rootStamp = FileStamp(at: context.options.root, followingSymlinks: true)
        self.context = context
    }

    /// Opens a replica.
    ///
    /// - Parameter writable: Whether the replica may be changed; then it is locked against other
    ///   processes until this one ends. Readers never wait.
    /// - Throws: Code `not-found` when the folder is no replica, `busy` when another process holds
    ///   it for longer than the options allow, `io` when the root is not the replica's own.
    package static func open(_ options: ReplicaOptions, writable: Bool) async throws -> Replica {
        Replica(try await ReplicaContext.open(options, writable: writable))
    }

    /// Opens a replica for `save`: writable if no other process holds it, else for reading; then
    /// ``save(_:_:content:)`` leaves the work to the process that holds it.
    package static func openToSave(_ options: ReplicaOptions) async throws -> Replica {
        if let context = try await ReplicaContext.openIfFree(options) { return Replica(context) }
        do {
            return try await open(options, writable: false)
        } catch {
            // It may be made just now.
            return try await open(options, writable: true)
        }
    }

    /// Releases the lock and the connection. The value cannot be used afterwards.
    ///
    /// The end of the value does the same, but when the last task lets go of it is not defined.
    package func close() { context.close() }

    /// Releases the lock, so that other processes may change the replica, until ``resume()``.
    package func pause() { context.setLock(nil) }

    /// Takes the lock again after ``pause()``.
    ///
    /// - Returns: Whether the replica is the one it was. If not, because another process set it
    ///   up anew, it has to be closed and opened again.
    /// - Throws: As ``open(_:writable:)`` does.
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

    /// This replica's device.
    package var device: Device { context.memory.config.device }

    /// The id of the store that the replica has met, 16 bytes; empty before the first sync.
    package var storeID: [UInt8] { context.memory.config.store }

    /// The remote's address; nil if there is none.
    package var remoteAddress: String? { context.memory.config.remote }

    /// The keys below which the store changes when there is something new, for
    /// ``FilesinkiRemote/Remote/wait(prefix:timeout:)``; nil before the store was reached.
    package var watchedPrefix: String? { context.zone.reached?.log.watchedPrefix }

    /// Returns a listener for commits of other devices. Connects to the store first.
    package func remoteChanges() async throws -> RemoteChanges {
        RemoteChanges(connection: try await context.zone.connected())
    }

    /// The ignore rules as they are now.
    package func ignoreMatcher() throws -> IgnoreMatcher {
        IgnoreMatcher(
            root: context.root, filter: try RulesReader(context).runRules(SyncOptions()).filter)
    }
}
