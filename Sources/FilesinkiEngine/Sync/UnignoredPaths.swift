import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiText

/// Paths that a received change of rules ignores no more.
///
/// The run that receives it names them and leaves them alone; the next one sends them. So a user can keep private what
/// another device's change would publish. A folder that is deleted with its rules is another case: see ``ExposedFilter``.
extension SyncEngine {
    /// Lists what is ignored where the steps are about to change rules, and is not in the store as it is here.
    ///
    /// Cost: the folders of these rules are walked, and ignored files that the store has are read; nothing where no rules change. Memory grows with the number of
    /// ignored paths in them.
    func listUnignorable(_ steps: [Step], _ run: SyncRun) throws -> Set<RelativePath> {
        let changed = steps.lazy.flatMap { [$0.path, $0.movedFrom].compactMap(\.self) }
            .filter(\.holdsRules)
        let folders = Set(changed.map(\.parent))
        guard !folders.isEmpty else { return [] }
        var ignored = IgnoredPaths(root: root, filter: run.rules.ignoring)
        var found: Set<RelativePath> = []
        for folder in folders {
            found.formUnion(try ignoredPaths(in: folder, &ignored) { try self.isStored($0) })
        }
        return found
    }

    /// Whether the store has what is at the path, so that it is not private. An edit that was made while a rule ignored the
    /// path is. Of a folder, this is asked of each path in it.
    private func isStored(_ path: RelativePath) throws -> Bool {
        let waiting = try manifest.remote(path)?.entry.entry
        guard let stored = try waiting ?? manifest.base(path)?.entry, stored.kind != .tombstone
        else { return false }
        // What cannot be read counts as edited.
        return (try? holds(stored, at: path)) ?? false
    }

    /// Cost: a file of the same size is read.
    private func holds(_ stored: Entry, at path: RelativePath) throws -> Bool {
        guard let status = try root.status(path) else { return false }
        switch (stored.kind, status.kind) {
        case (.directory, .directory): return true
        case (.symlink, .symlink): return try root.readLink(path) == stored.target
        case (.file, .file):
            // The content of a live database is its snapshot, which may have another size.
            guard root.isLive(path) || status.stamp.size == stored.size else { return false }
            var hasher = ContentHasher()
            _ = try root.readChunks(path, bufferSize: 1 << 20) { hasher.update($0) }
            return hasher.finish() == stored.content
        default: return false
        }
    }

    /// Keeps of the listed paths those that no rule ignores any more, leaves them alone from here on, and says so.
    func leaveUnignored(_ listed: Set<RelativePath>, _ run: inout SyncRun) throws {
        guard !listed.isEmpty else { return }
        let rules = try rulesReader.runRules(run.options)
        var ignored = IgnoredPaths(root: root, filter: rules.ignoring)
        let found = listed.filter { path in
            !path.isAtOrInside(rules.exposed) && isExposed(path, &ignored)
        }
        run.leaveUnignored(found.subtracting(run.report.unignored))
        run.report.notices += Self.notices(
            of: found, each: { .unignored($0) }, more: { .moreUnignored($0) })
    }
}

extension SyncRun {
    /// Leaves paths alone that received rules ignore no more.
    mutating func leaveUnignored(_ paths: Set<RelativePath>) {
        guard !paths.isEmpty else { return }
        report.unignored.formUnion(paths)
        rules.filter = ExposedFilter(paths, within: rules.filter)
    }
}

extension Failure {
    fileprivate static func unignored(_ path: RelativePath) -> Failure {
        Failure(
            .usage, path: path.bytes,
            "No longer ignored, because another device changed the rules: the next sync sends it.",
            remedy: "To keep it private, list it in .filesinki/ignore before that.")
    }

    fileprivate static func moreUnignored(_ count: String) -> Failure {
        Failure(
            .usage, "\(count) more are no longer ignored: the next sync sends them.",
            remedy: "To keep them private, list them in .filesinki/ignore before that.")
    }
}
