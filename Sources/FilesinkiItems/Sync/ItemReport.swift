package import FilesinkiModel

/// Which content of an item stays at the first exchange with a store.
package enum InitialPolicy: String, CaseIterable, Sendable {
    /// The store's; this device's is kept in the history.
    case server
    /// This device's.
    case local
    /// The one that was set last.
    case newest
}

/// Options of an exchange.
package struct ExchangeOptions: Sendable {
    package var initial = InitialPolicy.server
    /// Whether another store may replace the known one.
    package var acceptsAccount = false
    /// Whether changes of other devices are fetched only, and none is published.
    package var onlyFetches = false
    /// Whether changes of this device are published only. Nothing is done if other devices have published
    /// since.
    package var onlySends = false
    /// The operation that the commit's metadata names; nil for the kind's `sync`.
    package var operation: String?

    /// Called when a part of the exchange begins and ends.
    package var onPhase: @Sendable (ExchangePhase) throws -> Void = { _ in }

    /// Called now and then while assets are sent.
    package var onProgress: @Sendable (AssetProgress) -> Void = { _ in }

    package init() {}
}

/// A part of an exchange that begins or has ended. One that another device overtook while it was sending
/// fetches again.
package enum ExchangePhase: String, Sendable {
    case fetching
    case fetched
    case sending
    case sent
}

/// The result of an exchange with the store.
package struct ItemReport<State: ItemState>: Sendable {
    /// Items that changed on this device.
    package var changed: [ItemKey] = []
    package var reason = ChangeReason.server
    /// Items of which a change was published.
    package var published: [ItemKey] = []
    /// Items of this device that gave way to others.
    package var losers: [Superseded<State>] = []
    /// Items of this device whose change, also a removal, may not be combined with that of another one.
    package var refused: Set<ItemKey> = []
    /// The number of the last commit that was read or published.
    package var sequence: UInt64 = 0
    /// Items that could not be applied or published.
    package var problems: [Failure] = []
    /// What could not be written after the exchange itself was complete, as a checkpoint.
    package var notices: [Failure] = []
    /// Whether the zone exceeds the limits of this device.
    package var isOver = false
    /// The file that keeps the items of a replaced store; nil when none was replaced.
    package var archive: String?

    package init() {}

    /// Adds a problem, once for each item and code.
    mutating func add(_ problem: Failure) {
        let isKnown = problems.contains { $0.path == problem.path && $0.code == problem.code }
        if !isKnown { problems.append(problem) }
    }
}
