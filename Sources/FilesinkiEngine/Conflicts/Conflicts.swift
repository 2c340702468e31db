import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote

/// A conflict that waits for a person.
package struct OpenConflict: Sendable {
    package var path: RelativePath
    package var base: Entry?
    package var ours: Entry?
    package var theirs: Entry?
    /// Where the content that gave way is kept; nil when both sides stay as they are.
    package var copy: RelativePath?
    package var rule: String
    package var time: Timestamp
}

/// Which content ends a conflict.
package enum ConflictChoice: Sendable {
    /// What is at the path in this replica.
    case ours
    /// What is committed; with a conflict copy, what the copy gave way to.
    case theirs
    /// What both sides started from.
    case base
    /// An older or newer version of the path.
    case version(UInt64)
    /// Bytes of the user's own.
    case bytes([UInt8])

    /// What was chosen, as the journal says it.
    fileprivate var sentence: String {
        switch self {
        case .ours: "Took here."
        case .theirs: "Took there."
        case .base: "Took base."
        case .version(let version): "Took version \(version)."
        case .bytes: "Took a given content."
        }
    }
}

/// The open conflicts, and how a user resolves them.
struct Conflicts: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// The conflicts that are open, the oldest first, then those that another device has found. One
    /// whose copy was removed is over.
    func open() throws -> [OpenConflict] {
        let own = try manifest.conflicts(.open).filter { row in
            guard let copy = row.copyPath else { return true }
            return try root.status(copy) != nil
        }
        let known = Set(own.compactMap(\.copyPath))
        let others = try copiesOfOthers().filter { row in
            row.copyPath.map { !known.contains($0) } ?? false
        }
        return (own + others).map { row in
            OpenConflict(
                path: row.path, base: row.base, ours: row.ours, theirs: row.theirs,
                copy: row.copyPath, rule: row.rule, time: row.time)
        }
    }

    /// Conflicts that another device has found: a copy that stands beside the file it is named for,
    /// and whose content is the one in its name.
    private func copiesOfOthers() throws -> [ConflictRow] {
        try manifest.basePaths(containing: conflictMark).sorted().compactMap { copy in
            guard let (original, digits) = conflictOriginal(of: copy),
                let found = try manifest.base(copy)?.entry,
                let theirs = try manifest.base(original)?.entry,
                found.identity?.description.hasPrefix(digits) == true || found.kind == .symlink,
                try root.status(copy) != nil
            else { return nil }
            return ConflictRow(
                path: original, base: nil, ours: found, theirs: theirs, copyPath: copy,
                rule: "conflict-copy", time: found.modified)
        }
    }

    /// The open conflicts of one path as rows, whoever found them.
    func openConflicts(at path: RelativePath) throws -> [ConflictRow] {
        let own = try manifest.openConflicts(at: path)
        let known = Set(own.compactMap(\.copyPath))
        return try own
            + copiesOfOthers().filter { row in
                row.path == path && row.copyPath.map { !known.contains($0) } ?? false
            }
    }

    /// Ends the open conflicts of a path: the chosen content gets the name, a copy goes. What is not
    /// chosen is in the history before it goes.
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
        let copies = rows.compactMap(\.copyPath)
        let chosen = try await chosen(choice, row)
        var options = options
        options.operation = "resolve"
        let before = try await keepInHistory([path] + copies, chosen, options)
        var changed: [Problem] = []
        if try await put(chosen, at: path, after: before) {
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
        // What is at the path now is the user's own word.
        options.strategy = Strategy([.choice(.ours)])
        var report = try await sync.syncPaths([path] + copies, options, after: before)
        report.addCopies(of: before)
        try end(rows)
        try history.record(.init(command: "resolve", note: choice.sentence), [path])
        return report
    }

    /// Brings what somebody saved while a conflict was being resolved into step. The conflict stays open.
    private func keepOpen(
        _ paths: [RelativePath], _ changed: [Problem], _ options: SyncOptions,
        after before: SyncReport?
    ) async throws -> SyncReport {
        var report = try await sync.syncPaths(paths, options)
        report.problems += changed
        report.addCopies(of: before)
        return report
    }

    private func end(_ rows: [ConflictRow]) throws {
        try manifest.write { writer in
            for row in rows where row.id > 0 { try writer.resolveConflict(row.id) }
            for row in rows where row.id == 0 {
                try writer.resolveConflict(writer.addConflict(row))
            }
        }
    }

    /// Takes the last resolve of a path back: both contents stand side by side again, and the
    /// conflict is open. What the resolve had chosen stays in the history.
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
                .exists, path: path.bytes, "It has an open conflict.",
                remedy: "See it with filesinki conflicts.")
        }
        let rows = try manifest.conflicts(.resolved).filter { $0.path == path }
        guard var row = rows.last, let ours = row.ours, let theirs = row.theirs else {
            throw Failure(
                .notFound, path: path.bytes, "No conflict of it was resolved here.",
                remedy: "See its versions with filesinki log.")
        }
        let copy =
            row.copyPath
            ?? conflictName(
                for: path, device: config.device, content: ours.identity ?? ours.content)
        var options = options
        options.operation = "resolve"
        let before = try await keepInHistory([path, copy], .theirs(nil), options)
        let contents = try await history.historyContents(history.historyReader(after: before))
        for (entry, target) in [(theirs, path), (ours, copy)] where entry.kind != .tombstone {
            guard try await editor.put(entry, at: target, from: contents) else {
                return try await keepOpen(
                    [path, copy], [.changedMeanwhile(target, "restored")], options,
                    after: before)
            }
        }
        row.copyPath = copy
        row.time = systemContext.now()
        try manifest.write { writer in _ = try writer.addConflict(row) }
        var report = try await sync.syncPaths([path, copy], options, after: before)
        report.addCopies(of: before)
        try history.record(.init(command: "resolve", note: "Reopened the conflict."), [path])
        return report
    }

    /// What a resolution puts at the path.
    private enum Chosen {
        /// What is there already.
        case untouched
        /// An entry of the store; nil where the committed one is taken as it comes.
        case theirs(Entry?)
        case entry(Entry)
        case bytes([UInt8])
    }

    private func chosen(
        _ choice: ConflictChoice, _ row: ConflictRow
    ) async throws -> Chosen {
        let found: Entry?
        switch choice {
        case .bytes(let bytes): return .bytes(bytes)
        case .ours where row.copyPath == nil: return .untouched
        case .theirs where row.copyPath == nil: return .theirs(nil)
        case .ours: found = row.ours
        case .theirs: found = row.theirs
        case .base: found = row.base
        case .version(let version):
            found = try await history.tree(at: .version(version), of: [row.path]).state(
                of: row.path)?.entry
        }
        guard let found else {
            throw Failure(
                .notFound, path: row.path.bytes, "That side of the conflict has no content.",
                remedy: "Choose another one; filesinki conflicts shows them.")
        }
        return .entry(found)
    }

    /// Brings what is at the paths now into the history; of an open conflict, the committed content
    /// comes here on the way.
    ///
    /// - Returns: The run's report; nil when none was needed.
    private func keepInHistory(
        _ paths: [RelativePath], _ chosen: Chosen, _ options: SyncOptions
    ) async throws -> SyncReport? {
        if case .untouched = chosen { return nil }
        var options = options
        options.strategy = Strategy([.choice(.theirs)])
        let report = try await sync.syncPaths(paths, options)
        if let away = report.away, report.isQueued { throw away }
        return report
    }

    /// - Returns: False when something was saved at the path since the run before, which stays.
    private func put(
        _ chosen: Chosen, at path: RelativePath, after before: SyncReport?
    ) async throws -> Bool {
        switch chosen {
        case .untouched, .theirs: return true
        case .bytes(let bytes):
            return try editor.place(path, mode: 0o644, expecting: editor.expectation(at: path)) {
                try bytes.withUnsafeBytes($0)
            } != nil
        case .entry(let entry):
            let contents = try await history.historyContents(history.historyReader(after: before))
            return try await editor.put(entry, at: path, from: contents)
        }
    }
}
