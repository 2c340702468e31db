package import FilesinkiModel

/// What a run does with one path, and why.
///
/// ``base``, ``ours`` and ``theirs`` are what is at ``path`` itself, also when a rename is followed:
/// they must still be so when the step is carried out.
package struct Step: Hashable, Sendable {
    package var path: RelativePath
    /// What the base has at the path.
    package var base: VersionedEntry?
    /// What the local tree has at the path; nil for nothing.
    package var ours: Entry?
    /// What the remote tree has at the path; may be a tombstone; nil when it never had anything.
    package var theirs: VersionedEntry?
    package var action: Action
    package var reason: Reason
    /// What few steps have; empty or one. A plan of a first checkout has a step for every path.
    private var details: [Details]

    private struct Details: Hashable, Sendable {
        var origin: RelativePath?
        var movedFrom: RelativePath?
        var supersededEntry: Entry?
        var modeBefore: UInt16?
        var leftRename: Conflict?
    }

    /// Where the content of a ``Action/take(_:)`` or ``Action/both(_:)`` is in the local tree before
    /// the run, when it is not at the path itself. An origin may be the path of another step, as when
    /// two files exchange names: every origin must be secured before the first step writes.
    package var origin: RelativePath? { details.first?.origin }

    /// The base path of this file when it was renamed since, on either side.
    package var movedFrom: RelativePath? { details.first?.movedFrom }

    /// A content that only this replica has and that another replaces. It must be in the history of
    /// the store before the step is carried out, so that the user can bring it back.
    package var supersededEntry: Entry? { details.first?.supersededEntry }

    /// The mode that a renamed file had in the base, where the step gives it another one.
    package var modeBefore: UInt16? { details.first?.modeBefore }

    /// The conflict of a renamed file that ``Action/leave`` leaves open, with the paths at which the sides have their versions.
    package var leftRename: Conflict? { details.first?.leftRename }

    package init(
        path: RelativePath, base: VersionedEntry? = nil, ours: Entry? = nil,
        theirs: VersionedEntry? = nil, action: Action, reason: Reason,
        origin: RelativePath? = nil, movedFrom: RelativePath? = nil, supersededEntry: Entry? = nil,
        modeBefore: UInt16? = nil, leftRename: Conflict? = nil
    ) {
        self.path = path
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.action = action
        self.reason = reason
        let details = Details(
            origin: origin, movedFrom: movedFrom, supersededEntry: supersededEntry,
            modeBefore: modeBefore, leftRename: leftRename)
        let none = Details()
        self.details = details == none ? [] : [details]
    }

    /// The version that a published change is based on: that of the remote entry, 0 for none.
    package var seen: UInt64 { theirs?.version ?? 0 }

    /// Whether the step makes a conflict copy.
    package var isConflictCopy: Bool { copied != nil }

    /// The path whose content a conflict copy keeps; nil for other steps.
    package var copied: RelativePath? {
        if case .conflictCopy(let original) = reason { return original }
        return nil
    }

    /// Whether the step is about a directory, also one that it deletes.
    package var isFolder: Bool {
        let entry = action.entry
        guard entry == nil || entry?.kind == .tombstone else { return entry?.kind == .directory }
        return (base?.entry ?? ours ?? theirs?.entry)?.kind == .directory
    }

    /// Whether the step leaves a conflict open. The old name of a renamed file that stays with it has none of its own.
    package var leavesConflict: Bool { action == .leave && !isMovedAway }

    /// Whether the step is about the old name of a rename; another step has the new one.
    package var isMovedAway: Bool {
        if case .moved = reason { return true }
        return false
    }
}

extension Step {
    /// Whether a content of this replica is published under a name that the other side has given: of a file that was
    /// edited here and renamed there, also where a strategy or a person chose it, or that is new in a folder renamed there.
    package var sendsUnderOtherName: Bool {
        guard case .both = action, let origin else { return false }
        switch reason {
        case .renamedAndEdited(let source): return origin == source
        case .created, .strategy: return true
        default: return false
        }
    }

    /// Whether this replica renamed the file, and the content is the one that the other side has published.
    package var sendsNameOnly: Bool {
        guard case .both(let entry) = action, case .renamedAndEdited = reason else { return false }
        return !sendsUnderOtherName && ours?.hasSameContent(as: entry) != true
    }

    /// Which side renamed the file, and which one edited it.
    private func explanation(ofRenamed source: RelativePath) -> String {
        if sendsUnderOtherName { return "edited here, renamed there from \(source)" }
        guard case .both(let entry) = action else {
            return "edited, and renamed from \(source)"
        }
        let isWhole = [ours, theirs?.entry].contains { $0?.hasSameContent(as: entry) == true }
        return (isWhole ? "edited, and renamed" : "edited there, renamed here") + " from \(source)"
    }

    /// ``Reason/explanation``; where one side deleted or renamed what the other edited, with which side did what. Of the
    /// deletion of an ignored path, that what is here stays.
    package var explanation: String {
        if case .renamedAndEdited(let source) = reason { return explanation(ofRenamed: source) }
        if reason == .ignored, theirs?.entry.kind == .tombstone {
            return "deleted elsewhere; ignored here, so what is here stays"
        }
        let (isGoneHere, isGoneThere) = (ours == nil, theirs?.entry.kind == .tombstone)
        guard isGoneHere != isGoneThere, let theirs, let base else { return reason.explanation }
        // By an undelete, as a rule. Its version is a newer one, so it counts as an edit.
        let isBack = isGoneHere && theirs.entry.hasSameContent(as: base.entry)
        let sides =
            isGoneHere
            ? "deleted here, \(isBack ? "brought back" : "edited") there"
            : "edited here, deleted there"
        switch reason {
        case .editBeatsDelete: return "\(sides); \(isBack ? "it" : "the edit") was kept"
        case .strategy(let link) where !["here", "there", "ask"].contains(link):
            return "\(sides); the strategy '\(link)' decided"
        case .strategy:
            let kept = isBack ? "the version there" : "the edit"
            return "\(sides); \(action.deletes ? "the deletion" : kept) was chosen"
        case .deleteBeatsEdit: return "\(sides); deleted, as on-delete says"
        case .asks(let link): return "\(sides); the strategy '\(link)' needs an answer"
        case .open: return "\(sides); left open, as on-delete says 'ask'"
        default: return reason.explanation
        }
    }
}

extension [Step] {
    /// The steps of a later round of a run, with what it knew before: where it has moved a renamed file away itself, and
    /// something new takes the old name, nobody has deleted anything.
    ///
    /// - Parameter earlier: The steps of the round before.
    package func continuing(_ earlier: [Step]) -> [Step] {
        let found = self.lazy.filter { $0.reason == .editBeatsDelete && $0.ours == nil }
        let paths = Set(found.map(\.path))
        guard !paths.isEmpty else { return self }
        let isNew = earlier.lazy.filter { $0.reason == .created && paths.contains($0.path) }
        let actions = Dictionary(isNew.map { ($0.path, $0.action) }) { first, _ in first }
        return map { step in
            guard paths.contains(step.path), actions[step.path] == step.action else { return step }
            var step = step
            step.reason = .created
            return step
        }
    }
}

extension Step: CustomStringConvertible {
    /// The step as `--dry-run` prints it: action, path, origin and reason, on one line.
    package var description: String {
        let source = origin.map { " from \($0)" } ?? ""
        return "\(action.word) \(path)\(source): \(explanation)"
    }
}

/// What a step does.
package enum Action: Hashable, Sendable {
    /// Both sides are equal: only the base moves, to what they have. Nothing is written.
    case agree
    /// Ours is published; a tombstone publishes a deletion.
    case publish(Entry)
    /// Theirs is written to the local tree; a tombstone deletes.
    case take(Entry)
    /// Neither side has this entry at this path: it is written to the local tree and published. A
    /// tombstone deletes on both sides.
    case both(Entry)
    /// A conflict whose first link needs the contents, a command or a person: see
    /// ``Reconciliation/resolve(_:_:)``. Nothing is written, and the base stays as it is.
    indirect case undecided(Conflict)
    /// An open conflict: both sides and the base stay as they are.
    case leave
    /// Nothing is decided, because the path cannot be read here, or is ignored or left out.
    case skip
}

extension Action {
    /// The action in a word, as text and JSON print it.
    package var word: String {
        switch self {
        case .agree: "agree"
        case .publish(let entry): entry.kind == .tombstone ? "publish-deletion" : "publish"
        case .take(let entry): entry.kind == .tombstone ? "delete" : "take"
        case .both(let entry): entry.kind == .tombstone ? "delete-both" : "write-both"
        case .undecided: "undecided"
        case .leave: "leave"
        case .skip: "skip"
        }
    }

    /// The entry that the path has on both sides afterwards, a tombstone for nothing; nil for
    /// ``agree`` and where the step decides nothing.
    package var entry: Entry? {
        switch self {
        case .publish(let entry), .take(let entry), .both(let entry): entry
        case .agree, .undecided, .leave, .skip: nil
        }
    }

    /// Whether nothing is at the path afterwards. What is equal on both sides is not told.
    fileprivate var deletes: Bool { entry?.kind == .tombstone }

    /// Whether the step writes to the local tree.
    package var writesOurs: Bool {
        switch self {
        case .take, .both: true
        case .agree, .publish, .undecided, .leave, .skip: false
        }
    }

    /// Whether the step writes to the remote tree.
    package var writesTheirs: Bool {
        switch self {
        case .publish, .both: true
        case .agree, .take, .undecided, .leave, .skip: false
        }
    }
}
