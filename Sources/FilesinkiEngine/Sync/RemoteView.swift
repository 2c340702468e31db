import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

/// The remote tree as it was fetched: its differences from the base.
struct RemoteView: Sendable {
    /// Paths whose state differs from the base, or whose version does.
    var changes: [RelativePath: RemoteChange] = [:]
    /// Of paths whose last commit has renamed what was there, the name that this got, among what was fetched since the last run.
    var leftNames: [RelativePath: RelativePath] = [:]
    /// The paths whose waiting changes were read from the manifest; nil if all of them were.
    var loadedWaiting: Set<RelativePath>?
    /// Everything up to here is in ``changes`` or in the base, or waits in the manifest.
    var token: ChangeToken
    /// The stored header of the token's commit; empty if this run did not read it.
    var storedHeader: [UInt8] = []
    /// Packs of commits fetched since the last run, each with the commit's number.
    var packs: [(pack: PackReference, sequence: UInt64)] = []
    /// Packs that a prune has retired since the last run.
    var retired: Set<[UInt8]> = []
    /// The last commit of a prune that was fetched since the last run, or that a checkpoint includes; 0 for none.
    var pruned: UInt64 = 0
    /// Up to which commit tombstones have ended by what was fetched since the last run; 0 for none.
    var ended: UInt64 = 0
    /// Contents that a repair has given up, among what was fetched since the last run.
    var lost: Set<ContentID> = []
    /// Whether a checkpoint includes a prune: which packs that one has retired is not known.
    var hasUnseenPrune = false
    /// Contents inside commits fetched since the last run, each with the commit's number.
    var inline: [(content: ContentID, sequence: UInt64)] = []
    /// Those of the contents that are in memory.
    var carried = CarriedContents()
    /// The last commit of each device, among those fetched since the last run.
    var authors = LastDeviceCommits()
    /// Checks whether another device has this replica's name; nil for no check.
    var identity: IdentityCheck?
    /// What the fetch returned besides the tree; nil if nothing was fetched.
    var fetched: Fetched?
    /// Paths of commits that are invalid in every replica.
    var refused: [Problem] = []

    /// Adds remote changes that earlier runs fetched and did not apply, each with the contents that the
    /// path had before.
    mutating func addWaiting(_ rows: [RemoteRow], _ manifest: ManifestDatabase) throws {
        for row in rows {
            let former = try manifest.tombstone(row.path)
            let isOfRow = former?.version == row.entry.version
            changes[row.path] = RemoteChange(
                row.entry, movedFrom: row.movedFrom,
                formerContents: Set(isOfRow ? former?.contents ?? [] : []))
            loadedWaiting?.insert(row.path)
        }
    }

    /// Adds one commit: its changes replace what was known of their paths.
    mutating func fold(_ commit: Commit) {
        let renames = CommitRenames(commit, after: changes)
        for change in commit.changes {
            let earlier = changes[change.path]
            var former = earlier?.formerContents ?? []
            var targets = earlier?.formerTargets ?? []
            switch earlier?.entry.entry {
            case let entry? where entry.kind == .symlink: targets.insert(entry.target)
            case let entry? where entry.kind != .tombstone: former.insert(entry.content)
            default: break
            }
            var remote = RemoteChange(
                VersionedEntry(change.entry, version: commit.sequence),
                device: commit.device, formerContents: former,
                formerTargets: targets,
                cameBack: earlier != nil,
                isSaved: change.reason == Change.savedAgain,
                isOtherName: change.reason == Reason.otherName.word,
                isResolve: change.reason == Change.resolved)
            renames.follow(change, after: earlier, in: &remote)
            changes[change.path] = remote
            leftNames[change.path] = renames.goal(of: change)
        }
        packs += commit.packs.map { ($0, commit.sequence) }
        if let pruning = commit.pruning {
            pruned = commit.sequence
            ended = max(ended, pruning.ended)
            lost.formUnion(pruning.lost)
            retired.formUnion(pruning.retired)
            packs.removeAll { retired.contains($0.pack.id) }
        }
        inline += commit.inline.map { ($0.id, commit.sequence) }
        carried.keep(commit.inline)
        authors.record(commit)
        identity?.note(commit)
        refused += commit.refused.map { Problem.refused($0.path, $0.failure) }
        token = commit.token
        storedHeader = commit.storedHeader
    }

    /// Adds rows of a checkpoint.
    ///
    /// - Parameter checkpoint: The last commit that the checkpoint includes.
    mutating func load(_ rows: CheckpointRows, of checkpoint: ChangeToken) {
        for row in rows.entries {
            changes[row.path] = RemoteChange(
                row.entry, formerContents: Set(row.formerContents))
        }
        packs += rows.packs.map { ($0, checkpoint.sequence) }
        pruned = max(pruned, rows.pruned)
        lost.formUnion(rows.lost)
        if rows.pruned > 0 { hasUnseenPrune = true }
        inline += rows.inline.map { ($0.id, $0.sequence) }
        refused += rows.refused.map { Problem.refused($0.path, $0.failure) }
    }

    /// Ends a checkpoint: what the base has and the checkpoint has not was deleted in between. Of a path whose row
    /// could not be used that is not known.
    mutating func endCheckpoint(_ checkpoint: ChangeToken, upon base: RowPages<BaseRow>) throws {
        storedHeader = []
        token = checkpoint
        let unknown = Set(refused.map(\.path))
        while case let rows = try base.next(), !rows.isEmpty {
            for row in rows
            where row.version <= checkpoint.sequence && changes[row.path] == nil
                && !unknown.contains(row.path)
            {
                changes[row.path] = RemoteChange(
                    VersionedEntry(.tombstone, version: checkpoint.sequence))
            }
        }
    }

    /// The contents of the files among ``changes``.
    var fileContents: Set<ContentID> {
        Set(changes.values.lazy.map(\.entry.entry).filter { $0.kind == .file }.map(\.content))
    }

    /// Removes changes that the base has already, by version.
    mutating func dropAgreed(_ base: BaseIndex) {
        for (path, change) in changes {
            guard let row = base.row(path) else {
                continue
            }
            if row.version == change.entry.version, row.entry.agrees(with: change.entry.entry) {
                changes[path] = nil
            }
        }
    }

    /// Removes changes by commits of this replica, which are in the base. What a checkpoint lacks was deleted by the
    /// commit that it ends with or by an earlier one: that stays.
    mutating func dropOwn(_ commits: [Commit]) {
        for commit in commits {
            for change in commit.changes
            where changes[change.path]?.entry.version == commit.sequence {
                changes[change.path] = nil
            }
        }
    }

    /// Restores the targets of links that a remote path had before and that are in the root now: the
    /// manifest keeps only the hash of a target.
    mutating func recogniseLinks(_ observation: Observation) {
        for (path, local) in observation.changes {
            guard let entry = local.entry, entry.kind == .symlink, let identity = entry.identity,
                changes[path]?.formerContents.contains(identity) == true
            else { continue }
            changes[path]?.formerTargets.insert(entry.target)
        }
    }
}

extension Problem {
    /// A path of a commit that cannot be used here. The bytes are kept for the message only.
    static func refused(_ bytes: [UInt8], _ failure: Failure) -> Problem {
        Problem(RelativePath(unchecked: bytes), failure)
    }
}

/// The manifest and the checkpoints keep of what a path held before one identity each: of a file its
/// content's, of a symlink the hash of its target, of a folder ``FilesinkiModel/ContentID/none``.
extension Entry {
    /// What a deletion remembers of the entry; nil for a deletion.
    var identity: ContentID? {
        switch kind {
        case .file, .directory: content
        case .symlink: ContentHasher.hash(target)
        case .tombstone: nil
        }
    }
}

extension RemoteChange {
    /// What the path held before, targets included.
    var identities: Set<ContentID> {
        formerContents.union(formerTargets.map { ContentHasher.hash($0) })
    }
}
