import FilesinkiHashing
import FilesinkiModel
import FilesinkiReconcile

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

extension RemoteView {
    /// Tells which of the links that are here a path had there before: the manifest keeps only the
    /// hash of a target.
    mutating func recogniseLinks(_ observation: Observation) {
        for (path, local) in observation.changes {
            guard let entry = local.entry, entry.kind == .symlink, let identity = entry.identity,
                changes[path]?.formerContents.contains(identity) ?? false
            else { continue }
            changes[path]?.formerTargets.insert(entry.target)
        }
    }
}
