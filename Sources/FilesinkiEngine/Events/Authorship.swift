import FilesinkiManifest
import FilesinkiModel
import FilesinkiStore

/// Tells the commits of a replica itself from those of others, copies of the replica included.
struct Authorship: Sendable {
    fileprivate let config: ReplicaConfig
    /// Commits up to here were looked at by a run, which notices a copy's.
    fileprivate let seen: UInt64
    fileprivate let note: PublishingNote

    /// Whether the commit is the replica's own; nil for one of its id that is not known to be: it was
    /// published by another process since this value was made, or by a copy of the replica.
    func owns(_ commit: Commit) -> Bool? {
        guard commit.device.id == config.device.id else {
            return config.wasOwn(commit.device.id, at: commit.sequence)
        }
        return commit.sequence <= seen || note.names(commit.sequence, commit.id) ? true : nil
    }
}

extension Events {
    /// What tells the replica's own commits, as of now.
    func authorship() throws -> Authorship {
        // The note first: what leaves it is in the manifest by then.
        let note = try memory.publishingNote()
        // Without a token nothing is known of what was published.
        return Authorship(config: config, seen: try manifest.token?.sequence ?? .max, note: note)
    }
}
