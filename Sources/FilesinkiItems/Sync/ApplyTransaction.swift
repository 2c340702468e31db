import FilesinkiModel
import FilesinkiSQLite
import FilesinkiStore

extension ItemZone {
    /// Applies fetched commits in one transaction.
    ///
    /// - Parameter answers: The answers to questions of merges.
    /// - Returns: False when another process was faster; the log must be fetched again.
    /// - Throws: A question of a merge that is not answered yet.
    func apply(
        _ fetched: FetchedBatch<Kind>, _ options: ExchangeOptions,
        _ answers: [Kind.Question: Kind.Answer], _ report: inout Report
    ) throws -> Bool {
        if fetched.isEmpty(after: try database.logPosition()) {
            report.sequence = fetched.log.end.token.sequence
            report.isOver = try Kind.isOverLimits(database)
            return true
        }
        var found = report
        if fetched.isOtherStore { found.archive = try archive() }
        let isDone = try database.write { () throws -> Bool in
            guard try database.generation() == generation,
                try database.logPosition() == fetched.log.start
            else { return false }
            if try zone.detectsCopy(fetched.log) {
                try database.set("copied-device", memory.device.id)
            }
            let context = MergeContext<Kind>(
                database: database, device: memory.device.id, now: now, answers: answers,
                clock: HybridClock(last: try database.number("clock") ?? 0))
            var transaction = ApplyTransaction(
                fetched: fetched, initial: options.initial, context: context)
            try transaction.apply(&found)
            return true
        }
        if isDone { report = found }
        return isDone
    }

    /// What the name of an archive has behind that of its zone. No zone's name has a dot.
    package static var archiveMark: String { ".archive-" }

    /// Copies the whole file beside itself, before its items are replaced or removed.
    ///
    /// - Returns: The path of the copy.
    package func archive() throws -> String {
        let stamp = String(now.seconds) + "-" + hexadecimal(place.systemContext.randomBytes(4))
        let path = place.folder + "/" + place.name + Self.archiveMark + stamp + ".sqlite"
        let quoted = path.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "''")
        try database.connection.execute("VACUUM INTO '\(quoted)'")
        return path
    }
}

/// Applies fetched commits inside one transaction.
private struct ApplyTransaction<Kind: ItemKind> {
    typealias State = Kind.State

    private let fetched: FetchedBatch<Kind>
    private let initial: InitialPolicy
    private var context: MergeContext<Kind>
    /// Each touched item before the transaction.
    private var before: [ItemKey: State] = [:]
    /// Batches that contain a refused change.
    private var refusedBatches: Set<Int64> = []

    init(
        fetched: FetchedBatch<Kind>, initial: InitialPolicy, context: MergeContext<Kind>
    ) {
        self.fetched = fetched
        self.initial = initial
        self.context = context
    }

    private var database: ItemDatabase<Kind> { context.database }

    mutating func apply(_ report: inout ItemReport<State>) throws {
        if fetched.isOtherStore { try removeAll() }
        for batch in fetched.items.batches {
            let isOwn = try database.isOwn(batch.commit)
            if batch.isWhole, !fetched.isFirst { try removeAbsent(batch) }
            try applyPacks(batch)
            for change in batch.changes {
                try apply(change.key, change.state, change.version, isOwn: isOwn, &report)
            }
        }
        let fetchedKeys = Array(before.keys)
        try withdrawBatches(&report)
        try Kind.didApply(fetchedKeys, &context)
        try database.setKnownStore(fetched.log.store)
        try database.setLogPosition(fetched.log.end)
        try database.set(fetched.log.numbers(at: context.now))
        try database.set("clock", number: context.clock.last)
        try reportChanges(&report)
    }

    /// Removes every item, as another store replaces the known one.
    private mutating func removeAll() throws {
        for var item in try database.items() {
            before[item.key] = item.ours
            (item.ours, item.base, item.version) = (.removed(at: 0), .removed(at: 0), 0)
            try Kind.didChange(item, in: database)
        }
        try database.removeItems()
        for counter in ZoneCounter.allCases { try database.set(counter.rawValue, nil) }
        if Kind.hasAssets { try database.removeAllPacks() }
        try database.set("pruned", nil)
    }

    /// Records the packs of assets that the commit names, and forgets those that it has taken out of use.
    private mutating func applyPacks(_ batch: FetchedItems<Kind>.Batch) throws {
        if batch.pruned > 0 { try database.set("pruned", number: Int64(clamping: batch.pruned)) }
        guard Kind.hasAssets else { return }
        // Which packs were retired before a checkpoint is not known, so no unpublished one stays either.
        if batch.isWhole { try database.removePacksOfGeneration() }
        try database.add(batch.packs, sequence: batch.sequence)
        try database.removePacks(batch.retired)
    }

    /// Applies the removal of items that the base has and a whole tree lacks.
    private mutating func removeAbsent(_ batch: FetchedItems<Kind>.Batch) throws {
        let keys = batch.unread.union(batch.changes.map(\.key))
        var unused = ItemReport<State>()
        for item in try database.items() where item.version > 0 && !keys.contains(item.key) {
            try apply(
                item.key, .removed(at: item.base.time), batch.sequence, isOwn: false, &unused)
        }
    }

    private mutating func apply(
        _ key: ItemKey, _ theirs: State, _ version: UInt64, isOwn: Bool,
        _ report: inout ItemReport<State>
    ) throws {
        var item = try database.item(key) ?? .new(key)
        guard version > item.version else { return }
        context.clock.observe(theirs.time, now: context.now)
        if before[key] == nil { before[key] = item.ours }
        // Our item is what this commit published, or was set after it: also to what it had been before.
        if !isOwn { try merge(&item, theirs, &report) }
        item.base = theirs
        item.version = version
        try database.put(item)
    }

    /// Merges our item with theirs.
    private mutating func merge(
        _ item: inout Item<State>, _ theirs: State, _ report: inout ItemReport<State>
    ) throws {
        let isUnchanged = item.isUnchanged
        switch try outcome(item, theirs) {
        case .ours: break
        case .theirs(let reason):
            try supersede(item, by: theirs, reason, &report)
            item.ours = theirs
        case .both(let state, let reason):
            if let reason { try supersede(item, by: state, reason, &report) }
            item.ours = state
        case .refused(let reason):
            try supersede(item, by: theirs, reason, &report)
            report.refused.insert(item.key)
            item.ours = theirs
            if item.batch != 0 { refusedBatches.insert(item.batch) }
        }
        if isUnchanged { item.markUnchanged() }
    }

    /// What comes of our item beside theirs. What nobody has changed since a reset gives way to what the log has.
    private mutating func outcome(
        _ item: Item<State>, _ theirs: State
    ) throws -> ItemOutcome<State> {
        if item.isUnchanged, theirs.isRemoved { return .theirs(reason: "initial") }
        var merge = ItemMerge(
            key: item.key, base: item.base, ours: item.ours, theirs: theirs, note: item.note,
            isPending: item.isPending, isBaseStored: item.version > 0,
            isUnknown: fetched.isFirst && item.isPending && item.version == 0
                && item.base.isRemoved, initial: initial)
        if item.isUnchanged {
            (merge.isUnknown, merge.initial) = (true, .server)
            // What the new log does not have was in the former one, and was not removed.
            if item.version == 0 { merge.base = .removed(at: 0) }
        }
        return try Kind.merge(merge, &context)
    }

    /// Keeps our unpublished item in the history if another one takes its place.
    private func supersede(
        _ item: Item<State>, by state: State, _ reason: String, _ report: inout ItemReport<State>
    ) throws {
        guard item.isPending, !item.ours.isRemoved, !item.ours.hasSameContent(as: state) else {
            return
        }
        let loser = Superseded(
            key: item.key, held: item.ours, version: item.version,
            reason: fetched.isFirst ? "initial" : reason)
        try database.recordSuperseded(loser)
        report.losers.append(loser)
    }

    /// Takes back the other changes of a batch of which one was refused: all or none is published.
    private mutating func withdrawBatches(_ report: inout ItemReport<State>) throws {
        for batch in refusedBatches.sorted() {
            for var item in try database.pending(ofBatch: batch) {
                if before[item.key] == nil { before[item.key] = item.ours }
                try supersede(item, by: item.base, "batch", &report)
                item.ours = item.base
                try database.put(item)
            }
        }
    }

    /// Records which items changed, and completes the report.
    private func reportChanges(_ report: inout ItemReport<State>) throws {
        var changes: [ReceivedChange<State>] = []
        for (key, former) in before {
            let present = try database.item(key)?.ours ?? .removed(at: 0)
            guard present.isReported(after: former) else { continue }
            changes.append(ReceivedChange(key: key, former: former, present: present))
        }
        changes.sort { $0.key < $1.key }
        let changed = changes.map(\.key)
        let reason: ChangeReason =
            fetched.isOtherStore ? .account : fetched.log.start == nil ? .initial : .server
        try database.recordEvent(reason, changed, at: context.now)
        if reason == .server, !changed.isEmpty {
            try Kind.didReceive(
                changes, event: database.position().number, in: database, at: context.now)
        }
        report.changed += changed
        report.reason = report.reason == .server ? reason : report.reason
        report.problems += context.problems + fetched.items.problems
        report.sequence = fetched.log.end.token.sequence
        report.isOver = try Kind.isOverLimits(database)
        if report.isOver, !changed.isEmpty {
            try database.recordEvent(.quota, changed, at: context.now)
        }
    }
}
