package import FilesinkiItems
import FilesinkiModel
package import FilesinkiRecords
import FilesinkiSQLite

/// A record that changed, as it is now.
package struct RecordChange: Sendable {
    package var name: RecordName
    /// Nil for a deleted one.
    package var record: StoredRecord?
}

/// Changes since a token.
package struct RecordChanges: Sendable {
    /// Each record once.
    package var changes: [RecordChange] = []
    /// The position behind these changes.
    package var token: FeedToken
    /// Whether more changes follow.
    package var hasMore = false
}

extension RecordZone {
    /// The records that changed since a token, each as it is now, in the order in which they changed last.
    ///
    /// Applying all pages, however they are divided, to what had the first token leads to what the zone
    /// holds.
    ///
    /// - Parameters:
    ///   - token: Nil for all records, in the order of names.
    ///   - limit: Stops before the event with which there would be more records, but not before the
    ///     first. All records are never divided.
    ///   - withDeletions: Whether all records include those that were deleted.
    /// - Throws: `Failure` with code `token-expired` when some changes are not known any more.
    package func changes(
        since token: FeedToken?, limit: Int, withDeletions: Bool = false
    ) throws -> RecordChanges {
        try database.read {
            guard let token else { return try everything(withDeletions: withDeletions) }
            return try page(after: token, limit: limit)
        }
    }

    private func everything(withDeletions: Bool) throws -> RecordChanges {
        var page = RecordChanges(token: try database.position())
        let generation = try database.generation()
        for item in try database.items() {
            guard let name = item.key.recordName else { continue }
            let stored = StoredRecord(item, generation: generation)
            if stored != nil || withDeletions {
                page.changes.append(RecordChange(name: name, record: stored))
            }
        }
        return page
    }

    private func page(after token: FeedToken, limit: Int) throws -> RecordChanges {
        var page = RecordChanges(token: token)
        var keys: [ItemKey] = []
        var seen: Set<ItemKey> = []
        reading: while true {
            let events = try database.events(after: page.token)
            if events.isEmpty { break }
            for event in events {
                let new = event.keys.count { !seen.contains($0) }
                if !seen.isEmpty, seen.count + new > limit {
                    page.hasMore = true
                    break reading
                }
                seen.formUnion(event.keys)
                keys += event.keys
                page.token = event.token
            }
        }
        // Of several changes of a record the last one counts.
        var rest = seen
        for key in keys.reversed() where rest.remove(key) != nil {
            guard let name = key.recordName else { continue }
            page.changes.append(
                RecordChange(name: name, record: try database.stored(key)))
        }
        page.changes.reverse()
        return page
    }
}
