import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension SyncRun {
    /// Whether the run has changed anything, here or there.
    var hasActed: Bool { report.hasActed }

    /// Adds a round's steps to the report.
    mutating func note(_ done: [Step], _ publication: Publication) {
        guards.add(done)
        report.steps += done
        for step in done {
            if case .leave = step.action { report.conflicts.append(step.path) }
        }
        report.publishedCommits += publication.commits.count
        report.sentBytes += publication.commits.reduce(0) { $0 + $1.contentBytes }
        report.sequence = publication.commits.last?.sequence ?? report.sequence
    }
}

extension [Step] {
    /// What of a plan was carried out in a round. A step that was written here, and whose commit
    /// lost the race, is one that only wrote here.
    func carriedOut(_ applied: ApplyResult, _ publication: Publication) -> [Step] {
        compactMap { step in
            if step.isDone(applied, publication) { return step }
            guard case .both(let entry) = step.action, applied.done[step.path] != nil else {
                return nil
            }
            var written = step
            written.action = .take(entry)
            return written
        }
    }
}

extension SyncRun {
    /// Says why a link of a strategy did not answer; each is said once in a run.
    mutating func noteDeclined(_ path: RelativePath, _ link: StrategyLink, _ reasons: [String]) {
        guard !reasons.isEmpty, declined[path]?.contains(link) != true else { return }
        declined[path, default: []].insert(link)
        for reason in reasons.prefix(Self.maximumReasons) {
            report.notices.append(
                Problem(
                    path,
                    Failure(
                        .declined, path: path.bytes, Self.declinedText(link, reason),
                        remedy: "")))
        }
    }

    private static func declinedText(_ link: StrategyLink, _ reason: String) -> String {
        "\(link)" == "auto"
            ? "Cannot merge automatically: \(reason)" : "'\(link)' cannot merge it: \(reason)"
    }
}

extension SyncEngine {
    /// Says what the rounds could not carry out.
    func noteLeft(_ run: inout SyncRun) throws {
        // What was found since the first look.
        let reported = Set(run.report.problems.map(\.path))
        run.report.problems += run.observation.problems.filter { !reported.contains($0.path) }
        for path in run.surprised.sorted() {
            if try root.status(path)?.kind == .directory {
                run.report.notices.append(Problem(path, .keptFolder(path)))
            } else {
                run.report.problems.append(Problem(path, .keepsChanging(path)))
            }
        }
    }
}

extension Failure {
    fileprivate static func keptFolder(_ path: RelativePath) -> Failure {
        Failure(
            .exists, path: path.bytes,
            "The folder was deleted elsewhere but stays here: it holds ignored files.",
            remedy: "Remove it by hand when they are no longer needed.")
    }

    fileprivate static func keepsChanging(_ path: RelativePath) -> Failure {
        Failure(
            .changing, path: path.bytes, "It kept changing while it was to be written.",
            remedy: "Run again when the program that writes it is done.")
    }
}

extension SyncReport {
    /// Adds paths of commits that cannot be used here; each is said once in a run.
    mutating func noteRefused(_ refused: [Problem]) {
        let known = Set(problems.map(\.path))
        problems += refused.filter { !known.contains($0.path) }
    }
}

extension Commit {
    /// The bytes of the contents that the commit brings: see ``SyncReport/sentBytes``.
    var contentBytes: Int64 {
        packs.reduce(0) { $0 + $1.size } + inline.reduce(0) { $0 + Int64($1.bytes.count) }
    }
}

extension SyncRun {
    /// How the run stands: the exit code that the command line gives for it, and a word.
    func outcome(_ publication: Publication) -> (Int32, String) {
        if publication.needsAnotherRound { return (75, "not published") }
        if !report.problems.isEmpty { return (5, "partial") }
        let isConflicted = !report.copies.isEmpty || !report.conflicts.isEmpty
        return isConflicted ? (3, "conflict") : (0, "done")
    }
}

extension Step {
    /// Whether the step was carried out in a round.
    func isDone(_ applied: ApplyResult, _ publication: Publication) -> Bool {
        guard applied.allows(self) else { return false }
        return !action.writesTheirs || publication.version(path) != nil
    }

    /// The manifest's record of the step; nil for what the log tells by itself.
    func journalRow(run: Int64, time: Timestamp, device: Device, version: UInt64) -> JournalRow? {
        if case .agree = action { return nil }
        if reason.isOrdinary, !isDeletionHere { return nil }
        return JournalRow(
            run: run, time: time, path: path, action: action.word, rule: reason.word,
            device: device, baseVersion: base?.version ?? 0, version: version,
            note: reason.explanation)
    }

    private var isDeletionHere: Bool {
        if case .take(let entry) = action { return entry.kind == .tombstone }
        return false
    }
}

extension Reason {
    /// Whether a user's own edit is all there is to say.
    var isOrdinary: Bool {
        switch self {
        case .edit, .created, .deleted, .equal, .metadata, .renamed, .moved: true
        default: false
        }
    }
}
