import FilesinkiModel

/// What one path gets.
struct PlannedPath {
    enum Target {
        /// This entry on both sides; a tombstone deletes.
        case entry(Entry)
        indirect case undecided(Conflict)
        case leave
        case skip
    }

    var path: RelativePath
    var target: Target
    var reason: Reason
    /// The base path, when the item has another name now.
    var movedFrom: RelativePath?
    /// Where the content is in the local tree, when not at the path.
    var origin: RelativePath?
    /// The content that only this replica has and that another replaces.
    var superseded: Entry?
    /// The conflict of a renamed file that stays open.
    var left: Conflict?

    init(
        _ path: RelativePath, _ target: Target, _ reason: Reason, movedFrom: RelativePath? = nil,
        origin: RelativePath? = nil, superseded: Entry? = nil
    ) {
        self.path = path
        self.target = target
        self.reason = reason
        self.movedFrom = movedFrom
        self.origin = origin
        self.superseded = superseded
    }

    /// Whether something is at the path afterwards, so that it needs its folders on both sides. Of what is
    /// blocked nothing is decided: ``Planner/keepBlocked()`` leaves its folders as they are.
    var survives: Bool {
        switch target {
        case .entry(let entry): entry.kind != .tombstone
        case .undecided, .leave: true
        case .skip: false
        }
    }

    /// Whether nothing is decided about a directory because of something blocked in it.
    var isHeldFolder: Bool {
        guard case .skip = target else { return false }
        return reason == .holdsIgnored || reason == .holdsBlocked
    }

    /// Whether something blocked in the path's folder changes its plan. What cannot be read is the reason that
    /// counts: a person has to see to it.
    func isHeld(byUnread isUnread: Bool) -> Bool {
        switch target {
        case .entry(let entry): entry.kind != .directory
        case .skip: isUnread && reason == .holdsIgnored
        case .undecided, .leave: false
        }
    }
}
