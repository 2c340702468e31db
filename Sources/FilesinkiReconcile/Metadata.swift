import FilesinkiModel

/// Row 17: the edited entry, with the mode that the other side gave it. Of two modes the edit's
/// own wins; the time is always the edit's (row 18).
func edit(_ edited: Entry, withModeOf other: Entry, _ base: Entry?) -> Entry {
    guard let base, edited.kind == base.kind, edited.mode == base.mode else { return edited }
    var result = edited
    result.mode = other.mode
    return result
}

/// Rows 1, 19 and 20: both sides have the same content; mode and time are merged one by one.
///
/// What only one side changed is taken from that side. Where both did, or there is no base, the
/// committed mode and the later time stay.
func mergedMetadata(of item: Case, ours: Entry, theirs: Entry) -> (Entry, Reason) {
    var result = theirs
    var reason = Reason.metadata
    if ours.mode != theirs.mode {
        switch item.base?.entry.mode {
        case theirs.mode?: result.mode = ours.mode
        case ours.mode?: break
        default: reason = .committedMode
        }
    }
    guard ours.kind != .directory, ours.modified != theirs.modified else { return (result, reason) }
    let before = item.base.flatMap { $0.entry.kind == ours.kind ? $0.entry.modified : nil }
    switch before {
    case theirs.modified?: result.modified = ours.modified
    case ours.modified?: break
    default:
        result.modified = max(ours.modified, theirs.modified)
        if reason == .metadata { reason = .laterTime }
    }
    return (result, reason)
}
