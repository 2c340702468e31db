import FilesinkiModel
import FilesinkiSQLite
import FilesinkiStore

extension KeyValues {
    /// Applies fetched commits in one transaction.
    ///
    /// - Parameter answers: The results of merge commands of this device.
    /// - Returns: False when another process was faster; the log must be fetched again.
    /// - Throws: ``CommandQuestion`` when a merge command must run first.
    func apply(
        _ fetched: FetchedBatch, _ options: ExchangeOptions,
        _ answers: [CommandQuestion: CommandAnswer], _ report: inout ExchangeReport
    ) throws -> Bool {
        if fetched.isEmpty(after: try database.logPosition()) {
            report.sequence = fetched.log.end.token.sequence
            report.isOver = try database.usage().isOver(database.limits())
            return true
        }
        var found = report
        if fetched.isOtherStore { found.archive = try archive() }
        let isDone = try database.write { () throws -> Bool in
            guard try database.logPosition() == fetched.log.start else { return false }
            if try zone.detectsCopy(fetched.log) {
                try database.set("copied-device", memory.device.id)
            }
            var transaction = ApplyTransaction(
                database: database, fetched: fetched, options: options, answers: answers,
                device: memory.device.id, now: now)
            try transaction.apply(&found)
            return true
        }
        if isDone { report = found }
        return isDone
    }

    /// Copies the whole file beside itself before another store replaces its values.
    private func archive() throws -> String {
        let stamp = String(now.seconds) + "-" + hexadecimal(place.systemContext.randomBytes(4))
        let path = place.folder + "/" + place.name + ".archive-" + stamp + ".sqlite"
        let quoted = path.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "''")
        try database.connection.execute("VACUUM INTO '\(quoted)'")
        return path
    }
}

/// Applies fetched commits inside one transaction.
private struct ApplyTransaction {
    let database: KeyValueDatabase
    let fetched: FetchedBatch
    let options: ExchangeOptions
    let answers: [CommandQuestion: CommandAnswer]
    let device: [UInt8]
    let now: Timestamp
    private var clock = HybridClock()
    /// The value of each touched key before the transaction.
    private var before: [ValueKey: TypedValue?] = [:]

    init(
        database: KeyValueDatabase, fetched: FetchedBatch, options: ExchangeOptions,
        answers: [CommandQuestion: CommandAnswer], device: [UInt8], now: Timestamp
    ) {
        self.database = database
        self.fetched = fetched
        self.options = options
        self.answers = answers
        self.device = device
        self.now = now
    }

    private var isFirst: Bool { fetched.log.start == nil || fetched.isOtherStore }

    mutating func apply(_ report: inout ExchangeReport) throws {
        clock = HybridClock(last: try database.number("clock") ?? 0)
        if fetched.isOtherStore { try removeAll() }
        for batch in fetched.values.batches {
            let isOwn = try database.isOwn(batch.commit)
            if batch.isWhole, !isFirst { try removeAbsent(batch) }
            for change in batch.changes {
                try apply(change.key, change.held, change.version, isOwn: isOwn, &report)
            }
        }
        try database.setKnownStore(fetched.log.store)
        try database.setLogPosition(fetched.log.end)
        try database.set(fetched.log.numbers(at: now))
        try database.set("clock", number: clock.last)
        try reportChanges(&report)
    }

    /// Removes every key, as another store replaces the known one.
    private mutating func removeAll() throws {
        for item in try database.items() { before.updateValue(item.ours.value, forKey: item.key) }
        try database.removeItems()
        for counter in ZoneCounter.allCases { try database.set(counter.rawValue, nil) }
    }

    /// Applies the removal of keys that the base has and a whole tree lacks.
    private mutating func removeAbsent(_ batch: FetchedValues.Batch) throws {
        let keys = batch.unread.union(batch.changes.map(\.key))
        var unused = ExchangeReport()
        for item in try database.items() where item.version > 0 && !keys.contains(item.key) {
            try apply(
                item.key, Register(nil, time: item.base.time, device: []), batch.sequence,
                isOwn: false, &unused)
        }
    }

    private mutating func apply(
        _ key: ValueKey, _ theirs: Register, _ version: UInt64, isOwn: Bool,
        _ report: inout ExchangeReport
    ) throws {
        var item = try database.item(key) ?? .new(key)
        guard version > item.version else { return }
        clock.observe(theirs.time, now: now)
        if before[key] == nil { before.updateValue(item.ours.value, forKey: key) }
        if isOwn, item.isPending {
            // Our value was set after this commit published the former one.
        } else {
            try merge(&item, theirs, &report)
        }
        item.base = theirs
        item.version = version
        try database.put(item)
    }

    /// Merges our value with theirs.
    private mutating func merge(
        _ item: inout Item, _ theirs: Register, _ report: inout ExchangeReport
    ) throws {
        switch try outcome(item, theirs, &report) {
        case .ours: break
        case .theirs:
            if item.isPending, item.ours.value != nil, !item.ours.hasSameValue(as: theirs) {
                let loser = SupersededValue(
                    key: item.key, held: item.ours, version: item.version,
                    reason: isFirst ? "initial" : item.ours.policy.name)
                try database.recordSuperseded(loser)
                report.losers.append(loser)
            }
            item.ours = theirs
        case .both(let value, let policy):
            item.ours = Register(value, time: clock.tick(now), device: device, policy: policy)
        }
    }

    private func outcome(
        _ item: Item, _ theirs: Register, _ report: inout ExchangeReport
    ) throws -> MergeOutcome {
        let merge = ValueMerge(
            base: item.base, ours: item.ours, theirs: theirs, horizon: HybridClock.horizon(now))
        if let merged = try commandOutcome(item.key, merge, &report) { return merged }
        let isUnknownKey = isFirst && item.isPending && item.version == 0
        guard isUnknownKey, !item.ours.hasSameValue(as: theirs) else { return merge.outcome }
        // A key that the store lacks is published, not removed.
        if theirs.value == nil { return .ours }
        let rules = [item.ours.policy, theirs.policy]
        guard rules.allSatisfy({ $0 == .newest }) else { return merge.outcome }
        switch options.initial {
        case .server: return .theirs
        case .local: return .ours
        case .newest: return merge.outcome
        }
    }

    /// The result of the key's merge command; nil without a command, or when it declined.
    private func commandOutcome(
        _ key: ValueKey, _ merge: ValueMerge, _ report: inout ExchangeReport
    ) throws -> MergeOutcome? {
        guard merge.isContested, let ours = merge.ours.value, let theirs = merge.theirs.value,
            let command = try database.mergeCommand(key)
        else { return nil }
        let question = CommandQuestion(
            key: key, command: command, base: merge.base.value, ours: ours, theirs: theirs)
        guard let answer = answers[question] else { throw question }
        if let problem = answer.problem { report.problems.append(problem) }
        guard let value = answer.value else { return nil }
        if value == theirs { return .theirs }
        return value == ours ? .ours : .both(value, merge.theirs.policy)
    }

    /// Records which keys changed, and completes the report.
    private func reportChanges(_ report: inout ExchangeReport) throws {
        var changed: [ValueKey] = []
        for (key, former) in before where try database.item(key)?.ours.value != former {
            changed.append(key)
        }
        changed.sort()
        let reason: ChangeReason =
            fetched.isOtherStore ? .account : fetched.log.start == nil ? .initial : .server
        try database.recordEvent(reason, changed, at: now)
        report.changed += changed
        report.reason = report.reason == .server ? reason : report.reason
        report.problems += fetched.values.problems
        report.sequence = fetched.log.end.token.sequence
        report.isOver = try database.usage().isOver(database.limits())
        if report.isOver, !changed.isEmpty { try database.recordEvent(.quota, changed, at: now) }
    }
}
