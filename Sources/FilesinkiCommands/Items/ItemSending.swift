import ArgumentParser
import FilesinkiEngine
import FilesinkiItems
import FilesinkiModel
import FilesinkiSystem
import FilesinkiText

/// What became of changes of items that were made here.
struct SendReport<State: ItemState> {
    /// What the exchange did; nil when there was none.
    var exchange: ItemReport<State>?
    /// Why there was no exchange; nil when the zone is off, and without a remote unless the user waits for it.
    var away: Failure?

    /// Whether the changes wait here.
    var isQueued: Bool { exchange == nil }

    /// The exit code of a change that is done when it waits here, unless the user wants more.
    func code(_ publishWait: PublishWaitOption) -> ExitCode {
        guard publishWait.wait, isQueued else { return exchange?.isOver == true ? .limit : .done }
        return away.map { ExitCode($0) } ?? .negative
    }
}

extension SendReport {
    /// The members of a command's result that every kind has.
    func describe(in object: inout JSONObject) {
        object.add("queued", isQueued)
        if let away { object.add("away", .object(away.json(type: "failure"))) }
    }
}

extension ItemReport {
    /// What an exchange did, as JSON.
    ///
    /// - Parameters:
    ///   - zone: How the zone is called, and its name.
    ///   - name: An item in a list; nil leaves it out.
    func json(
        _ code: ExitCode, zone: (key: String, name: String), _ name: (ItemKey) -> JSONValue?
    ) -> JSONObject {
        var object: JSONObject = ["type": "exchange"]
        object.add("exit", code.rawValue)
        object.add(zone.key, zone.name)
        object.add("sequence", sequence)
        object.add("reason", changed.isEmpty ? nil : reason.rawValue)
        object.add("changed", .array(changed.compactMap(name)))
        object.add("published", .array(published.compactMap(name)))
        object.add("superseded", .array(losers.map(\.key).compactMap(name)))
        object.add("archive", archive)
        return object
    }
}

extension Console {
    /// Shows what an exchange could not do; nothing without one.
    func showProblems<State>(of report: ItemReport<State>?) throws {
        guard let report else { return }
        try show(report.notices, type: "notice")
        try show(report.problems)
    }

    /// Says that a change waits here, if the remote did not answer.
    func sayUnpublished<State>(_ report: SendReport<State>, _ what: String = "Saved") {
        if let away = report.away { say("\(what) here, not yet published. \(away)") }
    }

    /// Says what an exchange did to the items as a whole.
    ///
    /// - Parameters:
    ///   - items: What the items are called, such as `values`, and one of what is counted.
    ///   - isCounted: Whether an item is one of these; a zone may have others beside them.
    func saySummary<State>(
        _ report: ItemReport<State>, _ items: (all: String, counted: String),
        isCounted: (ItemKey) -> Bool = { _ in true }
    ) {
        if let archive = report.archive {
            say("The local \(items.all) were archived in \(printable(archive.utf8)).")
        }
        let received = CountText.text(report.changed.count(where: isCounted), items.counted)
        detail("\(received) received, \(report.published.count(where: isCounted)) published.")
    }
}

extension Console {
    /// Opens a zone of a replica's items, or takes the one that the process keeps open.
    func itemZone<Kind: ItemKind>(
        _ name: String, of kind: Kind.Type, in scope: DatabaseScope, _ settings: ReplicaOptions
    ) async throws -> ItemZone<Kind> {
        try await shared(name, in: scope) {
            try ItemZone.open(self.itemPlace(name, in: scope, settings))
        }
    }

    /// Where a zone of a replica's items is.
    func itemPlace<Kind: ItemKind>(
        _ name: String, in scope: DatabaseScope, _ settings: ReplicaOptions
    ) throws -> ItemPlace<Kind> {
        let config = try ReplicaConfig.read(settings)
        try prepare(forRemembered: config.remote)
        return ItemPlace(
            state: settings.stateFolder.path, name: name, scope: scope, device: config.device,
            address: config.remote, keyFingerprint: config.keyFingerprint,
            systemContext: systemContext, connect: settings.connect
        ) { try await Replica.renewDevice(settings, insteadOf: $0) }
    }

    /// The zone that the process keeps open, else the one that `open` opens.
    fileprivate func shared<Kind: ItemKind>(
        _ name: String, in scope: DatabaseScope,
        _ open: @Sendable () async throws -> ItemZone<Kind>
    ) async throws -> ItemZone<Kind> {
        guard let zones = call?.zones else { return try await open() }
        return try await zones.zone(name, in: scope, open)
    }
}

extension RootOptions {
    /// Opens a zone of items, or takes the one that the process keeps open; the default replica is made
    /// when it is not there.
    func itemZone<Kind: ItemKind>(
        _ name: String, of kind: Kind.Type, in scope: DatabaseScope, _ console: Console
    ) async throws -> ItemZone<Kind> {
        try await console.shared(name, in: scope) {
            try ItemZone.open(await itemPlace(name, of: kind, in: scope, console))
        }
    }

    /// Where a zone of items is; the default replica is made when it is not there.
    func itemPlace<Kind: ItemKind>(
        _ name: String, of kind: Kind.Type, in scope: DatabaseScope, _ console: Console
    ) async throws -> ItemPlace<Kind> {
        try ItemPlace<Kind>.check(name: name)
        try scope.check(zone: name)
        let (_, settings) = try await findOrMake(in: console)
        return try console.itemPlace(name, in: scope, settings)
    }

    /// Publishes what waits in a zone, if the remote answers.
    ///
    /// - Throws: `Failure` for a problem of the store. A remote that is away is not one.
    func send<Kind: ItemKind>(
        _ zone: ItemZone<Kind>, _ publishWait: PublishWaitOption, operation: String,
        in console: Console
    ) async throws -> SendReport<Kind.State> {
        guard zone.place.address != nil else {
            return SendReport(away: publishWait.wait ? Failure.noRemote() : nil)
        }
        guard try await !zone.isOff() else { return SendReport() }
        return try await console.withProgress { line in
            var options = ExchangeOptions()
            options.operation = operation
            options.show(on: line)
            return try await send(zone, publishWait, options, in: console)
        }
    }

    private func send<Kind: ItemKind>(
        _ zone: ItemZone<Kind>, _ publishWait: PublishWaitOption, _ options: ExchangeOptions,
        in console: Console
    ) async throws -> SendReport<Kind.State> {
        var backoff = Backoff.untilReached(
            limit: publishWait.wait ? try waiting.limit() ?? 0 : 0)
        while true {
            do {
                return SendReport(exchange: try await zone.exchange(options))
            } catch let failure as Failure where failure.code == .away || failure.code == .busy {
                if backoff.isOver { return SendReport(away: failure) }
                try await console.systemContext.sleep(backoff.next(after: failure))
            }
        }
    }
}

/// Which way a sync goes.
struct DirectionOptions: ParsableArguments {
    @Flag(name: .long, help: "Receive only; what was saved here waits.")
    var pullOnly = false

    @Flag(name: .long, help: "Send only; nothing if other devices have published.")
    var pushOnly = false

    /// - Throws: `Failure` with code `usage` for both.
    func apply(to options: inout ExchangeOptions) throws(Failure) {
        guard !(pullOnly && pushOnly) else {
            throw Failure(
                .usage, path: "--push-only", "Only one of --pull-only and --push-only is possible.",
                remedy: "Leave both out to receive and send.")
        }
        options.onlyFetches = pullOnly
        options.onlySends = pushOnly
    }
}

/// What a first sync, and a sync with another store, does with what is here.
struct AdoptionOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Whose values to keep on the first sync: server, local or newest.",
            valueName: "which"))
    var initial = InitialPolicy.server.rawValue

    @Flag(
        name: .long,
        help: "If another store is found, take what it has and archive what is here.")
    var acceptAccount = false

    /// - Throws: `Failure` with code `usage` for any other word.
    func exchangeOptions() throws(Failure) -> ExchangeOptions {
        guard let initial = InitialPolicy(rawValue: initial) else {
            throw Failure(
                .usage, path: initial, "Invalid choice for the first sync.",
                remedy: "Use server, local or newest.")
        }
        var options = ExchangeOptions()
        options.initial = initial
        options.acceptsAccount = acceptAccount
        return options
    }
}
