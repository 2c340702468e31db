internal import FilesinkiModel
internal import FilesinkiSQLite
internal import FilesinkiStore

extension KeyValues {
    /// Applies what was fetched, all of it or nothing.
    ///
    /// - Parameter answers: What the commands of this device have made of contested values.
    /// - Returns: False when another process was faster: then it has to be read again.
    /// - Throws: ``CommandQuestion`` when a command has to be asked first.
    func apply(
        _ fetched: FetchedBatch, _ options: ExchangeOptions,
        _ answers: [CommandQuestion: CommandAnswer], _ report: inout ExchangeReport
    ) throws -> Bool {
        if fetched.brings(nothingBehind: try database.logPosition()) {
            report.sequence = fetched.log.end.token.sequence
            report.isOver = try database.usage().isOver(database.limits())
            return true
        }
        var found = report
        if fetched.isOtherStore { found.archive = try archive() }
        let isDone = try database.write { () throws -> Bool in
            guard try database.logPosition() == fetched.log.start else { return false }
            if try zone.meetsCopy(fetched.log) {
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

    /// Keeps the whole file beside it before another store takes its place.
    private func archive() throws -> String {
        let stamp = String(now.seconds) + "-" + hexadecimal(place.systemContext.randomBytes(4))
        let path = place.folder + "/" + place.name + ".archive-" + stamp + ".sqlite"
        let quoted = path.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "''")
        try database.connection.run("VACUUM INTO '\(quoted)'")
        return path
    }
}

/// The work of one transaction that applies fetched commits.
private struct ApplyTransaction {
    let database: KeyValueDatabase
    let fetched: FetchedBatch
    let options: ExchangeOptions
    let answers: [CommandQuestion: CommandAnswer]
    let device: [UInt8]
    let now: Timestamp
    private var clock = HybridClock()
    /// What each key held before.
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
        if fetched.isOtherStore { try forget() }
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
        try conclude(&report)
    }

    /// Another store's values take the place of all that is here.
    private mutating func forget() throws {
        for item in try database.items() { before.updateValue(item.here.value, forKey: item.key) }
        try database.removeItems()
        for counter in ZoneCounter.allCases { try database.set(counter.rawValue, nil) }
    }

    /// What the base has and a whole tree has not was removed in between.
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
        _ key: ValueKey, _ there: Register, _ version: UInt64, isOwn: Bool,
        _ report: inout ExchangeReport
    ) throws {
        var item = try database.item(key) ?? .new(key)
        guard version > item.version else { return }
        clock.observe(there.time, now: now)
        if before[key] == nil { before.updateValue(item.here.value, forKey: key) }
        if isOwn, item.isPending {
            // What is here was set upon what this very commit published.
        } else {
            try merge(&item, there, &report)
        }
        item.base = there
        item.version = version
        try database.put(item)
    }

    /// Decides what is here from now on.
    private mutating func merge(
        _ item: inout Item, _ there: Register, _ report: inout ExchangeReport
    ) throws {
        switch try outcome(item, there, &report) {
        case .here: break
        case .there:
            if item.isPending, item.here.value != nil, !item.here.says(there) {
                let loser = SupersededValue(
                    key: item.key, held: item.here, version: item.version,
                    reason: isFirst ? "initial" : item.here.policy.name)
                try database.keep(loser)
                report.losers.append(loser)
            }
            item.here = there
        case .both(let value, let policy):
            item.here = Register(value, time: clock.tick(now), device: device, policy: policy)
        }
    }

    private func outcome(
        _ item: Item, _ there: Register, _ report: inout ExchangeReport
    ) throws -> MergeOutcome {
        let merge = ValueMerge(
            base: item.base, here: item.here, there: there, horizon: HybridClock.horizon(now))
        if let made = try commandOutcome(item.key, merge, &report) { return made }
        let isFirstMeeting = isFirst && item.isPending && item.version == 0
        guard isFirstMeeting, !item.here.says(there) else { return merge.outcome }
        // What nobody has in the store is not overwritten there.
        if there.value == nil { return .here }
        let rules = [item.here.policy, there.policy]
        guard rules.allSatisfy({ $0 == .newest }) else { return merge.outcome }
        switch options.initial {
        case .server: return .there
        case .local: return .here
        case .newest: return merge.outcome
        }
    }

    /// What the key's command on this device has made of both values; nil when there is none, or it has
    /// declined.
    private func commandOutcome(
        _ key: ValueKey, _ merge: ValueMerge, _ report: inout ExchangeReport
    ) throws -> MergeOutcome? {
        guard merge.isContested, let here = merge.here.value, let there = merge.there.value,
            let command = try database.mergeCommand(key)
        else { return nil }
        let question = CommandQuestion(
            key: key, command: command, base: merge.base.value, here: here, there: there)
        guard let answer = answers[question] else { throw question }
        if let problem = answer.problem { report.problems.append(problem) }
        guard let value = answer.value else { return nil }
        if value == there { return .there }
        return value == here ? .here : .both(value, merge.there.policy)
    }

    /// Says what is different here now.
    private func conclude(_ report: inout ExchangeReport) throws {
        var changed: [ValueKey] = []
        for (key, former) in before where try database.item(key)?.here.value != former {
            changed.append(key)
        }
        changed.sort()
        let reason: ChangeReason =
            fetched.isOtherStore ? .account : fetched.log.start == nil ? .initial : .server
        try database.note(reason, changed, at: now)
        report.changed += changed
        report.reason = report.reason == .server ? reason : report.reason
        report.problems += fetched.values.problems
        report.sequence = fetched.log.end.token.sequence
        report.isOver = try database.usage().isOver(database.limits())
        if report.isOver, !changed.isEmpty { try database.note(.quota, changed, at: now) }
    }
}
