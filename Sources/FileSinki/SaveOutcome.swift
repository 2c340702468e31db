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
    /// Another device had changed the file, too, and neither could be preferred: its value is in the
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

/// One answer to a load. A load may have two: what is here, and what the remote made of it.
public struct Loaded<Item> {
    /// The value; nil when there is no file, or none that holds such a value.
    public var item: Item?
    /// Whether it is what another device had published, or what was made of that and of what was here.
    public var wasRemote: Bool
    /// Whether the remote was asked: nothing newer is known.
    public var isFinal: Bool

    /// An answer with all that is to be said of it.
    public init(item: Item?, wasRemote: Bool, isFinal: Bool) {
        self.item = item
        self.wasRemote = wasRemote
        self.isFinal = isFinal
    }
}

extension Loaded: Sendable where Item: Sendable {}
extension Loaded: Equatable where Item: Equatable {}
