import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiText

/// What was deleted here and is in no commit yet: the next run would delete it everywhere.
struct UnsentDeletions: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Finds the deletions and the old names of what was renamed here, folders before what was in them. Changes nothing, and
    /// costs what a dry run costs.
    ///
    /// - Throws: Why the store cannot be reached: only it has the contents.
    func find() async throws -> [UnsentDeletion] {
        var options = SyncOptions()
        options.isDryRun = true
        let report = try await sync.syncTree(options)
        if let away = report.away { throw away }
        let held = try report.problems.flatMap(heldBack)
        return (report.steps.compactMap(UnsentDeletion.init) + held).sorted { $0.path < $1.path }
    }

    /// What was moved or copied out of the chosen paths of a partial replica, if a problem says that its deletion was held back.
    private func heldBack(_ problem: Problem) throws -> [UnsentDeletion] {
        guard let isCopied = problem.failure.isCopiedOut else { return [] }
        let rows =
            try [manifest.base(problem.path)].compactMap(\.self)
            + manifest.baseRows(below: problem.path)
        return try rows.filter { try !root.holds($0.path) }.map {
            UnsentDeletion(path: $0.path, entry: $0.entry, isMovedAway: !isCopied, movedTo: nil)
        }
    }

    /// Writes paths back as the store has them. Nothing is published by that: for the store they were never deleted.
    ///
    /// - Parameter later: What the same command undeletes after them.
    func bringBack(
        _ wanted: [UnsentDeletion], before later: [RelativePath], _ options: SyncOptions
    ) async throws -> RestoreReport {
        try await sync.reporting { try await writeBack(wanted, before: later, options) }
    }

    private func writeBack(
        _ wanted: [UnsentDeletion], before later: [RelativePath], _ options: SyncOptions
    ) async throws -> RestoreReport {
        var report = RestoreReport()
        // The note ends with what is back.
        let named = try sync.reviewNamedDeletions(isDryRun: true)
        try sync.noteEmptiedRoot()
        let reader = try await history.historyReader()
        let contents = try await history.historyContents(reader)
        let places = Restores(replica)
        for deletion in wanted.sorted(by: { $0.path < $1.path }) {
            let path = deletion.path
            do {
                try places.requireFolders(above: deletion)
                try await history.requireUnpruned(deletion.entry, at: path, in: reader, contents)
                if try await editor.write(
                    deletion.entry, at: path, from: contents, expecting: .absent)
                {
                    report.add(restored: path, deletion.entry)
                } else {
                    report.problems.append(.changedMeanwhile(path, "restored"))
                }
            } catch let failure as Failure where failure.code != .interrupted {
                report.problems.append(Problem(path, failure))
            }
        }
        report.notices = try notices(ofNamed: named, report) + notices(ofMoved: wanted, report)
        try await places.noteDeletedEarlier(in: report.folders, before: later, &report)
        let paths = try paths(of: wanted, report)
        guard let first = paths.first else { return report }
        report.sync = try await sync.afterChange(report.doneHere, at: first) {
            try await sync.syncPaths(paths, options)
        }
        return report
    }

    /// Says what had been deleted by name among what was deleted otherwise: only the latter may have been an accident.
    private func notices(
        ofNamed named: Set<RelativePath>, _ report: RestoreReport
    ) -> [Problem] {
        let back = Set(report.restored).intersection(named)
        guard !back.isEmpty, back.count < report.restored.count else { return [] }
        let tops = back.outermost.sorted()
        return tops.prefix(Self.noticed).map { path in
            Problem(path, .backThoughNamed(path, isFolder: report.folders.contains(path)))
        }
    }

    /// So many paths are named at most.
    static let noticed = 20

    /// The paths that a run finds as they were before: of a whole folder the folder, else the files alone, for such a run
    /// would publish what else is missing in the folder.
    private func paths(
        of wanted: [UnsentDeletion], _ report: RestoreReport
    ) throws -> [RelativePath] {
        // Of a folder above the chosen paths a run takes these.
        let choice = try rulesReader.choice()
        let held = report.restored.filter { choice?.contains($0) ?? true }
        let tops = held.filter(Set(held).outermost.contains)
        if try tops.allSatisfy(isWhole) { return tops }
        let restored = Set(report.restored)
        return wanted.filter { $0.entry.kind != .directory && restored.contains($0.path) }
            .map(\.path)
    }

    /// Whether everything is there that the last run has found in a folder.
    private func isWhole(_ folder: RelativePath) throws -> Bool {
        try manifest.baseRows(below: folder).allSatisfy { try root.holds($0.path) }
    }
}

/// A path that was deleted here, as the store has it.
package struct UnsentDeletion: Hashable, Sendable {
    package let path: RelativePath
    let entry: Entry
    /// Whether what was here has another name here now.
    package let isMovedAway: Bool
    /// That name; nil where it is not known.
    let movedTo: RelativePath?

    package var isFolder: Bool { entry.kind == .directory }

    fileprivate init(
        path: RelativePath, entry: Entry, isMovedAway: Bool, movedTo: RelativePath?
    ) {
        (self.path, self.entry) = (path, entry)
        (self.isMovedAway, self.movedTo) = (isMovedAway, movedTo)
    }

    /// - Returns: Nil unless the step is about a path that is missing here, and that the store has.
    fileprivate init?(_ step: Step) {
        guard let base = step.base, step.ours == nil, step.action != .skip else { return nil }
        let present = step.theirs?.entry ?? base.entry
        guard present.kind != .tombstone else { return nil }
        path = step.path
        entry = present
        isMovedAway = step.isMovedAway
        if case .moved(let target) = step.reason { movedTo = target } else { movedTo = nil }
    }
}

extension Failure {
    fileprivate static func backThoughNamed(_ path: RelativePath, isFolder: Bool) -> Failure {
        let option = isFolder ? "-r " : ""
        return Failure(
            .exists, path: path.bytes,
            "It was deleted by name, with filesinki delete, and is back with the rest.",
            remedy: "To delete it again, run filesinki delete \(option)"
                + "\(ShellWord.path(path.bytes)).")
    }
}
