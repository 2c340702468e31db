import FilesinkiSQLite

/// The merge of a table without a key: its rows are a set in which a row may be several times.
///
/// How often each side has a row more or less than the base is counted. What both added or removed
/// alike counts once. A row that one side removed and the other left is removed; where both replaced
/// one row, each by another, it is unknown whether one row or two are meant, and the merge declines.
struct WholeRows {
    let table: TableMerge
    let rowid: String

    private static let net = "temp.\"net\""
    private static let raw = "temp.\"raw\""

    private var name: String { quoted(table.name) }
    private var columns: [SQLiteTable.Column] { table.other.columns }
    private var names: [String] { columns.map { quoted($0.name) } }
    private var connection: MergeConnection { table.connection }

    func merge() throws(SQLiteMergeError) {
        guard !columns.isEmpty else { return }
        let mine = ChangedRows(table: table, source: "main", columns: columns)
        let theirs = ChangedRows(table: table, source: "other", columns: columns)
        try theirs.findRows()
        let isChanged = try connection.hasRow(
            "SELECT 1 FROM \(theirs.mine) UNION ALL SELECT 1 FROM \(theirs.gone)")
        if isChanged || table.cells.isTraced {
            try mine.findRows()
            try countRows(mine, theirs)
            if try !declines(theirs) {
                if table.cells.isTraced { try noteOwn() }
                if isChanged { try execute() }
            }
            try connection.execute("DROP TABLE \(Self.raw); DROP TABLE \(Self.net)")
            try mine.dropTables()
        }
        try theirs.dropTables()
    }

    /// What tells rows apart.
    private var groups: String {
        let kinds = columns.filter { $0.affinity == .blob }.map { "typeof(\(quoted($0.name)))" }
        return (names + kinds).joined(separator: ", ")
    }

    /// Counts for every row how often each side has it more than the base.
    private func countRows(_ mine: ChangedRows, _ theirs: ChangedRows) throws(SQLiteMergeError) {
        let list = names.joined(separator: ", ")
        try connection.execute("CREATE TABLE \(Self.raw)(\(list), \"+main\", \"+other\")")
        try collectRows("main", mine.mine, "1, 0")
        try collectRows("other", theirs.mine, "0, 1")
        if table.base != nil {
            try collectRows("base", mine.gone, "-1, 0")
            try collectRows("base", theirs.gone, "0, -1")
        }
        try connection.execute(
            """
            CREATE TABLE \(Self.net) AS
            SELECT \(list), sum("+main") AS "+main", sum("+other") AS "+other"
            FROM \(Self.raw) GROUP BY \(groups)
            HAVING sum("+other") <> 0 ORDER BY min(rowid)
            """)
    }

    private func collectRows(_ database: String, _ ids: String, _ counts: String)
        throws(SQLiteMergeError)
    {
        let list = names.map { "x.\($0)" }.joined(separator: ", ")
        try connection.execute(
            """
            INSERT INTO \(Self.raw) SELECT \(list), \(counts)
            FROM \(ids) c CROSS JOIN \(database).\(name) x ON x.\(rowid) = c.id
            """)
    }

    /// Whether both sides replaced a row of the base, each by another.
    private func declines(_ theirs: ChangedRows) throws(SQLiteMergeError) -> Bool {
        guard table.base != nil else { return false }
        let row = try connection.prepare(
            """
            SELECT b.\(rowid) FROM \(theirs.mine) c
            CROSS JOIN base.\(name) b ON b.\(rowid) = c.id
            CROSS JOIN main.\(name) m ON m.\(rowid) = c.id
            CROSS JOIN other.\(name) o ON o.\(rowid) = c.id
            WHERE NOT \(sameCells("b", "m", columns)) AND NOT \(sameCells("m", "o", columns))
                AND EXISTS (SELECT 1 FROM \(Self.net) n
                    WHERE n."+main" < 0 AND n."+other" < 0 AND \(sameCells("n", "b", columns)))
            """)
        guard try row.step() else { return false }
        try table.conflicts.add(
            "table \(table.name), row \(row.value(0).shown)",
            "Both sides changed the row, and the table has no key to identify it.")
        return true
    }

    private func execute() throws(SQLiteMergeError) {
        let plan = RowPlan(
            table: table.name, skeleton: table.skeleton ?? table.other, added: columns,
            connection: connection)
        try plan.createTables()
        let rows = try connection.prepare("SELECT *, rowid FROM \(Self.net) ORDER BY rowid")
        var surplus: [SQLiteValue: Int64] = [:]
        while try rows.step() {
            guard case .integer(let mine) = rows.value(columns.count),
                case .integer(let theirs) = rows.value(columns.count + 1)
            else { continue }
            let change = Self.joined(mine, theirs) - mine
            let values = rows.values(0..<columns.count)
            if change != 0 {
                table.cells.note(place(of: values), change > 0 ? .added : .removed)
            }
            for _ in 0..<max(0, change) { try plan.add(values) }
            if change < 0 { surplus[rows.value(columns.count + 2)] = -change }
        }
        try remove(surplus, plan)
        if table.conflicts.isEmpty { try plan.execute() }
        try plan.dropTables()
    }

    /// Notes what the skeleton added and removed.
    private func noteOwn() throws(SQLiteMergeError) {
        let list = names.joined(separator: ", ")
        let rows = try connection.prepare(
            """
            SELECT \(list), sum("+main"), sum("+other") FROM \(Self.raw) GROUP BY \(groups)
            HAVING sum("+main") <> 0 ORDER BY min(rowid)
            """)
        while try rows.step() {
            guard case .integer(let mine) = rows.value(columns.count),
                case .integer(let theirs) = rows.value(columns.count + 1)
            else { continue }
            // Without a base, all that both have would be listed.
            let isBoth = mine == theirs && table.base != nil
            guard isBoth || Self.joined(mine, theirs) != theirs else { continue }
            let place = place(of: rows.values(0..<columns.count))
            table.cells.noteOwn(
                place, mine < 0 ? .removed : isBoth ? .alike : .added, isBoth: isBoth)
        }
    }

    private func place(of values: [SQLiteValue]) -> String {
        "table \(table.name), row (\(values.map(\.shown).joined(separator: ", ")))"
    }

    /// Both sides' differences from the base as one.
    private static func joined(_ mine: Int64, _ theirs: Int64) -> Int64 {
        if mine > 0, theirs > 0 { return max(mine, theirs) }
        if mine < 0, theirs < 0 { return min(mine, theirs) }
        return mine + theirs
    }

    /// Takes the first of the skeleton's rows of each kind that has too many.
    private func remove(_ surplus: [SQLiteValue: Int64], _ plan: RowPlan) throws(SQLiteMergeError) {
        guard !surplus.isEmpty else { return }
        var left = surplus
        let indexed = names.prefix(8).joined(separator: ", ")
        try connection.execute("CREATE INDEX temp.\"net rows\" ON \"net\"(\(indexed))")
        let rows = try connection.prepare(
            """
            SELECT n.rowid, m.\(rowid) FROM main.\(name) m
            CROSS JOIN \(Self.net) n ON \(sameCells("n", "m", columns)) ORDER BY m.\(rowid)
            """)
        while !left.isEmpty, try rows.step() {
            guard let count = left[rows.value(0)] else { continue }
            try plan.remove([rows.value(1)])
            left[rows.value(0)] = count > 1 ? count - 1 : nil
        }
    }
}
