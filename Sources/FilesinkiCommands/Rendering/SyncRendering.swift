import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules

extension Step {
    /// Whether a person would want to see the step among many others: something was decided.
    var isNotable: Bool {
        switch reason {
        case .edit, .created, .deleted, .equal, .metadata, .renamed, .moved, .holdsSurvivor: false
        default: true
        }
    }

    /// Whether anything is, or stays, other than the other side expects.
    var isVisible: Bool {
        switch action {
        case .agree: false
        default: true
        }
    }

    var json: JSONObject {
        var object: JSONObject = ["type": "step"]
        object.add("path", path)
        object.add("action", action.word)
        object.add("reason", reason.word)
        object.add("from", origin ?? movedFrom)
        object.add("text", reason.sentence)
        return object
    }
}

extension Console {
    /// Up to as many steps are shown one by one; of more, only those where something was decided.
    private static var shownSteps: Int { 50 }

    /// Shows what a run did, or would do.
    func show(_ report: SyncReport, exit code: ExitCode) throws {
        let visible = report.steps.filter(\.isVisible)
        if wishes.isJSON {
            for step in visible { try output.json(step.json) }
        } else if wishes.isNull {
            for step in visible { try output.path(step.path) }
        } else if report.isDryRun || wishes.loudness != .quiet {
            let isFull =
                report.isDryRun || wishes.loudness == .verbose || visible.count <= Self.shownSteps
            for step in visible where isFull || step.isNotable {
                try output.line(StepLine.text(step, outputStyle))
            }
        }
        // What was done comes before what is said of it, also where both go to one terminal.
        try output.flush()
        try show(report.notices.filter { isWorthAWord($0, visible) }, type: "notice")
        try show(report.problems, type: "problem")
        if wishes.isJSON { return try output.json(report.json(exit: code)) }
        if let failure = report.away ?? report.stopped { complain(failure) }
        for line in report.summary { say(line) }
        if report.isIdle { tellIdle("Nothing to do; in step with commit \(report.sequence).") }
    }

    /// Whether a notice has to be said: one that is the same in every run is for a person who
    /// looks, not for cron's mail.
    private func isWorthAWord(_ notice: Problem, _ steps: [Step]) -> Bool {
        let isOfRules = notice.path.bytes.first == UInt8(ascii: "/") || notice.path == Self.rules
        let isOfStore = notice.path.bytes.isEmpty
        return wishes.isJSON || isWatched || isOfRules || isOfStore || !steps.isEmpty
    }

    private static let rules = RelativePath(unchecked: Array(Settings.syncedFile.utf8))

    /// Says that nothing was done: to a person, not to cron.
    private func tellIdle(_ text: String) {
        if isWatched { say(text) } else { detail(text) }
    }

    /// Whether a person looks on.
    private var isWatched: Bool { terminals.talk || wishes.loudness == .verbose }
}

extension SyncReport {
    /// The last line of a run for programs.
    func json(exit code: ExitCode) -> JSONObject {
        var object: JSONObject = ["type": "result"]
        object.add("exit", code.rawValue)
        object.add("plan", planID)
        object.add("dry_run", isDryRun)
        object.add("sequence", sequence)
        object.add("steps", steps.filter(\.isVisible).count)
        object.add("published_commits", publishedCommits)
        object.add("sent_bytes", sentBytes)
        object.add("received_bytes", receivedBytes)
        object.add("conflict_copies", copies.count)
        object.add("conflicts", conflicted.count)
        object.add("problems", problems.count)
        object.add("queued", isQueued)
        object.add("has_remote", hasRemote)
        if let away { object.add("away", .object(away.json(type: "failure"))) }
        if let stopped { object.add("stopped", .object(stopped.json(type: "failure"))) }
        return object
    }

    /// The run in a few sentences.
    var summary: [String] {
        var lines: [String] = []
        let tally = tallied
        if !tally.isEmpty { lines.append(tally.joined(separator: ", ") + ".") }
        if isDryRun { lines.append("Nothing was changed. Plan \(planID).") }
        if !copies.isEmpty {
            lines.append("Both contents of \(copies.count) conflict(s) were kept side by side.")
        }
        if !conflicts.isEmpty {
            lines.append("\(conflicts.count) conflict(s) are open; see filesinki conflicts.")
        }
        if !hasRemote {
            lines.append("There is no remote; give it one with filesinki remote set URL.")
        } else if away != nil {
            lines.append(isQueued ? "The changes wait here; run again." : "Run again.")
        }
        return lines
    }

    /// Whether the run reached the remote and found nothing to do.
    var isIdle: Bool {
        hasRemote && away == nil && stopped == nil && !isDryRun && tallied.isEmpty
    }

    /// How many of what, in words, with the bytes of the files.
    private var tallied: [String] {
        var sent = Tally(), received = Tally(), deletedHere = Tally(), deletedThere = Tally()
        for step in steps {
            let isDeletion = step.action.entry?.kind == .tombstone
            let size = step.action.entry?.size ?? 0
            if step.action.writesThere { isDeletion ? deletedThere.add(0) : sent.add(size) }
            if step.action.writesHere { isDeletion ? deletedHere.add(0) : received.add(size) }
        }
        let words =
            isDryRun
            ? ["to send", "to receive", "to delete here", "to delete there"]
            : ["sent", "received", "deleted here", "deleted there"]
        let changes = zip([sent, received, deletedHere, deletedThere], words)
        let others = [
            (copies.count, "conflict copies"), (conflicts.count, "open conflicts"),
            (problems.count, "problems"),
        ]
        return changes.compactMap { $0.text($1) }
            + others.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    }

    private struct Tally {
        var count = 0
        var bytes: Int64 = 0

        mutating func add(_ size: Int64) {
            count += 1
            let (sum, overflow) = bytes.addingReportingOverflow(size)
            bytes = overflow ? .max : sum
        }

        func text(_ word: String) -> String? {
            guard count > 0 else { return nil }
            return "\(count) \(word)" + (bytes > 0 ? " (\(SizeText.text(bytes)))" : "")
        }
    }
}
