import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiSystem
import FilesinkiText

/// The result of a change of the paths that a replica holds.
package struct ChoiceReport: Sendable {
    /// The chosen paths; nil for a complete replica.
    package var paths: [RelativePath]?
    /// The files and symlinks that were removed from the root.
    package var removed: [RelativePath] = []
    /// The files and symlinks that are no longer chosen and were deleted here before, which was not sent. The store keeps
    /// them.
    package var gone: [RelativePath] = []
    /// New files that were never sent, and stay in the root although they are no longer chosen.
    package var kept: [RelativePath] = []
    /// Whether that is known of them: not before the first sync, and after the manifest was lost.
    package var knowsStore = true
    /// Folders that stay in the root although they are no longer chosen, as they hold ignored files.
    package var keptFolders: [RelativePath] = []
    /// What could not be removed from the root although it is no longer chosen.
    package var problems: [Problem] = []
    /// What is withheld from now on: rules ignored it before its folder was renamed.
    package var notices: [Problem] = []
}

/// Changes which paths a replica holds.
///
/// What is not chosen is not in the base: it waits in the manifest as a remote change that no run applies.
/// So neither its absence nor its return can be taken for a change of a user.
struct PartialReplica: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// The chosen paths; nil for a complete replica.
    func paths() throws -> [RelativePath]? { try rulesReader.choice()?.paths }

    /// Chooses exactly these paths; nil for a complete replica. What was deleted here, without a command, and is
    /// not chosen is deleted nowhere else.
    ///
    /// - Throws: Code `not-found` for a path that exists neither here nor in the store, `differs` if
    ///   something that would leave the root is not published; then nothing was changed.
    func set(_ paths: [RelativePath]?) async throws -> ChoiceReport {
        if let paths {
            try requireKnown(paths) { place in
                paths.count == 1
                    ? "To have it here, run filesinki only set \(ShellWord.path(place.bytes)), then sync."
                    : "Name that in its place."
            }
        }
        return try await change(to: paths.map { PathChoice($0) })
    }

    /// Adds paths to the chosen ones. The next sync writes them to the root.
    ///
    /// - Throws: Code `exists` for a complete replica, and what ``set(_:)`` throws.
    func add(_ paths: [RelativePath]) async throws -> ChoiceReport {
        let choice = try requireChoice()
        try requireKnown(paths) { place in
            "To have it here, run filesinki only add \(ShellWord.path(place.bytes)), then sync."
        }
        return try await change(to: choice.adding(paths))
    }

    /// Removes paths from the chosen ones, and from the root. They stay in the store and on other devices. New files that
    /// were never sent stay in the root.
    ///
    /// - Throws: As ``add(_:)`` and ``FilesinkiRules/PathChoice/removing(_:)``.
    func remove(_ paths: [RelativePath]) async throws -> ChoiceReport {
        try await change(to: requireChoice().removing(paths))
    }

    /// The chosen paths at which nothing is, as of the last sync.
    func unknown() throws -> [RelativePath] { try (paths() ?? []).filter { try !isKnown($0) } }

    /// Removes from the root what a command that was killed had still to remove.
    ///
    /// - Returns: The report of what was removed now; nil if nothing was left to do.
    @discardableResult
    func finish() throws -> ChoiceReport? {
        var note = try state.choiceNote()
        guard note.isRemoving, let choice = note.choice else { return nil }
        var report = ChoiceReport(paths: choice.paths)
        // Folders before what is in them.
        let rows = try manifest.loadBase().filter { !choice.holds($0.path) }
            .sorted { $0.path < $1.path }
        try removeFiles(rows, &report)
        try manifest.write { writer in
            for row in rows { try writer.takeOutOfBase(row, manifest) }
        }
        note.isRemoving = false
        try StateFile.replace(state.only, with: note.bytes)
        return report
    }

    // MARK: Steps of a change

    private func change(to choice: PathChoice?) async throws -> ChoiceReport {
        let unchanged = ChoiceReport(paths: choice?.paths)
        guard try choice != rulesReader.choice() else { return unchanged }
        var unsent = UnsentOutside()
        var notices: [Problem] = []
        if let choice {
            unsent = try await requirePublished(outside: choice)
            notices = try withholdRenamed(outside: choice)
        }
        let gone = try filesKept(of: unsent.deleted)
        if !unsent.deleted.isEmpty {
            // No run sends these any more.
            try manifest.write { [unsent] writer in
                for path in unsent.deleted { try writer.removeLocal(path) }
            }
        }
        // A lost manifest would be recovered with paths that are not here any more.
        try memory.noteChange(of: rulesReader.choice())
        let note = PathChoiceNote(choice, isRemoving: choice != nil)
        try StateFile.replace(state.only, with: note.bytes)
        var report = try finish() ?? unchanged
        (report.kept, report.gone) = (unsent.new, gone)
        report.knowsStore = try manifest.token != nil
        report.notices = notices
        report.keptFolders = holdingIgnored(report.keptFolders)
        return report
    }

    /// The topmost of the folders that could not be removed in which rules ignore everything.
    private func holdingIgnored(_ folders: [RelativePath]) -> [RelativePath] {
        // The choice holds already: rules that cannot be read do not stop it.
        guard !folders.isEmpty, let rules = try? rulesReader.runRules(SyncOptions()) else {
            return []
        }
        var ignored = IgnoredPaths(root: root, filter: rules.ignoring)
        let all = Set(folders)
        return folders.filter { all.isDisjoint(with: $0.ancestors) && ignored.fill($0) }.sorted()
    }

    private func requireChoice() throws -> PathChoice {
        if let choice = try rulesReader.choice() { return choice }
        throw Failure(
            .exists, path: options.root, "The replica holds everything.",
            remedy: "To hold only some paths, use filesinki only set PATH….")
    }

    /// - Parameter step: What holds the new name of what was renamed.
    private func requireKnown(
        _ paths: [RelativePath], orElse step: (RelativePath) -> String
    ) throws {
        guard try manifest.token != nil else { return }
        for path in paths where try !isKnown(path) {
            throw try failure(ofUnknown: path, orElse: step)
        }
    }

    /// Why a path is not known: it was renamed or deleted, or never was there.
    ///
    /// - Parameter step: See ``requireKnown(_:orElse:)``.
    func failure(
        ofUnknown path: RelativePath, orElse step: (RelativePath) -> String
    ) throws -> Failure {
        if let place = try placeOfRenamed(path) {
            return Failure(
                .notFound, path: path.bytes, "It was renamed to \(place).", remedy: step(place))
        }
        if let version = try commitBeforeDeletion(of: path) {
            return Failure.deleted(path, version)
        }
        return Failure(
            .notFound, path: path.bytes,
            "Found neither here nor in the store as of the last sync.",
            remedy: (path.bytes.contains { "*?[".utf8.contains($0) }
                ? "A pattern is not taken, only a file or a folder. " : "")
                + "Check the path; filesinki ls lists what the store has.")
    }

    /// Whether something is at the path, here or in the store as of the last sync.
    func isKnown(_ path: RelativePath) throws -> Bool {
        try isInStore(path) || root.holds(path)
    }

    /// Whether the store has something at the path or below it, as of the last sync.
    func isInStore(_ path: RelativePath) throws -> Bool {
        if try manifest.base(path) != nil || !manifest.baseRows(below: path).isEmpty { return true }
        let waiting =
            try [manifest.remote(path)].compactMap(\.self) + manifest.remoteRows(below: path)
        return waiting.contains { $0.entry.entry.kind != .tombstone }
    }

    /// - Returns: What is new here, and what no run has recorded to be sent: it stays, as any other file outside of the
    ///   choice. And what is gone here: nothing of it is left that could be lost.
    /// - Throws: Code `differs` for what differs from the store and would leave the root, and for a deletion that a
    ///   command was told by name.
    private func requirePublished(outside choice: PathChoice) async throws -> UnsentOutside {
        var options = SyncOptions()
        options.isDryRun = true
        var run = try await sync.begin(options, .everything, sync.fullBase())
        var tree = try sync.scanWhole(run)
        // Whose deletion is held back, the store keeps, and the user has elsewhere.
        try sync.holdMovedOut(&tree, run)
        try await sync.scan(&run) { [tree] run, isStoring in
            try await sync.read(tree, run, isStoring: isStoring)
        }
        // A folder counts by what is in it.
        let changed = run.local.changes.filter { $0.value.entry?.kind != .directory }.map(\.key)
        let problems = run.local.problems.filter { !$0.failure.isOfHeldDeletion }.map(\.path)
        let disputed = try conflicts.openRows().flatMap {
            [$0.path] + ($0.copyPath.map { [$0] } ?? [])
        }
        let rows = try manifest.loadLocal()
        // A run has recorded these to be sent, some saved by name.
        let waiting = Set(rows.map(\.path) + disputed)
        let found = waiting.union(changed + problems).filter { !choice.holds($0) }.sorted()
        let gone = try deletions(in: run, recorded: rows).subtracting(disputed + problems)
        let named = try sync.reviewNamedDeletions(isDryRun: true)
        // What is in place of a folder above the chosen paths is never sent, and stays.
        let held = try rulesReader.choice()
        let deleted = found.filter { gone.contains($0) && held?.isAbove($0) != true }
        var unsent = UnsentOutside(disputed: Set(disputed))
        unsent.new = found.filter { !gone.contains($0) }
        unsent.deleted = deleted.filter { !named.contains($0) }
        unsent.named = deleted.filter(named.contains)
        unsent.changed = try unsent.new.filter { path in
            try held?.isAbove(path) != true && (waiting.contains(path) || isInStore(path))
        }
        try unsent.requireNone()
        return unsent
    }

    /// Removes files that are still as they were published, and the folders that become empty.
    private func removeFiles(_ rows: [BaseRow], _ report: inout ChoiceReport) throws {
        let writer = try editor.makeWriter()
        // What is in a folder comes before it.
        for row in rows.reversed() {
            do {
                if row.entry.kind == .directory {
                    if try root.statusIfThere(row.path)?.kind == .directory,
                        case .surprised = try writer.removeDirectory(row.path)
                    {
                        report.keptFolders.append(row.path)
                    }
                    continue
                }
                guard try root.statusIfThere(row.path) != nil else { continue }
                let outcome = try writer.remove(
                    row.path, expecting: editor.expectation(at: row.path))
                if case .surprised = outcome {
                    report.problems.append(.changedMeanwhile(row.path, "removed"))
                } else {
                    report.removed.append(row.path)
                }
            } catch let failure as Failure {
                report.problems.append(Problem(row.path, failure))
            }
        }
        try writer.flush()
        report.removed.sort()
    }
}

/// See ``PartialReplica``.
extension Replica {
    /// See ``PartialReplica/paths()``.
    package func chosenPaths() throws -> [RelativePath]? { try PartialReplica(context).paths() }

    /// See ``PartialReplica/unknown()``.
    package func unknownChosenPaths() throws -> [RelativePath] {
        try PartialReplica(context).unknown()
    }

    /// See ``PartialReplica/set(_:)``.
    package func choosePaths(_ paths: [RelativePath]?) async throws -> ChoiceReport {
        try await PartialReplica(context).set(paths)
    }

    /// See ``PartialReplica/add(_:)``.
    package func addChosenPaths(_ paths: [RelativePath]) async throws -> ChoiceReport {
        try await PartialReplica(context).add(paths)
    }

    /// See ``PartialReplica/remove(_:)``.
    package func removeChosenPaths(_ paths: [RelativePath]) async throws -> ChoiceReport {
        try await PartialReplica(context).remove(paths)
    }
}

extension Failure {
    /// A path was chosen that the store has no more.
    ///
    /// - Parameter version: The last commit before its deletion.
    fileprivate static func deleted(_ path: RelativePath, _ version: UInt64) -> Failure {
        Failure(
            .notFound, path: path.bytes, "Deleted in commit \(version + 1).",
            remedy: "If it is back there, run filesinki sync first. "
                + remedyElsewhere(path, version: version)
                + ", or bring it back where it is held.")
    }
}
