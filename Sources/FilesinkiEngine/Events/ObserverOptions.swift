package import FilesinkiModel

/// What an observer is asked to do.
package struct ObserverOptions: Sendable {
    /// Where an observer begins.
    package enum Start: Sendable {
        /// With what comes from now on.
        case now
        /// With the first commit of the log.
        case beginning
        /// Behind a token that was stored.
        case token(EventToken)
    }

    package var scope = EventScope.everything
    package var start = Start.now
    /// Whether commits of this device are told, too.
    package var includesOwn = false
    /// Whether changes are brought here before they are told.
    package var isSyncing = true
    /// Whether the difference is told where a token has expired.
    package var resynchronises = false

    package init() {}
}

/// What an observer has to tell.
package enum Observed: Sendable {
    /// Everything up to here was told: the beginning, or what concerned nobody.
    case position(EventToken)
    /// At least one event, and the position behind them.
    case events([Event], end: EventToken)
    /// A token had expired; this is what is different.
    case difference(EventDifference)
}

/// What a person may want to know of an observer's work.
package enum ObserverNotice: Sendable {
    /// The remote is away, or another run is at work; the observer waits.
    case waiting(Failure)
    /// The wait is over.
    case back
    /// A change could not be brought here, or something else did not work in the run.
    case trouble(Failure)
}

/// How long an observer waits for something to tell.
package enum Patience: Sendable {
    /// Not at all: a remote that is away is a failure.
    case none
    /// Up to this moment.
    case until(Timestamp)
    case forever
}
