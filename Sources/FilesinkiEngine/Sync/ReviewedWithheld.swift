import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiText

/// What becomes of withheld paths at the beginning of a run.
extension SyncEngine {
    /// Ends what the user has decided: what a rule ignores again, and what is named. Says what is left.
    ///
    /// - Parameters:
    ///   - released: The paths that the user has named.
    ///   - new: What the command has just begun to withhold, and has named.
    func reviewWithheld(
        _ run: inout SyncRun, released: Set<RelativePath>, besides new: Set<RelativePath>
    ) throws {
        let known = try withheldNote()
        guard !known.items.isEmpty else { return }
        var note = known
        let named = released.intersection(note.paths)
        var ignored = IgnoredPaths(root: root, filter: run.rules.ignoring)
        for (path, item) in known.items where !item.isIgnored {
            var isOver = path.isAtOrInside(named)
            if !isOver, let found = kind(at: path) {
                isOver = ignored.rulesOut(path, isDirectory: found == .directory)
            }
            if isOver { note.items[path] = nil }
        }
        let again = reviewIgnored(&note, released: named, &ignored, &run)
        if !run.options.isDryRun { try recordWithheld(note, over: known) }
        guard !run.options.isUnattended else { return }
        let present = note.withheldPaths.subtracting(new.union(again))
            .filter { kind(at: $0) != nil }
        let untold = try untoldWithheld().intersection(present)
        if !run.options.isDryRun { run.report.withheld.formUnion(untold) }
        run.report.notices += Problem.withheld(untold, isUrgent: true)
        run.report.notices += Problem.withheld(present.subtracting(untold), isUrgent: false)
    }

    /// Withholds what has got a name that a rule ignored, and says so, if none ignores it there any more, unless the
    /// user has named it. What a run has sent from there, as by its patterns, is private no more.
    ///
    /// - Parameter ignored: What rules ignore.
    /// - Returns: What is withheld again.
    private func reviewIgnored(
        _ note: inout WithheldNote, released: Set<RelativePath>, _ ignored: inout IgnoredPaths,
        _ run: inout SyncRun
    ) -> Set<RelativePath> {
        var again: Set<RelativePath> = []
        for (path, item) in note.items where item.isIgnored {
            if run.base.row(path)?.stamp?.inode == item.inode {
                note.items[path] = nil
                continue
            }
            guard kind(at: path) != nil, !ignored.contains(path) else { continue }
            if path.isAtOrInside(released) {
                note.items[path] = nil
            } else {
                note.items[path]?.isIgnored = false
                again.insert(path)
            }
        }
        // A withheld folder stands for it.
        again.formIntersection(note.withheldPaths)
        if !run.options.isDryRun { run.report.withheld.formUnion(again) }
        run.report.notices += Problem.withheld(again, isUrgent: true)
        return again
    }

    /// Refuses a path in a withheld folder, also one that is noted by itself: only the whole folder is published.
    ///
    /// - Throws: Code `usage`.
    func requireNotInWithheld(_ paths: [RelativePath], _ run: SyncRun) throws {
        let withheld = try withheldNote().paths
        var ignored = IgnoredPaths(root: root, filter: run.rules.ignoring)
        for path in paths {
            // The outermost one, which can be published.
            let folder = path.ancestors.last { withheld.contains($0) && ignored.exposes($0) }
            if let folder { throw Failure.inWithheld(path, folder) }
        }
    }
}

extension Failure {
    fileprivate static func inWithheld(_ path: RelativePath, _ folder: RelativePath) -> Failure {
        Failure(
            .usage, path: path.bytes,
            "Withheld with its folder: a rule ignored that until another device ended the rule, "
                + "or it was renamed.",
            remedy:
                "To publish the folder, run filesinki sync \(ShellWord.path(folder.bytes)); what "
                + ".filesinki/ignore lists stays private.")
    }
}
