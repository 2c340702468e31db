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
    package var resolver: (any DivergenceResolver)?

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
