/// What another device has changed, once it is here.
public enum Change<Item> {
    /// This is in the file now.
    case changed(Item, path: String)
    /// The file was deleted.
    case deleted(path: String)

    /// Below the root.
    public var path: String {
        switch self {
        case .changed(_, let path), .deleted(let path): path
        }
    }

    /// The value; nil after a deletion.
    public var item: Item? {
        switch self {
        case .changed(let item, _): item
        case .deleted: nil
        }
    }
}

extension Change: Sendable where Item: Sendable {}
extension Change: Equatable where Item: Equatable {}
