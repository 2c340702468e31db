import FilesinkiHashing
import FilesinkiModel
import FilesinkiRecords

/// Where a page ended: the last record's name and the values by which it was sorted. Records that are inserted or
/// removed between two pages therefore lead neither to gaps nor to repetitions.
struct QueryCursor {
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
