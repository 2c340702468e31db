import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules
import FilesinkiText

/// `explain`: why a path is as it is.
struct ExplainCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain why a path was changed, deleted, skipped or renamed.",
        discussion: """
            Shows by which device, when, from which base and by which rule, newest first. Exits with \
            1 if nothing is known about the path.
            """)

    @Argument(help: "The path to explain.", completion: .file())
    var path: String

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: false, remote: false, in: console)
        let path = try session.path(path)
        let found = try await session.replica.explain(path)
        let reader = RootReader(root: session.root.path)
        let state = session.settings.stateFolder
        let (filter, _) = try reader.ignoreFilter(console.environment, state)
        let match = try filter.explain(
            path, isDirectory: reader.isFolder(path), read: reader.read)
        let isHeld = try state.choiceNote().choice?.holds(path) ?? true
        let ignoredBy =
            isHeld ? match.flatMap { $0.isIgnored ? $0.place : nil } : "filesinki only list"
        if report.json {
            for object in found.json(ignoredBy: ignoredBy) { try console.output.json(object) }
        } else {
            for line in found.text(ignoredBy: ignoredBy, isHeld: isHeld) {
                try console.output.line(line)
            }
        }
        if let away = found.away { console.say("The log was not read. \(away)") }
        return found.isEmpty && ignoredBy == nil ? .negative : .done
    }
}

extension Explanation {
    /// Whether nothing is known of the path.
    var isEmpty: Bool { actions.isEmpty && versions.isEmpty && base == nil && !isPending }

    /// The state first, then what was done here, then what the log tells.
    func json(ignoredBy rule: String?) -> [JSONObject] {
        var state: JSONObject = ["type": "state"]
        state.add("path", path)
        state.add("pending", isPending)
        state.add("ignored_by", rule)
        state.add("stored_version", rule == nil ? nil : storedVersion)
        if let base {
            state.add("version", base.version)
            base.entry.describe(in: &state)
        }
        return [state] + actions.map(json) + versions.map(\.json)
    }

    private func json(_ action: RecordedAction) -> JSONObject {
        var object: JSONObject = ["type": "action"]
        object.add("path", path)
        object.add("time", action.time)
        object.add("action", action.action)
        object.add("rule", action.rule)
        object.add("device", action.device?.name)
        object.add("base_version", action.baseVersion)
        object.add("version", action.version)
        object.add("note", action.note.isEmpty ? nil : action.note)
        return object
    }

    /// - Parameters:
    ///   - rule: The rule that ignores the path; nil for none.
    ///   - isHeld: False if it is outside of what a partial replica holds.
    func text(ignoredBy rule: String?, isHeld: Bool) -> [String] {
        var lines = [state(isIgnored: rule != nil)]
        if isPending { lines.append("Changed here since; not yet published.") }
        if let rule { lines.append("Ignored here by \(rule).") }
        if rule != nil, isHeld, storedVersion != nil {
            lines.append("To delete it there and keep it here, use filesinki delete --keep.")
        }
        if !actions.isEmpty { lines += ["", "Actions of this replica:"] + actions.map(text) }
        if !versions.isEmpty {
            var table = TextTable(rightAligned: [0, 3])
            for version in versions { version.add(to: &table) }
            lines += ["", "Versions:"] + table.lines
        }
        return lines
    }

    /// The version of what the store has and this replica has not applied; nil for none.
    private var storedVersion: UInt64? {
        let known = stored ?? base
        return known.flatMap { $0.entry.kind == .tombstone ? nil : $0.version }
    }

    private func state(isIgnored: Bool) -> String {
        if isIgnored, let storedVersion {
            return "\(path): not synced here, but version \(storedVersion) is in the store."
        }
        guard let base else { return "\(path): not synced." }
        return "\(path): synced, version \(base.version), a \(base.entry.kindWord)."
    }

    private func text(_ action: RecordedAction) -> String {
        let device = action.device.map { " by \(printable($0.name.utf8))" } ?? ""
        let from = action.baseVersion > 0 ? ", from version \(action.baseVersion)" : ""
        let to = action.version > 0 ? " as version \(action.version)" : ""
        let note = action.note.isEmpty ? "" : " " + printable(action.note.utf8)
        return
            "\(TimeText.local(action.time))  \(action.action)\(to)\(device)\(from): \(action.rule).\(note)"
    }
}
