import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// Opens a replica.
    ///
    /// - Parameter writable: Whether the replica may be changed; then it is locked against other
    ///   processes until this one ends. Readers never wait.
    /// - Throws: Code `not-found` when the folder is no replica, `busy` when another process holds
    ///   it for longer than the options allow, `io` when the root is not the replica's own.
    package static func open(_ options: ReplicaOptions, writable: Bool) async throws -> Replica {
        let state = options.stateFolder
        guard let config = try readConfig(state) else {
            throw Failure(
                .notFound, path: options.root, "This folder is not a replica.",
                remedy: "Make it one with filesinki init.")
        }
        let root = try RootFolder(
            path: options.root, live: LiveAdapter(scratch: state.staging))
        try checkMarker(root, config, options)
        var lock: ReplicaLock?
        if writable {
            lock = try await ReplicaLock.take(
                state.lock, waiting: options.lockWait, sleep: options.systemContext.sleep)
            // What a killed run left behind: a user's save that it had taken out comes back.
            try Staging(root: root, folder: state.staging).clear()
        }
        let manifest = try openManifest(state, writable: writable)
        return Replica(
            options: options, root: root, manifest: manifest, config: config, lock: lock)
    }

    /// A root without its marker is an unmounted disk or an emptied folder, never a deletion.
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

    /// The manifest; a damaged one is set aside and made anew, for it can be rebuilt from the log.
    private static func openManifest(
        _ state: StateFolder, writable: Bool
    ) throws -> sending ManifestDatabase {
        guard writable else { return try ManifestDatabase.openReadOnly(at: state.manifest) }
        let found = try openSound(state)
        // What the opening itself has met is dealt with below.
        ManifestDatabase.clearDoubt(state.manifest)
        if let found { return found }
        try ManifestDatabase.setAside(state.manifest)
        return try ManifestDatabase.open(at: state.manifest, create: true)
    }

    /// The manifest as it is; nil when it is damaged. One in which an earlier run met damage is read
    /// as a whole.
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
