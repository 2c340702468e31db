import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// Deletes paths here, durably, and publishes tombstones; what they held stays in the history.
    ///
    /// - Parameter recursive: Folders go with everything in them.
    /// - Throws: Code `not-found` when nothing is at a path, here or there; nothing is deleted then.
    package func delete(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions
    ) async throws -> SyncReport {
        // What is here goes into the history first, and what is new there is seen.
        let before = try await runPaths(paths, options)
        var doomed: [RelativePath] = []
        for path in paths { doomed += try everything(at: path, recursive: recursive, before) }
        let staging = try Staging(root: root, folder: state.staging)
        let writer = TreeWriter(root: root, staging: staging, sync: .each)
        var changed: [Problem] = []
        for path in doomed {
            if try root.status(path)?.kind == .directory {
                _ = try writer.removeDirectory(path)
            } else if case .surprised = try writer.remove(
                path, expecting: try published(path, before))
            {
                changed.append(Self.changedMeanwhile(path))
            }
        }
        try writer.flush()
        var after = try await runPaths(paths, options, after: before)
        after.steps = before.steps + after.steps
        after.problems = before.problems + changed + after.problems
        return after
    }

    /// What is in the history of a path's content here, so that it may go: with the remote away,
    /// whatever is there.
    private func published(_ path: RelativePath, _ report: SyncReport) throws -> Expectation {
        guard report.away == nil, report.hasRemote, try manifest.local(path) == nil,
            let row = try manifest.base(path)
        else { return .any }
        if let stamp = row.stamp { return .stamp(stamp) }
        switch row.entry.kind {
        case .file: return .content(row.entry.content, size: row.entry.size)
        case .symlink: return .link(row.entry.target)
        case .directory, .tombstone: return .any
        }
    }

    private static func changedMeanwhile(_ path: RelativePath) -> Problem {
        Problem(
            path,
            Failure(
                .changing, path: path.bytes, "It changed while it was to be deleted, and stays.",
                remedy: "Delete it again if that is still meant."))
    }

    /// The path and all below it, the deepest first.
    private func everything(
        at path: RelativePath, recursive: Bool, _ report: SyncReport
    ) throws -> [RelativePath] {
        guard let status = try root.status(path) else {
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

    /// Brings back what a deleted path held last.
    ///
    /// - Throws: Code `exists` when something is there, `not-found` when nothing ever was.
    package func undelete(_ path: RelativePath, _ options: SyncOptions) async throws -> SaveReport {
        let before = try await runPaths([path], options)
        guard try root.status(path) == nil else {
            throw Failure(
                .exists, path: path.bytes, "It is not deleted.",
                remedy: "To go back to an older version, use filesinki restore PATH@VERSION.")
        }
        let versions = try await history(of: path, in: historyReader(after: before))
        guard let last = versions.last(where: { $0.change.entry.kind == .file }) else {
            throw Failure(
                .notFound, path: path.bytes, "The history knows no file of this name.",
                remedy: "Check the name; filesinki log shows what is known.")
        }
        try await put(last.change.entry, at: path, after: before)
        let report = try await runPaths([path], options, after: before)
        let row = try manifest.base(path)
        return SaveReport(
            sync: report, entry: row?.entry, version: row?.version ?? 0, differs: false)
    }

    /// Writes an entry of the history into the root.
    ///
    /// - Parameter before: See ``historyReader(after:)``.
    func put(_ entry: Entry, at path: RelativePath, after before: SyncReport?) async throws {
        switch entry.kind {
        case .file:
            let contents = try await historyContents(historyReader(after: before))
            let staged = try Staging(root: root, folder: state.staging).makeFile()
            try await contents.stream(entry.content, size: entry.size) { try staged.write($0) }
            try install(staged, entry, at: path)
        case .symlink:
            let writer = try makeWriter()
            _ = try writer.makeSymlink(
                target: entry.target, at: path, modified: entry.modified, expecting: .any)
        case .directory:
            _ = try makeWriter().makeDirectory(path, mode: entry.mode)
        case .tombstone:
            break
        }
    }

    private func install(_ staged: StagedFile, _ entry: Entry, at path: RelativePath) throws {
        let writer = try makeWriter()
        try writer.makeFolders(above: path)
        try staged.finish(mode: entry.mode, modified: entry.modified, sync: true)
        _ = try writer.install(staged, at: path, expecting: .any)
    }

    func makeWriter() throws -> TreeWriter {
        TreeWriter(
            root: root, staging: try Staging(root: root, folder: state.staging), sync: .each)
    }
}
