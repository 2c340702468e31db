internal import FilesinkiModel
internal import FilesinkiRemote
internal import FilesinkiStore

extension KeyValues {
    static let remedyForOther =
        "Nothing was changed. If this store is meant now, run filesinki kv sync --accept-account: "
        + "its values then take the place of those here, which are archived."

    /// The remote of this process.
    func reachRemote() throws -> any Remote {
        if let remote { return remote }
        guard let address = place.address else {
            throw Failure(
                .notFound, "The replica has no remote.",
                remedy: "Give it one with filesinki init --remote URL.")
        }
        let made = try place.connect(address)
        remote = made
        return made
    }

    /// Reads what is new in the log.
    ///
    /// - Throws: Code `away` when the remote cannot be reached, `wrong-store` when it is another store
    ///   or its history is not the one that was seen.
    func fetch(_ options: ExchangeOptions) async throws -> Arrival {
        let (known, start) = try database.read {
            (try database.knownStore(), try database.logPosition())
        }
        let remote = try reachRemote()
        guard let known, let start else { return try await meet(remote, known: nil) }
        do {
            let log = try CommitLog(
                remote: remote, zone: place.zone, store: known.assumedFormat)
            let reader = try await known.reach(
                log, at: remote, behind: start.token, head: start.head,
                remedy: Self.remedyForOther)
            var arrival = Arrival(start: start, end: start, store: known)
            try await arrival.add(reader)
            return arrival
        } catch let failure as Failure where failure.code == .tokenExpired {
            var arrival = try await meet(remote, known: known)
            arrival.start = start
            return arrival
        } catch let failure as Failure
            where failure.code == .wrongStore && options.acceptsAccount
        {
            var arrival = try await meet(remote, known: nil)
            arrival.start = start
            arrival.isOtherStore = true
            return arrival
        }
    }

    /// The whole store, from its newest checkpoint on.
    private func meet(_ remote: any Remote, known: KnownStore?) async throws -> Arrival {
        let format = try KnownStore.recognise(
            await StoreFormat.read(from: remote), at: remote.address, known: known,
            remedy: Self.remedyForOther)
        let log = try CommitLog(remote: remote, zone: place.zone, store: format)
        let shelf = try CheckpointShelf(remote: remote, zone: place.zone, store: format)
        var arrival = Arrival(
            end: LogPosition(token: log.genesis, head: []), store: KnownStore(format))
        if let checkpoint = try await shelf.latest() {
            try await arrival.add(checkpoint, of: log)
        }
        try await arrival.add(LogReader(log, after: arrival.end.token))
        return arrival
    }

    /// The log of the store that was met, and where it was read last.
    func knownLog() throws -> (log: CommitLog, position: LogPosition, store: KnownStore)? {
        guard let known = try database.knownStore(), let position = try database.logPosition()
        else { return nil }
        let log = try CommitLog(
            remote: reachRemote(), zone: place.zone, store: known.assumedFormat,
            limits: place.commitLimits)
        return (log, position, known)
    }
}

extension Arrival {
    /// Takes in every commit that a reader gives.
    mutating func add(_ commits: LogReader) async throws {
        var reader = commits
        while let commit = try await reader.next() { try add(commit) }
    }

    /// Takes in a checkpoint. A value is in the commit that set it.
    mutating func add(_ checkpoint: Checkpoint, of log: CommitLog) async throws {
        var places: [ContentID: UInt64] = [:]
        for content in checkpoint.inline { places[content.id] = content.sequence }
        var records: [ContentID: [UInt8]] = [:]
        try await log.read(Set(places.values).sorted()) { _, result in
            // A commit that cannot be read leaves its values out, which are named below.
            guard let commit = try? result.get() else { return }
            for content in commit.inline where places[content.id] == commit.sequence {
                records[content.id] = content.bytes
            }
        }
        var batch = Batch(commit: [], changes: [], wholeAt: checkpoint.token.sequence)
        for row in checkpoint.entries {
            try add(
                row.path, row.entry.entry, records[row.entry.entry.content],
                version: row.entry.version, to: &batch)
        }
        problems += checkpoint.refused.map(\.failure)
        batch.unread.formUnion(
            checkpoint.refused.compactMap { ValueKey(path: RelativePath(unchecked: $0.path)) })
        batches = [batch]
        end = LogPosition(token: checkpoint.token, head: [])
    }
}
