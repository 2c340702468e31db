package import FilesinkiModel
package import FilesinkiReconcile
import FilesinkiStore

/// What a run did, or with `--dry-run` would do.
package struct SyncReport: Sendable {
    /// Names the plan of the run's first round; the same observations give the same id.
    package var planID = ""
    /// What was decided for each path, in the order it was carried out; conflicts included.
    package var steps: [Step] = []
    /// How many steps were given to ``SyncOptions/onSteps``; they are not in ``steps``.
    package var givenSteps = 0
    /// What failed on single paths.
    package var problems: [Problem] = []
    /// Things worth a word that are no failure: special files left out, a folder kept because it
    /// holds ignored files.
    package var notices: [Problem] = []
    /// What the run has begun to withhold, as it received the end of rules, or found a renamed folder: see
    /// ``WithheldNote``.
    package var withheld: Set<RelativePath> = []
    /// What a run for some paths has begun to withhold, also as it was withheld by a former name; of a dry run, what it would.
    var withheldHere: Set<RelativePath> = []
    /// The former names of what the run has begun to withhold, or would, as its folder was renamed.
    var formerNames: [RelativePath: RelativePath] = [:]
    /// Whether a rule ignores what was synced until this run. It stays in the store.
    package var ignoresMore = false
    /// Conflict copies that were made.
    package var copies: [RelativePath] = []
    /// Conflicts that stay open.
    package var conflicts: [RelativePath] = []
    /// Those of them that no earlier run has left open.
    package var newConflicts: Set<RelativePath> = []
    /// How many conflicts are open after the run, also those of earlier runs and of other devices; nil where nobody
    /// has counted them.
    package var openConflicts: Int?
    /// The paths among them that have more than one.
    package var severalConflicts: Set<RelativePath> = []
    /// Those of folders of which the replica holds only a part; see ``OpenConflict/isPartlyHeld``.
    package var partlyHeldConflicts: Set<RelativePath> = []
    /// How many values of `kv` wait that the command sends beside the files, where somebody has counted them.
    package var waitingValues = 0
    package var isDryRun = false
    /// Whether changes wait here because the remote is away.
    package var isQueued = false
    /// Whether a command deleted only what the store does not have while the remote was away, such as an empty folder: nothing waits then.
    package var deletesLocallyOnly = false
    /// The paths of a run for some paths whose content only this replica has, as the remote was away or the store was moved.
    var unsent: Set<RelativePath> = []
    /// Why the remote was not reached; nil when it was.
    package var away: Failure?
    /// What ended the run after a part of its work was done: a guard in a later round, a full disk.
    /// The report says what was done; the rest waits. Nil when nothing did, or the remote went away.
    package var stopped: Failure?
    /// What would stop the run before it sends anything, of a dry run: the store was moved. A notice says so, too.
    package var refusal: Failure?
    /// Where the store was moved to, as a dry run has found.
    var move: MovedStore?
    /// Whether there is a remote at all.
    package var hasRemote = true
    /// The number of the last commit that is now known.
    package var sequence: UInt64 = 0
    /// The last commit that was known before the run.
    package var knownSequence: UInt64 = 0
    /// How many commits the run published.
    package var publishedCommits = 0
    /// Bytes of the contents that this run's commits brought to the remote: packs as they are stored,
    /// contents inside a commit as they are.
    package var sentBytes: Int64 = 0
    /// Plain bytes of files written here.
    package var receivedBytes: Int64 = 0
    /// Files that were looked at.
    package var scannedFiles = 0

    package init() {}

    /// Paths with a conflict that the run has made or left open, each once.
    package var conflicted: Set<RelativePath> {
        Set(conflicts).union(copies.compactMap { conflictOriginal(of: $0)?.path })
    }

    /// Paths with a conflict that the run has found, and no earlier one has left open, each once. One whose file the
    /// command then renamed has ended with that.
    package var foundConflicts: Set<RelativePath> {
        let found = newConflicts.union(copies.compactMap { conflictOriginal(of: $0)?.path })
        guard !found.isEmpty else { return found }
        var last: [RelativePath: Step] = [:]
        for step in steps where found.contains(step.path) { last[step.path] = step }
        return found.filter { last[$0]?.isPublishedRename != true }
    }

    /// Whether nothing was or would be changed, here or there.
    package var isQuiet: Bool {
        givenSteps == 0 && steps.allSatisfy { $0.action == .agree || $0.action == .skip }
    }

    /// Whether the run has changed anything.
    var hasActed: Bool { !isDryRun && (publishedCommits > 0 || !isQuiet) }

    /// Adds what an earlier run of the same command did and failed to do.
    package mutating func add(earlier: SyncReport) {
        add(said: earlier)
        add(done: earlier)
    }

    /// Adds what an earlier run of the same command has said, failed to do and begun to withhold, and nothing of what it did;
    /// nil for none.
    mutating func add(said earlier: SyncReport?) {
        guard let earlier else { return }
        problems = Self.joined(earlier.problems, problems)
        notices = Self.joined(earlier.notices, notices)
        addWithheldPaths(of: earlier)
    }

    /// Adds what an earlier run did, and nothing of what it failed to do.
    package mutating func add(done earlier: SyncReport) {
        steps = earlier.steps + steps
        addWithheldPaths(of: earlier)
        addCopies(of: earlier)
        addAmounts(of: earlier)
    }

    /// Adds what a batch of the run has done, and nothing of what failed: the rounds of the whole tree find it
    /// again.
    mutating func add(batch: SyncReport) {
        steps += batch.steps
        withheld.formUnion(batch.withheld)
        notices += batch.notices
        copies += batch.copies
        newConflicts.formUnion(batch.newConflicts)
        addAmounts(of: batch)
        sequence = max(sequence, batch.sequence)
    }

    /// Adds what an earlier run has begun to withhold, without its words about that.
    mutating func addWithheldPaths(of earlier: SyncReport) {
        withheld.formUnion(earlier.withheld)
        withheldHere.formUnion(earlier.withheldHere)
        formerNames.merge(earlier.formerNames) { present, _ in present }
    }

    private mutating func addAmounts(of other: SyncReport) {
        ignoresMore = ignoresMore || other.ignoresMore
        publishedCommits += other.publishedCommits
        sentBytes += other.sentBytes
        receivedBytes += other.receivedBytes
    }

    /// Adds the conflicts that an earlier run of the command has found, with their copies; nil for none.
    package mutating func addCopies(of earlier: SyncReport?) {
        newConflicts.formUnion(earlier?.newConflicts ?? [])
        guard let made = earlier?.copies, !made.isEmpty else { return }
        let known = Set(copies)
        copies = made.filter { !known.contains($0) } + copies
    }

    static func joined(_ earlier: [Problem], _ later: [Problem]) -> [Problem] {
        let known = Set(later.map { "\($0.path): \($0.failure)" })
        return earlier.filter { !known.contains("\($0.path): \($0.failure)") } + later
    }

    /// Adds paths of commits that cannot be used in this replica, each once in a run.
    mutating func addRefused(_ refused: [Problem]) {
        let known = Set(problems.map(\.path))
        problems += refused.filter { !known.contains($0.path) }
    }
}

extension Step {
    /// Whether the run has published that the file has another name.
    fileprivate var isPublishedRename: Bool {
        guard case .publish(let entry) = action else { return false }
        return isMovedAway && entry.kind == .tombstone
    }
}
