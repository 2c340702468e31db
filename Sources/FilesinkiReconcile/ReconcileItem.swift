import FilesinkiModel

/// What base, ours and theirs have of one file, directory or symlink, under the name that it will
/// have. After a rename its versions come from different paths.
struct ReconcileItem {
    let paths: ItemPaths
    var base: VersionedEntry?
    var ours: Entry?
    var theirs: Entry?

    /// An item that kept its name.
    init(at path: RelativePath, base: VersionedEntry?, ours: Entry?, theirs: Entry?) {
        let paths = ItemPaths(base: path, ours: path, theirs: path, final: path)
        self.init(paths, base: base, ours: ours, theirs: theirs)
    }

    init(_ paths: ItemPaths, base: VersionedEntry?, ours: Entry?, theirs: Entry?) {
        self.paths = paths
        self.base = base
        self.ours = ours
        self.theirs = theirs
    }

    /// The name that it will have.
    var path: RelativePath { paths.final }

    /// The base path, when the item has another name now.
    var movedFrom: RelativePath? {
        base == nil || paths.base == paths.final ? nil : paths.base
    }

    func conflict(_ links: [StrategyLink]) -> Conflict {
        Conflict(
            path: path, base: base?.entry, ours: ours, theirs: theirs, oursPath: paths.ours,
            theirsPath: paths.theirs, movedFrom: movedFrom, links: links)
    }
}

/// Where one item is in the three trees, and the name that it will have.
struct ItemPaths: Hashable {
    var base: RelativePath
    var ours: RelativePath
    var theirs: RelativePath
    var final: RelativePath
}

/// How an entry differs from the base's.
enum ChangeKind {
    case same
    /// The content is the base's; mode or time are not.
    case metadata
    /// Other content, another kind, or new.
    case content
    case deleted

    init(of entry: Entry?, from base: Entry?) {
        switch (entry, base) {
        case (nil, nil): self = .same
        case (nil, _?): self = .deleted
        case (_?, nil): self = .content
        case (let entry?, let base?):
            if entry.agrees(with: base) {
                self = .same
            } else {
                self = entry.hasSameContent(as: base) ? .metadata : .content
            }
        }
    }
}

/// What the table says of one item.
enum Decision {
    /// Both sides get this entry; a tombstone deletes.
    case settled(Entry, Reason)
    /// A conflict that a link decided which needs the entries only.
    case resolved(Conflict, Resolution)
    /// A conflict whose first link needs the contents, a command or a person.
    case open(Conflict)

    /// The entry that both sides get; nil when both versions stay.
    var entry: Entry? {
        switch self {
        case .settled(let entry, _): entry
        case .resolved(let conflict, let resolution): conflict.settlement(by: resolution)?.entry
        case .open: nil
        }
    }
}

/// The table of `Docs/Conflicts.md` for one item.
extension ReconcileInput {
    /// Decides by the three versions of the item alone.
    func decide(_ item: ReconcileItem) -> Decision {
        let ourChange = ChangeKind(of: item.ours, from: item.base?.entry)
        let theirChange = theirChange(of: item)
        switch (item.ours, item.theirs) {
        case (nil, nil):
            return .settled(.tombstone, .equal)
        case (let ours?, let theirs?):
            if ours.agrees(with: theirs) { return .settled(theirs, .equal) }
            if ours.hasSameContent(as: theirs) {
                let (entry, reason) = mergedMetadata(of: item, ours: ours, theirs: theirs)
                return .settled(entry, reason)
            }
            return decideContents(item, ours, theirs, ourChange, theirChange)
        case (let ours?, nil):
            let isSaved = self.ours[item.paths.ours]?.isSaved ?? false
            if !isSaved, isStaleCopy(ours, item) { return .settled(.tombstone, .staleCopy) }
            return decideSingle(
                ours, isSaved ? .content : ourChange, isOtherSideAsBase: theirChange == .same, item)
        case (nil, let theirs?):
            let isSaved = self.theirs[item.paths.theirs]?.isSaved ?? false
            return decideSingle(
                theirs, isSaved ? .content : theirChange, isOtherSideAsBase: ourChange == .same,
                item)
        }
    }

    /// How the remote side differs from the base, judged by versions: a content that was changed and
    /// changed back is an edit although it is equal to the base's (row 26).
    private func theirChange(of item: ReconcileItem) -> ChangeKind {
        let change = ChangeKind(of: item.theirs, from: item.base?.entry)
        guard let theirs = item.theirs, let base = item.base, theirs.kind != .directory,
            item.paths.theirs == item.paths.base, let known = self.theirs[item.paths.theirs]
        else { return change }
        if change == .same { return known.entry.version == base.version ? .same : .content }
        return change == .metadata && known.cameBack ? .content : change
    }

    /// Rows 2 to 5, 9 and 10: only one side has the item. It is new, or the other side deleted it.
    private func decideSingle(
        _ entry: Entry, _ change: ChangeKind, isOtherSideAsBase: Bool, _ item: ReconcileItem
    ) -> Decision {
        if isOtherSideAsBase {
            guard item.ours != nil, let original = original(of: entry, at: item.path) else {
                return .settled(entry, .created)
            }
            return .settled(entry, .conflictCopy(of: original))
        }
        guard change == .content || asksBeforeDeleting(item) else {
            return .settled(.tombstone, .deleted)
        }
        if entry.kind == .directory { return .settled(entry, .editBeatsDelete) }
        switch rules.onDelete(for: item.path) {
        case .keep: return .settled(entry, .editBeatsDelete)
        case .delete: return .settled(.tombstone, .deleteBeatsEdit)
        case .ask: return .open(item.conflict([.end(.ask)]))
        }
    }

    /// Whether a rule asks for an answer before an unedited file is deleted here.
    private func asksBeforeDeleting(_ item: ReconcileItem) -> Bool {
        item.ours?.kind == .file && rules.asksBeforeDeleting(item.path)
    }

    /// Rows 7, 8, 12, 17, 18, 21 and 26: both sides have the item, with different contents.
    private func decideContents(
        _ item: ReconcileItem, _ ours: Entry, _ theirs: Entry, _ ourChange: ChangeKind,
        _ theirChange: ChangeKind
    ) -> Decision {
        let base = item.base?.entry
        if ourChange == .content, isFormer(ours, item) { return .settled(theirs, .edit) }
        switch (ourChange, theirChange) {
        case (.same, _): return .settled(theirs, .edit)
        case (_, .same): return .settled(ours, .edit)
        case (.metadata, _): return .settled(edit(theirs, withModeOf: ours, base), .edit)
        case (_, .metadata): return .settled(edit(ours, withModeOf: theirs, base), .edit)
        default: break
        }
        var conflict = item.conflict(rules.strategy(for: item.path).links)
        guard let resolution = conflict.resolveByEntries() else { return .open(conflict) }
        return .resolved(conflict, resolution)
    }

    /// Row 23: a content that the path had at the remote before it was deleted there.
    private func isStaleCopy(_ ours: Entry, _ item: ReconcileItem) -> Bool {
        theirs[item.paths.theirs]?.entry.entry.kind == .tombstone && isFormer(ours, item)
            && !(item.base == nil && rules.keepsUnreceived(item.path))
    }

    /// Whether ours is a former version of theirs, and not the base's: it came from the remote, and
    /// that is not recorded because the manifest was lost or a run was killed. What a user has saved by name
    /// without a base was not received.
    func isFormer(_ ours: Entry, _ item: ReconcileItem) -> Bool {
        guard let change = theirs[item.paths.theirs],
            item.base.map({ !ours.hasSameContent(as: $0.entry) })
                ?? (self.ours[item.paths.ours]?.isSaved != true)
        else { return false }
        return ours.kind == .symlink
            ? change.formerTargets.contains(ours.target)
            : change.formerContents.contains(ours.content)
    }
}

/// Row 17: the edited entry with the mode that the other side set. An edit that set a mode itself
/// keeps it; the time is always the edit's (row 18).
private func edit(_ edited: Entry, withModeOf other: Entry, _ base: Entry?) -> Entry {
    guard let base, edited.kind == base.kind, edited.mode == base.mode else { return edited }
    var result = edited
    result.mode = other.mode
    return result
}

/// Rows 19 and 20: both sides have the same content; mode and time are merged one by one.
///
/// A value that one side changed is taken from that side. Where both changed it, or there is no
/// base, the committed mode and the later time stay.
private func mergedMetadata(
    of item: ReconcileItem, ours: Entry, theirs: Entry
) -> (Entry, Reason) {
    // A mode or time of another kind says nothing of this one.
    let base = item.base.flatMap { $0.entry.kind == ours.kind ? $0.entry : nil }
    var result = theirs
    var reason = Reason.metadata
    if ours.mode != theirs.mode {
        switch base?.mode {
        case theirs.mode?: result.mode = ours.mode
        case ours.mode?: break
        default: reason = .committedMode
        }
    }
    guard ours.kind != .directory, ours.modified != theirs.modified else { return (result, reason) }
    switch base?.modified {
    case theirs.modified?: result.modified = ours.modified
    case ours.modified?: break
    default:
        result.modified = max(ours.modified, theirs.modified)
        if reason == .metadata { reason = .laterTime }
    }
    return (result, reason)
}
