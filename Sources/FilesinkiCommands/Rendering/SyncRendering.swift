import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile

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
        } else if report.isDryRun || wishes.loudness != .quiet {
            let isFull =
                report.isDryRun || wishes.loudness == .verbose || visible.count <= Self.shownSteps
            for step in visible where isFull || step.isNotable {
                try output.line(step.description)
            }
        }
        try show(report.notices, type: "notice")
        try show(report.problems, type: "problem")
        if wishes.isJSON { return try output.json(report.json(exit: code)) }
        if let away = report.away { complain(away) }
        for line in report.summary { say(line) }
    }
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
        object.add("conflicts", conflicts.count)
        object.add("problems", problems.count)
        object.add("queued", isQueued)
        object.add("has_remote", hasRemote)
        if let away { object.add("away", .object(away.json(type: "failure"))) }
        return object
    }

    /// The run in a few sentences.
    var summary: [String] {
        var lines: [String] = []
        if isDryRun { lines.append("Nothing was changed. Plan \(planID).") }
        let tally = tallied
        if !tally.isEmpty { lines.append(tally.joined(separator: ", ") + ".") }
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
        } else if tally.isEmpty, !isDryRun {
            lines.append("Nothing to do; in step with commit \(sequence).")
        }
        return lines
    }

    /// How many of what, in words.
    private var tallied: [String] {
        var sent = 0, received = 0, deletedHere = 0, deletedThere = 0
        for step in steps {
            let isDeletion = step.action.entry?.kind == .tombstone
            if step.action.writesThere { if isDeletion { deletedThere += 1 } else { sent += 1 } }
            if step.action.writesHere { if isDeletion { deletedHere += 1 } else { received += 1 } }
        }
        let counts = [
            (sent, "sent"), (received, "received"), (deletedHere, "deleted here"),
            (deletedThere, "deleted there"), (copies.count, "conflict copies"),
            (conflicts.count, "open conflicts"), (problems.count, "problems"),
        ]
        return counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    }
}
