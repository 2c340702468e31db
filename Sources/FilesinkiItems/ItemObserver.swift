package import FilesinkiModel
internal import FilesinkiSystem
internal import FilesinkiWatch

/// The remote refuses the credentials of this device, or accepts them again.
package struct AccountChange: Sendable {
    package var status: AccountStatus
    /// Why it refuses; nil when it accepts.
    package var failure: Failure?
    package var time: Timestamp
    /// The position behind the last reported event.
    package var token: FeedToken
}

/// Reports the changes of a zone of items, each once, in order, after it was applied.
package actor ItemObserver<Kind: ItemKind> {
    private let zone: ItemZone<Kind>
    private let place: ItemPlace<Kind>
    private let notice: @Sendable (Failure) -> Void
    private let onAccount: (@Sendable (AccountChange) async throws -> Void)?
    /// The position behind the last reported event.
    package private(set) var token: FeedToken
    /// Whether an exchange is due before the next wait.
    private var isExchangeDue = true
    private var isAway = false
    /// What the last exchange showed; nil before the first one.
    private var account: AccountStatus?
    /// Why there can be no other events than those that are recorded; nil while there can be.
    private var ending: Failure?
    /// Whether the remote reports commits that come between two waits.
    private var isListening = false
    /// The shortest time between the starts of two exchanges.
    private let minimumInterval: Duration
    /// When the last exchange started; nil before the first one.
    private var lastExchange: Timestamp?

    /// How long to wait for a sign of a change before an exchange without one.
    private static var longestWait: Duration { Duration.seconds(60) }
    /// How often to check for changes of other processes where writes cannot be watched.
    private static var pollInterval: Duration { Duration.milliseconds(100) }
    /// The pauses between the checks after a write: a commit is visible only when it is on the disk.
    private static var pauses: ClosedRange<Duration> {
        Duration.milliseconds(1)...Duration.milliseconds(2048)
    }
    /// How long to wait after a remote did not answer.
    private static var retryPause: Duration { Duration.seconds(5) }

    /// - Parameters:
    ///   - token: Where to begin; nil for now.
    ///   - minimumInterval: The shortest time between the starts of two exchanges; zero for an exchange
    ///     as soon as something changes.
    ///   - notice: Called when the remote becomes unreachable.
    ///   - onAccount: Called when the remote refuses the credentials, and when it accepts them again; nil if a
    ///     refusal is an error.
    package init(
        _ zone: ItemZone<Kind>, place: ItemPlace<Kind>, since token: FeedToken? = nil,
        minimumInterval: Duration = .zero,
        notice: @escaping @Sendable (Failure) -> Void = { _ in },
        onAccount: (@Sendable (AccountChange) async throws -> Void)? = nil
    ) async throws {
        self.zone = zone
        self.place = place
        self.minimumInterval = minimumInterval
        self.onAccount = onAccount
        self.notice = notice
        if let token { self.token = token } else { self.token = try await zone.position() }
    }

    /// Waits for the next events. With `onAccount`, a remote that refuses credentials after having accepted them is
    /// asked again; without it, the refusal is an error.
    ///
    /// - Throws: `Failure` with code `token-expired` when some are not kept any more, `not-found` when
    ///   the zone is deleted and everything was reported, `not-allowed` when the first exchange is refused, any
    ///   other failure of the store, and `CancellationError`.
    package func next() async throws -> [ItemEvent] {
        while true {
            let version = try await zone.localVersion()
            let events = try await zone.events(after: token)
            if let last = events.last {
                token = last.token
                return events
            }
            if let ending { throw ending }
            if isExchangeDue, let rest = timeToNextExchange() {
                try await waitForOthers(version, upTo: rest)
            } else if isExchangeDue {
                isExchangeDue = false
                lastExchange = place.systemContext.now()
                try await exchange()
            } else {
                try await wait(version)
            }
        }
    }

    /// Exchanges with the store; a wait reports what comes after that.
    private func exchange() async throws {
        guard place.address != nil, try await !zone.isOff() else { return }
        do {
            if !isListening { isListening = try await zone.listen() }
            _ = try await zone.exchange()
            // Only the first exchange finds the position to listen from.
            if !isListening {
                isListening = try await zone.listen()
                if isListening { _ = try await zone.exchange() }
            }
            isAway = false
            try await setAccount(.available)
        } catch let failure as Failure where failure.isRefusal {
            try await refused(failure)
        } catch let failure as Failure where failure.code == .notFound {
            // The removal of a deleted zone's items is reported first.
            guard try await zone.isGone() else { throw failure }
            ending = failure
        } catch let failure as Failure where failure.code == .away || failure.code == .busy {
            if !isAway { notice(failure) }
            isAway = true
        }
    }

    /// Whether the remote refused the last exchange.
    private var isRefused: Bool { account.map { $0 != .available } ?? false }

    /// The remote refused an exchange. The first refusal of a watch is an error; a later one may be temporary, as when
    /// a token is replaced. The next connection reads the credentials anew.
    private func refused(_ failure: Failure) async throws {
        let isFirst = account == nil
        try await setAccount(failure.accountStatus, failure)
        if isFirst || onAccount == nil { throw failure }
        isListening = false
        await zone.close()
    }

    private func setAccount(_ status: AccountStatus, _ failure: Failure? = nil) async throws {
        guard account != status else { return }
        let isFirst = account == nil
        account = status
        if isFirst, failure == nil { return }
        try await onAccount?(
            AccountChange(
                status: status, failure: failure, time: place.systemContext.now(), token: token))
    }

    /// How long the next exchange must wait; nil when it may start now. After the clock was set back it
    /// waits for one interval at most.
    private func timeToNextExchange() -> Duration? {
        guard minimumInterval > .zero, let lastExchange else { return nil }
        let (since, overflow) = place.systemContext.now().nanoseconds
            .subtractingReportingOverflow(lastExchange.nanoseconds)
        guard !overflow, since >= 0 else { return minimumInterval }
        let rest = minimumInterval - .nanoseconds(since)
        return rest > .zero ? rest : nil
    }

    /// Waits until another process has changed the file, at most for `limit`.
    private func waitForOthers(_ version: Int64, upTo limit: Duration) async throws {
        let (zone, place) = (zone, place)
        let isOver = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await place.systemContext.sleep(limit)
                return true
            }
            group.addTask {
                try await Self.waitForOthers(version, zone, place)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? true
        }
        // The time is over, whatever the clock says.
        if isOver { lastExchange = nil }
    }

    /// Waits for a sign that something changed, in the file or in the store.
    private func wait(_ version: Int64) async throws {
        let isOff = try await zone.isOff()
        let hasRemote = place.address != nil && !isOff
        let (zone, place) = (zone, place)
        // A remote that refuses is asked rarely: some lock out who asks often.
        let pause: Duration? =
            !hasRemote || isRefused ? Self.longestWait : isAway ? Self.retryPause : nil
        let sleep = place.systemContext.sleep
        let isFromStore = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                if let pause {
                    try await sleep(pause)
                    return true
                }
                do {
                    try await zone.waitForStore(Self.longestWait)
                } catch let failure as Failure where failure.code == .away || failure.isRefusal {
                    // The exchange that follows shows what it is.
                    try await sleep(Self.retryPause)
                }
                return true
            }
            group.addTask {
                try await Self.waitForOthers(version, zone, place)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? true
        }
        // A cancelled wait may have consumed a notification.
        if !isFromStore { isListening = false }
        isExchangeDue = true
    }

    /// Waits until another process has changed the file.
    private static func waitForOthers(
        _ version: Int64, _ zone: ItemZone<Kind>, _ place: ItemPlace<Kind>
    ) async throws {
        let sleep = place.systemContext.sleep
        guard let writes = WriteNotices.stream(in: place.folder, prefix: place.name + ".sqlite")
        else {
            while try await zone.localVersion() == version { try await sleep(pollInterval) }
            return
        }
        // A change may have come before the watch was set up.
        if try await isChangedSoon(version, zone, sleep) { return }
        for await _ in writes {
            if try await isChangedSoon(version, zone, sleep) { return }
        }
        try Task.checkCancellation()
    }

    /// Checks for a change at growing intervals, about four seconds in all.
    private static func isChangedSoon(
        _ version: Int64, _ zone: ItemZone<Kind>,
        _ sleep: @Sendable (Duration) async throws -> Void
    ) async throws -> Bool {
        var backoff = Backoff(pauses)
        for _ in 0..<12 {
            if try await zone.localVersion() != version { return true }
            try await sleep(backoff.next())
        }
        return try await zone.localVersion() != version
    }
}
