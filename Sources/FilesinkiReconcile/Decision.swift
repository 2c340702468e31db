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
        let hereDrift = ChangeKind(of: item.here, from: item.base?.entry)
        let thereDrift = driftThere(of: item)
        switch (item.here, item.there) {
        case (nil, nil):
            return .settled(.tombstone, .equal)
        case (let here?, let there?):
            if here.agrees(with: there) { return .settled(there, .equal) }
            if here.hasSameContent(as: there) {
                let (entry, reason) = mergedMetadata(of: item, here: here, there: there)
                return .settled(entry, reason)
            }
            return differ(item, here, there, hereDrift, thereDrift)
        case (let here?, nil):
            let isSaved = self.here[item.herePath]?.isSaved ?? false
            if !isSaved, isStaleCopy(here, item) { return .settled(.tombstone, .staleCopy) }
            return oneLeft(
                here, drift: isSaved ? .content : hereDrift, isAsBase: thereDrift == .same, item)
        case (nil, let there?):
            let isSaved = self.there[item.therePath]?.isSaved ?? false
            return oneLeft(
                there, drift: isSaved ? .content : thereDrift, isAsBase: hereDrift == .same, item)
        }
    }

    /// How the remote side differs from the base, judged by versions: a content that went and came
    /// back is an edit although it is equal (row 26).
    private func driftThere(of item: Case) -> ChangeKind {
        let drift = ChangeKind(of: item.there, from: item.base?.entry)
        guard let there = item.there, let base = item.base, there.kind != .directory,
            item.isInPlaceThere, let change = self.there[item.therePath]
        else { return drift }
        if drift == .same { return change.entry.version == base.version ? .same : .content }
        return drift == .metadata && change.cameBack ? .content : drift
    }

    /// Only one side has something: it is new, or the other side deleted it (rows 2 to 5, 9, 10).
    private func oneLeft(_ entry: Entry, drift: ChangeKind, isAsBase: Bool, _ item: Case)
        -> Decision
    {
        if isAsBase {
            guard item.here != nil, let original = original(of: entry, at: item.path) else {
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
        item.here?.kind == .file && rules.asksBeforeDeleting(item.path)
    }

    /// Both sides have something, of different contents.
    private func differ(
        _ item: Case, _ here: Entry, _ there: Entry, _ hereDrift: ChangeKind,
        _ thereDrift: ChangeKind
    ) -> Decision {
        let base = item.base?.entry
        if hereDrift == .content, isFormer(here, item) { return .settled(there, .edit) }
        switch (hereDrift, thereDrift) {
        case (.same, _): return .settled(there, .edit)
        case (_, .same): return .settled(here, .edit)
        case (.metadata, _): return .settled(edit(there, withModeOf: here, base), .edit)
        case (_, .metadata): return .settled(edit(here, withModeOf: there, base), .edit)
        default: break
        }
        if here.kind == .directory || there.kind == .directory { return .folderKeepsName }
        let canMerge = here.kind == .file && there.kind == .file && (base?.kind ?? .file) == .file
        return follow(
            rules.strategy(for: item.path).links, item.contest, canMerge: canMerge)
    }

    /// Row 23: a content that the path had there before it was deleted.
    private func isStaleCopy(_ here: Entry, _ item: Case) -> Bool {
        there[item.therePath]?.entry.entry.kind == .tombstone && isFormer(here, item)
    }

    /// Whether what is here is what the path had there, before what it has now, and not the base's:
    /// a lost manifest, or a run that was killed before it could note what it had written, has
    /// forgotten that it came from there.
    func isFormer(_ here: Entry, _ item: Case) -> Bool {
        guard let change = there[item.therePath],
            item.base.map({ !here.hasSameContent(as: $0.entry) }) ?? true
        else { return false }
        return here.kind == .symlink
            ? change.formerTargets.contains(here.target)
            : change.formerContents.contains(here.content)
    }
}
