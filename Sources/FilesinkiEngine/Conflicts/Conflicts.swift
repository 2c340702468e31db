import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
package import FilesinkiModel
package import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiRules

/// A conflict that waits for a user.
package struct OpenConflict: Sendable {
    /// As the device saw it that found it: `ours` is its own version, which its copy has. See ``sides``.
    package var conflict: Conflict
    /// Whose version is whose, seen from this replica.
    package var sides: ConflictSides
    /// The conflict copy that has `ours`; nil when both sides stay as they are.
    package var copy: RelativePath?
    /// The file's old name, which one side still has; nil unless both sides stay as they are, and one has renamed it.
    package var oldName: RelativePath? { rename?.oldName }
    fileprivate(set) var rename: LeftRename?
    /// The rule that left it open, or made the copy.
    package var rule: String
    /// When it was found.
    package var time: Timestamp

    package var path: RelativePath { conflict.path }

    /// Whether it is known what both sides started from. The manifest of the device that found the conflict has it; elsewhere
    /// see ``Conflicts/withBases(_:)``.
    package private(set) var isBaseKnown: Bool
    /// Whether this replica holds only a part of what is in the folder: a resolve is refused until it holds all.
    package fileprivate(set) var isPartlyHeld = false

    fileprivate init(_ row: ConflictRow, _ sides: ConflictSides, _ rename: LeftRename?) {
        self.sides = sides
        self.rename = rename
        conflict = Conflict(
            path: row.path, base: row.base, ours: row.ours?.unlessGone,
            theirs: row.theirs?.unlessGone)
        copy = row.copyPath
        rule = row.rule
        time = row.time
        isBaseKnown = row.base != nil || row.rule != Conflicts.receivedRule
    }

    /// The conflict with a base that was found; a tombstone for nothing.
    package func based(on base: Entry?) -> OpenConflict {
        var found = self
        found.conflict.base = base?.kind == .tombstone ? nil : base
        found.isBaseKnown = true
        return found
    }
}

/// Lists the open conflicts, and resolves them as a user chooses.
struct Conflicts: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// The open conflicts, the oldest first, whichever device has found them. A conflict ends when its conflict copy is
    /// removed, or the file in place is deleted or renamed.
    func open() throws -> [OpenConflict] {
        var rows = try openRows()
        rows += try ignoredRows(besides: rows)
        if rows.isEmpty { return [] }
        rows.sort { ($0.time, $0.path) < ($1.time, $1.path) }
        let (writers, reopened) = try (manifest.conflictWriters(), manifest.reopenedWriters())
        let renames = try manifest.leftRenames()
        let choice = try rulesReader.choice()
        return try rows.map { row in
            let writer = try writer(of: row, writers, reopened, renames)
            var sides = sides(of: row, writer)
            try findEdit(of: row, writer, reopened, &sides)
            try findSyncedEdit(of: row, writers, &sides)
            let rename = row.copyPath == nil ? renames[row.path] : nil
            var found = OpenConflict(try withOursNow(present(row), renames), sides, rename)
            found.isPartlyHeld = choice?.isAbove(row.path) == true
            return found
        }
    }

    /// The rows of ``open()``.
    func openRows() throws -> [ConflictRow] {
        let own = try ownRows()
        return try own + copiesOfOthers(besides: own)
    }

    /// Those that this replica has found.
    func ownRows() throws -> [ConflictRow] {
        try manifest.conflicts(.open).filter { try !hasEnded($0) }
    }

    /// A conflict with what its places have now: a version may have been edited since the conflict was found, and what is in
    /// place may be a version of a third device.
    func present(_ row: ConflictRow) throws -> ConflictRow {
        guard let copy = row.copyPath else { return row }
        var row = row
        if let found = try manifest.base(copy)?.entry, found.kind != .directory { row.ours = found }
        if let found = try manifest.base(row.path)?.entry, found.kind != .directory,
            row.theirs?.kind != .directory,
            // A run that has not ended yet: the manifest has what was there before.
            row.base.map({ !found.hasSameContent(as: $0) }) ?? true
        {
            row.theirs = found
        }
        return row
    }

    /// Whether the conflict copy was removed, or was given a name of its own, or nothing is in place any more.
    private func hasEnded(_ row: ConflictRow) throws -> Bool {
        guard row.copyPath != nil else { return false }
        return try isCopyGone(row) || isGone(row.path)
    }

    /// Whether the conflict copy was removed, or was given a name of its own.
    func isCopyGone(_ row: ConflictRow) throws -> Bool {
        guard let copy = row.copyPath else { return false }
        return try !root.holds(copy)
    }

    /// Conflicts that another device has found: conflict copies, by name, that are beside the file that
    /// they are named after.
    ///
    /// - Parameter own: The conflicts that this replica has found. Their copies are left out.
    private func copiesOfOthers(besides own: [ConflictRow]) throws -> [ConflictRow] {
        let known = Set(own.compactMap(\.copyPath))
        return try manifest.basePaths(containing: conflictMark).sorted().compactMap { copy in
            guard !known.contains(copy), let original = conflictOriginal(of: copy)?.path,
                let found = try manifest.base(copy)?.entry,
                let theirs = try manifest.base(original)?.entry,
                // One that was edited since has another content than its name tells.
                found.kind == .file || found.kind == .symlink,
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
        let found = try own + copiesOfOthers(besides: own).filter { $0.path == path }
        return try found.isEmpty ? ignoredRows(besides: []).filter { $0.path == path } : found
    }

    /// Ends open conflicts of a path: the chosen content gets the name, and their conflict copies are
    /// removed. What is not chosen is stored in the history first. Other conflicts of the path stay open.
    ///
    /// - Parameter scope: Which of the path's conflicts end.
    /// - Throws: Code `not-found` when there is no conflict, or no such content; `usage` if it is not said which of
    ///   several is meant, and if a rule ignores the path; `away` when the remote is needed to keep what gives way, and
    ///   cannot be reached; `changing` when another device has resolved it otherwise meanwhile, or has edited one of its files.
    func resolve(
        _ path: RelativePath, _ choice: ConflictChoice, of scope: ConflictScope = .only,
        _ options: SyncOptions
    ) async throws -> SyncReport {
        try await sync.reporting { try await end(path, choice, of: scope, options) }
    }

    private func end(
        _ path: RelativePath, _ choice: ConflictChoice, of scope: ConflictScope,
        _ options: SyncOptions
    ) async throws -> SyncReport {
        let open = try openConflicts(at: path)
        let known = try await withBases(open, for: choice)
        let rows = try scope.rows(of: known, choice)
        guard let row = rows.last else { throw try await noneOpen(path) }
        let copies = rows.compactMap(\.copyPath)
        try rulesReader.requireSynced([path], options) {
            Failure.ignoredConflictRemedy($0, copies)
        }
        try requireInnermost(copies, of: path)
        let reopened = try manifest.reopenedWriters()
        var writer = try writer(
            of: row, manifest.conflictWriters(), reopened, manifest.leftRenames())
        var sides = sides(of: row, writer)
        try findEdit(of: row, writer, reopened, &sides)
        // What gives way, or stays, is what was edited here.
        if sides.unsent != nil { writer = config.device }
        var resolution = try await resolution(by: choice, of: row, sides)
        let renamed = try await nameHere(of: path)
        var options = options
        options.operation = Change.resolved
        let chosen = try edited(row, choice)?.identity ?? resolution.chosen
        let before = try await keepInHistory(
            [path] + copies, resolution,
            refusingUnseen(of: rows, choosing: chosen, options))
        if let before { try rulesReader.requireSynced([path], after: before, options) }
        try await requireOpen(rows, resolution)
        resolution = try edited(row, choice).map { .merged($0) } ?? resolution
        let ending = try rows.map(present)
        let changed = try await carryOut(
            resolution, choice.bytes, at: path, copies, options, after: before)
        guard changed.isEmpty else {
            return try await keepOpen([path] + copies, changed, options, after: before)
        }
        // What is at the path now is what the user chose.
        options.take(.ours)
        let others = known.filter { !rows.contains($0) }.compactMap(\.copyPath)
        let end = ConflictEnd(
            rows: ending, note: choice.sentence(sides),
            resolve: .init(device: writer, others: others, chosen: resolution.chosen))
        var report = try await publish(end, at: path, copies, options, after: before)
        try rulesReader.requireSynced([path], after: report, options)
        try add(said: before, at: path, to: &report)
        // That run has sent what was edited in place, where a conflict copy is what gives way.
        if resolution == .theirs || sides.unsent != nil, let before { report.add(done: before) }
        // Nothing would remember the choice between two sides that each keep their own version.
        if resolution == .ours, let away = report.away { throw away }
        if report.leaves(path) { return report }
        if let renamed { report.notices.append(.renamedHere(path, renamed)) }
        try record(end)
        return report
    }

    /// Writes a resolution into the root: in place of what is at the path, and of the conflict copies.
    ///
    /// - Parameters:
    ///   - bytes: As in ``put(_:_:at:_:after:)``.
    ///   - before: The run that has brought what gives way into the history.
    /// - Returns: What was saved meanwhile, which stays.
    private func carryOut(
        _ resolution: Resolution.Outcome, _ bytes: [UInt8]?, at path: RelativePath,
        _ copies: [RelativePath], _ options: SyncOptions, after before: SyncReport?
    ) async throws -> [Problem] {
        let left = try clearFolder(at: path, for: resolution, options, after: before)
        // The folder stays, or a part of it.
        guard left.isEmpty else { return left }
        guard try await put(resolution, bytes, at: path, copies, after: before) else {
            return [.changedMeanwhile(path, "resolved")]
        }
        return try remove(copies)
    }

    /// - Returns: What was saved meanwhile, which stays.
    private func remove(_ copies: [RelativePath]) throws -> [Problem] {
        try copies.filter { try root.status($0) != nil }.compactMap { copy in
            let outcome = try editor.makeWriter().remove(
                copy, expecting: editor.expectation(at: copy))
            if case .surprised = outcome { return .changedMeanwhile(copy, "removed") }
            return nil
        }
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
        by choice: ConflictChoice, of row: ConflictRow, _ sides: ConflictSides
    ) async throws -> Resolution.Outcome {
        let found: Entry?
        switch choice {
        case .ours where row.copyPath == nil: return .ours
        case .theirs where row.copyPath == nil: return .theirs
        case .ours: found = row.ours
        case .theirs: found = row.theirs
        case .base: found = row.base
        case .version(let number):
            found = try await version(number, of: row.path, orElse: sides)
        case .bytes(let bytes):
            found = .file(
                ContentHasher.hash(bytes), size: Int64(bytes.count), mode: 0o644,
                modified: systemContext.now())
        }
        guard let found else {
            if case .base = choice, row.rule == Self.receivedRule {
                throw Failure.unknownBase(row.path)
            }
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
    func keepInHistory(
        _ paths: [RelativePath], _ resolution: Resolution.Outcome, _ options: SyncOptions
    ) async throws -> SyncReport? {
        if resolution == .ours { return nil }
        var options = options
        options.take(.theirs)
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

extension Failure {
    /// The replica has not found the conflict, and the store does not tell its base.
    package static func unknownBase(_ path: RelativePath) -> Failure {
        Failure(
            .notFound, path: path.bytes, "It is not known here what both sides started from.",
            remedy: "Choose a version that filesinki log lists, by its number.")
    }
}

extension Entry {
    /// Nil for a tombstone.
    fileprivate var unlessGone: Entry? { kind == .tombstone ? nil : self }
}
