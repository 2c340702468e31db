import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiText
import Synchronization

extension Step {
    /// Whether a person would want to see the step among many others: something was decided.
    var isNotable: Bool {
        switch reason {
        case .edit, .created, .deleted, .equal, .metadata, .laterTime, .renamed, .moved,
            .holdsSurvivor:
            false
        // The end of the report says it of all of them.
        case .bothNames, .otherName: false
        default: true
        }
    }

    /// Whether the line of another step says it all: that of a conflict, or of a rename's new name.
    func isPart(ofAStepAt paths: Set<RelativePath>) -> Bool {
        switch reason {
        case .conflictCopy(let original): paths.contains(original)
        case .moved(let path): paths.contains(path)
        default: false
        }
    }

    /// Whether anything is, or stays, other than the other side expects.
    var isVisible: Bool {
        switch action {
        case .agree: false
        default: true
        }
    }

    /// Whether the step is worth a line of a run's report. What is ignored here or left out by an option is no news:
    /// only what others have changed of an ignored path is said, by the run that learns of it.
    ///
    /// - Parameter known: The last commit that was known before the run.
    func isNews(since known: UInt64) -> Bool {
        guard isVisible, action == .skip else { return isVisible }
        switch reason {
        case .excluded: return false
        case .ignored, .ignoredUntilNow, .holdsIgnored:
            return known > 0 && (theirs?.version ?? 0) > known
        default: return true
        }
    }

    var json: JSONObject {
        var object: JSONObject = ["type": "step"]
        object.add("path", path)
        object.add("action", action.word)
        object.add("reason", reason.word)
        object.add("from", origin ?? movedFrom)
        object.add("text", explanation)
        return object
    }
}

extension Console {
    /// Up to this many steps are shown one by one; of more, only those where something was decided.
    private static var shownSteps: Int { 50 }

    /// Shows what a run did, or would do.
    ///
    /// - Parameters:
    ///   - given: What a large run has given before its report; nil where all is in the report.
    ///   - summary: What is printed in place of the steps and their sum; nil for these.
    ///   - isAnswer: Whether a user has named the paths, so that a notice is said also where nothing was done.
    func show(
        _ report: SyncReport, exit code: ExitCode, given: GivenSteps? = nil,
        summary: [String]? = nil, isAnswer: Bool = false
    ) throws {
        let isFull = outputOptions.isJSON || outputOptions.verbosity == .verbose
        let visible = report.steps.filter {
            isFull ? $0.isVisible : $0.isNews(since: report.knownSequence) && !report.knows($0)
        }
        let earlier = try given?.finish() ?? GivenSteps.Sum()
        if let summary {
            for line in summary { try output.line(line) }
        } else if !(try showRaw(visible)), report.isDryRun || outputOptions.verbosity != .quiet {
            for line in lines(of: report, visible, earlier) { try output.line(line) }
        }
        // What was done comes before what is said of it, also where both go to one terminal.
        try output.flush()
        let isIdle = !isAnswer && visible.isEmpty && earlier.count == 0
        try show(report.notices.filter { isWorthAWord($0, isIdle: isIdle) }, type: "notice")
        try show(report.problems, type: "problem")
        if outputOptions.isJSON {
            return try output.json(report.json(exit: code, givenSteps: earlier.count))
        }
        if let failure = report.away ?? report.stopped { complain(failure) }
        let totals = SyncTotals(report, given: earlier.totals)
        // For a run without a remote that is the error; a save is done all the same.
        let lacksRemote = code == .negative && !report.hasRemote
        if lacksRemote || outputOptions.verbosity == .quiet && !report.hasRemote {
            complain(SyncReport.noRemote(hints))
        }
        if summary == nil {
            let width = terminals.talk ? terminals.columns() : nil
            let lines = report.summary(totals, hints, within: width)
            for line in lacksRemote ? lines.dropLast() : lines[...] { say(line) }
        }
        // A conflict is forgotten if nobody says that it is open. A run that does nothing says it to a person who looks
        // on, and not to cron each time.
        let isTold = !isIdle || isWatched && summary == nil
        if isTold { sayOpenConflicts(report) }
        if report.isIdle(totals) { sayIdle("Up to date (commit \(report.sequence)).") }
    }

    /// Says how many conflicts are open, if there are more than the run has found.
    private func sayOpenConflicts(_ report: SyncReport) {
        guard let open = report.openConflicts, open > report.foundConflicts.count else { return }
        let text = open == 1 ? "1 conflict is open" : "\(CountText.text(open)) conflicts are open"
        say("\(text): see filesinki conflicts.")
    }

    /// Prints steps for a program, if the user asked for that.
    ///
    /// - Returns: Whether the user did.
    fileprivate func showRaw(_ steps: [Step]) throws -> Bool {
        guard outputOptions.isJSON || outputOptions.isNull else { return false }
        for step in steps {
            if outputOptions.isJSON {
                try output.json(step.json)
            } else {
                try output.path(step.path)
            }
        }
        return true
    }

    /// The steps one by one, whole folders in a line; of many, those where something was decided, and the others by kind.
    private func lines(
        of report: SyncReport, _ steps: [Step], _ earlier: GivenSteps.Sum
    ) -> [String] {
        var copies: [RelativePath: Step] = [:]
        for step in steps {
            if let original = step.copied { copies[original] = step }
        }
        // A copy of what was here may have come from the store.
        let decided = steps.filter {
            $0.reason == .strategy(End.keepBoth.rawValue) && copies[$0.path] == nil
        }
        if !decided.isEmpty {
            let received = steps.copiesByOriginal
            for step in decided { copies[step.path] = step.receivedCopy(in: received) }
        }
        let isVerbose = outputOptions.verbosity == .verbose
        let paths = Set(steps.lazy.filter { !$0.isConflictCopy }.map(\.path))
        let shown = isVerbose ? steps : steps.filter { !$0.isPart(ofAStepAt: paths) }
        let count = shown.count + earlier.count
        let isFull = isVerbose || count <= Self.shownSteps
        let isPlan = report.isDryRun
        let folded =
            isFull && !isVerbose ? FoldedSteps(shown, copies: copies, isPlan: isPlan) : nil
        let single = isFull ? shown : shown.filter(\.isNotable)
        let lines =
            folded?.lines ?? single.map { StepLine($0, copies: copies, isPlan: isPlan) }
        let isFolded = folded?.isFolded == true
        var rest = earlier.kinds
        rest.add(shown.filter { !$0.isNotable }, isPlan: isPlan)
        return (isFull ? [] : rest.lines)
            + StepLine.texts(lines, within: outputColumns, outputStyle)
            + (isFull && !isFolded ? [] : ["  -v lists all \(CountText.text(count)) changes."])
    }

    /// Whether a notice has to be said: one that is the same in every run is for a person who
    /// looks, not for cron's mail.
    private func isWorthAWord(_ notice: Problem, isIdle: Bool) -> Bool {
        let isOfRules = notice.path.bytes.first == UInt8(ascii: "/") || notice.path == Self.rules
        let isOfStore = notice.path.bytes.isEmpty
        return outputOptions.isJSON || isWatched || isOfRules || isOfStore || notice.isNews
            || !isIdle
    }

    private static let rules = RelativePath(unchecked: Array(Settings.syncedFile.utf8))

    /// Says that nothing was done: to a person, not to cron.
    private func sayIdle(_ text: String) {
        if isWatched { say(text) } else { detail(text) }
    }

    /// Whether a person looks on.
    var isWatched: Bool { terminals.talk || outputOptions.verbosity == .verbose }
}

/// Shows the steps of a large run as its batches end, and adds them up for the end of the run.
final class GivenSteps: Sendable {
    /// What was shown.
    struct Sum {
        /// The number of visible steps.
        var count = 0
        var totals = SyncTotals(isPlan: false)
        var kinds = StepCounts()
    }

    private let console: Console
    /// Whether steps are shown at all.
    private let isShowing: Bool
    private let sum = Mutex(Sum())
    /// Why the output could not be written.
    private let failure = Mutex<(any Error)?>(nil)

    init(_ console: Console, isShowing: Bool = true) {
        self.console = console
        self.isShowing = isShowing
    }

    /// Shows the steps of a batch at once where each of them is shown.
    func add(_ steps: [Step]) {
        let visible = steps.filter(\.isVisible)
        sum.withLock { sum in
            sum.count += visible.count
            sum.totals.add(steps)
            sum.kinds.add(visible, isPlan: false)
        }
        guard isShowing else { return }
        do {
            if try !console.showRaw(visible), console.outputOptions.verbosity == .verbose {
                let lines = visible.map { StepLine($0, copies: [:], isPlan: false) }
                for line in StepLine.texts(
                    lines, within: console.outputColumns, console.outputStyle)
                {
                    try console.output.line(line)
                }
            }
        } catch {
            failure.withLock { $0 = $0 ?? error }
        }
    }

    /// - Throws: Why the output could not be written.
    func finish() throws -> Sum {
        if let error = failure.withLock({ $0 }) { throw error }
        return sum.withLock { $0 }
    }
}

extension SyncReport {
    /// The last line of a run for programs.
    ///
    /// - Parameter givenSteps: How many steps were printed before.
    func json(exit code: ExitCode, givenSteps: Int = 0) -> JSONObject {
        var object: JSONObject = ["type": "result"]
        object.add("exit", code.rawValue)
        object.add("plan", planID)
        object.add("dry_run", isDryRun)
        object.add("sequence", sequence)
        object.add("steps", givenSteps + steps.filter(\.isVisible).count)
        object.add("published_commits", publishedCommits)
        object.add("sent_bytes", sentBytes)
        object.add("received_bytes", receivedBytes)
        object.add("conflict_copies", copies.count)
        object.add("conflicts", foundConflicts.count)
        if let openConflicts, openConflicts > 0 { object.add("open_conflicts", openConflicts) }
        if !withheld.isEmpty { object.add("withheld", withheld.count) }
        object.add("problems", problems.count)
        object.add("queued", isQueued)
        object.add("has_remote", hasRemote)
        if let away { object.add("away", .object(away.json(type: "failure"))) }
        if let stopped { object.add("stopped", .object(stopped.json(type: "failure"))) }
        return object
    }

    /// The run in a few sentences.
    ///
    /// - Parameter width: The columns of the terminal, below which commands stand on lines of their own; nil for none.
    func summary(
        _ totals: SyncTotals, _ hints: CommandHints, within width: Int? = nil
    ) -> [String] {
        var lines: [String] = []
        if !totals.isEmpty { lines.append(totals.text) }
        if let text = totals.doubledText { lines.append(text) }
        if isDryRun {
            lines += planned
            // A plan without an id is no run's, or was made without the remote.
            let nothing = "Nothing was changed." + (planID.isEmpty ? "" : " Plan \(planID).")
            let isIdle = wouldDoNothing(totals) && waitingValues == 0 && !planID.isEmpty
            lines.append(
                isIdle ? "Up to date: a run would do nothing (commit \(sequence))." : nothing)
        }
        lines += conflictHint(hints, within: width)
        if !hasRemote {
            lines.append(Self.noRemote(hints))
        } else if away != nil, let whatWaits {
            lines.append(whatWaits)
        }
        return lines
    }

    /// What a run would do beside the steps of its plan, and what may change these.
    private var planned: [String] {
        guard hasRemote, away == nil, stopped == nil else { return [] }
        var lines: [String] = []
        if waitingValues > 0 {
            lines.append("Would send \(CountText.text(waitingValues, "value")).")
        }
        if receivesRules {
            lines.append("A run receives the ignore file first: it may send less than this.")
        }
        return lines
    }

    /// Whether a plan receives an ignore file, and sends by the rules that are here.
    private var receivesRules: Bool {
        var (receives, sends) = (false, false)
        for step in steps {
            switch step.action {
            case .take: receives = receives || step.path.isIgnoreFile
            case .publish, .both: sends = true
            default: break
            }
        }
        return receives && sends
    }

    /// What becomes of the changes of a run that did not reach the remote; nil if there are none, as the failure has its own
    /// remedy.
    private var whatWaits: String? {
        if isQueued { return "The changes are kept here: the next filesinki sync sends them." }
        if waitingValues > 0 {
            let verb = waitingValues == 1 ? "is" : "are"
            return
                "\(CountText.text(waitingValues, "value")) \(verb) kept here: the next filesinki sync sends "
                + (waitingValues == 1 ? "it." : "them.")
        }
        return deletesLocallyOnly
            ? "Deleted here; the store does not have it, so nothing waits to be sent."
            : nil
    }

    /// Outside of all replicas the default one is named last, so that its remote is not set by mistake for that of another one.
    fileprivate static func noRemote(_ hints: CommandHints) -> String {
        hints.outside?.withoutRemote.joined(separator: " ")
            ?? "No remote is set. \(Failure.setRemote)"
    }

    /// What to do about the conflicts that the run has found; empty for none.
    private func conflictHint(_ hints: CommandHints, within width: Int?) -> [String] {
        let paths = foundConflicts
        guard let path = paths.first, !isDryRun else { return [] }
        guard paths.count == 1 else {
            return ["\(paths.count) conflicts to resolve: see filesinki conflicts."]
        }
        // Which one is meant has to be said by a copy.
        if severalConflicts.contains(path) { return ["1 conflict to resolve."] }
        let name = hints.word(path)
        let isPart = partlyHeldConflicts.contains(path)
        let which = isPart ? ", of a folder of which only a part is here" : ""
        let head = "1 conflict to resolve\(which):"
        let first = isPart ? ["filesinki only add \(name)", "filesinki sync"] : []
        let commands =
            ["filesinki diff --conflict \(name)"] + first
            + ["filesinki resolve \(name) --take here|there"]
        let line = head + "  " + commands.joined(separator: ";  ")
        if let width, hints.text(line).count > width { return [head] + commands.map { "  " + $0 } }
        return [line]
    }

    /// Adds what is open after the run.
    mutating func addOpen(_ conflicts: [OpenConflict]) {
        openConflicts = conflicts.count
        addPartlyHeld(conflicts)
        let counts = Dictionary(conflicts.map { ($0.path, 1) }, uniquingKeysWith: +)
        severalConflicts = Set(counts.filter { $0.value > 1 }.keys)
    }

    /// Adds which of the open conflicts are of folders of which only a part is here.
    mutating func addPartlyHeld(_ conflicts: [OpenConflict]) {
        partlyHeldConflicts = Set(conflicts.filter(\.isPartlyHeld).map(\.path))
    }

    /// Whether a plan has nothing to do, and knows what the remote has.
    private func wouldDoNothing(_ totals: SyncTotals) -> Bool {
        hasRemote && away == nil && stopped == nil && totals.isEmpty && conflicted.isEmpty
            && isQuiet
    }

    /// Whether the run reached the remote and found nothing to do.
    func isIdle(_ totals: SyncTotals) -> Bool {
        hasRemote && away == nil && stopped == nil && !isDryRun && totals.isEmpty
            && foundConflicts.isEmpty
    }

    /// Whether a step is about a conflict that an earlier run has left open, which is news no more.
    fileprivate func knows(_ step: Step) -> Bool {
        step.action == .leave && !isDryRun && !newConflicts.contains(step.path)
    }
}
