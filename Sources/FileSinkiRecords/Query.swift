import FilesinkiRecordZones
import FilesinkiRecords

/// A query of the records of one type in a zone.
///
/// ```swift
/// var query = Query("Note", where: "count > 2 AND title BEGINSWITH 'He'")
/// query.sort = [.descending("count")]
/// query.limit = 20
/// let page = try await zone.records(matching: query)
/// ```
///
/// A predicate has the words of CloudKit's, and `OR`, `LIKE` and `ENDSWITH` besides. Texts are compared without regard to
/// case by `=`, with regard to it by `BEGINSWITH`.
public struct Query: Sendable, Hashable {
    /// A field to sort by.
    public struct Sort: Sendable, Hashable {
        let text: String

        /// The smaller values first.
        public static func ascending(_ field: String) -> Sort { Sort(text: field) }
        /// The greater values first.
        public static func descending(_ field: String) -> Sort { Sort(text: "-" + field) }
    }

    /// The type of the records.
    public var type: String
    /// What is true of them.
    public var predicate: String
    /// The order: by the first field, then by the others; by the names of the records at last.
    public var sort: [Sort] = []
    /// The most records of a page; nil for all.
    public var limit: Int?
    /// Whether only what CloudKit accepts is accepted here: no `OR`, and only fields that the schema has an index of.
    public var isStrict = false

    /// A query.
    ///
    /// - Parameters:
    ///   - type: The type of the records.
    ///   - predicate: What is true of them; all of the type if it is omitted.
    public init(_ type: String, where predicate: String = "TRUEPREDICATE") {
        self.type = type
        self.predicate = predicate
    }

    /// A page of the records that a query finds.
    public struct Page: Sendable {
        /// The records, in the order of the query.
        public let records: [Record]
        /// Where the next page begins; nil at the end. What is inserted or deleted between two pages leads neither to
        /// gaps nor to repetitions.
        public let cursor: String?
    }

    func prepared(after cursor: String?, now: Int64) throws -> RecordQuery {
        var query = RecordQuery(
            try RecordType(type), try PredicateParser.parse(predicate, isStrict: isStrict),
            try SortOrder(parsing: sort.map(\.text).joined(separator: ",")), now: now)
        (query.limit, query.cursor) = (limit, cursor)
        return query
    }
}
