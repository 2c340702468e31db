import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import Glibc

/// What `save` is asked beside its path and content.
package struct SaveOptions: Sendable {
    /// Save only when the path is at this version, 0 for "not there"; nil for no condition.
    package var ifVersion: UInt64?
    /// Permission bits for a new file; an existing one keeps its own.
    package var mode: UInt16 = 0o644
    package var sync = SyncOptions()

    package init() {}
}

/// What came of a `save`.
package struct SaveReport: Sendable {
    package var sync: SyncReport
    /// What is at the path now.
    package var entry: Entry?
    /// The number of the commit that the path is at; 0 while it waits for the remote.
    package var version: UInt64
    /// Whether a conflict's rule made it something else than what was saved.
    package var differs: Bool

    package init(sync: SyncReport, entry: Entry?, version: UInt64, differs: Bool) {
        self.sync = sync
        self.entry = entry
        self.version = version
        self.differs = differs
    }
}

/// Saves, loads and deletes single paths.
struct Saves: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Writes content at a path, durably, and publishes it.
    ///
    /// While another process is at work on the replica, and this one was opened by
    /// ``openToSave(_:)``, the save is done together with all others that wait.
    ///
    /// - Parameter write: Gives the content, piece by piece.
    /// - Throws: Code `differs` when the condition does not hold, also when somebody else publishes the
    ///   path meanwhile; nothing is written then.
    func save(
        _ path: RelativePath, _ options: SaveOptions,
        content write: @Sendable ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) async throws -> SaveReport {
        if replica.lock == nil { return try await saveInTurn(path, options, content: write) }
        let report = try await sync.reporting {
            try await saveAlone(path, options, content: write)
        }
        await serveSaves()
        return report
    }

    private func saveAlone(
        _ path: RelativePath, _ options: SaveOptions,
        content write: @Sendable ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) async throws -> SaveReport {
        var before: SyncReport?
        if let wanted = options.ifVersion {
            let seen = try await require(path, at: wanted, options.sync)
            if seen.hasRemote {
                var report = try await save(path, upon: wanted, options, content: write)
                report.sync.addCopies(of: seen)
                return report
            }
            before = seen
        }
        let saved = try editor.place(path, mode: options.mode, content: write)
        let report = try await sync.syncPaths([path], options.sync, after: before, saved: [path])
        return try self.report(report, of: path, saved)
    }

    /// Publishes what a program has put at the path by itself, as ``save(_:_:content:)`` does with
    /// what it is given.
    func publish(
        _ path: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await sync.syncPaths([path], options, saved: [path])
    }

    /// Publishes the deletion of a file that a program has removed by itself. What others have
    /// published since, and nobody here has seen, goes too, and stays in the history.
    ///
    /// What the program has saved at the path since it removed the file is not touched.
    func publishDeletion(
        of path: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await sync.reporting { try await publishRemoval(of: path, options) }
    }

    private func publishRemoval(
        of path: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        let isGone = try root.status(path) == nil
        let before = try await sync.syncPaths([path], options)
        guard isGone, before.takes(path), let stamp = try manifest.base(path)?.stamp,
            case .done = try editor.makeWriter().remove(path, expecting: .stamp(stamp))
        else { return before }
        var after = try await sync.syncPaths([path], options, after: before)
        after.add(done: before)
        return after
    }

    /// Brings one path into step, as ``load(_:isOffline:_:_:)`` does.
    func refresh(
        _ path: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await sync.syncPaths([path], options)
    }

    /// Says what is at the path after a save.
    func report(
        _ report: SyncReport, of path: RelativePath, _ saved: ContentID?
    ) throws -> SaveReport {
        let row = try manifest.base(path)
        let local = try manifest.local(path)
        return SaveReport(
            sync: report, entry: row?.entry, version: local == nil ? row?.version ?? 0 : 0,
            differs: saved != nil && local == nil && row.map { $0.entry.content != saved } ?? false)
    }

    /// Brings the path up to date and makes sure that it is at the version the caller has seen, so
    /// that what is saved next counts as an edit of that version.
    func require(
        _ path: RelativePath, at wanted: UInt64, _ options: SyncOptions
    ) async throws -> SyncReport {
        let report = try await sync.syncPaths([path], options)
        if let away = report.away { throw away }
        // Where it could not be written here, the remote has a version that the base has not.
        let there = try manifest.remote(path)?.entry
        let known = try manifest.base(path)?.version ?? 0
        let version = there.map { $0.entry.kind == .tombstone ? 0 : $0.version } ?? known
        guard version == wanted, there == nil else {
            throw Failure(
                .differs, path: path.bytes, "It is at version \(version), not \(wanted).",
                remedy: "Load it, and save again upon version \(version).")
        }
        guard try manifest.local(path) == nil else {
            throw Failure(
                .differs, path: path.bytes, "It was changed here, and that is not published.",
                remedy: "Save without a version, or see filesinki status.")
        }
        return report
    }

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

    /// Fetches, reconciles the path, and gives the best content that there is.
    ///
    /// - Parameter isOffline: Look only at what is here.
    /// - Throws: Code `not-found` when the path is known to be absent; `away` when nothing is here
    ///   and the remote cannot be asked, `corrupt` when what it has is damaged: absent, unreachable
    ///   and unreadable are never mixed up.
    func load(
        _ path: RelativePath, isOffline: Bool, _ options: SyncOptions,
        _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> LoadReport {
        try await sync.reporting { try await read(path, isOffline: isOffline, options, body) }
    }

    private func read(
        _ path: RelativePath, isOffline: Bool, _ options: SyncOptions,
        _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> LoadReport {
        let report = isOffline ? nil : try await sync.syncPaths([path], options)
        let problem = report?.problems.first { $0.path == path }
        guard let status = try root.status(path) else {
            if let failure = problem?.failure ?? report?.away { throw failure }
            throw Failure(
                .notFound, path: path.bytes, "There is nothing at this path.",
                remedy: "See what there is with filesinki ls.")
        }
        if let problem { throw problem.failure }
        let row = try manifest.base(path)
        let isOpen = try manifest.local(path) != nil
        switch status.kind {
        case .file:
            var size: Int64 = 0
            let read = try root.readChunks(path, bufferSize: 1 << 20) {
                size += Int64($0.count)
                try body($0)
            }
            let entry = Entry.file(
                row?.entry.content ?? .none, size: size, mode: read.mode,
                modified: read.stamp.modified)
            return LoadReport(sync: report, entry: entry, version: isOpen ? 0 : row?.version ?? 0)
        case .symlink:
            let target = try root.readLink(path)
            try target.withUnsafeBytes(body)
            return LoadReport(
                sync: report, entry: .symlink(to: target, modified: status.stamp.modified),
                version: isOpen ? 0 : row?.version ?? 0)
        case .directory, .special:
            throw Failure(
                .notFound, path: path.bytes, "Not a regular file.",
                remedy: "See what is in a folder with filesinki ls.")
        }
    }
}

extension SyncReport {
    /// Whether the run has brought a file to the path.
    fileprivate func takes(_ path: RelativePath) -> Bool {
        steps.contains { step in
            guard step.path == path, case .take(let entry) = step.action else { return false }
            return entry.kind == .file
        }
    }
}

extension Step {
    /// Whether the step publishes the deletion of a path, or of one below it.
    fileprivate func isDeletion(atOrInside folder: RelativePath) -> Bool {
        guard case .publish(let entry) = action, entry.kind == .tombstone else { return false }
        return path == folder || path.isInside(folder)
    }
}

/// What `load` found.
package struct LoadReport: Sendable {
    /// The run that looked for something newer; nil when only what is here was asked for.
    package var sync: SyncReport?
    package var entry: Entry
    /// The number of the commit that the path is at; 0 for a state that is not published yet.
    package var version: UInt64
}
