/// The rows in which a side may differ from the base: those that have no equal at the same rowid.
///
/// To compare by rowid takes one pass over both tables in their own order, whatever the key; only
/// what is left is looked up by key. After a VACUUM that numbered the rows anew all of them are
/// candidates: slower, and still right. Tables WITHOUT ROWID have the order of their key already.
struct Candidates {
    let table: TableMerge
    /// The side: `other` or `main`.
    let source: String
    let columns: [SQLiteTable.Column]

    private var name: String { quoted(table.name) }

    private var rowid: String? { table.other.rowid }

    /// The temporary table of the side's rowids.
    var mine: String { "temp.\"mine \(source)\"" }

    /// The temporary table of the base's rowids.
    var gone: String { "temp.\"gone \(source)\"" }

    /// Whether the base's rows can be compared at all; not when it has other columns.
    var isComparable: Bool {
        guard let base = table.base else { return false }
        return columns.allSatisfy { base.column($0.name)?.affinity == $0.affinity }
            && base.rowid == rowid
    }

    func find() throws(SQLiteTrouble) {
        guard let rowid else { return }
        try table.connection.run(
            "CREATE TABLE \(mine)(id INTEGER PRIMARY KEY);"
                + "CREATE TABLE \(gone)(id INTEGER PRIMARY KEY)")
        guard isComparable else { return try takeAll(rowid) }
        try table.connection.run(
            """
            INSERT INTO \(mine) SELECT x.\(rowid) FROM \(source).\(name) x
            LEFT JOIN base.\(name) b ON b.\(rowid) = x.\(rowid)
            WHERE b.\(rowid) IS NULL OR NOT \(sameCells("b", "x", columns));
            INSERT INTO \(gone) SELECT b.\(rowid) FROM \(mine) m
            CROSS JOIN base.\(name) b ON b.\(rowid) = m.id;
            """)
        try findRemoved(rowid)
    }

    /// Rows whose rowid is gone altogether; the numbers of rows tell whether there are any. No index
    /// is to serve it, as that would visit the rows in the index's order and take six times as long.
    private func findRemoved(_ rowid: String) throws(SQLiteTrouble) {
        let removed = try table.connection.integer(
            """
            SELECT (SELECT count(*) FROM base.\(name)) - (SELECT count(*) FROM \(source).\(name))
                + (SELECT count(*) FROM \(mine)) - (SELECT count(*) FROM \(gone))
            """)
        guard removed != 0 else { return }
        try table.connection.run(
            """
            INSERT OR IGNORE INTO \(gone) SELECT b.\(rowid) FROM base.\(name) b NOT INDEXED
            LEFT JOIN \(source).\(name) x ON x.\(rowid) = b.\(rowid)
            WHERE x.\(rowid) IS NULL
            """)
    }

    private func takeAll(_ rowid: String) throws(SQLiteTrouble) {
        try table.connection.run(
            "INSERT INTO \(mine) SELECT \(rowid) FROM \(source).\(name)")
        guard let own = table.base?.rowid else { return }
        try table.connection.run("INSERT INTO \(gone) SELECT \(own) FROM base.\(name)")
    }

    func drop() throws(SQLiteTrouble) {
        guard rowid != nil else { return }
        try table.connection.run("DROP TABLE \(mine); DROP TABLE \(gone)")
    }
}
