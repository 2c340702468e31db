import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText
import Glibc

/// `conflicts`: those that wait for a person.
struct ConflictsCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "List open conflicts, oldest first.",
        discussion: """
            Exits with 3 when there are open conflicts, else with 0. A conflict ends when it is \
            resolved, when its conflict copy is removed, or when the file in place is deleted or renamed: \
            the copy stays then. filesinki resolve takes a version, or with -i \
            asks about each; filesinki show --conflict merge PATH -o FILE writes both versions of a text in \
            one, to edit and give to filesinki resolve PATH --with FILE.
            """)

    @OptionGroup var null: NullOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: false, remote: false, in: console)
        let open = try await session.openConflictsWithBases()
        let conflicts = open.all
        // Rules that cannot be read are reported by the next run.
        let isForPeople = !report.json && !null.null && !conflicts.isEmpty
        let rules = isForPeople ? try? await session.replica.ignoreMatcher() : nil
        let now = console.systemContext.now()
        for conflict in conflicts {
            if report.json {
                try console.output.json(conflict.json)
            } else if null.null {
                try console.output.path(conflict.path)
            } else {
                let isIgnored = rules?.ignores(conflict.path, isDirectory: false) ?? false
                let lines = conflict.text(
                    of: open, isIgnored: isIgnored, now: now, hints: console.hints,
                    within: console.outputColumns)
                for line in lines { try console.output.line(line) }
            }
        }
        if conflicts.isEmpty {
            console.sayNothing("No conflict is open.", remote: await session.replica.remoteAddress)
        }
        if console.isWatched, !report.json, conflicts.contains(where: \.isOfFiles) {
            console.say(
                "To be asked about each, and to edit both versions in one: filesinki resolve -i.")
        }
        if !report.json, !null.null {
            console.sayWhatEnds(conflicts)
        }
        return conflicts.isEmpty ? .done : .conflict
    }
}

extension OpenConflict {
    /// Whether both sides have a file.
    fileprivate var isOfFiles: Bool {
        conflict.ours?.kind == .file && conflict.theirs?.kind == .file
    }

    private func versions(_ isOneOfSeveral: Bool) -> [(name: String, entry: Entry?)] {
        [("base", conflict.base)]
            + sides.inOrder.map { (name(of: $0, isOneOfSeveral), shownEntry(of: $0)) }
    }

    /// The word for `--take`; if that is no device's name, with where the version is. With the device, where the word alone
    /// does not tell several conflicts of a path apart.
    private func name(of side: Choice.Side, _ isOneOfSeveral: Bool) -> String {
        if isEditedInPlace(side) { return "in place, edited here since" }
        let label = isOneOfSeveral ? sides.fullLabel(side) : sides.label(side)
        return printable(label.utf8) + (label == "committed" && copy != nil ? " (in place)" : "")
            + editWords(of: side)
    }

    fileprivate var json: JSONObject {
        var object: JSONObject = ["type": "conflict"]
        object.add("path", path)
        object.add("time", time)
        object.add("rule", rule)
        object.add("copy", copy)
        if let base = conflict.base { object.add("base", .object(Self.json(base))) }
        if !isBaseKnown { object.add("base_unknown", true) }
        addEdits(to: &object)
        guard sides.here == nil else {
            for side in sides.inOrder {
                let name = sides.label(side)
                if let version = json(of: side) { object.add(name, .object(version)) }
                object.add("\(name)_device", sides.device(side))
            }
            return object
        }
        object.add(
            "sides", .array(sides.inOrder.compactMap { json(of: $0).map(JSONValue.object) }))
        return object
    }

    /// The version of a side, and where it is; nil for a deletion.
    private func json(of side: Choice.Side) -> JSONObject? {
        guard let entry = shownEntry(of: side) else { return nil }
        var object: JSONObject = [:]
        if sides.here == nil { object.add("side", sides.label(side)) }
        object.add("place", place(of: side))
        entry.describe(in: &object)
        return object
    }

    private static func json(_ entry: Entry) -> JSONObject {
        var object: JSONObject = [:]
        entry.describe(in: &object)
        return object
    }

    /// Three lines: the versions, where they are, and what to do; more where they do not fit.
    fileprivate func text(
        of open: OpenConflicts, isIgnored: Bool, now: Timestamp, hints: CommandHints,
        within width: Int?
    ) -> [String] {
        let versions = versions(open.isOneOfSeveral(self)).map { name, entry in
            let none = name != "base" ? "deleted" : isBaseKnown ? "nothing" : "unknown here"
            return "\(name) \(entry.map { Self.text($0, now: now) } ?? none)"
        }
        let head = ["\(path)   since \(TimeText.day(time, now: now))"] + versions
        let name = hints.word(open.name(of: self))
        let first = isIgnored ? nil : firstSteps(hints)
        let resolve = first == nil ? "resolve" : "then resolve"
        var commands = ["    compare: \(hints.text("filesinki diff")) --conflict \(name)"]
        if let first { commands.append(first) }
        commands.append(
            isIgnored
                ? endOfIgnored(hints)
                : "\(resolve): \(hints.text("filesinki resolve")) \(name) --take \(takeWords)")
        let indent = "    "
        let place = [indent + placeParts[0]] + placeParts.dropFirst()
        return FlowText.lines(head, separator: "    ", indent: indent, within: width)
            + FlowText.lines(place, separator: "  ", indent: indent, within: width)
            + FlowText.lines(commands, separator: "      ", indent: indent, within: width)
    }

    /// What ends the conflict of a path that a rule ignores by now: no command changes that.
    private func endOfIgnored(_ hints: CommandHints) -> String {
        guard let copy else { return "ignored here by a rule: the conflict stays with the rule" }
        return "ignored here by a rule: keep what you need of \(hints.word(copy)), and remove that"
    }

    /// Which version is at the path, and where the other one is; empty without a conflict copy.
    func placeLines(indent: String, within width: Int?) -> [String] {
        guard copy != nil, let first = placeParts.first else { return [] }
        return FlowText.lines(
            [indent + first] + placeParts.dropFirst(), separator: "  ", indent: indent,
            within: width)
    }

    private var placeParts: [String] {
        guard let copy else {
            let all = "both sides keep their own version"
            guard let oldName else { return [all] }
            let side: Choice.Side = place(of: .ours) == oldName ? .ours : .theirs
            return ["\(all), \(phrase(side, of: "the one")) is", "\(oldName)"]
        }
        return [
            "\(phrase(.theirs)) is in place, \(phrase(.ours, of: "the one")) is", "\(copy)",
        ]
    }

    private func phrase(_ side: Choice.Side, of noun: String = "the version") -> String {
        if isEditedInPlace(side) { return "what was edited here since" }
        let label = printable(sides.label(side).utf8)
        if sides.here != nil { return "\(noun) from \(label)" }
        switch label {
        case "committed": return "the committed version"
        case "copy": return "the other one"
        default: return "\(noun) of \(label)"
        }
    }

    /// Size and time of a version, or what else it is.
    static func text(_ entry: Entry, now: Timestamp) -> String {
        switch entry.kind {
        case .file: "\(SizeText.text(entry.size)) \(TimeText.day(entry.modified, now: now))"
        case .symlink: "symlink to \(printable(entry.target))"
        case .directory: "folder"
        case .tombstone: "deleted"
        }
    }
}

/// Asks a person at the terminal which side of a conflict wins.
struct ConflictQuestion: Sendable {
    private let console: Console

    /// - Throws: `Failure` with code `usage` when standard input is not a terminal.
    init(_ console: Console) throws(Failure) {
        guard console.terminals.input else {
            throw Failure(
                .usage, path: "--ask", "Standard input is not a terminal.",
                remedy: "Omit --ask, and resolve the conflicts later with filesinki resolve."
            )
        }
        self.console = console
    }

    /// Asks about one path until the answer is understood; the end of input leaves it open.
    func answer(_ conflict: Conflict) -> Resolution.Outcome {
        console.outputOptions.isAsking = true
        defer { console.outputOptions.isAsking = false }
        let what =
            conflict.ours == nil || conflict.theirs == nil
            ? "was deleted on one side and changed on the other" : "was changed on both sides"
        console.ask("\(conflict.path) \(what).")
        console.ask("  here   \(describe(conflict.ours))")
        console.ask("  there  \(describe(conflict.theirs))")
        while true {
            console.ask("Keep here, there, both, or leave it open? [h/t/b/l]")
            guard let line = console.readAnswer() else { return .leave }
            if let answer = Self.answer(line) { return answer }
            console.ask(
                "h: the version from here, t: the one from there, b: both, the one from here as a "
                    + "conflict copy, l: decide later with filesinki resolve. Ctrl-D leaves this and "
                    + "all further ones open.")
        }
    }

    private func describe(_ entry: Entry?) -> String {
        guard let entry else { return "deleted" }
        return "\(SizeText.text(entry.size)), changed \(TimeText.local(entry.modified))"
    }

    /// What a line means; nil when it is not understood.
    static func answer(_ line: String) -> Resolution.Outcome? {
        switch line.first {
        case "h": .ours
        case "t": .theirs
        case "b": .keepBoth
        case "l": .leave
        default: nil
        }
    }
}

extension Console {
    /// Says that a conflict copy may be removed: to a person, and where what is in place was merged by hand.
    fileprivate func sayWhatEnds(_ conflicts: [OpenConflict]) {
        let isMerged = conflicts.contains(where: \.sides.isEditedHere)
        guard isMerged || isWatched, conflicts.contains(where: { $0.copy != nil }) else { return }
        say("Removing a conflict copy ends its conflict, with the version in place.")
    }

    /// A line that a person types; nil at the end of input.
    func readAnswer() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(input, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}
