import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import Glibc

/// `resolve -i`: a person at the terminal ends one open conflict after the other.
extension ResolveCommand {
    /// How many lines of a difference are shown without being asked for.
    private static let shortDifference = 20

    /// - Parameter paths: What the user named; empty for all open conflicts.
    /// - Returns: 3 if a conflict stays open.
    func resolveInTerminal(_ paths: [String], in console: Console) async throws -> ExitCode {
        guard console.terminals.input else {
            throw Failure(
                .usage, path: "-i", "Standard input is not a terminal.",
                remedy: "Choose a version with --take, --with or --tool.")
        }
        let session = try await Session.open(replica, writable: false, in: console)
        let targets =
            paths.isEmpty
            ? Set(try await session.replica.conflicts().map(\.path)).sorted()
            : try await targets(paths, session)
        if targets.isEmpty { console.say("No open conflict was found.") }
        var code = ExitCode.done
        for (index, path) in targets.enumerated() {
            console.ask("Conflict \(index + 1) of \(targets.count)")
            switch try await ask(about: path, session) {
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

    private func ask(about path: RelativePath, _ session: Session) async throws -> Answer {
        let console = session.console
        let conflict = try await session.openConflict(at: path)
        let difference = try await session.difference(of: conflict)
        for line in try await session.description(of: conflict) { console.ask(line) }
        show(difference, limit: Self.shortDifference, in: console)
        while true {
            console.ask("[o]urs, [t]heirs, [b]oth, [m]erge tool, [d]iff, [s]kip, [q]uit?")
            guard let line = console.readAnswer() else { return .quit }
            switch line.first {
            case "o": return .ended(try await take(.ours, conflict, console))
            case "t": return .ended(try await take(.theirs, conflict, console))
            case "b": return .ended(try await keepBoth(conflict, session))
            case "m":
                guard let name = try MergeTool.chosen(tool, console.environment) else {
                    console.ask("No merge tool is set: give --tool, or set git's merge.tool.")
                    continue
                }
                let tool = try MergeTool(name, console.environment)
                let code = try await merge(path, with: tool, session)
                if code != .conflict { return .ended(code) }
            case "d": show(difference, limit: .max, in: console)
            case "s": return .skipped
            case "q": return .quit
            default: continue
            }
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
            try await replica.resolve(conflict.path, choice, SyncOptions())
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
            let bytes = try await session.content(of: ours, at: conflict.path)
            console.ask("Keeping the version from here as \(name).")
            let saved = try await replica.save(name, SaveOptions()) { give in
                try bytes.withUnsafeBytes(give)
            }
            var report = try await replica.resolve(conflict.path, .theirs, SyncOptions())
            report.add(earlier: saved.sync)
            return report
        }
    }

    /// Does something to a replica that is locked only for that, unless the conflict has changed.
    private func change(
        _ conflict: OpenConflict, _ console: Console,
        _ body: (Replica) async throws -> SyncReport
    ) async throws -> ExitCode {
        let session = try await Session.open(replica, writable: true, in: console)
        let present = try await session.replica.conflicts().last { $0.path == conflict.path }
        guard let present, present.conflict == conflict.conflict, present.copy == conflict.copy
        else {
            await session.replica.close()
            throw Failure(
                .changing, path: conflict.path.bytes, "The conflict changed meanwhile.",
                remedy: "Run the command again.")
        }
        let ended = try await body(session.replica)
        let result = try await session.retryUntilPublished(
            ended, of: [conflict.path], publishWait, replica.waiting)
        await session.replica.close()
        let code = ExitCode(queueing: result, isWaiting: publishWait.wait)
        try console.show(result, exit: code)
        return code
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
    /// The lines of the difference from the version there to the one here.
    fileprivate func difference(of open: OpenConflict) async throws -> [[UInt8]] {
        let conflict = open.conflict
        let ours = try await content(of: conflict.ours, at: open.copy ?? open.path)
        let theirs = try await content(of: conflict.theirs, at: open.path)
        return UnifiedDiff(theirs, ours)
            .lines("\(open.path) there", "\(open.path) here", TerminalStyle(isEnabled: false))
    }

    /// What is in conflict, and who wrote it when.
    fileprivate func description(of open: OpenConflict) async throws -> [String] {
        let conflict = open.conflict
        // Without the remote it is not known who.
        let versions = (try? await replica.history(of: open.path)) ?? []
        let author = versions.last {
            guard !$0.isSuperseded, let theirs = conflict.theirs else { return false }
            return theirs.hasSameContent(as: $0.change.entry)
        }?.device.name
        let device = await replica.device.name
        var lines = ["\(open.path)   since \(TimeText.day(open.time, now: now))"]
        lines.append("  ours    \(text(conflict.ours))  by \(printable(device.utf8)) (here)")
        let by = author.map { "  by \(printable($0.utf8))" } ?? ""
        lines.append("  theirs  \(text(conflict.theirs))\(by)")
        if let copy = open.copy { lines.append("  theirs is in place, ours is  \(copy)") }
        return lines
    }

    private var now: Timestamp { console.systemContext.now() }

    private func text(_ entry: Entry?) -> String {
        entry.map { OpenConflict.text($0, now: now) } ?? "deleted"
    }
}

/// The name under which a conflict copy is kept as a file of its own: without the word `conflict`. Nil for any
/// other path.
private func keptName(of copy: RelativePath) -> RelativePath? {
    let (name, word) = (Array(copy.name), Array("conflict ".utf8))
    guard conflictOriginal(of: copy) != nil,
        let start = name.indices.last(where: { name[$0...].starts(with: conflictMark) })
    else { return nil }
    let end = start + conflictMark.count
    let kept = Array(name[..<(end - word.count)]) + name[end...]
    return copy.parent?.appending(kept) ?? RelativePath(unchecked: kept)
}
