import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// The journal: what runs and commands of this replica did to its paths.
struct Journal: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Reads the journal and, if the remote can be reached, the whole log.
    func explain(_ path: RelativePath) async throws -> Explanation {
        var explanation = Explanation(
            path: path,
            actions: try manifest.journal(of: path, limit: 100).map { row in
                Explanation.RecordedAction(
                    time: row.time, action: row.action, rule: row.rule, device: row.device,
                    baseVersion: row.baseVersion, version: row.version, note: row.note)
            },
            versions: [],
            base: try manifest.base(path).map { VersionedEntry($0.entry, version: $0.version) },
            stored: try manifest.remote(path)?.entry, isPending: try manifest.local(path) != nil,
            database: sync.liveOwner(of: path))
        // What cannot be looked at is reported by a run.
        explanation.unsent = try? await LocalStateScan(replica).change(at: path)
        let isThere = explanation.stored.map { $0.entry.kind != .tombstone } ?? false
        if explanation.base == nil, !isThere {
            explanation.deletion = try manifest.tombstone(path)?.version
            explanation.renamedTo = try manifest.target(ofRenamed: path)
        }
        do {
            let reader = try await history.historyReader()
            var commits: FolderCommits? = FolderCommits(of: path)
            explanation.versions = try await history.versions(
                of: path, in: reader, keeping: &commits
            ).reversed()
            if let commits {
                try await nameGoal(ofFolder: path, in: &explanation.versions, commits, reader)
            }
            try manifest.arrivals().describe(
                &explanation.versions,
                upTo: explanation.base?.version ?? explanation.deletion ?? 0, besides: config.device
            )
            explanation.nameOwnVersions()
        } catch let failure as Failure where [.away, .notFound].contains(failure.code) {
            explanation.away = failure
        }
        return explanation
    }

    /// Names, in the version that deleted a folder, the older folder that what was in it had been moved to.
    ///
    /// - Parameters:
    ///   - versions: Those of the path, newest first.
    ///   - commits: What changed in it.
    private func nameGoal(
        ofFolder path: RelativePath, in versions: inout [PathVersion], _ commits: FolderCommits,
        _ reader: HistoryReader
    ) async throws {
        guard let deletion = versions.first, deletion.change.entry.kind == .tombstone,
            deletion.movedTo == nil
        else { return }
        let last = versions.first { $0.change.entry.kind != .tombstone }
        guard last?.change.entry.kind == .directory else { return }
        let content = try await history.deletedChildren(
            of: path, by: deletion, among: commits, in: reader)
        versions[0].movedTo = content.place(of: path)
    }

    /// Records in the journal what a command did to paths.
    func record(_ command: PathCommand, _ paths: [RelativePath]) throws {
        guard !paths.isEmpty else { return }
        let now = systemContext.now()
        let run = try manifest.runs(limit: 1).first?.id ?? 0
        try manifest.write { writer in
            for path in paths {
                let isWaiting = try manifest.local(path) != nil
                let version = isWaiting ? 0 : try manifest.base(path)?.version ?? 0
                try writer.addJournal(
                    JournalRow(
                        run: run, time: now, path: path, action: command.command,
                        rule: "command", device: config.device, baseVersion: command.version,
                        version: version, note: command.note))
            }
        }
    }
}

extension SyncEngine {
    /// Whether the last that was recorded of a path is that a rule ignores the very version: each run finds that again.
    func isJournaled(_ row: JournalRow) throws -> Bool {
        guard row.action == Action.skip.word, row.rule == Reason.ignored.word,
            let last = try manifest.journal(of: row.path, limit: 1).first
        else { return false }
        return last.action == row.action && last.rule == row.rule && last.version == row.version
            && last.note == row.note
    }
}

/// Why a path is in its present state: the local journal and the versions in the log.
package struct Explanation: Sendable {
    package struct RecordedAction: Sendable {
        package var time: Timestamp
        package var action: String
        package var rule: String
        package var device: Device?
        /// The base version before the action, or the one that a command has put in place again; 0 for none.
        package var baseVersion: UInt64
        package var version: UInt64
        package var note: String
    }

    package var path: RelativePath
    /// The actions of this replica, newest first.
    package var actions: [RecordedAction]
    /// The versions in the log, newest first; empty if the remote cannot be reached.
    package var versions: [PathVersion]
    package var base: VersionedEntry?
    /// The version that removed the path, as far as it is known without the log, 0 for one that is not published; nil for
    /// none. It is the log that tells who did it.
    package var deletion: UInt64?
    /// The name that what was at the path got by it; nil if it was deleted, or that is not known without the log.
    package var renamedTo: RelativePath?
    /// What the store has at a path that a rule ignores here, or that waits; nil for nothing.
    package var stored: VersionedEntry?
    package var isPending: Bool
    /// What a run would find at the path; nil where it is as it was synced, or cannot be looked at.
    package var unsent: UnsentChange?
    /// The database of which the path is a log or a journal; these are not synced as files of their own. Nil for any other path.
    package var database: RelativePath?
    package var away: Failure?
}

/// A command that writes an older or a chosen content, as the journal and the log record it.
struct PathCommand {
    /// `restore`, `undelete`, `resolve` or `undo`.
    var command: String
    /// The restored version; 0 for none.
    var version: UInt64 = 0
    /// The choice as a sentence; may be empty.
    var note = ""

    /// Commands that are recorded in the log as the reason of an edit.
    static let names: Set<String> = [
        Change.restored, Change.undeleted, Change.resolved, Change.openedAgain,
    ]
}
