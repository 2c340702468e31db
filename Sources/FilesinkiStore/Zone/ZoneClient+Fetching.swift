package import FilesinkiModel
package import FilesinkiRemote

extension ZoneClient {
    /// Fetches the new commits of the log. Fetches the whole zone from its newest checkpoint on if
    /// there is no position, or if the log no longer reaches back to it.
    ///
    /// Costs one request when nothing is new. Stores nothing: the owner applies what the target
    /// collected and moves the position in one transaction.
    ///
    /// - Parameter adopting: Whether to accept any store at the remote in place of the known one,
    ///   including one that lacks commits.
    /// - Throws: Code `away` when the remote cannot be reached, `corrupt` or `newer-format` when
    ///   the store cannot be read; errors of the target.
    package nonisolated(nonsending) func fetch<Target: FetchTarget>(
        into target: inout Target, adopting: Bool = false
    ) async throws -> FetchResult {
        do {
            if adopting { return .fetched(try await fetchAdopting(&target)) }
            return .fetched(try await fetchKnown(&target))
        } catch let mismatch as StoreMismatch {
            return .mismatch(mismatch)
        } catch let failure as Failure where failure.code == .wrongStore {
            return .mismatch(StoreMismatch(.rolledBack, failure))
        }
    }

    private nonisolated(nonsending) func fetchKnown<Target: FetchTarget>(
        _ target: inout Target
    ) async throws -> Fetched {
        guard let position = try memory.position else {
            return try await fetchWhole(
                connectedChecked(), .initial, memory.number(.acceptedEnd), &target)
        }
        do {
            let (reader, connection, move) = try await provenReader(behind: position)
            var fetched = Fetched(
                extent: .changes, start: position, end: position,
                store: KnownStore(connection.format))
            fetched.move = move
            try await add(reader, to: &target, &fetched)
            return fetched
        } catch let failure as Failure where failure.code == .tokenExpired {
            return try await refetch(behind: position, &target)
        }
    }

    /// Fetches the whole zone because the log no longer reaches back to the position.
    private nonisolated(nonsending) func refetch<Target: FetchTarget>(
        behind position: LogPosition, _ target: inout Target
    ) async throws -> Fetched {
        let connection = try await connectedChecked()
        var fetched = try await fetchWhole(
            connection, .anew, memory.number(.acceptedEnd), &target)
        guard fetched.checkpoint > 0 else {
            throw Failure(
                .wrongStore, path: connection.remote.address,
                "The store's log does not reach back to the last known commit, and no checkpoint "
                    + "replaces what is missing.",
                remedy: "Run filesinki check; the store may be damaged or restored.")
        }
        fetched.start = position
        return fetched
    }

    private nonisolated(nonsending) func fetchAdopting<Target: FetchTarget>(
        _ target: inout Target
    ) async throws -> Fetched {
        let position = try memory.position
        guard let present = try await presentStore(at: remote()) else {
            throw Failure(
                .notFound, path: try remote().address, "No store was found there.",
                remedy: "Make one with filesinki init --remote URL.")
        }
        let last = try await lastProven(present)
        let connection = try connect(present.format)
        var fetched = try await fetchWhole(connection, .anew, last, &target)
        fetched.start = position
        fetched.acceptedEnd = last
        return fetched
    }

    private nonisolated(nonsending) func add<Target: FetchTarget>(
        _ commits: LogReader, to target: inout Target, _ fetched: inout Fetched
    ) async throws {
        var reader = commits
        while let commit = try await reader.next() {
            try target.add(commit)
            if commit.device.id == memory.device.id, !isPruneOfItems(commit) {
                fetched.claimed.append(OwnCommit(sequence: commit.sequence, id: commit.id))
            }
            fetched.end = LogPosition(commit)
        }
    }

    /// Whether a prune of this device has published a commit in a zone of items. It leaves no record there, and
    /// a copy of the device that only prunes does no harm.
    private func isPruneOfItems(_ commit: Commit) -> Bool {
        zone.carriesContents && commit.pruning != nil && commit.changes.isEmpty
    }

    /// - Parameter accepted: The user has accepted the loss of commits up to this one.
    private nonisolated(nonsending) func fetchWhole<Target: FetchTarget>(
        _ connection: ZoneConnection, _ extent: Fetched.Extent, _ accepted: UInt64,
        _ target: inout Target
    ) async throws -> Fetched {
        var fetched = Fetched(
            extent: extent, end: LogPosition(connection.log.genesis),
            store: KnownStore(connection.format))
        if zone.readsMove {
            fetched.move = try await StoreMove.read(
                at: connection.remote, of: connection.format.id)
        }
        let checkpoint = try await addCheckpoint(connection, accepted: accepted, to: &target)
        if let checkpoint {
            fetched.checkpoint = checkpoint.sequence
            fetched.end = LogPosition(checkpoint)
        }
        try await add(
            LogReader(connection.log, after: fetched.end), to: &target, &fetched)
        fetched.acknowledgements = try await connection.devices.all()
        let last = fetched.acknowledgements.map(\.token.sequence).max() ?? 0
        if last > fetched.end.token.sequence {
            // Commits that others published and acknowledged since the log was read are not
            // missing.
            try await add(
                LogReader(connection.log, after: fetched.end), to: &target, &fetched)
        }
        let found = mismatch(
            LogEndProof(acknowledged: last), end: fetched.end.token.sequence, accepted,
            connection.log)
        if let found { throw found }
        fetched.isEndProven = true
        markEndProven()
        return fetched
    }

    /// Reads the whole zone as of a commit, from the newest checkpoint before it.
    ///
    /// - Returns: The last commit that was read; an earlier one if the log no longer reaches back
    ///   to the commit.
    package nonisolated(nonsending) func read<Target: FetchTarget>(
        upTo last: UInt64, into target: inout Target
    ) async throws -> ChangeToken {
        let connection = try await connected()
        let checkpoint = try await addCheckpoint(connection, upTo: last, to: &target)
        var reader = LogReader(
            connection.log, after: checkpoint ?? connection.log.genesis, upTo: last)
        do {
            while let commit = try await reader.next() { try target.add(commit) }
        } catch let failure as Failure where failure.code == .tokenExpired {}
        return reader.token
    }

    /// Restarts the target from the newest readable checkpoint, or from the first commit.
    ///
    /// - Parameters:
    ///   - last: Later checkpoints are ignored.
    ///   - accepted: The user has accepted the loss of commits up to this one; nil when a gap in the
    ///     log does not matter.
    /// - Returns: The last commit that the checkpoint includes; nil without a checkpoint.
    private nonisolated(nonsending) func addCheckpoint<Target: FetchTarget>(
        _ connection: ZoneConnection, upTo last: UInt64 = .max, accepted: UInt64? = nil,
        to target: inout Target
    ) async throws -> ChangeToken? {
        var reader = connection.checkpoints.newestReader(upTo: last)
        var places: [ContentID: UInt64] = [:]
        while let step = try await reader.next() {
            switch step {
            case .begin(let token):
                places = [:]
                try target.restart(from: token)
            case .rows(let rows):
                if zone.carriesContents {
                    for content in rows.inline { places[content.id] = content.sequence }
                }
                try target.add(rows)
            }
        }
        guard let token = reader.token else {
            try target.restart(from: nil)
            return nil
        }
        if let accepted { try await proveNoGap(at: token.sequence, connection, accepted) }
        try target.endCheckpoint(contents: await connection.log.contents(at: places))
        return token
    }

    /// The store at the remote, known or not; nil if it does not exist.
    package nonisolated(nonsending) func presentStore(
        at remote: any Remote
    ) async throws -> ZoneConnection? {
        guard let format = try await StoreFormat.read(from: remote) else { return nil }
        try format.checkKey(of: remote)
        return try ZoneConnection(remote: remote, format: format, zone: zone)
    }

    /// Whether a store has the last commit that was read of it, as ``ZoneMemory`` knows, or has pruned it. One request.
    package nonisolated(nonsending) func holdsSeenCommits(
        _ store: ZoneConnection
    ) async throws -> Bool {
        guard let position = try memory.position, position.token.sequence > 0 else { return true }
        var reader = LogReader(store.log, after: position)
        do { try await reader.prove() } catch let failure as Failure {
            switch failure.code {
            case .wrongStore: return false
            case .tokenExpired: return true
            default: throw failure
            }
        }
        return true
    }

    /// The last commit that checkpoints and acknowledgements prove, even if the log lacks it.
    /// Adopting the store accepts the loss of commits up to this one; see
    /// ``ZoneCounter/acceptedEnd``.
    package nonisolated(nonsending) func lastProven(
        _ store: ZoneConnection
    ) async throws -> UInt64 {
        try await proof(store, end: 0).last
    }
}

extension CommitLog {
    /// Contents of commits, each from the commit with its number. Contents of unreadable commits are
    /// left out.
    fileprivate func contents(
        at places: [ContentID: UInt64]
    ) async throws -> [ContentID: [UInt8]] {
        var found: [ContentID: [UInt8]] = [:]
        try await read(Set(places.values).sorted()) { _, result in
            guard let commit = try? result.get() else { return }
            for content in commit.inline where places[content.id] == commit.sequence {
                found[content.id] = content.bytes
            }
        }
        return found
    }
}

/// The last commits that checkpoints and acknowledgements prove to have existed.
struct LogEndProof: Sendable {
    var checkpoint: UInt64 = 0
    var acknowledged: UInt64

    var last: UInt64 { max(checkpoint, acknowledged) }

    /// The mismatch of a log that ends at `end`; nil when nothing is missing.
    ///
    /// - Parameters:
    ///   - accepted: The user has accepted the loss of commits up to this one.
    ///   - remedy: How to go on without the missing commits.
    func mismatch(
        end: UInt64, accepted: UInt64, log: CommitLog, remedy: String
    ) -> StoreMismatch? {
        guard last > max(end, accepted) else { return nil }
        let witness =
            checkpoint > max(end, accepted)
            ? "there is a checkpoint of commit \(checkpoint)"
            : "a device has acknowledged commit \(acknowledged)"
        if last == end + 1, checkpoint <= end {
            return StoreMismatch(
                .truncated,
                Failure(
                    .corrupt, path: log.watchedPrefix,
                    "Commit \(last) is missing: the log ends at \(end), but \(witness).",
                    remedy: "Restore the object from a copy of the store. " + remedy))
        }
        return StoreMismatch(
            .truncated,
            Failure(
                .wrongStore, path: log.watchedPrefix,
                "The log ends at \(end), but \(witness): the store was restored from a backup, or lost "
                    + "commits.",
                remedy: "Restore the missing commits from a copy of the store. " + remedy))
    }

    /// The mismatch of a log with a gap.
    static func gap(at sequence: UInt64, log: CommitLog, remedy: String) -> StoreMismatch {
        StoreMismatch(
            .truncated,
            Failure(
                .wrongStore, path: log.watchedPrefix,
                "Commit \(sequence) is gone while earlier ones are there: the store was restored from "
                    + "a backup, or lost commits.",
                remedy: "Restore the missing commits from a copy of the store. " + remedy))
    }
}
