import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules

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

extension ResolveCommand {
    /// What is meant, in order and each once. For an undo see ``undoTargets(_:_:)``.
    ///
    /// - Throws: Code `usage` if a name may mean more than one conflict, `not-found` if a pattern matches none.
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
                    let none = Failure.noOpenConflict(name)
                    throw session.naming(pattern: argument, in: none, among: open.paths)
                }
            }
            for name in meant { chosen += try targets(of: name, open) }
        }
        return chosen.reduce(into: []) { targets, next in
            if !targets.contains(where: { $0.path == next.path && $0.scope == next.scope }) {
                targets.append(next)
            }
        }.innermostFirst(\.path)
    }

    private func targets(of name: RelativePath, _ open: OpenConflicts) throws -> [ResolveTarget] {
        let found = open.named(name)
        if isInteractive, found.count > 1 {
            return found.map { ResolveTarget(path: $0.path, conflicts: [$0]) }
        }
        // Where none is open, the engine says so.
        guard !found.isEmpty else { return [ResolveTarget(path: name, conflicts: [])] }
        let one = try open.one(name, having: take)
        return [ResolveTarget(path: one.path, conflicts: [one])]
    }

    /// What to do about each of the targets; nil for an undo.
    ///
    /// - Parameter given: The content of `--with`.
    /// - Throws: Code `usage` if a path would get more than one version.
    func choices(
        _ given: [UInt8]?, of targets: [ResolveTarget], _ open: OpenConflicts
    ) throws(Failure) -> [ConflictChoice?] {
        var choices: [ConflictChoice?] = []
        for target in targets {
            var ofOne: [ConflictChoice?] = []
            for conflict in target.conflicts {
                ofOne.append(try choice(given, of: conflict, open.hints))
            }
            let isRepeated = targets.count { $0.path == target.path } > 1
            if isRepeated || ofOne.count > 1, ofOne.contains(where: { $0?.isOfCopy == true }) {
                throw open.several(open.named(target.path), isTaking: true)
            }
            if let first = ofOne.first {
                choices.append(first)
            } else {
                choices.append(try choice(given, of: nil, open.hints))
            }
        }
        return choices
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
