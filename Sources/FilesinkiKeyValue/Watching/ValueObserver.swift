package import FilesinkiModel

/// Tells what others change in a key-value store, each change once, in order, and when it is here.
package actor ValueObserver {
    private let values: KeyValues
    private let place: KeyValuePlace
    private let notice: @Sendable (Failure) -> Void
    /// Everything up to here was told.
    package private(set) var token: FeedToken
    /// Whether the store is looked at before anything is waited for.
    private var mustLook = true
    private var isAway = false

    /// How long to wait for a sign of a change before looking without one.
    private static let patience = Duration.seconds(60)
    /// How often to look whether another process has changed what is here.
    private static let beat = Duration.milliseconds(100)
    /// How long to leave a remote alone that did not answer.
    private static let pause = Duration.seconds(5)

    /// - Parameters:
    ///   - token: Where to begin; nil for this moment.
    ///   - notice: Called when the remote begins to be away.
    package init(
        _ values: KeyValues, place: KeyValuePlace, since token: FeedToken? = nil,
        notice: @escaping @Sendable (Failure) -> Void = { _ in }
    ) async throws {
        self.values = values
        self.place = place
        self.notice = notice
        if let token { self.token = token } else { self.token = try await values.position() }
    }

    /// The next events; waits until there are some.
    ///
    /// - Throws: `Failure` with code `token-expired` when some are no longer known, what is wrong with
    ///   the store, and `CancellationError`.
    package func next() async throws -> [ValueEvent] {
        while true {
            let version = try await values.localVersion()
            let events = try await values.events(after: token)
            if let last = events.last {
                token = last.token
                return events
            }
            if mustLook {
                mustLook = false
                try await look()
            } else {
                try await wait(version)
            }
        }
    }

    /// Brings here what is new in the store.
    private func look() async throws {
        guard place.address != nil, try await !values.isOff() else { return }
        do {
            _ = try await values.exchange()
            isAway = false
        } catch let failure as Failure where failure.code == .away || failure.code == .busy {
            if !isAway { notice(failure) }
            isAway = true
        }
    }

    /// Waits for a sign that something changed, here or there.
    private func wait(_ version: Int64) async throws {
        let isOff = try await values.isOff()
        let hasRemote = place.address != nil && !isOff
        let (values, sleep, isAway) = (values, place.surroundings.sleep, isAway)
        mustLook = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                guard hasRemote, !isAway else {
                    try await sleep(hasRemote ? Self.pause : Self.patience)
                    return true
                }
                do {
                    try await values.waitForStore(Self.patience)
                } catch let failure as Failure where failure.code == .away {
                    try await sleep(Self.pause)
                }
                return true
            }
            group.addTask {
                while try await values.localVersion() == version { try await sleep(Self.beat) }
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? true
        }
    }
}
