import FilesinkiFileSystem
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
    /// Lists what is ignored where the steps are about to change rules, and is not in the store.
    ///
    /// Cost: the folders of these rules are walked; nothing where no rules change. Memory grows with the number of
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

    /// Whether the store has the path, so that it is not private.
    private func isStored(_ path: RelativePath) throws -> Bool {
        if let waiting = try manifest.remote(path) {
            return waiting.entry.entry.kind != .tombstone
        }
        return try manifest.base(path) != nil
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
