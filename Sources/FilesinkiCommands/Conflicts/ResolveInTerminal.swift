import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import Glibc

/// `resolve -i`: a person at the terminal ends one open conflict after the other.
extension ResolveCommand {
    /// How many lines of a difference are shown without being asked for.
    private static let shortDifference = 20

    /// - Parameter paths: What the user named; empty for all open conflicts.
    /// - Returns: 3 if a conflict stays open; 5 if an answer was not carried out, as another device was first.
    func resolveInTerminal(_ paths: [String], in console: Console) async throws -> ExitCode {
        guard console.terminals.input else {
            throw Failure(
                .usage, path: "-i", "Standard input is not a terminal.",
                remedy: "Choose a version with --take, --with or --tool.")
        }
        let session = try await Session.open(replica, writable: false, in: console)
        let open = try await session.openConflictsWithBases()
        let targets =
            paths.isEmpty
            ? open.all.innermostFirst(\.path)
            : try targets(paths, open, session).flatMap { target in
                try target.conflicts.isEmpty ? [open.one(target.path)] : target.conflicts
            }
        if targets.isEmpty { console.say("No open conflict was found.") }
        var code = ExitCode.done
        for (index, target) in targets.enumerated() {
            // The answer about another conflict of the path may have changed it.
            guard let conflict = try await session.present(target) else { continue }
            console.ask("Conflict \(index + 1) of \(targets.count)")
            let step = console.hints.text(open.placesStep(of: conflict))
            let answer: Answer
            do {
                answer = try await ask(about: conflict, step, session)
            } catch let failure as Failure where failure.code == .changing {
                // Such as one that another device has resolved meanwhile. The others are asked about all the same.
                try console.show([Problem(conflict.path, failure)], type: "problem")
                if code == .done { code = .partial }
                continue
            }
            switch answer {
            case .ended(let one): if one != .done { code = one }
            case .skipped: code = .conflict
            case .quit: return .conflict
            }
        }
        return code
    }

    private enum Answer {
        case ended(ExitCode)
        case skipped
        case quit
    }

    /// - Parameter step: What shows the places of versions that are not text.
    private func ask(
        about conflict: OpenConflict, _ step: String, _ session: Session
    ) async throws -> Answer {
        let console = session.console
        let (difference, isText) = try await session.difference(of: conflict, step)
        for line in try await session.description(of: conflict) { console.ask(line) }
        show(difference, limit: Self.shortDifference, in: console)
        let keys = ConflictKeys(conflict.sides, isText: isText)
        var refused: MergeToolFiles?
        while true {
            console.ask(keys.question)
            guard let line = console.readAnswer() else { return .quit }
            switch keys.answer(line) {
            case .take(let side):
                return .ended(
                    try await take(side == .ours ? .ours : .theirs, conflict, console))
            case .both: return .ended(try await keepBoth(conflict, session))
            case .tool:
                guard let name = try MergeTool.chosen(tool, console.environment) else {
                    console.ask("No merge tool is set: give --tool, or set git's merge.tool.")
                    continue
                }
                let tool = try MergeTool(name, console.environment)
                let code = try await tryMerge(conflict, with: tool, session, after: &refused)
                if code != .conflict { return .ended(code) }
            case .edit:
                let code = try await tryMerge(
                    conflict, with: .editor(console.environment), session, after: &refused)
                if code != .conflict { return .ended(code) }
            case .difference: show(difference, limit: .max, in: console)
            case .skip: return .skipped
            case .quit: return .quit
            case .lost(let reason): for line in reason + keys.help { console.ask(line) }
            case nil: for line in keys.help { console.ask(line) }
            }
        }
    }

    /// Merges one conflict, unless its versions are nothing that a program merges, which is said.
    private func tryMerge(
        _ conflict: OpenConflict, with tool: MergeTool, _ session: Session,
        after refused: inout MergeToolFiles?
    ) async throws -> ExitCode {
        do {
            return try await merge(conflict, with: tool, session, after: &refused)
        } catch let failure as Failure where failure.code == .usage {
            try session.console.show([Problem(conflict.path, failure)], type: "notice")
            return .conflict
        }
    }

    private func show(_ lines: [[UInt8]], limit: Int, in console: Console) {
        for line in lines.prefix(limit) { console.ask("    " + printable(line)) }
        if lines.count > limit {
            console.ask("    … \(lines.count - limit) more lines, see [d]iff")
        }
    }

    private func take(
        _ choice: ConflictChoice, _ conflict: OpenConflict, _ console: Console
    ) async throws -> ExitCode {
        try await change(conflict, console) { replica in
            try await replica.resolve(
                conflict.path, choice, of: .copy(conflict.copy), SyncOptions())
        }
    }

    /// Keeps both versions as files of their own: the copy gets a name that is none of a conflict copy.
    private func keepBoth(_ conflict: OpenConflict, _ session: Session) async throws -> ExitCode {
        let console = session.console
        return try await change(conflict, console) { replica in
            if let copy = conflict.copy, let name = keptName(of: copy) {
                console.ask("Keeping the other version as \(name).")
                return try await replica.move([PathRename(from: copy, to: name)], SyncOptions())
            }
            // Each side still has its own version.
            guard let ours = conflict.conflict.ours, ours.kind == .file,
                let name = keptName(
                    of: conflictName(
                        for: conflict.path, device: await replica.device, content: ours.content))
            else {
                throw Failure(
                    .usage, path: conflict.path.bytes, "Only files can be kept twice.",
                    remedy: "Take one side, or rename one of them.")
            }
            let bytes = try await session.contentOfOurs(ours, at: conflict.path)
            console.ask("Keeping the version from here as \(name).")
            let saved = try await replica.save(name, SaveOptions()) { give in
                try bytes.withUnsafeBytes(give)
            }
            var report = try await replica.resolve(
                conflict.path, .theirs, of: .copy(nil), SyncOptions())
            report.add(earlier: saved.sync)
            return report
        }
    }

    /// Does something to a replica that is locked only for that, unless the conflict has changed.
    private func change(
        _ conflict: OpenConflict, _ console: Console,
        _ body: (Replica) async throws -> SyncReport
    ) async throws -> ExitCode {
        try await changing(in: console) { session in
            guard let present = try await session.present(conflict), present.isSame(as: conflict)
            else {
                throw Failure(
                    .changing, path: conflict.path.bytes, "The conflict changed meanwhile.",
                    remedy: "Run the command again.")
            }
            let ended = try await body(session.replica)
            let result = try await session.retryUntilPublished(
                ended, of: [conflict.path], publishWait, replica.waiting)
            let code = ExitCode(queueing: result, isWaiting: publishWait.wait)
            try console.show(result, exit: code)
            try await session.sayResolved([
                ResolveTarget(path: conflict.path, conflicts: [conflict])
            ])
            return code
        }
    }

    /// Opens the replica for one change. It is not locked afterwards, also if that failed: the next conflict needs it.
    func changing(
        in console: Console, _ body: (Session) async throws -> ExitCode
    ) async throws -> ExitCode {
        let session = try await Session.open(replica, writable: true, in: console)
        do {
            let code = try await body(session)
            await session.replica.close()
            return code
        } catch {
            await session.replica.close()
            throw error
        }
    }
}

/// The keys that answer the question about a conflict, in the words of `--take`.
struct ConflictKeys {
    enum Answer: Equatable {
        case take(Choice.Side)
        case both, edit, tool, difference, skip, quit
        /// What would be done without what was edited in place, and why.
        case lost([String])
    }

    let sides: ConflictSides
    /// Whether both versions are texts, which can be edited in one.
    let isText: Bool

    init(_ sides: ConflictSides, isText: Bool = true) {
        self.sides = sides
        self.isText = isText
    }

    /// Whether the version from here is in place, and was edited since.
    var isHereUnsent: Bool { sides.unsent != nil && !sides.isEditedHere }

    private var labels: [String] { sides.inOrder.map { printable(sides.label($0).utf8) } }

    var question: String {
        if sides.unsentCopy != nil { return copyQuestion }
        let names =
            sides.here == nil
            ? "[1] \(labels[0]), [2] \(labels[1])"
            : sides.isEditedHere
                ? "[c]opy, [t] in place" : isHereUnsent ? "[h]ere" : "[h]ere, [t]here"
        let merging = sides.unsent == nil ? (isText ? " [e]dit," : "") + " [m]erge tool," : ""
        return "\(names), [b]oth,\(merging) [d]iff, [s]kip, [q]uit, [?]"
    }

    /// What each key does.
    var help: [String] {
        if sides.unsentCopy != nil { return copyHelp }
        let take =
            sides.here == nil
            ? [
                "  1  take the version of \(labels[0])", "  2  take the version of \(labels[1])",
            ]
            : sides.isEditedHere
                ? [
                    "  c  take what was here before, which the conflict copy has",
                    "  t  take what is in place, which was edited here since",
                ]
                : isHereUnsent
                    ? ["  h  take the version from here, which was edited since (also o, for ours)"]
                    : [
                        "  h  take the version from here (also o, for ours)",
                        "  t  take the version from there (theirs)",
                    ]
        let edit =
            "  e  edit both in one text, with markers where they differ, in $VISUAL or $EDITOR"
        let merging = (isText ? [edit] : []) + ["  m  merge them in a program"]
        return take + ["  b  keep both, as two files"] + (sides.unsent == nil ? merging : []) + [
            "  d  show all differences", "  s  leave it open, and go on to the next",
            "  q  leave it open, and stop",
        ]
    }

    /// What a line means; nil when it is not understood.
    func answer(_ line: String) -> Answer? { withoutLoss(meaning(of: line)) }

    private func meaning(of line: String) -> Answer? {
        let word = line.filter { $0 != " " }
        if let reason = reasonAgainst(word) { return .lost(reason) }
        // A device may be called as a key is.
        switch word {
        case "1" where sides.here == nil: return .take(sides.inOrder[0])
        case "2" where sides.here == nil: return .take(sides.inOrder[1])
        case "h", "o": return sides.side(named: "here").map(taking)
        case "t": return sides.side(named: "there").map(taking)
        case "c" where sides.isEditedHere: return .take(.ours)
        case "b", "both": return .both
        case "e", "edit": return .edit
        case "m", "merge": return .tool
        case "d", "diff": return .difference
        case "s", "skip": return .skip
        case "q", "quit": return .quit
        case "copy", "committed": return sides.side(named: word).map(taking)
        default:
            guard let side = sides.side(named: word) else { return nil }
            return sides.isEditedHere ? .lost(Self.neitherSide) : taking(side)
        }
    }

    /// Takes a version, unless it replaces what was edited in place without being shown as such.
    private func taking(_ side: Choice.Side) -> Answer {
        guard isHereUnsent, side == .ours else { return .take(side) }
        return .lost([
            "What is in place was edited here and is not synced yet: run sync first,",
            "then it can be replaced.",
        ])
    }

    private static let neitherSide = [
        "What is in place was edited here after the conflict was found, and is",
        "of neither side.",
    ]

    /// Why a key is not one of this conflict: what was edited in place would be lost to the eye; nil for the others.
    private func reasonAgainst(_ word: String) -> [String]? {
        switch word {
        case "h", "o", "here", "ours", "mine", "there", "theirs":
            return sides.isEditedHere ? Self.neitherSide : nil
        case "e", "edit", "m", "merge":
            guard sides.unsent != nil else { return nil }
            return [
                "What is in place was edited here and is not synced yet: run sync first,",
                "then both can be merged with it.",
            ]
        default: return nil
        }
    }
}

extension MergeTool {
    /// The tool that was given, else that of git's settings; nil for none.
    fileprivate static func chosen(
        _ given: String?, _ environment: [String: String]
    ) throws -> String? {
        try given ?? GitSettings(environment).value("merge.tool")
    }
}

extension Session {
    /// The lines of the difference from the other version to the one from here, and whether both are texts, as git tells them.
    /// Of a folder, that it is one; of databases and the like, what shows their places, too.
    fileprivate func difference(
        of open: OpenConflict, _ step: String
    ) async throws -> (lines: [[UInt8]], isText: Bool) {
        let sides = open.sides
        let names = sides.inOrder.map { "\(open.path) \(open.title(of: $0))" }
        let folders = zip(sides.inOrder, names).filter { open.isFolder($0.0) }
        guard folders.isEmpty else {
            return (folders.map { Array("\($0.1): folder".utf8) }, false)
        }
        let new = try await content(of: sides.inOrder[0], in: open)
        let old = try await content(of: sides.inOrder[1], in: open)
        var lines = UnifiedDiff(old, new).lines(
            names[1], names[0], TerminalStyle(isEnabled: false))
        if await hasPlaces([new, old], of: open) { lines.append(Array(step.utf8)) }
        return (lines, ![old, new].contains { $0.prefix(8000).contains(0) })
    }

    /// What is in conflict, and who wrote it when.
    fileprivate func description(of open: OpenConflict) async throws -> [String] {
        var table = TextTable()
        for (index, side) in open.sides.inOrder.enumerated() {
            let label = open.sides.label(side)
            let name =
                open.sides.here == nil
                ? "\(index + 1) \(label)"
                : open.isEditedInPlace(side)
                    ? "in place, edited here since" : label + open.editWords(of: side)
            let author = try await author(of: side, in: open)
            let by = author.map { "by \(printable($0.utf8))" } ?? ""
            table.add(printable(name.utf8), text(open.shownEntry(of: side)), by)
        }
        let head = "\(open.path)   since \(TimeText.day(open.time, now: now))"
        let place = open.placeLines(indent: "  ", within: console.outputColumns)
        return [head] + table.lines.map { "  " + $0 } + place
    }

    /// The name of the device that wrote a version; nil where it is not known without the remote.
    private func author(of side: Choice.Side, in open: OpenConflict) async throws -> String? {
        if side == open.sides.here || open.isEditedInPlace(side) {
            return await replica.device.name
        }
        if let known = side == .ours ? open.sides.oursDevice : open.sides.theirsDevice {
            return known
        }
        let versions = (try? await replica.history(of: open.path)) ?? []
        return versions.last {
            guard !$0.isSuperseded, let entry = open.entry(of: side) else { return false }
            return entry.hasSameContent(as: $0.change.entry)
        }?.device.name
    }

    private var now: Timestamp { console.systemContext.now() }

    private func text(_ entry: Entry?) -> String {
        entry.map { OpenConflict.text($0, now: now) } ?? "deleted"
    }
}
