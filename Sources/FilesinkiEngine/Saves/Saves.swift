import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiRules
import FilesinkiStore
import FilesinkiText
import Glibc

/// Saves, loads and deletes single paths.
struct Saves: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Writes content at a path durably, and publishes it.
    ///
    /// If the replica was opened by ``Replica/openToSave(_:)`` while another process held it, the
    /// save is enqueued; see ``SaveQueue``.
    ///
    /// An edit at the path that no run has seen is kept in the history, if the remote can be reached; see
    /// ``keepEdits(at:besides:_:_:)``.
    ///
    /// - Parameter write: Calls its argument with the content, in pieces.
    /// - Throws: Code `differs` if the condition does not hold, or another device publishes the
    ///   path meanwhile, `usage` if a rule ignores the path; nothing is written then. `usage` also if the rule comes with
    ///   the run that publishes a save without a condition: then the content is written here, and not sent.
    func save(
        _ path: RelativePath, _ options: SaveOptions,
        content write: @Sendable ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) async throws -> SaveReport {
        try rulesReader.requireHeld([path])
        let rules = try rulesReader.requireSynced(
            [path], options.sync,
            remedy: Self.remedyForIgnored)
        if replica.lock == nil {
            return try await SaveQueue(replica).enqueue(path, options, content: write)
        }
        let report = try await sync.reporting {
            try await saveLocked(path, options, rules, content: write)
        }
        await SaveQueue(replica).drain()
        return report
    }

    private func saveLocked(
        _ path: RelativePath, _ options: SaveOptions, _ rules: RunRules,
        content write: @Sendable ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) async throws -> SaveReport {
        let plan = try await sync.requireNotWithheld([path], options.sync, rules: rules)
        var before: SyncReport?
        if let wanted = options.ifVersion {
            let seen = try await require(path, at: wanted, options.sync)
            try rulesReader.requireSynced(
                [path], after: seen, options.sync, remedy: Self.remedyForIgnored)
            if seen.hasRemote {
                var report = try await ConditionalSave(replica).save(
                    path, ifAt: wanted, options, content: write)
                report.sync.addCopies(of: seen)
                report.sync.addWithheld(by: plan)
                return report
            }
            before = seen
        }
        let writer = try editor.makeWriter()
        try writer.makeFolders(above: path)
        let staged = try editor.stage(path, in: writer.staging, mode: options.mode, content: write)
        guard let saved = try await install(staged, at: path, by: writer, options.sync, rules)
        else { throw Failure.placeTaken(path) }
        var report = try await sync.afterChange("Saved here", at: path) {
            try await sync.syncPaths(
                [path], options.sync, after: before, saved: [path], installed: saved)
        }
        report.addWithheld(by: plan)
        try requireSent(path, report, options.sync)
        return try self.report(report, of: path, saved: saved.content)
    }

    private static func remedyForIgnored(_ path: RelativePath) -> String {
        "See the rule with filesinki check-ignore \(ShellWord.path(path.bytes)). To keep a file on "
            + "this device only, write it itself."
    }

    /// Refuses a path that is ignored by rules which the run has received that was to send it. What was saved stays here.
    ///
    /// - Throws: Code `usage`.
    func requireSent(
        _ path: RelativePath, _ report: SyncReport, _ options: SyncOptions
    ) throws {
        do {
            try rulesReader.requireSynced([path], after: report, options)
        } catch let failure as Failure where failure.code == .usage {
            throw Failure.savedHereOnly(path)
        }
    }

    /// How often an edit is kept that comes while the one before it is kept.
    private static let tries = 4

    /// Installs what is saved, once what it replaces is in the history: see ``keepEdits(at:besides:_:_:)``.
    ///
    /// - Returns: Nil if a folder has taken the place.
    private func install(
        _ staged: StagedContent, at path: RelativePath, by writer: TreeWriter,
        _ options: SyncOptions, _ rules: RunRules
    ) async throws -> InstalledContent? {
        for _ in 0..<Self.tries {
            let found = try root.status(path)
            if try await keepEdits(at: [path], besides: staged.content, options, rules) {
                try rulesReader.requireSynced([path], options, remedy: Self.remedyForIgnored)
            }
            let expected = root.isLive(path) ? .any : Expectation(found)
            if let saved = try editor.install(staged, at: path, by: writer, expecting: expected) {
                return saved
            }
            if try root.status(path)?.kind == .directory { return nil }
        }
        return try editor.install(staged, at: path, by: writer)
    }

    /// Publishes what a program has written at the path itself.
    func publish(
        _ path: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        let rules = try rulesReader.requireSynced([path], options)
        try await sync.requireNotWithheld([path], options, rules: rules)
        let report = try await sync.syncPaths([path], options, saved: [path], rules: rules)
        try rulesReader.requireSynced([path], after: report, options)
        return report
    }

    /// Publishes the deletion of a file that a program has removed itself. A newer remote version
    /// that this device has not seen is deleted too, and stays in the history.
    ///
    /// A file that the program has written at the path since is kept.
    func publishDeletion(
        of path: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await sync.reporting { try await publishRemoval(of: path, options) }
    }

    private func publishRemoval(
        of path: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        let rules = try rulesReader.requireSynced([path], options)
        let isGone = try root.status(path) == nil
        var options = options
        options.namesDeletions = isGone
        let before = try await sync.syncPaths([path], options, rules: rules)
        try rulesReader.requireSynced([path], after: before, options)
        guard isGone, before.takes(path), let stamp = try manifest.base(path)?.stamp,
            case .done = try editor.makeWriter().remove(path, expecting: .stamp(stamp))
        else { return before }
        var after = try await sync.syncPaths([path], options, after: before)
        after.add(done: before)
        return after
    }

    /// Syncs one path.
    func refresh(
        _ path: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await sync.syncPaths([path], options)
    }

    /// Returns the report of a save: the run's report, and the state of the path after it.
    ///
    /// - Parameter saved: The id of the saved content; nil if it is not known.
    func report(
        _ report: SyncReport, of path: RelativePath, saved: ContentID?
    ) throws -> SaveReport {
        let now = try status.baseState(of: path)
        return SaveReport(sync: report, entry: now.entry, version: now.version, saved: saved)
    }

    /// Syncs the path and verifies that it is at the version `wanted`, so that the next save counts
    /// as an edit of that version.
    ///
    /// - Throws: Code `differs` if it is not, or if a local change of the path is not published;
    ///   `away` if the remote cannot be reached.
    func require(
        _ path: RelativePath, at wanted: UInt64, _ options: SyncOptions
    ) async throws -> SyncReport {
        let report = try await sync.syncPaths([path], options)
        if let away = report.away { throw away }
        // If a remote change could not be applied, the remote version is newer than the base.
        let there = try manifest.remote(path)?.entry
        let known = try manifest.base(path)?.version ?? 0
        let version = there.map { $0.entry.kind == .tombstone ? 0 : $0.version } ?? known
        guard version == wanted, there == nil else {
            throw Failure(
                .differs, path: path.bytes, "The path is at version \(version), not \(wanted).",
                remedy: "Load it, and save again with version \(version).")
        }
        guard try manifest.local(path) == nil else {
            throw Failure(
                .differs, path: path.bytes, "The path has local changes that are not published.",
                remedy: "Save without a version, or see filesinki status.")
        }
        return report
    }

    /// Syncs the path and reads its content. A file here that a rule ignores is only read: loading it must not
    /// publish it. One that only the store has is written here.
    ///
    /// - Parameters:
    ///   - isOffline: Reads the local state without asking the remote.
    ///   - body: Called with the content in pieces: a file's bytes or a link's target.
    /// - Throws: Code `not-found` if the path does not exist; `away` if it is not in the root and
    ///   the remote cannot be reached, `corrupt` if the remote's content is damaged. Absent,
    ///   unreachable and unreadable are distinct.
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
        if try rulesReader.choice()?.contains(path) == false {
            return try await readFromStore(path, isOffline: isOffline, options, body)
        }
        let report =
            isOffline ? nil : try await sync.syncPaths([path], options)
        let problem = report?.problems.first { $0.path == path }
        guard let status = try root.status(path) else {
            if let failure = problem?.failure ?? report?.away { throw failure }
            throw Failure.nothingThere(path)
        }
        if let problem { throw problem.failure }
        let known = try self.status.baseState(of: path)
        let entry = try read(path, status, content: known.entry?.content ?? .none, body)
        return LoadReport(sync: report, entry: entry, version: known.version)
    }

    /// Reads what is in the root.
    ///
    /// - Parameter content: The content ID of a file, as the last run left it.
    /// - Throws: Code `not-found` for what is no file and no link.
    private func read(
        _ path: RelativePath, _ status: FileStatus, content: ContentID,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Entry {
        switch status.kind {
        case .file:
            var size: Int64 = 0
            let read = try root.readChunks(path, bufferSize: 1 << 20) {
                size += Int64($0.count)
                try body($0)
            }
            return .file(content, size: size, mode: read.mode, modified: read.stamp.modified)
        case .symlink:
            let target = try root.readLink(path)
            try target.withUnsafeBytes(body)
            return .symlink(to: target, modified: status.stamp.modified)
        case .directory, .special:
            throw Failure(
                .notFound, path: path.bytes, "Not a regular file.",
                remedy: "See what is in a folder with filesinki ls.")
        }
    }
}

extension Expectation {
    /// Nothing but what was found; where that is neither a file nor nothing, anything that may be replaced.
    fileprivate init(_ found: FileStatus?) {
        guard let found else {
            self = .absent
            return
        }
        self = found.kind == .file || found.kind == .symlink ? .stamp(found.stamp) : .any
    }
}

extension Saves {
    /// Reads a path that the replica does not hold from the store. Nothing is written here.
    private func readFromStore(
        _ path: RelativePath, isOffline: Bool, _ options: SyncOptions,
        _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> LoadReport {
        if isOffline { throw Failure.notHeld(path) }
        var run = try await sync.begin(
            options, PathSelection(only: [path]), sync.partialBase([path]))
        run.isPartial = true
        try await sync.fetch(&run)
        if let away = run.report.away { throw away }
        guard let found = run.remote.changes[path]?.entry,
            found.entry.kind == .file || found.entry.kind == .symlink
        else {
            throw Failure(
                .notFound, path: path.bytes, "No such file in the store.",
                remedy: "List the files with filesinki ls.")
        }
        if found.entry.kind == .symlink {
            try found.entry.target.withUnsafeBytes(body)
        } else {
            let contents = try await storedContents.source(run.remote, Observation())
            try await contents.stream(found.entry.content, size: found.entry.size) { try body($0) }
        }
        return LoadReport(sync: run.report, entry: found.entry, version: found.version)
    }
}

/// The condition and the settings of a save.
package struct SaveOptions: Sendable {
    /// Save only if the path is at this version; 0 means absent, nil means no condition.
    package var ifVersion: UInt64?
    /// Permission bits for a new file; an existing file keeps its own.
    package var mode: UInt16 = 0o644
    package var sync = SyncOptions()

    package init() {}
}

/// The result of a save.
package struct SaveReport: Sendable {
    package var sync: SyncReport
    /// The entry at the path after the save.
    package var entry: Entry?
    /// The commit that the path is at; 0 while the change waits for the remote.
    package var version: UInt64
    /// Whether a conflict was resolved to a content other than the saved one.
    package var differs: Bool

    package init(sync: SyncReport, entry: Entry?, version: UInt64, differs: Bool) {
        self.sync = sync
        self.entry = entry
        self.version = version
        self.differs = differs
    }

    /// - Parameter saved: The id of the saved content; nil if it is not known.
    init(sync: SyncReport, entry: Entry?, version: UInt64, saved: ContentID?) {
        let differs = saved != nil && version != 0 && entry?.content != saved
        self.init(sync: sync, entry: entry, version: version, differs: differs)
    }
}

/// The result of a load.
package struct LoadReport: Sendable {
    /// The run that checked the remote; nil for an offline load.
    package var sync: SyncReport?
    package var entry: Entry
    /// The commit that the path is at; 0 for a state that is not published yet.
    package var version: UInt64
}

extension SyncReport {
    /// Whether the run wrote a file from the remote at the path.
    fileprivate func takes(_ path: RelativePath) -> Bool {
        steps.contains { step in
            guard step.path == path, case .take(let entry) = step.action else { return false }
            return entry.kind == .file
        }
    }
}

extension Failure {
    /// The rule was not known here when the content was written.
    static func savedHereOnly(_ path: RelativePath) -> Failure {
        Failure(
            .usage, path: path.bytes,
            "Saved here, and not sent: a rule that has just come from another device ignores this path.",
            remedy: "See the rule with filesinki check-ignore \(ShellWord.path(path.bytes)).")
    }

    /// What is saved had no place.
    fileprivate static func placeTaken(_ path: RelativePath) -> Failure {
        Failure(
            .exists, path: path.bytes,
            "Not saved: a folder took the place of the file while it was being saved.",
            remedy: "Save it under another name.")
    }
}
