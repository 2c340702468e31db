import FilesinkiModel
import FilesinkiRemote
import FilesinkiSQLite
import FilesinkiStore
import FilesinkiSystem

extension ItemZone {
    /// How often other devices may be faster before this gives up.
    private static var attempts: Int { 200 }

    /// Fetches and applies new commits, and publishes changes of this device. Waits for an exchange of
    /// the same zone that is under way in this process.
    ///
    /// - Throws: `Failure` with code `away` when the remote cannot be reached, `wrong-store` for another
    ///   store than the known one, `not-found` without a remote, `busy` when other devices were always
    ///   faster.
    package func exchange(
        _ options: ExchangeOptions = ExchangeOptions()
    ) async throws -> Report {
        await exchanging.lock()
        defer { exchanging.unlock() }
        let notices = try await Kind.willExchange(self, options)
        var report = try await exchangeItems(options)
        report.notices = notices + report.notices
        return report
    }

    /// As ``exchange(_:)``, with the log of the present generation, whatever has become of it.
    package func exchangeItems(_ options: ExchangeOptions) async throws -> Report {
        var report = Report()
        var answers: [Kind.Question: Kind.Answer] = [:]
        for attempt in 0..<Self.attempts {
            try Task.checkCancellation()
            try followGeneration()
            try options.onPhase(.fetching)
            let fetched = try await fetch(options)
            if options.onlySends, try hasOthers(fetched) { throw Failure.overtaken(Kind.names) }
            guard try await apply(fetched, options, &answers, &report) else { continue }
            try options.onPhase(.fetched)
            try await keepIdentity(&report)
            let isDone = options.onlyFetches ? true : try await publishAll(options, &report)
            if isDone {
                try await conclude(&report)
                try removeUnneededAssets()
                return report
            }
            try await yield(attempt)
        }
        throw Failure(
            .busy, path: place.address ?? "", "Other devices published first at each attempt.",
            remedy: "What was set is kept here; run filesinki \(Kind.names.command) sync later.")
    }

    /// Whether another device's changes were fetched.
    private func hasOthers(_ fetched: FetchedBatch<Kind>) throws -> Bool {
        try fetched.items.batches.contains { try !database.isOwn($0.commit) }
    }

    /// Applies fetched commits, and answers the questions of merges. No transaction spans an answer.
    private func apply(
        _ fetched: FetchedBatch<Kind>, _ options: ExchangeOptions,
        _ answers: inout [Kind.Question: Kind.Answer], _ report: inout Report
    ) async throws -> Bool {
        while true {
            do {
                return try apply(fetched, options, answers, &report)
            } catch let question as Kind.Question {
                answers[question] = try await Kind.answer(question, in: place.folder)
            }
        }
    }

    /// - Returns: False when another device was faster.
    private func publishAll(
        _ options: ExchangeOptions, _ report: inout Report
    ) async throws -> Bool {
        guard try database.hasPending() else { return true }
        if let move = try await zone.findMove(from: place.address) {
            throw Failure.moved(move, Kind.names, from: place.address)
        }
        try options.onPhase(.sending)
        while true {
            switch try await publish(options, &report) {
            case .nothing: return try finish(options)
            case .lost: return false
            case .published(let keys, let sequence):
                report.published += keys
                report.sequence = max(report.sequence, sequence)
                if try !database.hasPending() { return try finish(options) }
            }
        }
    }

    /// Says that everything was sent that could be.
    private func finish(_ options: ExchangeOptions) throws -> Bool {
        try options.onPhase(.sent)
        return true
    }

    /// Writes an acknowledgement and a checkpoint, each when it is due.
    private func conclude(_ report: inout Report) async throws {
        let present = try database.read {
            try database.generation() == generation ? database.logPosition() : nil
        }
        guard let position = present else { return }
        let notices = try await zone.conclude(at: position.token)
        // Who may only read the public database writes neither, and there is nothing to do about that.
        report.notices += notices.filter { place.scope != .public || $0.code != .notAllowed }
    }

    /// Waits a random moment, so that not all devices retry at once.
    private func yield(_ attempt: Int) async throws {
        guard attempt > 0 else { return }
        let chance = place.systemContext.randomBytes(1).first ?? 0
        try await place.systemContext.sleep(.microseconds(Int(chance) * 50 * min(attempt, 8)))
    }

    /// Starts to listen: a commit published from now on ends the next ``waitForStore(_:)``.
    ///
    /// - Returns: Whether the position in the log is known.
    package func listen() async throws -> Bool {
        try followGeneration()
        return try await zone.wait(.zero)
    }

    /// Waits until something may have changed in the store, or the timeout expires.
    package func waitForStore(_ timeout: Duration) async throws {
        guard try await zone.wait(timeout) else {
            return try await place.systemContext.sleep(timeout)
        }
    }
}

extension ItemZone {
    /// Fetches what is new in the log.
    ///
    /// - Throws: Code `away` when the remote cannot be reached; `wrong-store` or `corrupt` when it is
    ///   another store, its history is not the one that was read, or lacks commits.
    private func fetch(_ options: ExchangeOptions) async throws -> FetchedBatch<Kind> {
        var items = FetchedItems<Kind>()
        var result = try await zone.fetch(into: &items)
        if options.acceptsAccount, try await isMismatch(result) {
            result = try await zone.fetch(into: &items, adopting: true)
        }
        return FetchedBatch(log: try result.get(), items: items)
    }

    /// Whether the store is not as it was, commits included that only stop a publication.
    private func isMismatch(_ result: FetchResult) async throws -> Bool {
        guard case .fetched(let fetched) = result else { return true }
        do { try await zone.proveEnd(at: fetched.end.token) } catch is StoreMismatch { return true }
        return false
    }

    /// Gets a new device id, before anything is published, when a copy of this replica publishes with the
    /// present one.
    ///
    /// The discovery is recorded in the file, so that the next exchange does it if this one cannot.
    private func keepIdentity(_ report: inout Report) async throws {
        guard let shared = try database.setting("copied-device") else { return }
        if shared == memory.device.id {
            do {
                memory.device = try await place.renewDevice(shared)
            } catch let failure as Failure where failure.code != .interrupted {
                return report.notices.append(failure)
            }
            report.notices.append(.newDevice(memory.device, instead: shared))
        }
        try database.write {
            try database.set("copied-device", nil)
            try database.set([.acknowledgement: 0, .acknowledgementTime: 0])
        }
    }
}

extension Failure {
    /// The store was moved: what was published here would not be in the copy.
    fileprivate static func moved(
        _ move: StoreMove, _ names: ItemNames, from source: String?
    ) -> Failure {
        var failure = storeMoved(
            to: move.address, by: move.device, options: move.secret?.option ?? ""
        ).stoppingPublication(at: source)
        failure.message += " Nothing was sent; each changed \(names.content) waits here."
        return failure
    }

    /// Other devices have published, and nothing may be received.
    fileprivate static func overtaken(_ names: ItemNames) -> Failure {
        Failure(
            .differs, "Other devices have published since; nothing was sent.",
            remedy: "Run filesinki \(names.command) sync, which merges what they changed.")
    }

    /// The notice that the replica has a new id, as a copy of it publishes with the former one.
    fileprivate static func newDevice(_ device: Device, instead former: [UInt8]) -> Failure {
        Failure(
            .exists,
            "Another replica publishes with this one's device id: a copy of this replica, or a state "
                + "before it was restored.",
            remedy:
                "This one is the device \(device.name) from now on. If the other one is gone for "
                + "good, run filesinki devices forget \(hexadecimal(former).prefix(8)).")
    }
}

/// The result of one publication.
private enum Publication: Sendable {
    case nothing
    case published([ItemKey], sequence: UInt64)
    /// Another device's commit has the number.
    case lost
}

extension ItemZone {
    /// Publishes as many pending changes as one commit holds, directly behind the position of the log.
    private func publish(
        _ options: ExchangeOptions, _ report: inout Report
    ) async throws -> Publication {
        guard let (pending, packs, position) = try await collectStored(options, &report) else {
            return .lost
        }
        guard !pending.isEmpty else { return .nothing }
        var draft = pending.draft(
            by: memory.device, at: now,
            operation: options.operation ?? Kind.names.command + " sync")
        draft.packs = packs
        guard let commit = try await zone.publish(draft, after: position.token).commit() else {
            return .lost
        }
        try database.writeWithoutWaiting { try record(pending, commit, after: position) }
        return .published(pending.items.map(\.key), sequence: commit.sequence)
    }

    /// The pending changes of the next commit, whose assets are in the store: they follow the position. Nil if the
    /// zone has another generation by now.
    private func collectStored(
        _ options: ExchangeOptions, _ report: inout Report
    ) async throws -> (PendingCommit<State>, [PackReference], LogPosition)? {
        var missing: [MissingAsset] = []
        while true {
            let (pending, present) = try database.read {
                // In another generation, nothing of this one has to be published any more.
                try database.generation() == generation
                    ? (collect(&report, without: missing), database.logPosition()) : (nil, nil)
            }
            guard let pending, let position = present else { return nil }
            guard Kind.hasAssets, !pending.isEmpty else { return (pending, [], position) }
            let stored = try await storeAssets(of: pending, options.onProgress)
            guard !stored.missing.isEmpty else { return (pending, stored.packs, position) }
            missing += stored.missing
            for one in stored.missing {
                report.add(.missingAsset(one.asset, of: one.key, Kind.names))
            }
            try giveUpLosers(stored.missing)
        }
    }

    /// The pending changes, up to what one commit holds. Changes that alone exceed a commit are not
    /// published, and become a problem of the report.
    ///
    /// - Parameter missing: Changes that name these are left out.
    private func collect(
        _ report: inout Report, without missing: [MissingAsset]
    ) throws -> PendingCommit<State> {
        var pending = PendingCommit<State>(limits: place.commitLimits)
        var tooLarge: [ItemKey] = []
        let left = Set(missing.lazy.filter { $0.loser == nil }.map(\.key))
        try database.forEachUnpublishedLoser { row, loser in
            if pending.add(loser, row: row) == .exceedsLimits { tooLarge.append(loser.key) }
            return !pending.isFull
        }
        if !pending.isFull {
            try database.forEachPendingBatch { batch in
                guard left.isEmpty || !batch.contains(where: { left.contains($0.key) }) else {
                    return true
                }
                if pending.add(batch) == .exceedsLimits { tooLarge += batch.map(\.key) }
                return !pending.isFull
            }
        }
        for key in tooLarge { report.add(.tooLarge(key, Kind.names)) }
        return pending
    }

    /// Records published items as the base, unless another process has applied the commit meanwhile.
    private func record(
        _ pending: PendingCommit<State>, _ commit: Commit, after position: LogPosition
    ) throws {
        guard try database.generation() == generation else { return }
        for loser in pending.losers { try database.markPublished(loser: loser.row) }
        guard try database.logPosition()?.token == position.token else { return }
        for sent in pending.items {
            guard var item = try database.item(sent.key) else { continue }
            // What was set meanwhile has another time.
            if item.ours.time == sent.ours.time, item.ours.hasSameContent(as: sent.ours) {
                item.ours = sent.ours
            }
            item.base = sent.ours
            item.version = commit.sequence
            try database.put(item, isChanged: false)
        }
        if Kind.hasAssets { try database.add(commit.packs, sequence: commit.sequence) }
        try database.setLogPosition(LogPosition(commit))
    }
}

extension Failure {
    fileprivate static func tooLarge(_ key: ItemKey, _ names: ItemNames) -> Failure {
        Failure(
            .limit, path: key.bytes,
            "The \(names.content) is too large for a commit; it stays on this device.",
            remedy: "Set a smaller \(names.content), and keep large ones in a file.")
    }
}
