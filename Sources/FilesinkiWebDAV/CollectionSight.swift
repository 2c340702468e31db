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
