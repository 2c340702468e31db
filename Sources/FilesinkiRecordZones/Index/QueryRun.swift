import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords

/// One query of one page.
struct QueryRun {
    private let query: RecordQuery
    private let database: RecordDatabase
    /// The record after which the page begins.
    private let last: Record?
    private let now: Int64
    private let generation: UInt64

    init(_ query: RecordQuery, in database: RecordDatabase) throws(Failure) {
        self.query = query
        self.database = database
        generation = try database.generation()
        let cursor = try query.cursor.map { text throws(Failure) in
            try QueryCursor(parsing: text, of: query)
        }
        last = cursor?.last
        now = cursor?.now ?? query.now
    }

    func page() throws -> RecordPage {
        var found = try query.order.terms.isEmpty ? inOrderOfNames() : sorted()
        var page = RecordPage()
        if let limit = query.limit, found.count > limit {
            found.removeSubrange(limit...)
            page.cursor = found.last.map { QueryCursor(last: $0.record, now: now).text(query) }
        }
        page.records = found
        return page
    }

    /// One more than the page has says whether another follows.
    private var wanted: Int {
        query.limit.map { $0 == .max ? $0 : $0 + 1 } ?? .max
    }

    private func inOrderOfNames() throws -> [StoredRecord] {
        var found: [StoredRecord] = []
        try forEachMatch(after: last?.name.text) { stored in
            found.append(stored)
            return found.count < wanted
        }
        return found
    }

    private func sorted() throws -> [StoredRecord] {
        var best = BestRecords(wanted, by: query.order, after: last)
        if query.limit != nil, let walk = try FieldWalk(query, range, after: last, in: database) {
            try walk.forEachGroup { group in
                try walk.forEachName(of: group) { name in
                    if let stored = try match(name) { best.add(stored) }
                    return !(group.isInOrder && best.isFull)
                }
                return !best.isFull
            }
        } else {
            try forEachMatch(after: nil) { stored in
                best.add(stored)
                return true
            }
        }
        return best.records
    }

    private var range: IndexRange { IndexRange(query.predicate, now: now) }

    private func forEachMatch(
        after name: String?, _ body: (StoredRecord) throws -> Bool
    ) throws {
        try database.forEachName(of: query.type, in: range, after: name) { name in
            guard let stored = try match(name) else { return true }
            return try body(stored)
        }
    }

    /// The record of a name, if the query finds it.
    private func match(_ name: RecordName) throws -> StoredRecord? {
        guard let stored = try database.stored(name.key, generation: generation),
            stored.record.type == query.type,
            query.predicate.matches(stored.record, now: now)
        else { return nil }
        return stored
    }
}
