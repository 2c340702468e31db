/// What came of a save. Whatever it says, the value is kept: here, at the remote, or in the history.
public enum SaveOutcome<Item> {
    /// It is here; there is no remote.
    case stored
    /// It is here, and is published as soon as the remote is back.
    case queued
    /// It is here and published.
    case uploaded
    /// Another device had changed the file, too; this was made of both, is here and published.
    case merged(Item)
    /// Another device had changed the file, too, and what it had saved stays.
    case kept(Item)
    /// Another device had changed the file, too, and nobody could say which one stays: this is in the
    /// file, and what was saved is beside it.
    case keptBoth(Item, copy: String)
}

extension SaveOutcome: Sendable where Item: Sendable {}
extension SaveOutcome: Equatable where Item: Equatable {}

extension SaveOutcome {
    /// What is in the file now when it is something else than what was saved.
    public var final: Item? {
        switch self {
        case .stored, .queued, .uploaded: nil
        case .merged(let item), .kept(let item), .keptBoth(let item, _): item
        }
    }
}

/// What came of a deletion.
public enum DeleteOutcome: Sendable, Hashable {
    /// It is gone here; there is no remote.
    case removed
    /// It is gone here, and everywhere as soon as the remote is back.
    case queued
    /// It is gone here, and that is published.
    case deleted
    /// There was nothing, neither here nor there.
    case absent
}
