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

    private static let remedyForRoot =
        "Give a path below it, or see the whole history with filesinki log."

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(
            replica, naming: [path], writable: false, remote: false, in: console)
        let path = try session.path(path, orElse: Self.remedyForRoot)
        let found = try await session.replica.explain(path)
        let reason = try session.reasonNotToSync(path, isKnownFolder: found.isKnownFolder)
        let ignoredBy = reason?.place
        if report.json {
            for object in found.json(ignoredBy: ignoredBy) { try console.output.json(object) }
        } else {
            var text = reason?.text
            let reader = RootReader(root: session.root.path)
            let isHere = reader.exists(path)
            if let reason, reason.isRule, found.storedVersion != nil {
                let remedy = found.remedyForIgnored(
                    isHere ? reader.isFolder(path) : nil, isLine: reason.isLine, console.hints)
                if !remedy.isEmpty { text = "\(reason.text) \(remedy)" }
            }
            let width = console.outputColumns
            let open = try? await session.openConflicts()
            let conflicts = open?.explanation(of: path, isIgnored: text != nil, within: width) ?? []
            let lines = found.text(because: text, conflicts, isHere, console.hints, within: width)
            for line in lines { try console.output.line(line) }
            if found.isEmpty, !isHere, reason == nil,
                let remedy = VersionedPath.remedyForOnePath(self.path)
            {
                try console.output.flush()
                console.say(remedy)
            }
            try console.sayOrigin(of: found.versions, next: "filesinki explain")
            try console.sayGoal(of: found.versions, next: "filesinki explain")
        }
        if let away = found.away { console.say("The log was not read. \(away)") }
        return found.isEmpty && ignoredBy == nil && found.database == nil ? .negative : .done
    }
}

/// Why a path is not synced here.
struct ReasonNotToSync {
    /// The place of the rule, or a command that shows why.
    var place: String
    /// A sentence, or two.
    var text: String
    var isRule = false
    /// Whether the rule is a line that a user has written.
    var isLine = false
}

extension Session {
    /// Why a path is not synced here; nil if it is.
    ///
    /// - Parameter isKnownFolder: Whether the base or the store has a folder there, which need not be here.
    fileprivate func reasonNotToSync(
        _ path: RelativePath, isKnownFolder: Bool
    ) throws -> ReasonNotToSync? {
        let state = settings.stateFolder
        if try state.choiceNote().choice?.holds(path) == false {
            let list = "filesinki only list"
            return ReasonNotToSync(
                place: list,
                text: "This replica does not hold it. See \(console.hints.text(list)).")
        }
        if let rule = try ignoreRule(of: path, isKnownFolder: isKnownFolder) {
            let text =
                rule.remedy.map {
                    "Ignored here by \(rule.place): \(printable(rule.pattern)). \($0)"
                } ?? "Ignored here by \(rule.place)."
            return ReasonNotToSync(
                place: rule.place, text: text, isRule: true, isLine: rule.remedy == nil)
        }
        if RootReader(root: root.path).isSpecial(path) {
            return ReasonNotToSync(
                place: "its kind",
                text: "Only files, folders and symlinks are synced. This is none.")
        }
        guard try path.isAtOrInside(state.withheldPaths()) else { return nil }
        let status = "filesinki status"
        return ReasonNotToSync(
            place: status,
            text: "Withheld, not sent: a rule ignored it before. See "
                + "\(console.hints.text(status)).")
    }

    /// The rule of an ignore file, a built-in one or one of the patterns that ignores a path here; nil if none does.
    ///
    /// - Parameter isKnownFolder: Whether a path at which nothing is here is that of a folder.
    func ignoreRule(
        of path: RelativePath, _ patterns: RunPatterns = .none, isKnownFolder: Bool = false
    ) throws -> IgnoreMatch? {
        let reader = RootReader(root: root.path)
        let (filters, mistakes) = try reader.ignoreFilter(
            console.environment, settings.stateFolder, patterns)
        for mistake in mistakes { console.complain(mistake) }
        let isFolder = reader.isFolder(path) || isKnownFolder && !reader.exists(path)
        let match = try filters.explain(path, isDirectory: isFolder, read: reader.read)
        return match.flatMap { $0.isIgnored ? $0 : nil }
    }
}

extension Explanation {
    /// Whether nothing is known of the path.
    var isEmpty: Bool {
        actions.isEmpty && versions.isEmpty && base == nil && deletion == nil && !isPending
    }

    /// Whether the base or the store has a folder at the path.
    fileprivate var isKnownFolder: Bool {
        [stored, base].contains { $0?.entry.kind == .directory }
    }

    /// The state first, then what was done here, then what the log tells.
    func json(ignoredBy rule: String?) -> [JSONObject] {
        var state: JSONObject = ["type": "state"]
        state.add("path", path)
        state.add("pending", isPending)
        state.add("unsent", rule == nil ? unsent?.rawValue : nil)
        state.add("ignored_by", rule)
        state.add("stored_version", rule == nil ? nil : storedVersion)
        state.add("database", database)
        state.add("deletion", deletion)
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
    ///   - reason: Why the path is ignored here; nil if it is not.
    ///   - conflicts: What is said of its open conflicts.
    ///   - isHere: Whether the root has something at the path.
    ///   - hints: How the next commands are worded.
    ///   - width: The columns of a line; nil for lines that are not broken.
    func text(
        because reason: String?, _ conflicts: [String], _ isHere: Bool, _ hints: CommandHints,
        within width: Int?
    ) -> [String] {
        let isUnknown = isEmpty && !isHere && stored == nil && database == nil
        var lines = FlowText.lines(
            ["\(path):", isUnknown ? unknown : state(isIgnored: reason != nil)],
            separator: " ", indent: "  ", within: width)
        if reason == nil, let waiting = waiting(hints) {
            lines += FlowText.words(waiting, within: width)
        } else if isPending {
            lines.append("Changed here since; not yet published.")
        }
        if reason == nil, let notReceived = notReceived(hints) {
            lines += FlowText.words(notReceived, within: width)
        }
        if let reason { lines += FlowText.words(reason, within: width) }
        if isKnownFolder {
            let next = "filesinki log \(ShellWord.path(path.bytes))"
            lines += FlowText.words(
                hints.text("To list what changed in it, use \(next)."), within: width)
        }
        lines += conflicts
        if let database {
            lines.append(
                "Part of the live database \(database). What it holds is synced with that.")
        }
        if !actions.isEmpty {
            var table = TextTable()
            for action in actions { table.add(TimeText.local(action.time), text(action)) }
            lines += ["", "Actions of this replica:"] + table.lines(within: width)
        }
        if !versions.isEmpty {
            var table = TextTable(rightAligned: [0, 3])
            for version in versions { version.add(to: &table, among: versions) }
            lines += ["", "Versions:"] + table.lines(within: width)
        }
        return lines
    }

    /// What to do with a path that a rule ignores here and the store has. One that is not here can be read all the same, and
    /// there is nothing that a deletion in the store would keep; nor does it keep a folder here where the store has a file.
    ///
    /// - Parameters:
    ///   - isFolder: Whether a folder is here, or something else; nil for nothing.
    ///   - isLine: Whether the rule is a line of a file, that can be taken out.
    fileprivate func remedyForIgnored(
        _ isFolder: Bool?, isLine: Bool, _ hints: CommandHints
    ) -> String {
        if let isFolder {
            guard isFolder == isStoredFolder else { return hints.text(otherInStore) }
            let next = hints.text("filesinki delete --keep")
            return "To delete it there and keep it here, use \(next)."
        }
        var sentences: [String] = []
        if !isKnownFolder, let storedVersion {
            let word = ShellWord.path(path.bytes)
            sentences.append(
                "To print it, use filesinki show \(word)@\(storedVersion); to write it here, too, "
                    + "filesinki load \(word).")
        }
        if isLine {
            sentences.append("To receive it, take that line out and run filesinki sync.")
        }
        return hints.text(sentences.joined(separator: " "))
    }

    /// What the store has at a path that is of another kind here, and what prints it.
    private var otherInStore: String {
        let word = ShellWord.path(path.bytes)
        if isStoredFolder {
            return
                "The store has a folder, and a file is here. To list what is in that folder, use "
                + "filesinki ls \(word)."
        }
        return "The store has a file, and a folder is here. To print that file, use "
            + "filesinki show \(word)@\(storedVersion ?? 0)."
    }

    /// What the next run would find here; nil for nothing.
    private func waiting(_ hints: CommandHints) -> String? {
        switch unsent {
        case .edited: "Changed here since; not yet published."
        case .deleted:
            "Deleted here since; not yet published. To bring it back, use "
                + hints.text("filesinki undelete") + " \(ShellWord.path(path.bytes))."
        // A new path is reported as not synced already.
        case .new, nil: nil
        }
    }

    private var isStoredFolder: Bool { (stored ?? base)?.entry.kind == .directory }

    /// The version of what the store has and this replica has not applied; nil for none.
    fileprivate var storedVersion: UInt64? {
        let known = stored ?? base
        return known.flatMap { $0.entry.kind == .tombstone ? nil : $0.version }
    }

    private var unknown: String {
        away == nil
            ? "no such path here or in the store."
            : "no such path here, or in the store as of the last sync."
    }

    private func state(isIgnored: Bool) -> String {
        if isIgnored, let storedVersion {
            return "not synced here, but version \(storedVersion) is in the store."
        }
        guard let base else { return gone ?? "not synced." }
        return "synced, version \(base.version), a \(base.entry.kindName)."
    }

    /// What became of a path that the store had; nil if it never had it, or what is here now is new.
    private var gone: String? {
        guard unsent == nil else { return nil }
        guard let last = versions.first else { return goneWithoutLog }
        guard last.change.entry.kind == .tombstone else { return nil }
        let what = last.movedTo.map { "renamed to \($0)" } ?? "deleted"
        return "\(what) with version \(last.version), by \(printable(last.device.name.utf8))."
    }

    /// The same, as it is known here where the log cannot be read.
    private var goneWithoutLog: String? {
        guard let deletion else { return nil }
        let what = renamedTo.map { "renamed to \($0)" } ?? "deleted"
        if deletion > 0 { return "\(what) with version \(deletion)." }
        return isPending ? "\(what); not yet published." : "\(what)."
    }

    /// What the store has instead of what is synced here, as the log tells; nil if that is the same.
    private func notReceived(_ hints: CommandHints) -> String? {
        guard let last = versions.first(where: { !$0.isSuperseded }) else {
            return base == nil ? notReceivedWithoutLog : nil
        }
        let isDeleted = last.change.entry.kind == .tombstone
        guard last.version > base?.version ?? deletion ?? 0 else { return nil }
        let by = "version \(last.version), by \(printable(last.device.name.utf8))"
        guard base != nil else {
            guard !isDeleted, database == nil else { return nil }
            // What a run has skipped or left open waits for something else than a run.
            let isNext = stored == nil || actions.isEmpty
            return "Not yet received: \(by)."
                + (isNext ? " \(hints.text("filesinki sync")) receives it." : "")
        }
        guard isDeleted else { return "Not yet received: \(by)." }
        let what = last.movedTo.map { "Renamed to \($0)" } ?? "Deleted"
        return "\(what) in the store with \(by); not yet received."
    }

    /// The same of a path that was never synced here, where the log cannot be read.
    private var notReceivedWithoutLog: String? {
        guard away != nil, stored != nil else { return nil }
        return storedVersion.map { "Not yet received: version \($0)." }
    }

    /// `deleted here as version 5, after version 1, by bob: deleted`, or `restored version 1 as version 5, by bob: command`
    private func text(_ action: RecordedAction) -> String {
        var facts: [String] = []
        if action.changesPath {
            if action.version > 0 { facts.append("version \(action.version)") }
            if action.baseVersion > 0, !action.bringsBack {
                facts.append("after version \(action.baseVersion)")
            }
            if let device = action.device { facts.append("by \(printable(device.name.utf8))") }
        }
        let why = printable((action.note.isEmpty ? action.rule : action.note).utf8)
        // What a command has decided names no version.
        let isOfVersion = action.version > 0 || action.baseVersion > 0 && !action.bringsBack
        let known =
            facts.isEmpty ? "" : (isOfVersion ? " as " : " ") + facts.joined(separator: ", ")
        return "\(action.words)\(known): \(why)"
    }
}

extension Entry {
    /// The kind, as a person says it.
    fileprivate var kindName: String { kind == .directory ? "folder" : kindWord }
}

extension Explanation.RecordedAction {
    /// Whether the path has another version since; nothing was decided otherwise.
    fileprivate var changesPath: Bool { !["leave", "skip", "undecided"].contains(action) }

    /// Whether it is the action of a command that has put the base version in place again.
    fileprivate var bringsBack: Bool {
        baseVersion > 0 && [Change.restored, Change.undeleted].contains(action)
    }

    /// What was done, as a person says it. The words of JSON are those of ``Action/word``.
    fileprivate var words: String {
        switch action {
        case "publish": "sent"
        case "publish-deletion": "sent a deletion"
        case "take": "received"
        case "delete": "deleted here"
        case "write-both": "changed on both sides"
        case "delete-both": "deleted on both sides"
        case "leave": "left open"
        // Of a path that is ignored here, another version is other news.
        case "skip" where rule == "ignored" && version > 0: "skipped version \(version)"
        case "skip": "skipped"
        case Change.restored where bringsBack: "restored version \(baseVersion)"
        case Change.undeleted where bringsBack: "undeleted version \(baseVersion)"
        default: action
        }
    }
}
