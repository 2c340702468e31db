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
