import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
package import FilesinkiModel
package import FilesinkiReconcile
import FilesinkiRemote

/// A conflict that waits for a user.
package struct OpenConflict: Sendable {
    /// As the device saw it that found it: `ours` is its own version, which its copy has. See ``sides``.
    package var conflict: Conflict
    /// Whose version is whose, seen from this replica.
    package var sides: ConflictSides
    /// The conflict copy that has `ours`; nil when both sides stay as they are.
    package var copy: RelativePath?
    /// The rule that left it open, or made the copy.
    package var rule: String
    /// When it was found.
    package var time: Timestamp

    package var path: RelativePath { conflict.path }

    /// Whether the replica knows what both sides started from. Only the device that found the conflict does: a commit does
    /// not say what a conflict copy was based on.
    package var isBaseKnown: Bool { conflict.base != nil || rule != Conflicts.receivedRule }

    fileprivate init(_ row: ConflictRow, _ sides: ConflictSides) {
        self.sides = sides
        conflict = Conflict(path: row.path, base: row.base, ours: row.ours, theirs: row.theirs)
        copy = row.copyPath
        rule = row.rule
        time = row.time
    }
}

/// The content with which a user resolves a conflict.
package enum ConflictChoice: Sendable {
    /// The version of the device that found the conflict: see ``OpenConflict/sides``.
    case ours
    /// The committed version, or the one that has the name beside a conflict copy.
    case theirs
    /// What both sides started from.
    case base
    /// An older or newer version of the path.
    case version(UInt64)
    /// A content from elsewhere.
    case bytes([UInt8])

    /// What was chosen, as a sentence for the journal.
    fileprivate func sentence(_ sides: ConflictSides) -> String {
        switch self {
        case .ours: "Took \(sides.label(.ours))."
        case .theirs: "Took \(sides.label(.theirs))."
        case .base: "Took base."
        case .version(let version): "Took version \(version)."
        case .bytes: "Took a given content."
        }
    }

    fileprivate var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { return bytes }
        return nil
    }
}

/// Lists the open conflicts, and resolves them as a user chooses.
struct Conflicts: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// The open conflicts: those of this replica, the oldest first, then those that another device has
    /// found. A conflict ends when its conflict copy is removed.
    func open() throws -> [OpenConflict] {
        let rows = try openRows()
        if rows.isEmpty { return [] }
        let (writers, reopened) = try (manifest.conflictWriters(), manifest.reopenedWriters())
        return try rows.map { row in
            try OpenConflict(row, sides(of: row, writer(of: row, writers, reopened)))
        }
    }

    /// The rows of ``open()``.
    func openRows() throws -> [ConflictRow] {
        let own = try manifest.conflicts(.open).filter { try !hasEnded($0) }
        return try own + copiesOfOthers(besides: own)
    }

    /// Whether the conflict copy was removed, or was given a name of its own.
    private func hasEnded(_ row: ConflictRow) throws -> Bool {
        guard let copy = row.copyPath else { return false }
        return try !root.holds(copy)
    }

    /// Conflicts that another device has found: conflict copies, by name and content, that are beside
    /// the file that they are named after.
    ///
    /// - Parameter own: The conflicts that this replica has found. Their copies are left out.
    private func copiesOfOthers(besides own: [ConflictRow]) throws -> [ConflictRow] {
        let known = Set(own.compactMap(\.copyPath))
        return try manifest.basePaths(containing: conflictMark).sorted().compactMap { copy in
            guard !known.contains(copy), let (original, digits) = conflictOriginal(of: copy),
                let found = try manifest.base(copy)?.entry,
                let theirs = try manifest.base(original)?.entry,
                found.identity?.description.hasPrefix(digits) == true || found.kind == .symlink,
                try root.holds(copy)
            else { return nil }
            return ConflictRow(
                path: original, base: nil, ours: found, theirs: theirs, copyPath: copy,
                rule: Self.receivedRule, time: found.modified)
        }
    }

    /// The open conflicts of one path, of this replica and of other devices.
    func openConflicts(at path: RelativePath) throws -> [ConflictRow] {
        let own = try manifest.openConflicts(at: path).filter { try !hasEnded($0) }
        return try own + copiesOfOthers(besides: own).filter { $0.path == path }
    }

    /// Ends the open conflicts of a path: the chosen content gets the name, and conflict copies are
    /// removed. What is not chosen is stored in the history first.
    ///
    /// - Throws: Code `not-found` when there is no conflict, or no such content; `away` when the
    ///   remote is needed to keep what gives way, and cannot be reached.
    func resolve(
        _ path: RelativePath, _ choice: ConflictChoice, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await sync.reporting { try await end(path, choice, options) }
    }

    private func end(
        _ path: RelativePath, _ choice: ConflictChoice, _ options: SyncOptions
    ) async throws -> SyncReport {
        let rows = try openConflicts(at: path)
        guard let row = rows.last else {
            throw Failure(
                .notFound, path: path.bytes, "No open conflict was found.",
                remedy: "See the open ones with filesinki conflicts.")
        }
        try rulesReader.requireSynced([path], options)
        let copies = rows.compactMap(\.copyPath)
        let writer = try writer(
            of: row, manifest.conflictWriters(), manifest.reopenedWriters())
        let sides = sides(of: row, writer)
        var resolution = try await resolution(by: choice, of: row)
        var options = options
        options.operation = "resolve"
        let before = try await keepInHistory([path] + copies, resolution, options)
        resolution = try edited(row, choice).map { .merged($0) } ?? resolution
        var changed = try clearFolder(at: path, for: resolution, options, after: before)
        if !changed.isEmpty {
            // The folder stays, or a part of it.
        } else if try await put(resolution, choice.bytes, at: path, copies, after: before) {
            for copy in copies where try root.status(copy) != nil {
                let outcome = try editor.makeWriter().remove(
                    copy, expecting: editor.expectation(at: copy))
                if case .surprised = outcome { changed.append(.changedMeanwhile(copy, "removed")) }
            }
        } else {
            changed.append(.changedMeanwhile(path, "resolved"))
        }
        guard changed.isEmpty else {
            return try await keepOpen([path] + copies, changed, options, after: before)
        }
        // What is at the path now is what the user chose.
        options.strategy = Strategy([.choice(.ours)])
        let report = try await sync.syncPaths([path] + copies, options, after: before)
        try end(rows, writer)
        let note = choice.sentence(sides)
        try journal.record(.init(command: "resolve", note: note), [path])
        return report
    }

    /// Syncs what was saved while a conflict was being resolved. The conflict stays open.
    private func keepOpen(
        _ paths: [RelativePath], _ changed: [Problem], _ options: SyncOptions,
        after before: SyncReport?
    ) async throws -> SyncReport {
        var report = try await sync.syncPaths(paths, options, after: before)
        report.problems += changed
        return report
    }

    /// - Parameter device: Who had committed the version in place; nil if it is not known.
    private func end(_ rows: [ConflictRow], _ device: Device?) throws {
        try manifest.write { writer in
            if let path = rows.last?.path { try writer.noteResolved(path, device, in: manifest) }
            for row in rows where row.id > 0 { try writer.resolveConflict(row.id) }
            for row in rows where row.id == 0 {
                try writer.resolveConflict(writer.addConflict(row))
            }
        }
    }

    /// Undoes the last resolve of a path: both versions are side by side again, and the conflict is
    /// open. What the resolve had chosen stays in the history.
    ///
    /// - Throws: Code `not-found` when no conflict of the path was resolved here.
    func unresolve(
        _ path: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await sync.reporting { try await reopen(path, options) }
    }

    private func reopen(
        _ path: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        guard try openConflicts(at: path).isEmpty else {
            throw Failure(
                .exists, path: path.bytes, "The path has an open conflict.",
                remedy: "See it with filesinki conflicts.")
        }
        let rows = try (manifest.conflicts(.resolved) + manifest.conflicts(.open))
            .filter { $0.path == path }
        guard var row = rows.last, let ours = row.ours, let theirs = row.theirs else {
            throw Failure(
                .notFound, path: path.bytes, "No resolved conflict was found here.",
                remedy: "See its versions with filesinki log.")
        }
        let copy =
            row.copyPath
            ?? conflictName(
                for: path, device: config.device, content: ours.identity ?? ours.content)
        try rulesReader.requireSynced([path], options)
        var options = options
        options.operation = "resolve"
        let before = try await keepInHistory([path, copy], .theirs, options)
        let reader = try await history.historyReader(after: before)
        let contents = try await history.historyContents(reader)
        var wanted = [(path, theirs)]
        if theirs.kind == .directory, try root.status(path)?.kind != .directory {
            wanted += try await history.replacedChildren(of: path, in: reader)
            guard try await editor.write(.tombstone, at: path, from: contents) else {
                return try await keepOpen(
                    [path, copy], [.changedMeanwhile(path, "restored")], options, after: before)
            }
        }
        for (target, entry) in wanted + [(copy, ours)] where entry.kind != .tombstone {
            guard try await editor.write(entry, at: target, from: contents) else {
                return try await keepOpen(
                    [path, copy], [.changedMeanwhile(target, "restored")], options,
                    after: before)
            }
        }
        row.copyPath = copy
        row.state = .open
        row.time = systemContext.now()
        try manifest.write { writer in
            // With its copy back, one that had ended so would be open, too.
            for ended in rows where ended.state == .open { try writer.resolveConflict(ended.id) }
            _ = try writer.addConflict(row)
            try writer.noteReopened(path, in: manifest)
        }
        let report = try await sync.syncPaths([path, copy], options, after: before)
        try journal.record(.init(command: "resolve", note: "Reopened the conflict."), [path])
        return report
    }

    /// The chosen side as it is now, where it has a file of its own: a user may have edited that since the
    /// conflict was found.
    private func edited(_ row: ConflictRow, _ choice: ConflictChoice) throws -> Entry? {
        guard let copy = row.copyPath else { return nil }
        let entry: Entry?
        switch choice {
        case .ours: entry = try manifest.base(copy)?.entry
        case .theirs: entry = try manifest.base(row.path)?.entry
        case .base, .version, .bytes: return nil
        }
        return entry?.kind == .directory ? nil : entry
    }

    /// What both sides get. Without a conflict copy, each side still has its own version.
    private func resolution(
        by choice: ConflictChoice, of row: ConflictRow
    ) async throws -> Resolution.Outcome {
        let found: Entry?
        switch choice {
        case .ours where row.copyPath == nil: return .ours
        case .theirs where row.copyPath == nil: return .theirs
        case .ours: found = row.ours
        case .theirs: found = row.theirs
        case .base: found = row.base
        case .version(let version):
            found = try await history.tree(at: .version(version), of: [row.path]).state(
                of: row.path)?.entry
        case .bytes(let bytes):
            found = .file(
                ContentHasher.hash(bytes), size: Int64(bytes.count), mode: 0o644,
                modified: systemContext.now())
        }
        guard let found else {
            throw Failure(
                .notFound, path: row.path.bytes, "That side of the conflict has no content.",
                remedy: "Choose another one; filesinki conflicts shows them.")
        }
        return .merged(found)
    }

    /// Brings what is at the paths now into the history; of an open conflict, the committed content
    /// comes here on the way.
    ///
    /// - Returns: The run's report; nil when none was needed.
    private func keepInHistory(
        _ paths: [RelativePath], _ resolution: Resolution.Outcome, _ options: SyncOptions
    ) async throws -> SyncReport? {
        if resolution == .ours { return nil }
        var options = options
        options.strategy = Strategy([.choice(.theirs)])
        let report = try await sync.syncPaths(paths, options)
        if let away = report.away, report.isQueued { throw away }
        return report
    }

    /// Removes a folder that is where a file or a symlink was chosen. Its files are in the history.
    ///
    /// - Parameter before: The run that has brought them there.
    /// - Returns: What stays in the folder, and why.
    private func clearFolder(
        at path: RelativePath, for resolution: Resolution.Outcome, _ options: SyncOptions,
        after before: SyncReport?
    ) throws -> [Problem] {
        guard case .merged(let entry) = resolution, entry.kind != .directory, let before,
            try root.status(path)?.kind == .directory
        else { return [] }
        let (changed, kept) = try Deletions(replica).removeHere(
            [path], recursive: true, options, after: before)
        return changed + kept
    }

    /// Gives the path the entry of a resolution.
    ///
    /// - Parameters:
    ///   - bytes: The content of the entry; nil for one of the store.
    ///   - copies: Where else it may be in the tree.
    /// - Returns: False when something was saved at the path since the run before, which stays.
    private func put(
        _ resolution: Resolution.Outcome, _ bytes: [UInt8]?, at path: RelativePath,
        _ copies: [RelativePath], after before: SyncReport?
    ) async throws -> Bool {
        guard case .merged(let entry) = resolution else { return true }
        if let bytes {
            return try editor.place(
                path, mode: entry.mode, expecting: editor.expectation(at: path)
            ) { try bytes.withUnsafeBytes($0) } != nil
        }
        if let isDone = try putPresent(entry, at: path, from: [path] + copies) { return isDone }
        let reader = try await history.historyReader(after: before)
        let contents = try await history.historyContents(reader)
        try await history.requireUnpruned(entry, at: path, in: reader, contents)
        return try await editor.write(entry, at: path, from: contents)
    }

    /// Gives the path a content that one of the places has, so that the remote is not needed.
    ///
    /// - Returns: As ``put(_:_:at:_:after:)``; nil if no place has it.
    private func putPresent(
        _ entry: Entry, at path: RelativePath, from places: [RelativePath]
    ) throws -> Bool? {
        guard entry.kind == .file else { return nil }
        for place in places {
            guard let status = try root.status(place), status.kind == .file,
                !root.isLive(place), status.stamp.size == entry.size
            else { continue }
            let expected = try editor.expectation(at: path)
            let writer = try editor.makeWriter()
            let staged = try editor.stage(
                path, in: writer.staging, mode: entry.mode, modified: entry.modified
            ) { write in _ = try root.readChunks(place, bufferSize: 1 << 20, write) }
            guard staged.content == entry.content else { continue }
            try writer.makeFolders(above: path)
            return try editor.install(staged, at: path, by: writer, expecting: expected) != nil
        }
        return nil
    }

    /// The content of a version of a conflict, where the tree has it.
    ///
    /// - Parameter limit: Longer ones are not read.
    func present(_ entry: Entry, at place: RelativePath, limit: Int) throws -> [UInt8]? {
        guard entry.kind == .file, entry.size <= limit, !root.isLive(place),
            let status = try root.status(place), status.kind == .file,
            status.stamp.size == entry.size
        else { return nil }
        let bytes = try root.readWhole(place, limit: limit).bytes
        return ContentHasher.hash(bytes) == entry.content ? bytes : nil
    }
}
