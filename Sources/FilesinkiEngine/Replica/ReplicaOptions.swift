import FilesinkiEncryption
package import FilesinkiModel
package import FilesinkiRemote
import FilesinkiRules
package import FilesinkiStore

/// Where a replica is, and what it needs from its environment.
package struct ReplicaOptions: Sendable {
    /// The root's absolute path.
    package var root: String
    /// The state folder; nil for `.filesinki` in the root.
    package var state: String?
    /// How long to wait for another process that holds the replica.
    package var lockWait: Duration
    /// The time limit of a user's command that merges or resolves.
    package var commandLimit = Duration.seconds(60)
    /// The clock and the randomness.
    package var systemContext: SystemContext
    /// Opens the remote at an address.
    package var connect: @Sendable (String) throws -> any Remote
    /// The device's configuration file; nil for none.
    package var configuration: String?
    /// The size limits of a published commit.
    package var commitLimits = CommitLimits.standard
    /// The number of commits between two checkpoints.
    package var checkpointInterval = CheckpointSchedule.interval
    /// Which commits a prune archives.
    package var archiveExtent = ArchiveExtent.standard
    /// Whether a prune leaves packs that no commit names until their devices have had the time to name them.
    package var sparesUnnamedPacks = true
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

    /// The state folder and the files in it.
    package var stateFolder: StateFolder { StateFolder(root: root, state: state) }
}

/// The state folder of a replica and the files in it.
package struct StateFolder: Sendable {
    /// The folder's absolute path.
    package let path: String

    package init(root: String, state: String?) {
        path = state ?? root + "/" + RelativePath.stateFolder
    }

    /// The replica's identity and remote; see ``ReplicaConfig``.
    package var config: String { path + "/" + RelativePath.configurationFile }
    /// The manifest, a SQLite database.
    package var manifest: String { path + "/manifest.sqlite" }
    /// Locked by the process that may change the replica.
    package var lock: String { path + "/lock" }
    /// Locked by the process that watches the replica.
    package var watch: String { path + "/watch" }
    /// Files that are not yet moved into the root.
    package var staging: String { path + "/staging" }
    /// The headers of databases; see ``FilesinkiLiveDatabase/KnownHeaders``.
    package var databases: String { path + "/databases" }
    /// The queue of waiting saves; see ``SaveQueue``.
    package var saves: String { path + "/saves" }
    /// Files that programs are writing through ``RootFiles``.
    package var saving: String { path + "/saving" }
    /// Commits that are being published; see ``PublishingNote``.
    package var publishing: String { path + "/publishing" }
    /// Stored packs that no commit names yet; see ``UnpublishedPacks``.
    package var unpublishedPacks: String { path + "/unpublished-packs" }
    /// Packs that a prune has found, and no commit names; see ``UnnamedPacksNote``.
    package var unnamedPacks: String { path + "/unnamed-packs" }
    /// The same of a zone; nil for that of files.
    package func unnamedPacks(of zone: String?) -> String {
        unnamedPacks + (zone.map { "-" + $0 } ?? "")
    }
    /// Merges that may not be recorded yet; see ``MergeNote``.
    package var merges: String { path + "/merges" }
    /// Versions that may not be recorded yet; see ``WrittenVersions``.
    package var written: String { path + "/written" }
    /// The hash of the synced rules whose commands are trusted; see `filesinki trust`.
    package var trusted: String { path + "/trusted" }
    /// The paths that a partial replica holds; see ``FilesinkiRules/PathChoiceNote``.
    package var only: String { path + "/only" }
    /// The ignore file of this replica on this device.
    package var ignore: String { path + "/" + Settings.ignoreFile }
    /// The ignore files of users that runs have found; see ``FilesinkiRules/UserIgnoreNote``.
    package var userIgnores: String { path + "/user-ignores" }
    /// What other devices' changes of rules would publish; see ``WithheldNote``.
    package var withheld: String { path + "/withheld" }
    /// Where the next check of a share of the packs begins; see ``CheckedPosition``.
    package var checked: String { path + "/checked" }
    /// The credentials and certificates for the remote.
    package var access: String { path + "/access.toml" }
    /// The key of an encrypted store; see ``FilesinkiEncryption/StoreKey``.
    package var storeKey: String { path + "/" + StoreKey.fileName }
    /// The socket of `filesinki rpc --socket`.
    package var rpcSocket: String { path + "/rpc.socket" }
    /// Locked by the process that serves it.
    package var rpcLock: String { path + "/rpc.lock" }
    /// The working folder of merges.
    package var merging: String { path + "/merging" }
    /// Cached pack indexes.
    package var indexes: String { path + "/indexes" }
    /// The multi-pack index: joined copies of pack indexes.
    package var joinedIndexes: String { indexes + "/joined" }
}

extension [UInt8] {
    /// The words of each line, without empty lines: the form of the notes in the state folder.
    var noteLines: [[String]] {
        split(separator: UInt8(ascii: "\n")).map { line in
            line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension RelativePath {
    /// Reads a path of a note, which is in hexadecimal; nil if it is malformed.
    init?(noteWord word: some StringProtocol) {
        guard let bytes = FilesinkiModel.bytes(hexadecimal: word),
            let path = try? RelativePath(bytes)
        else { return nil }
        self = path
    }
}
