/// The merge of one table: finds out by what its rows are known, and leaves the work to
/// ``KeyedRows`` or ``WholeRows``.
struct TableMerge {
    let connection: SQLiteConnection
    let cells: CellRules
    let conflicts: ConflictList
    let name: String
    /// Nil where the base has no such table.
    let base: SQLiteTable?
    /// Nil where the skeleton dropped it.
    let skeleton: SQLiteTable?
    let other: SQLiteTable

    /// Nil for a table that there is nothing to say about.
    init?(
        _ name: String, _ schemas: SchemaTriple, _ connection: SQLiteConnection,
        _ cells: CellRules, _ conflicts: ConflictList
    ) throws(SQLiteTrouble) {
        self.connection = connection
        self.cells = cells
        self.conflicts = conflicts
        self.name = name
        other = try SQLiteTable(name, in: "other", on: connection)
        if let known = schemas.base?.table(name) {
            base = try SQLiteTable(known, in: "base", on: connection)
        } else {
            base = nil
        }
        if let kept = schemas.skeleton.table(name) {
            skeleton = try SQLiteTable(kept, in: "main", on: connection)
        } else {
            skeleton = nil
        }
    }

    func run() throws(SQLiteTrouble) {
        guard let skeleton, hasSameShape(skeleton) else { return try declineIfChanged() }
        if try hasKey(skeleton) {
            try KeyedRows(table: self, skeleton: skeleton).run()
        } else if skeleton.columns == other.columns, base == nil || base?.columns == other.columns,
            let rowid = skeleton.rowid
        {
            try WholeRows(table: self, rowid: rowid).run()
        } else {
            try declineIfChanged()
        }
    }

    /// Whether rows of the other side fit into the skeleton's table: the same key, and no column
    /// that would make another value of what is put into it.
    private func hasSameShape(_ skeleton: SQLiteTable) -> Bool {
        skeleton.key.map(folded) == other.key.map(folded)
            && (skeleton.rowid == nil) == (other.rowid == nil)
            && other.columns.allSatisfy {
                let same = skeleton.column($0.name)
                return same == nil || same?.affinity == $0.affinity
            }
    }

    private func declineIfChanged() throws(SQLiteTrouble) {
        if base != nil, try !connection.differs(name, "base", "other") { return }
        try conflicts.add(
            "table \(name)",
            "One side changed its rows, and the other its key or its columns, or removed it.")
    }

    /// Whether every row has a key of its own. A primary key that is not the rowid may be NULL, and
    /// that more than once (quirks.html, section 4).
    private func hasKey(_ skeleton: SQLiteTable) throws(SQLiteTrouble) -> Bool {
        guard !other.key.isEmpty else { return false }
        if other.rowid == nil || other.isKeyedByRowid { return true }
        let isNull = other.key.map { "\(quoted($0)) IS NULL" }.joined(separator: " OR ")
        for database in ["base", "main", "other"] where database != "base" || base != nil {
            let table = "\(database).\(quoted(name))"
            if try connection.hasRow("SELECT 1 FROM \(table) WHERE \(isNull) LIMIT 1") {
                return false
            }
        }
        return true
    }
}
