package import FilesinkiModel
package import FilesinkiRemote
package import FilesinkiStore

/// How to reach a replica and the world around it.
package struct ReplicaOptions: Sendable {
    /// The root's absolute path.
    package var root: String
    /// Where the replica's state is kept; nil for `.filesinki` in the root.
    package var state: String?
    /// How long to wait for another process that works on the same replica.
    package var lockWait: Duration
    /// How long a command of the user's may take that merges or chooses.
    package var commandLimit = Duration.seconds(60)
    /// Clock and chance.
    package var systemContext: SystemContext
    /// Makes a remote of its address.
    package var connect: @Sendable (String) throws -> any Remote
    /// The device's own configuration file; nil for none.
    package var configuration: String?
    /// How much one commit that this replica publishes may hold.
    package var commitLimits = CommitLimits.standard
    /// Asked before the chain of rules about paths whose contents the program knows the types of.
    package var resolver: (any ProgramResolver)?

    package init(
        root: String, state: String? = nil, lockWait: Duration = .seconds(10),
        systemContext: SystemContext, configuration: String? = nil,
        connect: @escaping @Sendable (String) throws -> any Remote
    ) {
        self.root = root
        self.state = state
        self.lockWait = lockWait
        self.systemContext = systemContext
        self.configuration = configuration
        self.connect = connect
    }

    /// Where the replica keeps its state.
    package var stateFolder: StateFolder { StateFolder(root: root, state: state) }
}

/// Where a replica keeps its state, and what is in there.
package struct StateFolder: Sendable {
    /// The folder's absolute path.
    package let path: String

    package init(root: String, state: String?) {
        path = state ?? root + "/" + RelativePath.stateFolder
    }

    /// Who this replica is and where its remote is; see ``ReplicaConfig``.
    package var config: String { path + "/replica" }
    /// The manifest, a SQLite database.
    package var manifest: String { path + "/manifest.sqlite" }
    /// Held locked by the one process that may change the replica.
    package var lock: String { path + "/lock" }
    /// Held locked by the one process that watches the replica.
    package var watch: String { path + "/watch" }
    /// Files that are not yet in place.
    package var staging: String { path + "/staging" }
    /// Where processes wait that save while another one is at work; see ``SaveRequest``.
    package var saves: String { path + "/saves" }
    /// Files that programs which use the library are about to put in their place.
    package var saving: String { path + "/saving" }
    /// Commits that were about to be published; see ``PublishingNote``.
    package var publishing: String { path + "/publishing" }
    /// Packs that were stored and that no commit names yet; see ``UnpublishedPacks``.
    package var unpublishedPacks: String { path + "/unpublished-packs" }
    /// Merges that may not be recorded yet; see ``MergeNote``.
    package var merges: String { path + "/merges" }
    /// The hash of the synced rules that may run commands; see `filesinki trust`.
    package var trusted: String { path + "/trusted" }
    /// The secret and the certificates that the replica was given for its remote.
    package var access: String { path + "/access.toml" }
    /// Where merges work.
    package var merging: String { path + "/merging" }
    /// Copies of pack indexes.
    package var indexes: String { path + "/indexes" }
    /// The multi-pack index: joined copies of pack indexes.
    package var joinedIndexes: String { indexes + "/joined" }
}
