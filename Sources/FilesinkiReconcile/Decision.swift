import FilesinkiModel

/// What becomes of one ``Case``, before the names of others are looked at.
enum Decision: Equatable {
    /// Both sides get this entry; a tombstone for nothing.
    case settled(Entry, Reason)
    /// The committed content keeps the name, the local one gets a conflict name.
    case keepBoth(Reason)
    /// One is a directory and keeps the name, the other gets a conflict name.
    case folderKeepsName
    case undecided([StrategyLink])
    case leave
}

extension ReconcileInput {
    /// Decides about one thing by the three values alone.
    func decide(_ item: Case) -> Decision {
        let oursKind = ChangeKind(of: item.ours, from: item.base?.entry)
        let theirsKind = theirsChange(of: item)
        switch (item.ours, item.theirs) {
        case (nil, nil):
            return .settled(.tombstone, .equal)
        case (let ours?, let theirs?):
            if ours.agrees(with: theirs) { return .settled(theirs, .equal) }
            if ours.hasSameContent(as: theirs) {
                let (entry, reason) = mergedMetadata(of: item, ours: ours, theirs: theirs)
                return .settled(entry, reason)
            }
            return differ(item, ours, theirs, oursKind, theirsKind)
        case (let ours?, nil):
            let isSaved = self.ours[item.oursPath]?.isSaved ?? false
            if !isSaved, isStaleCopy(ours, item) { return .settled(.tombstone, .staleCopy) }
            return oneLeft(
                ours, drift: isSaved ? .content : oursKind, isAsBase: theirsKind == .same, item)
        case (nil, let theirs?):
            let isSaved = self.theirs[item.theirsPath]?.isSaved ?? false
            return oneLeft(
                theirs, drift: isSaved ? .content : theirsKind, isAsBase: oursKind == .same, item)
        }
    }

    /// How the remote side differs from the base, judged by versions: a content that went and came
    /// back is an edit although it is equal (row 26).
    private func theirsChange(of item: Case) -> ChangeKind {
        let drift = ChangeKind(of: item.theirs, from: item.base?.entry)
        guard let theirs = item.theirs, let base = item.base, theirs.kind != .directory,
            item.isTheirsInPlace, let change = self.theirs[item.theirsPath]
        else { return drift }
        if drift == .same { return change.entry.version == base.version ? .same : .content }
        return drift == .metadata && change.cameBack ? .content : drift
    }

    /// Only one side has something: it is new, or the other side deleted it (rows 2 to 5, 9, 10).
    private func oneLeft(_ entry: Entry, drift: ChangeKind, isAsBase: Bool, _ item: Case)
        -> Decision
    {
        if isAsBase {
            guard item.ours != nil, let original = original(of: entry, at: item.path) else {
                return .settled(entry, .created)
            }
            return .settled(entry, .conflictCopy(of: original))
        }
        guard drift == .content || asksBeforeDeleting(item) else {
            return .settled(.tombstone, .deleted)
        }
        if entry.kind == .directory { return .settled(entry, .editBeatsDelete) }
        switch rules.onDelete(for: item.path) {
        case .keep: return .settled(entry, .editBeatsDelete)
        case .delete: return .settled(.tombstone, .deleteBeatsEdit)
        case .ask: return .undecided([.end(.ask)])
        }
    }

    /// Whether a rule wants a word about the deletion of what nobody edited.
    private func asksBeforeDeleting(_ item: Case) -> Bool {
        item.ours?.kind == .file && rules.asksBeforeDeleting(item.path)
    }

    /// Both sides have something, of different contents.
    private func differ(
        _ item: Case, _ ours: Entry, _ theirs: Entry, _ oursKind: ChangeKind,
        _ theirsKind: ChangeKind
    ) -> Decision {
        let base = item.base?.entry
        if oursKind == .content, isFormer(ours, item) { return .settled(theirs, .edit) }
        switch (oursKind, theirsKind) {
        case (.same, _): return .settled(theirs, .edit)
        case (_, .same): return .settled(ours, .edit)
        case (.metadata, _): return .settled(edit(theirs, withModeOf: ours, base), .edit)
        case (_, .metadata): return .settled(edit(ours, withModeOf: theirs, base), .edit)
        default: break
        }
        if ours.kind == .directory || theirs.kind == .directory { return .folderKeepsName }
        let canMerge = ours.kind == .file && theirs.kind == .file && (base?.kind ?? .file) == .file
        return follow(
            rules.strategy(for: item.path).links, item.contest, canMerge: canMerge)
    }

    /// Row 23: a content that the path had there before it was deleted.
    private func isStaleCopy(_ ours: Entry, _ item: Case) -> Bool {
        theirs[item.theirsPath]?.entry.entry.kind == .tombstone && isFormer(ours, item)
    }

    /// Whether what is here is what the path had there, before what it has now, and not the base's:
    /// a lost manifest, or a run that was killed before it could note what it had written, has
    /// forgotten that it came from there.
    func isFormer(_ ours: Entry, _ item: Case) -> Bool {
        guard let change = theirs[item.theirsPath],
            item.base.map({ !ours.hasSameContent(as: $0.entry) }) ?? true
        else { return false }
        return ours.kind == .symlink
            ? change.formerTargets.contains(ours.target)
            : change.formerContents.contains(ours.content)
    }
}
