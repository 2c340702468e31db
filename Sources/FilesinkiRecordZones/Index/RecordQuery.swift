import FilesinkiHashing
import FilesinkiItems
import FilesinkiModel
package import FilesinkiRecords

/// A query of the records of one type.
package struct RecordQuery: Sendable {
    package var type: RecordType
    package var predicate: Predicate
    package var order: SortOrder
    /// The most records of a page; nil for all.
    package var limit: Int?
    /// Where the page before ended; nil for the first one.
    package var cursor: String?
    /// What `now` means in the first page, in milliseconds since 1970-01-01 UTC; later pages keep it.
    package var now: Int64

    package init(_ type: RecordType, _ predicate: Predicate, _ order: SortOrder, now: Int64) {
        self.type = type
        self.predicate = predicate
        self.order = order
        self.now = now
    }
}

/// A page of a query's results.
package struct RecordPage: Sendable {
    package var records: [StoredRecord] = []
    /// Where the next page begins; nil at the end.
    package var cursor: String?
}

extension RecordZone {
    /// The records that a predicate finds, in the given order.
    ///
    /// Costs as much as the best range of the index has records: all of the type for `NOT`, `LIKE`, `ENDSWITH`,
    /// distances and system fields. With a sort order these are all read before the first is returned.
    ///
    /// - Throws: `Failure` with code `usage` for a cursor of another query.
    package func query(_ query: RecordQuery) throws -> RecordPage {
        try database.read { try QueryRun(query, in: database).page() }
    }
}

/// One query of one page.
private struct QueryRun {
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

    private func inOrderOfNames() throws -> [StoredRecord] {
        // One more than the page has says whether another follows.
        let wanted = query.limit.map { $0 + 1 } ?? .max
        var found: [StoredRecord] = []
        try forEachMatch(after: last?.name.text) { stored in
            found.append(stored)
            return found.count < wanted
        }
        return found
    }

    private func sorted() throws -> [StoredRecord] {
        var found: [StoredRecord] = []
        try forEachMatch(after: nil) { stored in
            if last.map({ query.order.precedes($0, stored.record) }) ?? true {
                found.append(stored)
            }
            return true
        }
        return found.sorted { query.order.precedes($0.record, $1.record) }
    }

    private func forEachMatch(
        after name: String?, _ body: (StoredRecord) throws -> Bool
    ) throws {
        let range = IndexRange(query.predicate, now: now)
        try database.forEachName(of: query.type, in: range, after: name) { name in
            guard let stored = try database.stored(name.key, generation: generation),
                stored.record.type == query.type,
                query.predicate.matches(stored.record, now: now)
            else { return true }
            return try body(stored)
        }
    }
}

/// Where a page ended: the last record's name and the values by which it was sorted. Records that are inserted or
/// removed between two pages therefore lead neither to gaps nor to repetitions.
private struct QueryCursor {
    let last: Record
    let now: Int64

    init(last: Record, now: Int64) {
        self.last = last
        self.now = now
    }

    /// - Throws: `Failure` with code `usage` for a text of another query, or of none.
    init(parsing text: String, of query: RecordQuery) throws(Failure) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == Self.mark(query), let now = Int64(parts[1]),
            let bytes = bytes(hexadecimal: parts[2]), let last = RecordCoder.decode(bytes)
        else {
            throw Failure(
                .usage, path: text, "The cursor is not one of this query.",
                remedy: "Give the cursor that the page before printed, and the same query.")
        }
        self.init(last: last, now: now)
    }

    func text(_ query: RecordQuery) -> String {
        var record = Record(
            last.name, last.type, created: last.created, modified: last.modified)
        for term in query.order.terms {
            guard case .field(let name) = term.key.field, let field = last.fields[name] else {
                continue
            }
            // A field that a record has can be set.
            try? record.set(name, field)
        }
        return "\(Self.mark(query))-\(now)-\(hexadecimal(RecordCoder.encode(record)))"
    }

    /// Tells queries apart.
    private static func mark(_ query: RecordQuery) -> Substring {
        let text = "\(query.type)\0\(query.predicate)\0\(query.order)"
        return hexadecimal(ContentHasher.hash(Array(text.utf8)).bytes).prefix(12)
    }
}

extension SortOrder.Key {
    /// What it needs of a record.
    fileprivate var field: QueryKey {
        switch self {
        case .value(let key): key
        case .distance(let distance): distance.key
        }
    }
}
