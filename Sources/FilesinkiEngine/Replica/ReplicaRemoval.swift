import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiSystem
import Glibc

/// What a replica knows and its store does not.
package struct UnpublishedState: Sendable {
    /// The paths with local changes, and those that could not be read.
    package var paths: [RelativePath]
    /// The paths with an open conflict.
    package var conflicts: [RelativePath]
}

/// Makes the root of a replica an ordinary folder: its state goes, its files stay.
struct ReplicaRemoval: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Scans the root for what the store does not have. Does not contact the remote.
    func unpublished() async throws -> UnpublishedState {
        var options = SyncOptions()
        options.isDryRun = true
        var run = try await sync.begin(options, PathSelection(paths: []), sync.fullBase())
        let found = try sync.scanWhole(run)
        try await sync.scan(&run) { run, isStoring in
            try await sync.read(found, run, isStoring: isStoring)
        }
        let paths = Set(run.local.changes.keys).union(run.local.problems.map(\.path))
        return UnpublishedState(
            paths: paths.sorted(), conflicts: try conflicts.open().map(\.path).sorted())
    }

    /// See ``SyncEngine/requireReceivedBeforeRemoval()``.
    func requireReceived() async throws -> Failure? {
        try await sync.requireReceivedBeforeRemoval()
    }

    /// Removes the state folder, and `.filesinki` in the root.
    ///
    /// - Throws: Code `busy` if a process watches the replica or serves its socket, `io` if something could not be removed; then
    ///   the removal can be repeated.
    func remove() throws(Failure) {
        guard let watch = try ReplicaLock.tryAcquire(state.watch) else {
            throw Failure(
                .busy, path: options.root, "Another process watches this replica.",
                remedy: "Stop it first.")
        }
        guard let socket = try KernelLock.tryAcquire(state.rpcLock) else {
            throw Failure(
                .busy, path: options.root, "Another process serves the rpc socket of this replica.",
                remedy: "Stop it first.")
        }
        defer { withExtendedLifetime((watch, socket)) {} }
        // If this process is killed, either the replica is still one, without its manifest: the next run
        // makes that anew from the log and deletes nothing. Or it has no configuration and thus is none,
        // and what is left has no meaning for a replica that is made here afterwards.
        try ManifestDatabase.setAside(state.manifest)
        let kept = [state.config, state.lock, state.watch]
        try Self.removeOwn(state, except: Set(kept))
        unlink(state.config)
        try Self.removeRest(options)
    }

    /// Removes what a killed ``remove()`` has left.
    static func removeRest(_ options: ReplicaOptions) throws(Failure) {
        let state = options.stateFolder
        let inRoot = options.root + "/" + RelativePath.stateFolder
        // Before the lock: without a lock, a marker belongs to a replica with its state elsewhere.
        unlink(inRoot + "/root")
        // A state folder elsewhere may have files that are not the replica's.
        try removeOwn(state)
        rmdir(state.path)
        TreeRemoval.remove(inRoot)
        guard !StateFile.exists(inRoot) else { throw notRemoved(inRoot) }
    }

    /// Removes the replica's own files and folders from its state folder.
    ///
    /// - Parameter kept: The paths that stay.
    private static func removeOwn(
        _ state: StateFolder, except kept: Set<String> = []
    ) throws(Failure) {
        guard StateFile.exists(state.path) else { return }
        for path in try StateFile.names(in: state.path).map({ state.path + "/" + $0 })
        where state.owns(path) && !kept.contains(path) {
            TreeRemoval.remove(path)
            guard !StateFile.exists(path) else { throw notRemoved(path) }
        }
    }

    private static func notRemoved(_ path: String) -> Failure {
        Failure(
            .io, path: path, "Cannot remove it.",
            remedy: "Check its permissions, and run the command again.")
    }
}

extension StateFolder {
    /// Whether a path in the folder is the replica's: one of its files and folders, or one that stands beside it
    /// while it is written or after it was damaged.
    fileprivate func owns(_ path: String) -> Bool {
        let own = [
            config, manifest, lock, watch, staging, databases, saves, saving, publishing,
            unpublishedPacks,
            unnamedPacks, merges, written, trusted, checked, only, ignore, userIgnores,
            withheld, access, storeKey, merging, indexes, rpcSocket, rpcLock,
            // Keys and values, and records: each kind of item has a folder.
            self.path + "/kv", self.path + "/rec",
            self.path + "/" + Settings.deviceFile,
        ]
        return own.contains { path == $0 || path.hasPrefix($0 + "-") || path.hasPrefix($0 + ".") }
    }
}

extension Replica {
    /// See ``ReplicaRemoval/unpublished()``.
    package func unpublished() async throws -> UnpublishedState {
        try await ReplicaRemoval(context).unpublished()
    }

    /// See ``SyncEngine/requireReceivedBeforeRemoval()``.
    package func requireReceivedBeforeRemoval() async throws -> Failure? {
        try await ReplicaRemoval(context).requireReceived()
    }

    /// See ``ReplicaRemoval/remove()``. The replica cannot be used afterwards.
    package func removeState() throws {
        try ReplicaRemoval(context).remove()
        context.close()
    }

    /// Removes what a killed ``removeState()`` has left.
    ///
    /// - Returns: False if there is a replica, or nothing that it has left.
    package static func removeRest(_ options: ReplicaOptions) throws -> Bool {
        let state = options.stateFolder
        let inRoot = options.root + "/" + RelativePath.stateFolder
        let isLeft =
            StateFile.exists(inRoot) && !StateFile.exists(state.config)
            && !StateFile.exists(state.manifest)
            && (StateFile.exists(state.lock) || !StateFile.exists(inRoot + "/root"))
        if isLeft { try ReplicaRemoval.removeRest(options) }
        return isLeft
    }
}
