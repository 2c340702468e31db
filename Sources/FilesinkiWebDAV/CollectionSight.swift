import Synchronization

/// What a look at a collection shows.
struct CollectionSight: Sendable {
    /// Of this a change says that members came or went.
    enum Shown: Hashable, Sendable {
        /// The collection is not there yet.
        case nothing
        case tag(String)
        case time(String)
        /// Of servers that tell neither.
        case members(Set<[[UInt8]]>)
    }

    let shown: Shown
    /// Whether a change since then may show nothing: times are told in whole seconds.
    let isFresh: Bool

    init(_ shown: Shown = .nothing, isFresh: Bool = false) {
        self.shown = shown
        self.isFresh = isFresh
    }
}

/// The last sights of collections, by the prefixes that were waited for.
final class CollectionSights: Sendable {
    private let last = Mutex<[String: CollectionSight]>([:])

    /// How many are remembered at most.
    private static let maximum = 64

    /// Remembers a sight.
    ///
    /// - Returns: The one before it; nil of the first.
    @discardableResult
    func replace(_ prefix: String, by sight: CollectionSight) -> CollectionSight? {
        last.withLock { last in
            if last.count >= Self.maximum, last[prefix] == nil { last = [:] }
            return last.updateValue(sight, forKey: prefix)
        }
    }
}
