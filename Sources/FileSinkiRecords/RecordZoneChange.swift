import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords

/// What changed in a zone of records, and why.
public struct RecordZoneChange: Sendable, Hashable {
    /// Why records changed.
    public enum Reason: String, Sendable {
        /// Another device's change arrived.
        case serverChange = "server"
        /// The first exchange with the store.
        case initialSyncChange = "initial"
        /// Another store replaced the known one.
        case accountChange = "account"
        /// A program on this device made the change.
        case localChange = "local"
        /// The zone was deleted.
        case zoneDeleted = "deleted"
        /// The zone was deleted, because the user wanted all data gone.
        case zonePurged = "purged"
    }

    /// Why the records changed.
    public let reason: Reason
    /// The records that were saved, as they are now.
    public let saved: [Record]
    /// The names of the records that were deleted.
    public let deleted: [String]
    /// The position behind this change, also for another process: see ``RecordZone/changes(since:)``. Store it after
    /// what it covers.
    public let token: String
}

/// Changes since a token: a page of them.
public struct RecordZoneChanges: Sendable {
    /// The records that were saved, each once, as they are now.
    public let saved: [Record]
    /// The names of the records that were deleted.
    public let deleted: [String]
    /// The position behind these changes. Store it after what it covers.
    public let token: String
    /// Whether more changes follow.
    public let moreComing: Bool
}

extension RecordZone {
    /// The changes of others from now on, or from a token on, each once. While it is read, changes of other devices
    /// arrive by themselves.
    ///
    /// ```swift
    /// for try await change in zone.changes(since: token) {
    ///     show(change.saved, change.deleted)
    ///     token = change.token
    /// }
    /// ```
    ///
    /// It ends with ``RecordError``: `tokenExpired` if some changes since the token are not known any more.
    public func changes(
        since token: String? = nil
    ) -> AsyncThrowingStream<RecordZoneChange, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    // A connection of its own, so that it also sees what this process fetches.
                    let observer = try await ItemObserver(
                        try FilesinkiRecordZones.RecordZone.open(zone.place), place: zone.place,
                        since: token.map { text throws(Failure) in try FeedToken(parsing: text) })
                    while true {
                        for event in try await observer.next() where event.reason != .local {
                            guard let change = try await change(event) else { continue }
                            continuation.yield(change)
                        }
                    }
                } catch is CancellationError {
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: RecordError(error))
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    func change(_ event: ItemEvent) async throws -> RecordZoneChange? {
        guard let reason = RecordZoneChange.Reason(rawValue: event.reason.rawValue) else {
            return nil
        }
        var (saved, deleted): ([Record], [String]) = ([], [])
        for name in event.keys.compactMap(\.recordName) {
            if let stored = try await zone.record(name) {
                saved.append(Record(stored))
            } else {
                deleted.append(name.text)
            }
        }
        return RecordZoneChange(
            reason: reason, saved: saved, deleted: deleted, token: event.token.description)
    }

    /// The records that changed since a token, each as it is now; all records without one. Nothing is received: see
    /// ``exchangeNow()``.
    ///
    /// Applying all pages, however they are divided, to what had the first token leads to what the zone holds.
    ///
    /// - Parameters:
    ///   - token: Nil for all records.
    ///   - limit: The most records of a page; changes of one moment, and all records, are never divided.
    /// - Throws: ``RecordError``: `tokenExpired` if some changes are not known any more. Then fetch without a token, and
    ///   remove what is not in the result.
    public func fetchChanges(
        since token: String? = nil, limit: Int = .max
    ) async throws -> RecordZoneChanges {
        try await withRecordErrors {
            let page = try await zone.changes(
                since: token.map { text throws(Failure) in try FeedToken(parsing: text) },
                limit: limit)
            return RecordZoneChanges(
                saved: page.changes.compactMap { $0.record.map { Record($0) } },
                deleted: page.changes.filter { $0.record == nil }.map(\.name.text),
                token: page.token.description, moreComing: page.hasMore)
        }
    }
}
