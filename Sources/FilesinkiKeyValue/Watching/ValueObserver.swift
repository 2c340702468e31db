package import FilesinkiModel
internal import FilesinkiSystem
internal import FilesinkiWatch

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
    /// Whether the remote tells what comes between two waits.
    private var isListening = false
    /// At most one exchange with the store in so long a time.
    private let minimumInterval: Duration
    /// When the last exchange began; nil before the first one.
    private var lastLook: Timestamp?

    /// How long to wait for a sign of a change before looking without one.
    private static let patience = Duration.seconds(60)
    /// How often to look whether another process has changed what is here, where no write is heard of.
    private static let beat = Duration.milliseconds(100)
    /// The pauses between the looks after a write: a commit is seen only when the disk has its bytes.
    private static let pauses = Duration.milliseconds(1)...Duration.milliseconds(2048)
    /// How long to leave a remote alone that did not answer.
    private static let pause = Duration.seconds(5)

    /// - Parameters:
    ///   - token: Where to begin; nil for this moment.
    ///   - minimumInterval: At most one exchange with the store is begun in so long a time; what changes
    ///     meanwhile comes with the next one. Zero for as soon as something changes.
    ///   - notice: Called when the remote begins to be away.
    package init(
        _ values: KeyValues, place: KeyValuePlace, since token: FeedToken? = nil,
        minimumInterval: Duration = .zero,
        notice: @escaping @Sendable (Failure) -> Void = { _ in }
    ) async throws {
        self.values = values
        self.place = place
        self.minimumInterval = minimumInterval
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
            if mustLook, let rest = timeToNextLook() {
                try await waitForOthers(version, upTo: rest)
            } else if mustLook {
                mustLook = false
                lastLook = place.systemContext.now()
                try await look()
            } else {
                try await wait(version)
            }
        }
    }

    /// Brings here what is new in the store; what comes after that, a wait will tell.
    private func look() async throws {
        guard place.address != nil, try await !values.isOff() else { return }
        do {
            if !isListening { isListening = try await values.listen() }
            _ = try await values.exchange()
            // Only the first exchange finds out where to listen.
            if !isListening {
                isListening = try await values.listen()
                if isListening { _ = try await values.exchange() }
            }
            isAway = false
        } catch let failure as Failure where failure.code == .away || failure.code == .busy {
            if !isAway { notice(failure) }
            isAway = true
        }
    }

    /// How long the next exchange has to wait; nil when it may begin now. A clock that was set back makes
    /// it wait for one interval at most.
    private func timeToNextLook() -> Duration? {
        guard minimumInterval > .zero, let lastLook else { return nil }
        let (since, overflow) = place.systemContext.now().nanoseconds
            .subtractingReportingOverflow(lastLook.nanoseconds)
        guard !overflow, since >= 0 else { return minimumInterval }
        let rest = minimumInterval - .nanoseconds(since)
        return rest > .zero ? rest : nil
    }

    /// Waits until another process has changed what is here, so long at most.
    private func waitForOthers(_ version: Int64, upTo limit: Duration) async throws {
        let (values, place) = (values, place)
        let isOver = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await place.systemContext.sleep(limit)
                return true
            }
            group.addTask {
                try await Self.waitForOthers(version, values, place)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? true
        }
        // Whatever the clock says.
        if isOver { lastLook = nil }
    }

    /// Waits for a sign that something changed, here or there.
    private func wait(_ version: Int64) async throws {
        let isOff = try await values.isOff()
        let hasRemote = place.address != nil && !isOff
        let (values, place, isAway) = (values, place, isAway)
        let sleep = place.systemContext.sleep
        let isFromStore = try await withThrowingTaskGroup(of: Bool.self) { group in
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
                try await Self.waitForOthers(version, values, place)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? true
        }
        // A wait that was cut short may have heard something, and told nobody.
        if !isFromStore { isListening = false }
        mustLook = true
    }

    /// Waits until another process has changed what is here.
    private static func waitForOthers(
        _ version: Int64, _ values: KeyValues, _ place: KeyValuePlace
    ) async throws {
        let sleep = place.systemContext.sleep
        guard let writes = WriteNotices.hear(in: place.folder, prefix: place.name + ".sqlite")
        else {
            while try await values.localVersion() == version { try await sleep(beat) }
            return
        }
        // Before the first write: what came before it was listened for.
        if try await isChangedSoon(version, values, sleep) { return }
        for await _ in writes {
            if try await isChangedSoon(version, values, sleep) { return }
        }
        try Task.checkCancellation()
    }

    /// Looks for a change at ever longer intervals, about four seconds in all.
    private static func isChangedSoon(
        _ version: Int64, _ values: KeyValues,
        _ sleep: @Sendable (Duration) async throws -> Void
    ) async throws -> Bool {
        var backoff = Backoff(pauses)
        for _ in 0..<12 {
            if try await values.localVersion() != version { return true }
            try await sleep(backoff.next())
        }
        return try await values.localVersion() != version
    }
}
