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
    /// Reads the records of the best range of the index: all of the type for `NOT`, `LIKE`, `ENDSWITH`, distances and
    /// system fields. Without a sort order, reading ends with the page. So it does when a page has a limit, the first
    /// sort term is a field whose values were always strings, numbers, dates or data, and no better range is known than
    /// one of this field: the index has their order then. Any other sorted page reads all of the range first, but keeps
    /// no more of it than the page has.
    ///
    /// - Throws: `Failure` with code `usage` for a cursor of another query.
    package func query(_ query: RecordQuery) throws -> RecordPage {
        try database.read { try QueryRun(query, in: database).page() }
    }
}
