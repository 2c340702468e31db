import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords

/// What an exchange does, in CKSyncEngine's words and order.
public enum SyncEvent: Sendable, Hashable {
    case willFetchChanges
    /// Changes are on this device. Why is in their `reason`: a deleted zone and another store are reasons, too. Their
    /// token is what is to be stored, after what it covers.
    case fetchedRecordZoneChanges(RecordZoneChange)
    case didFetchChanges
    case willSendChanges
    case sentRecordZoneChanges(SentRecordZoneChanges)
    /// Also if not all could be sent.
    case didSendChanges
}

/// What came of the changes that waited.
public struct SentRecordZoneChanges: Sendable, Hashable {
    /// The records that were published, as they are now.
    public internal(set) var saved: [Record] = []
    /// The names of those whose deletion was published.
    public internal(set) var deleted: [String] = []
    /// The names of those whose save was refused: see ``RecordZone/conflicts()``.
    public internal(set) var refused: [String] = []
}

/// Is told what exchanges do.
///
/// It gives no batches, as CKSyncEngine's delegate does: what waits is in the zone, and its content is read when it is
/// published. Merges need no delegate either: see ``RecordZone/SavePolicy``.
public protocol SyncDelegate: Sendable {
    /// Called for one event after the other. The exchange does not wait for it.
    func handleEvent(_ event: SyncEvent, of zone: RecordZone) async
}

extension RecordZone {
    /// The names of the records whose changes wait to be published, in order.
    ///
    /// - Throws: ``RecordError``.
    public func pendingRecordNames() async throws -> [String] {
        try await withRecordErrors {
            try await zone.pendingKeys().compactMap { $0.recordName?.text }
        }
    }

    /// Sends changes of this device and receives those of others, and tells a delegate. Returns when it has been told
    /// everything.
    ///
    /// - Throws: ``RecordError``; with the kind `away` when the remote does not answer.
    public func exchangeNow(telling delegate: some SyncDelegate) async throws {
        try await withRecordErrors {
            let (phases, continuation) = AsyncStream<ExchangePhase>.makeStream()
            var options = ExchangeOptions()
            options.onPhase = { continuation.yield($0) }
            let token = try await zone.position()
            let telling = Task { try await tell(delegate, phases, since: token) }
            do {
                let report = try await zone.exchange(options)
                continuation.finish()
                guard try await telling.value else { return }
                let sent = try await sent(report)
                await delegate.handleEvent(.sentRecordZoneChanges(sent), of: self)
                await delegate.handleEvent(.didSendChanges, of: self)
            } catch {
                continuation.finish()
                if (try? await telling.value) == true {
                    await delegate.handleEvent(.didSendChanges, of: self)
                }
                throw error
            }
        }
    }

    /// - Returns: Whether sending has begun.
    private func tell(
        _ delegate: some SyncDelegate, _ phases: AsyncStream<ExchangePhase>,
        since token: FeedToken
    ) async throws -> Bool {
        var token = token
        var isSending = false
        for await phase in phases {
            switch phase {
            case .fetching:
                if isSending { await delegate.handleEvent(.didSendChanges, of: self) }
                isSending = false
                await delegate.handleEvent(.willFetchChanges, of: self)
            case .fetched:
                try await tellFetched(delegate, since: &token)
                await delegate.handleEvent(.didFetchChanges, of: self)
            case .sending:
                isSending = true
                await delegate.handleEvent(.willSendChanges, of: self)
            case .sent: break
            }
        }
        // A deleted zone ends the exchange before its first part.
        try await tellFetched(delegate, since: &token)
        return isSending
    }

    private func tellFetched(
        _ delegate: some SyncDelegate, since token: inout FeedToken
    ) async throws {
        while case let events = try await zone.events(after: token), !events.isEmpty {
            for event in events {
                token = event.token
                guard event.reason != .local, let change = try await change(event) else { continue }
                await delegate.handleEvent(.fetchedRecordZoneChanges(change), of: self)
            }
        }
    }

    private func sent(_ report: ItemReport<RecordState>) async throws -> SentRecordZoneChanges {
        var sent = SentRecordZoneChanges()
        for name in Set(report.published.compactMap(\.recordName)).sorted() {
            if let stored = try await zone.record(name) {
                sent.saved.append(Record(stored))
            } else {
                sent.deleted.append(name.text)
            }
        }
        sent.refused = try await zone.conflicts(of: report).keys.map(\.text).sorted()
        return sent
    }
}
