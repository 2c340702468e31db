package import FilesinkiModel

/// Which of two values of a key stays when a store is met for the first time.
package enum InitialPolicy: String, CaseIterable, Sendable {
    /// What is in the store; the value from here is kept in the history.
    case server
    /// What is here.
    case local
    /// What was set last.
    case newest
}

/// How an exchange is done.
package struct ExchangeOptions: Sendable {
    package var initial = InitialPolicy.server
    /// Whether another store may take the place of the one that was known.
    package var acceptsAccount = false
    /// What the user asked for, for the log.
    package var operation = "kv sync"

    package init() {}
}

/// What an exchange with the store did.
package struct ExchangeReport: Sendable {
    /// Keys that hold something else here now, by the reason.
    package var changed: [ValueKey] = []
    package var reason = ChangeReason.server
    /// Keys of which a change was published.
    package var published: [ValueKey] = []
    /// Values from here that gave way.
    package var losers: [SupersededValue] = []
    /// The number of the last commit that was seen.
    package var sequence: UInt64 = 0
    /// Keys of commits that cannot be used here.
    package var problems: [Failure] = []
    /// What could not be written for other devices although the exchange itself is complete.
    package var notices: [Failure] = []
    /// Whether the store holds more than the limits of this device allow.
    package var isOver = false
    /// Where the values are kept that another store's took the place of; nil when none did.
    package var archive: String?
}
