package import FilesinkiModel

/// What a run does with one path, and why.
///
/// ``base``, ``ours`` and ``theirs`` say what is at ``path`` itself, also when a rename is followed:
/// they are what must still be so when the step is carried out.
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
        var loser: Entry?
        var contest: Contest?
    }

    /// Where the content of a `take` or `both` is in the local tree before the run, when it is not
    /// at the path itself. An origin may be the path of another step, as when two files change
    /// names: secure every origin before the first step writes.
    package var origin: RelativePath? { details.first?.origin }

    /// The base path of this file when it was renamed since, on either side.
    package var movedFrom: RelativePath? { details.first?.movedFrom }

    /// A content that is only in this replica and gives way to another. It has to be in the store's
    /// history before the step is carried out, so that the user can bring it back.
    package var loser: Entry? { details.first?.loser }

    /// The conflict that an ``Action/undecided(_:)`` step is about; nil for all others.
    package var contest: Contest? { details.first?.contest }

    package init(
        path: RelativePath, base: VersionedEntry? = nil, ours: Entry? = nil,
        theirs: VersionedEntry? = nil, action: Action, reason: Reason,
        origin: RelativePath? = nil, movedFrom: RelativePath? = nil, loser: Entry? = nil,
        contest: Contest? = nil
    ) {
        self.path = path
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.action = action
        self.reason = reason
        let details = Details(
            origin: origin, movedFrom: movedFrom, loser: loser, contest: contest)
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

    /// Whether the step is about a folder, also one that it deletes.
    package var isFolder: Bool {
        let entry = action.entry
        guard entry == nil || entry?.kind == .tombstone else { return entry?.kind == .directory }
        return (base?.entry ?? ours ?? theirs?.entry)?.kind == .directory
    }

    /// Whether the step is one half of a rename whose other half holds the file.
    package var isMovedAway: Bool {
        if case .moved = reason { return true }
        return false
    }
}

/// The values that meet in a conflict. After a rename they come from different paths.
package struct Contest: Hashable, Sendable {
    /// What both sides started from; nil when neither had anything.
    package var base: Entry?
    /// What this replica has; nil when it deleted it.
    package var ours: Entry?
    /// What is committed; nil when it is deleted there.
    package var theirs: Entry?
    /// Where the content of ``ours`` is in the local tree.
    package var oursPath: RelativePath
    /// Where the remote tree has ``theirs``.
    package var theirsPath: RelativePath

    package init(
        base: Entry?, ours: Entry?, theirs: Entry?, oursPath: RelativePath, theirsPath: RelativePath
    ) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.oursPath = oursPath
        self.theirsPath = theirsPath
    }
}

extension Step: CustomStringConvertible {
    /// The step as `--dry-run` prints it: action, path, origin and reason, on one line.
    package var description: String {
        let source = origin.map { " from \($0)" } ?? ""
        return "\(action.word) \(path)\(source): \(reason.explanation)"
    }
}
