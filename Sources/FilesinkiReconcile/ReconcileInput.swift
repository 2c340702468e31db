package import FilesinkiModel

/// What both sides last agreed on.
package protocol BaseTree: Sendable {
    /// The entry at `path`; nil, never a tombstone, when nothing is there.
    func entry(_ path: RelativePath) -> VersionedEntry?

    /// Every path that begins with these bytes, in any order.
    func paths(beginning prefix: [UInt8]) -> [RelativePath]

    /// The number of paths.
    var count: Int { get }
}

/// A base tree in memory.
extension Dictionary: BaseTree where Key == RelativePath, Value == VersionedEntry {
    package func entry(_ path: RelativePath) -> VersionedEntry? { self[path] }

    package func paths(beginning prefix: [UInt8]) -> [RelativePath] {
        keys.filter { $0.bytes.starts(with: prefix) }
    }
}

/// What the local tree has at a path where it differs from the base.
package struct LocalChange: Hashable, Sendable {
    /// What is there now; nil when the path was deleted.
    package var entry: Entry?
    /// The base path that had the same inode, when it is certain that it is the same file. A file
    /// system gives the inode of a deleted file to the next new one; the time of birth tells them
    /// apart.
    package var movedFrom: RelativePath?
    /// Whether a user saved this file and got a confirmation: it is then an edit against a deletion, also
    /// when its content is the base's.
    package var isSaved: Bool

    package init(_ entry: Entry?, movedFrom: RelativePath? = nil, isSaved: Bool = false) {
        self.entry = entry
        self.movedFrom = movedFrom
        self.isSaved = isSaved
    }
}

/// What the remote tree has at a path where it differs from the base.
package struct RemoteChange: Hashable, Sendable {
    /// What is there now; a tombstone when the path was deleted.
    package var entry: VersionedEntry
    /// The base path that this one was renamed from, as its commit says, or an earlier one since the base.
    package var movedFrom: RelativePath?
    /// Who committed the entry; the name is in a conflict copy of it.
    package var device: Device?
    /// Contents that a file had at this path since the base and before this entry; under a tombstone
    /// all of them, or all there ever were when there is no base; ``ContentID/none`` when a
    /// directory was there.
    package var formerContents: Set<ContentID>
    /// Targets that a symlink had at this path since the base and before this entry.
    package var formerTargets: Set<[UInt8]>
    /// Whether the content was another one since the base and then became the base's again. False when
    /// unknown. An entry that has the base's time and mode, but another version, has come back in any
    /// case.
    package var cameBack: Bool
    /// Whether a user saved the base's content again there: it is then an edit against a deletion. False
    /// when unknown.
    package var isSaved: Bool
    /// Whether the commit says that both sides renamed the file. False when unknown.
    package var isOtherName: Bool
    /// Whether a user chose this version to end a conflict. False when unknown.
    package var isResolve: Bool
    /// Whether the file that was at this path in the base was renamed since: what comes there later is another one. False
    /// when unknown.
    package var hasMovedAway = false

    package init(
        _ entry: VersionedEntry, movedFrom: RelativePath? = nil, device: Device? = nil,
        formerContents: Set<ContentID> = [], formerTargets: Set<[UInt8]> = [],
        cameBack: Bool = false, isSaved: Bool = false, isOtherName: Bool = false,
        isResolve: Bool = false
    ) {
        self.entry = entry
        self.movedFrom = movedFrom
        self.device = device
        self.formerContents = formerContents
        self.formerTargets = formerTargets
        self.cameBack = cameBack
        self.isSaved = isSaved
        self.isOtherName = isOtherName
        self.isResolve = isResolve
    }
}

/// What ``reconcile(_:)`` works from: the base tree, the differences of both sides from it, and the
/// rules.
package struct ReconcileInput: Sendable {
    /// What both sides last agreed on; empty before the first sync.
    package var base: any BaseTree
    /// Only the paths where the local tree differs from the base.
    package var ours: [RelativePath: LocalChange]
    /// Only the paths where the remote tree differs from the base, by entry or by version.
    package var theirs: [RelativePath: RemoteChange]
    /// Paths that the scan cannot or must not read, such as unreadable or ignored ones. Nothing is decided
    /// about them, nor about what is below them.
    package var blocked: Set<RelativePath>
    /// Those of them that a rule ignores.
    package var ignored: Set<RelativePath>
    /// Those of them that an option of the run leaves out.
    package var excluded: Set<RelativePath>
    /// Those of them that a partial replica does not hold, and where the remote tree has something.
    package var unheld: Set<RelativePath>
    /// Whether this replica holds a path: a partial one gives nothing a name that it does not hold, and none gives a name at
    /// which is what it leaves alone.
    package var holds: @Sendable (RelativePath) -> Bool = { _ in true }
    package var rules: any StrategyRules
    /// This replica; its name is in the conflict copies of our versions.
    package var device: Device
    /// The conflict copies among ``ours`` and ``theirs``.
    let copies = ChangedCopies()

    package init(
        base: any BaseTree, ours: [RelativePath: LocalChange], theirs: [RelativePath: RemoteChange],
        blocked: Set<RelativePath> = [], ignored: Set<RelativePath> = [],
        excluded: Set<RelativePath> = [], unheld: Set<RelativePath> = [],
        rules: any StrategyRules = UniformRules(), device: Device
    ) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.blocked = blocked
        self.ignored = ignored
        self.excluded = excluded
        self.unheld = unheld
        self.rules = rules
        self.device = device
    }
}

extension ReconcileInput {
    /// What the local tree has at `path`; nil for nothing.
    func ourEntry(_ path: RelativePath) -> Entry? {
        guard let change = ours[path] else { return base.entry(path)?.entry }
        guard let entry = change.entry, entry.kind != .tombstone else { return nil }
        return entry
    }

    /// What the remote tree has at `path`; nil for nothing and for a tombstone.
    func theirEntry(_ path: RelativePath) -> Entry? {
        guard let change = theirs[path] else { return base.entry(path)?.entry }
        return change.entry.entry.kind == .tombstone ? nil : change.entry.entry
    }

    /// Whether the path, or a folder above it, is blocked.
    func isBlocked(_ path: RelativePath) -> Bool {
        path.isAtOrInside(blocked)
    }

    /// The folders that hold something blocked: nothing else takes the place of one of them.
    var foldersOfBlocked: Set<RelativePath> { Set(blocked.lazy.flatMap(\.ancestors)) }

    /// The folders in which the remote tree has something that this replica leaves out for good.
    var foldersOfLeftOut: Set<RelativePath> {
        let kept = ignored.lazy.filter { theirEntry($0) != nil }
        return Set(kept.flatMap(\.ancestors)).union(unheld.lazy.flatMap(\.ancestors))
    }

    /// The folders that hold something about which a person has to decide.
    var foldersOfUnread: Set<RelativePath> {
        let unread = blocked.lazy.filter {
            !unheld.contains($0) && reason(ofBlocked: $0) == .blocked
        }
        return Set(unread.flatMap(\.ancestors))
    }

    /// Why nothing is decided about a blocked path.
    func reason(ofBlocked path: RelativePath) -> Reason {
        if path.isAtOrInside(ignored) { return .ignored }
        return path.isAtOrInside(excluded) ? .excluded : .blocked
    }
}

/// One of the two sides, so that what holds for both is written once.
struct Side {
    let input: ReconcileInput
    let isOurs: Bool

    /// What this side has at `path`; nil for nothing.
    func entry(_ path: RelativePath) -> Entry? {
        isOurs ? input.ourEntry(path) : input.theirEntry(path)
    }

    /// Whether this side differs from the base at `path`.
    func isChanged(_ path: RelativePath) -> Bool {
        isOurs ? input.ours[path] != nil : input.theirs[path] != nil
    }

    /// The base path that `path` was renamed from, as the scan or the commit reports it.
    func reportedSource(of path: RelativePath) -> RelativePath? {
        isOurs ? input.ours[path]?.movedFrom : input.theirs[path]?.movedFrom
    }

    /// Every path where this side differs from the base.
    var changed: [RelativePath] {
        isOurs ? Array(input.ours.keys) : Array(input.theirs.keys)
    }

    /// Whether this side has no directory at `path` where the base has one.
    func hasLostFolder(_ path: RelativePath) -> Bool {
        isChanged(path) && entry(path)?.kind != .directory
            && input.base.entry(path)?.entry.kind == .directory
    }
}

extension ReconcileInput {
    /// The base's mode of a file that is renamed, where an action gives it another one; nil if it keeps its mode.
    func modeBefore(at old: RelativePath, _ action: Action) -> UInt16? {
        guard let before = base.entry(old)?.entry, let after = action.entry,
            before.kind == .file, after.kind == .file, before.mode != after.mode
        else { return nil }
        return before.mode
    }
}
