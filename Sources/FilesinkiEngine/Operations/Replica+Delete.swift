import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Saves {
    /// Deletes paths here, durably, and publishes tombstones; what they held stays in the history.
    ///
    /// - Parameter recursive: Folders go with everything in them.
    /// - Throws: Code `not-found` when nothing is at a path, here or there; nothing is deleted then.
    func delete(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await sync.reporting { try await remove(paths, recursive: recursive, options) }
    }

    private func remove(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions
    ) async throws -> SyncReport {
        var options = options
        options.deletesUnmounted = true
        // What is here goes into the history first, and what is new there is seen.
        let before = try await sync.syncPaths(paths, options)
        var doomed: [RelativePath] = []
        for path in paths { doomed += try everything(at: path, recursive: recursive, before) }
        let staging = try Staging(root: root, folder: state.staging)
        let writer = TreeWriter(root: root, staging: staging, sync: .each)
        var ignored = IgnoredPaths(root: root, filter: try rulesReader.runRules(options).filter)
        var changed: [Problem] = []
        for path in doomed {
            if try root.status(path)?.kind == .directory {
                _ = try writer.removeDirectory(path)
            } else if case .surprised = try writer.remove(
                path,
                expecting: try ignored.contains(path, isDirectory: false)
                    ? .any : editor.expectation(at: path))
            {
                changed.append(.changedMeanwhile(path, "deleted"))
            }
        }
        try writer.flush()
        var after = try await sync.syncPaths(paths, options, after: before)
        after.problems = changed + after.problems
        after.add(earlier: before)
        return after
    }

    /// The path and all below it, the deepest first.
    private func everything(
        at path: RelativePath, recursive: Bool, _ report: SyncReport
    ) throws -> [RelativePath] {
        guard let status = try root.status(path) else {
            // It was gone here, and the run before has published that.
            if report.steps.contains(where: { $0.isDeletion(atOrInside: path) }) { return [] }
            if let away = report.away, try manifest.base(path) == nil { throw away }
            throw Failure(
                .notFound, path: path.bytes, "There is nothing at this path.",
                remedy: "See what there is with filesinki ls.")
        }
        guard status.kind == .directory else { return [path] }
        guard recursive else {
            throw Failure(
                .usage, path: path.bytes, "It is a folder.",
                remedy: "To delete it with everything in it, add -r.")
        }
        var all = [path]
        var folders = [path]
        while let folder = folders.popLast() {
            for name in try root.names(in: folder) {
                let child = folder.appending(name)
                all.append(child)
                if try root.status(child)?.kind == .directory { folders.append(child) }
            }
        }
        return all.sorted { $1 < $0 }
    }
}

extension Step {
    /// Whether the step publishes the deletion of a path, or of one below it.
    fileprivate func isDeletion(atOrInside folder: RelativePath) -> Bool {
        guard case .publish(let entry) = action, entry.kind == .tombstone else { return false }
        return path == folder || path.isInside(folder)
    }
}
