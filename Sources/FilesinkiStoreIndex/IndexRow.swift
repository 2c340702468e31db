import FilesinkiModel
import FilesinkiSQLite
import FilesinkiText

/// A row of a query on the index.
struct IndexRow {
    private let values: [SQLiteValue]

    fileprivate init(_ values: [SQLiteValue]) { self.values = values }

    func isNull(_ column: Int) -> Bool { values[column] == .null }

    /// A number; 0 for any other value.
    func number(_ column: Int) -> Int64 {
        if case .integer(let number) = values[column] { number } else { 0 }
    }

    /// The bytes of a blob; empty for any other value.
    func bytes(_ column: Int) -> [UInt8] {
        if case .blob(let bytes) = values[column] { bytes } else { [] }
    }

    /// A text; empty for any other value.
    func text(_ column: Int) -> String {
        guard case .text(let bytes) = values[column] else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    func kind(_ column: Int) -> Entry.Kind? {
        UInt8(exactly: number(column)).flatMap(Entry.Kind.init)
    }

    /// Adds an entry as the commands print it.
    func describe(kind: Int, size: Int, modified: Int, in object: inout JSONObject) {
        let word: String? =
            switch self.kind(kind) {
            case .file: "file"
            case .directory: "directory"
            case .symlink: "symlink"
            case .tombstone: "tombstone"
            case nil: nil
            }
        object.add("kind", word)
        guard self.kind(kind) != .tombstone else { return }
        object.add("modified", Timestamp(nanoseconds: number(modified)))
        if self.kind(kind) == .file { object.add("size", number(size)) }
    }
}

extension IndexDatabase {
    /// The rows of a query, which limits their number.
    func rows(_ sql: String, _ values: [SQLiteValue] = []) throws(Failure) -> [IndexRow] {
        let statement = try cache.statement(sql)
        defer { statement.reset() }
        for (index, value) in values.enumerated() { statement.bind(value, at: Int32(index) + 1) }
        var rows: [IndexRow] = []
        let columns = 0..<statement.columns
        while try statement.step() { rows.append(IndexRow(statement.values(columns))) }
        return rows
    }
}
