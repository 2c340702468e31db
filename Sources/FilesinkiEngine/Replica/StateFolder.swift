import FilesinkiModel

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
}
