import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiText

/// What one step of `resolve` is about: a conflict, or with `--all` all those of a path.
struct ResolveTarget {
    var path: RelativePath
    /// None for an undo, or where none is open, which the engine says.
    var conflicts: [OpenConflict]

    var scope: ConflictScope {
        switch conflicts.count {
        case 0: .only
        case 1: .copy(conflicts[0].copy)
        default: .all
        }
    }
}

/// What `resolve` does about conflicts, and which of them it refuses before it changes anything.
struct ResolvePlan {
    /// The choice is nil for an undo.
    var steps: [(target: ResolveTarget, choice: ConflictChoice?)] = []
    private(set) var refused: [Problem] = []
    /// Why the first one is refused, in the words that it has alone.
    private(set) var first: Failure?

    var count: Int { steps.count + refused.count }

    /// - Parameter besideOthers: Whether another conflict of the path ends, so that another version may be in place.
    mutating func refuse(
        _ conflict: OpenConflict, _ failure: Failure, _ open: OpenConflicts, besideOthers: Bool
    ) {
        let name = open.name(of: conflict)
        var told = failure
        if told.path == conflict.path.bytes { told.path = name.bytes }
        if besideOthers {
            told.remedy = "It stays open; filesinki conflicts shows it with what is in place now."
        }
        refused.append(Problem(name, told))
        if first == nil { first = failure }
    }

    /// Refuses what is meant of a path with several conflicts; says so once.
    mutating func refuse(_ path: RelativePath, _ failure: Failure) {
        guard !refused.contains(where: { $0.path == path }) else { return }
        refused.append(Problem(path, failure))
        if first == nil { first = failure }
    }
}

extension ResolveCommand {
    /// What is meant, in order and each once. For an undo see ``undoTargets(_:_:)``.
    ///
    /// - Throws: Code `usage` if a name may mean more than one conflict, `not-found` if a pattern matches none, and for a
    ///   folder with conflicts below it.
    func targets(_ names: [String], _ open: OpenConflicts, _ session: Session) throws
        -> [ResolveTarget]
    {
        if all {
            return open.paths.map { ResolveTarget(path: $0, conflicts: open.named($0)) }
        }
        var chosen: [ResolveTarget] = []
        for argument in names {
            let name = try session.path(argument)
            var meant = [name]
            if open.named(name).isEmpty, PathPattern.isPattern(argument) {
                meant = open.paths.filter(try PathPattern(argument).covers)
                guard !meant.isEmpty else {
                    try requireNoneBelow(name, open)
                    let none = Failure.noOpenConflict(name)
                    throw session.naming(pattern: argument, in: none, among: open.paths)
                }
            }
            for name in meant { chosen += try targets(of: name, open) }
        }
        var distinct: [ResolveTarget] = []
        for next in chosen {
            let isKnown = distinct.contains { known in
                known.path == next.path && (known.scope == next.scope || known.scope == .all)
            }
            if !isKnown { distinct.append(next) }
        }
        return distinct.innermostFirst(\.path)
    }

    private func targets(of name: RelativePath, _ open: OpenConflicts) throws -> [ResolveTarget] {
        let found = open.named(name)
        if isInteractive, found.count > 1 {
            return found.map { ResolveTarget(path: $0.path, conflicts: [$0]) }
        }
        guard !found.isEmpty else {
            try requireNoneBelow(name, open)
            // Where none is open, the engine says so.
            return [ResolveTarget(path: name, conflicts: [])]
        }
        if let take, open.isInPlace(take, of: found) {
            return [ResolveTarget(path: found[0].path, conflicts: found)]
        }
        let one = try open.one(name, having: take)
        return [ResolveTarget(path: one.path, conflicts: [one])]
    }

    /// Verifies that a path which has no open conflict is not that of a folder with conflicts below it.
    ///
    /// - Throws: Code `not-found` with these, and what resolves them.
    private func requireNoneBelow(_ name: RelativePath, _ open: OpenConflicts) throws(Failure) {
        let below = open.paths.filter { $0.isInside(name) }.sorted()
        if !below.isEmpty { throw .openBelow(name, below, optionWords) }
    }

    /// What to do with conflicts, as the options say that take several paths, each after a space; nil for an option of one path.
    private var optionWords: String? {
        if isInteractive { return " -i" }
        if let take { return " --take \(ShellWord.shown(take.utf8))" }
        return tool.map { " --tool \(ShellWord.shown($0.utf8))" }
    }

    /// What to do about the targets. A conflict that is refused stays open, and stops none of the others.
    ///
    /// - Parameter given: The content of `--with`.
    /// - Throws: Code `usage`, with why the first one is refused, if all are.
    func plan(
        _ given: [UInt8]?, of targets: [ResolveTarget], _ open: OpenConflicts
    ) throws(Failure) -> ResolvePlan {
        var plan = ResolvePlan()
        var accepted: [(target: ResolveTarget, choices: [ConflictChoice?])] = []
        for target in targets {
            guard !target.conflicts.isEmpty else {
                accepted.append((target, [try choice(given, of: nil, open.hints)]))
                continue
            }
            var taken: [(conflict: OpenConflict, choice: ConflictChoice?)] = []
            var refused: [(conflict: OpenConflict, failure: Failure)] = []
            for conflict in target.conflicts {
                do throws(Failure) {
                    taken.append((conflict, try choice(given, of: conflict, open.hints)))
                } catch {
                    refused.append((conflict, error))
                }
            }
            for (conflict, failure) in refused {
                plan.refuse(conflict, failure, open, besideOthers: !taken.isEmpty)
            }
            if refused.isEmpty {
                accepted.append((target, taken.map { $0.choice }))
                continue
            }
            // Each by itself, so that no other conflict of the path ends with it.
            for (conflict, choice) in taken {
                let one = ResolveTarget(path: target.path, conflicts: [conflict])
                accepted.append((one, [choice]))
            }
        }
        // A path gets one version.
        let ofPaths = Dictionary(grouping: accepted) { $0.target.path }
        for (target, choices) in accepted {
            let all: [ConflictChoice?] = ofPaths[target.path]?.flatMap { $0.choices } ?? []
            if all.count > 1, all.contains(where: { $0?.isOfCopy == true }) {
                let several = open.several(open.named(target.path), isTaking: true)
                plan.refuse(target.path, several)
            } else {
                plan.steps.append((target, choices.first ?? nil))
            }
        }
        if plan.steps.isEmpty, let first = plan.first { throw first }
        return plan
    }

    /// What to do about a conflict; nil for an undo.
    ///
    /// - Parameter open: Nil if there is none, which the engine says.
    private func choice(
        _ given: [UInt8]?, of open: OpenConflict?, _ hints: CommandHints
    ) throws(Failure) -> ConflictChoice? {
        guard !undo else { return nil }
        if let take { try open?.requireSide(take, hints) }
        let side = take == "base" ? nil : take.flatMap { open?.sides.side(named: $0) }
        if side != .theirs, ifContent == nil { try open?.requireSent(hints) }
        // --if-content alone names what is in place: nothing says that the copy was looked at.
        let isCopySeen = ifContent == nil || ifCopy != nil
        if side != .ours || !isCopySeen {
            try open?.requireSentCopy(hints, isTakeable: ifContent == nil)
        }
        if let given { return .bytes(given) }
        guard let take else { return nil }
        if take == "base" { return .base }
        // A device may be called 12.
        if let side { return side == .ours ? .ours : .theirs }
        if let version = UInt64(take) { return .version(version) }
        guard let open else { return .ours }
        _ = try open.side(named: take)
        return nil
    }

    /// Says of a path with several conflicts what has ended, and where the versions are that were not taken.
    func reportEnded(_ target: ResolveTarget, in console: Console) throws {
        guard target.conflicts.count > 1 else { return }
        let copies = target.conflicts.compactMap(\.copy).map { console.hints.word($0) }
        let ended = Failure(
            .declined, "\(target.conflicts.count) conflicts of this path have ended.",
            remedy: "The other versions are in the history; to bring one back as a file, run "
                + "filesinki undelete \(copies.joined(separator: " or ")).")
        try console.show([Problem(target.path, ended)], type: "notice")
    }
}

extension ConflictChoice {
    fileprivate var isOfCopy: Bool {
        if case .ours = self { return true }
        return false
    }
}

extension Failure {
    /// So many paths are named at most.
    private static let mostNamed = 3

    /// A folder has no open conflict itself, but conflicts below it.
    ///
    /// - Parameters:
    ///   - paths: Theirs.
    ///   - options: What the command was to do with them; nil if it takes one path.
    fileprivate static func openBelow(
        _ folder: RelativePath, _ paths: [RelativePath], _ options: String?
    ) -> Failure {
        var names = paths.prefix(mostNamed).map { "\($0)" }
        let more = paths.count - names.count
        if more > 0 { names.append("\(CountText.text(more)) more") }
        let last = names.removeLast()
        let all = names.isEmpty ? last : names.joined(separator: ", ") + " and " + last
        var remedy = "Name one of them; filesinki conflicts lists them."
        if let options {
            let pattern = PathPattern.plain(folder) + Array("/**".utf8)
            remedy =
                paths.count == 1
                ? "Run filesinki resolve \(ShellWord.path(paths[0].bytes))\(options)."
                : "To resolve all of them, run filesinki resolve "
                    + "\(ShellWord.shown(pattern))\(options)."
        }
        return Failure(
            .notFound, path: folder.bytes,
            "It has no open conflict itself; \(CountText.text(paths.count)) "
                + "\(paths.count == 1 ? "is" : "are") open below it: \(all).",
            remedy: remedy)
    }
}
