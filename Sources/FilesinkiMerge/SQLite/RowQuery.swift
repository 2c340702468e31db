/// The queries that put the three versions of a row beside each other.
struct RowQuery {
    let table: TableMerge
    let skeleton: SQLiteTable

    /// One row; the values are in the order of the columns of their table.
    struct Row {
        /// In the order of the other side's columns, as is the base; for a removed row the base's.
        var other: [SQLiteValue]
        var base: [SQLiteValue]?
        var skeleton: [SQLiteValue]?
        /// Where the row is in the skeleton: its rowid, or its key.
        var location: [SQLiteValue]
    }

    private var name: String { quoted(table.name) }

    private var other: SQLiteTable { table.other }

    /// Rows of the other side that the base has not, or has with other cells.
    func changed(_ candidates: Candidates) -> String {
        let source =
            other.rowid.map {
                "\(candidates.mine) c CROSS JOIN other.\(name) o ON o.\($0) = c.id"
            } ?? "other.\(name) o"
        let join = table.base == nil ? "" : "LEFT JOIN base.\(name) b ON \(sameKey("b", "o", key))"
        let isSame = candidates.isComparable ? sameCells("b", "o", other.columns) : "0"
        return """
            SELECT \(columns(row: "o"))
            FROM \(source) \(join) LEFT JOIN main.\(name) m ON \(sameKey("m", "o", key))
            WHERE \(isPresent("b", table.base != nil)) = 0 OR NOT \(isSame)
            """
    }

    /// Rows of the base that the other side has not, and the skeleton has.
    func removed(_ candidates: Candidates) -> String {
        let source =
            table.base?.rowid.map {
                "\(candidates.gone) c CROSS JOIN base.\(name) b ON b.\($0) = c.id"
            } ?? "base.\(name) b"
        return """
            SELECT \(columns(row: "b"))
            FROM \(source) CROSS JOIN main.\(name) m ON \(sameKey("m", "b", key))
            WHERE NOT EXISTS (SELECT 1 FROM other.\(name) o WHERE \(sameKey("o", "b", key)))
            """
    }

    private var key: [String] { other.key }

    private func isPresent(_ row: String, _ isJoined: Bool) -> String {
        isJoined ? "(\(row).\(quoted(key.first ?? "")) IS NOT NULL)" : "0"
    }

    private func columns(row: String) -> String {
        let mine = other.columns.map { column in
            row != "b" || table.base?.column(column.name) != nil
                ? "\(row).\(quoted(column.name))" : "NULL"
        }
        let base = other.columns.map { column in
            table.base?.column(column.name) == nil ? "NULL" : "b.\(quoted(column.name))"
        }
        let kept = skeleton.columns.map { "m.\(quoted($0.name))" }
        let location = skeleton.rowid.map { ["m.\($0)"] } ?? key.map { "m.\(quoted($0))" }
        let presence = [isPresent("b", table.base != nil), isPresent("m", true)]
        return (mine + base + kept + location + presence).joined(separator: ", ")
    }

    /// Reads the row that the statement is at.
    func row(_ rows: SQLiteStatement) -> Row {
        let (count, kept) = (other.columns.count, skeleton.columns.count)
        let width = skeleton.rowid == nil ? key.count : 1
        let end = 2 * count + kept + width
        let isInBase = rows.value(end) == .integer(1)
        let isInSkeleton = rows.value(end + 1) == .integer(1)
        return Row(
            other: rows.values(0..<count),
            base: isInBase ? rows.values(count..<2 * count) : nil,
            skeleton: isInSkeleton ? rows.values(2 * count..<2 * count + kept) : nil,
            location: rows.values(2 * count + kept..<end))
    }
}
