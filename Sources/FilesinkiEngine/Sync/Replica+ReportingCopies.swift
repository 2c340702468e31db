import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// Every conflict copy that a run makes is in the report of that run; where the run was killed, in the
/// report of the next one.
///
/// A copy that was recorded is in the manifest's list of what was not reported yet, until a run ends
/// with a report. One that was published, and not recorded, is in a commit of this replica's own. One
/// that was neither is a new file, whose name and content say what it is.
extension Replica {
    private static let unreportedKey = "unreported-copies"

    /// Begins the report with the copies that a killed run has made and recorded.
    func reportLeftCopies(_ run: inout SyncRun) throws {
        for copy in try unreportedCopies() {
            guard try root.status(copy) != nil, !run.report.copies.contains(copy) else { continue }
            run.report.copies.append(copy)
        }
    }

    /// Adds the copies that a killed run has published and not recorded.
    func reportCopies(of commits: [Commit], _ run: inout SyncRun) throws {
        let copies = commits.flatMap(\.changes).filter { change in
            change.reason == Reason.conflictCopy(of: change.path).word
                && change.entry.kind != .tombstone
        }
        guard !copies.isEmpty else { return }
        var reported = try recordedCopies().union(run.report.copies)
        for copy in copies where reported.insert(copy.path).inserted {
            guard let original = conflictOriginal(of: copy.path)?.path else { continue }
            run.report.copies.append(copy.path)
            run.conflicts.append(
                ConflictRow(
                    path: original, base: nil, here: copy.entry,
                    there: try manifest.base(original)?.entry, copyPath: copy.path,
                    rule: copy.reason, time: surroundings.now()))
        }
        // At once, for these commits are not found a second time.
        try manifest.write { try recordCopies(run, $0) }
        run.conflicts = []
    }

    /// Adds the copies that a round has made, and those that it has found and nobody was told of.
    func reportCopies(_ run: inout SyncRun, _ done: [Step], _ plan: [Step]) throws {
        let copies = done.filter(\.isConflictCopy)
        guard !copies.isEmpty else { return }
        run.selection.add(copies.map(\.path))
        var reported = Set(run.report.copies)
        if copies.contains(where: { !$0.action.writesHere }) {
            let made = Set(copies.lazy.filter { $0.action.writesHere }.map(\.path))
            reported.formUnion(try recordedCopies().subtracting(made))
        }
        let originals = Set(copies.compactMap(\.copied))
        let winners = Dictionary(
            plan.lazy.filter { originals.contains($0.path) }.map { ($0.path, $0) }
        ) { first, _ in first }
        for copy in copies where reported.insert(copy.path).inserted {
            guard let original = copy.copied else { continue }
            run.report.copies.append(copy.path)
            let winner = winners[original]
            run.conflicts.append(
                ConflictRow(
                    path: original, base: winner?.base?.entry, here: copy.action.entry,
                    there: try winner?.there?.entry ?? manifest.base(original)?.entry,
                    copyPath: copy.path, rule: copy.reason.word, time: surroundings.now()))
        }
    }

    /// Copies that a run before this one has made and recorded.
    private func recordedCopies() throws -> Set<RelativePath> {
        Set(try manifest.conflicts().compactMap(\.copyPath))
    }

    /// Lists the conflicts of a round as open, and notes that their copies are still to be reported.
    func recordCopies(_ run: SyncRun, _ writer: ManifestWriter) throws {
        for row in run.conflicts { _ = try writer.addConflict(row) }
        try addUnreported(run.report.copies, writer)
    }

    /// Leaves it to the next run to report copies, for nobody reads the report of this one.
    func keepUnreported(_ copies: [RelativePath]) throws {
        try manifest.write { try addUnreported(copies, $0) }
    }

    private func unreportedCopies() throws -> [RelativePath] {
        (try manifest.value(Self.unreportedKey) ?? []).split(separator: 0).map {
            RelativePath(unchecked: Array($0))
        }
    }

    /// Adds to what no run has reported yet: several runs may have been killed one after the other.
    private func addUnreported(_ copies: [RelativePath], _ writer: ManifestWriter) throws {
        let known = try unreportedCopies()
        let all = known + copies.filter { !known.contains($0) }
        guard !all.isEmpty else { return }
        try writer.setValue(
            Self.unreportedKey, Array(all.map(\.bytes).joined(separator: [0])))
    }

    /// Notes that the copies of a run were reported.
    func endReport(_ run: SyncRun) throws {
        guard !run.report.isDryRun, try manifest.value(Self.unreportedKey) != nil else { return }
        try manifest.write { try $0.setValue(Self.unreportedKey, nil) }
    }
}

extension Step {
    /// The path whose content a conflict copy keeps; nil for other steps.
    var copied: RelativePath? {
        if case .conflictCopy(let original) = reason { return original }
        return nil
    }
}
