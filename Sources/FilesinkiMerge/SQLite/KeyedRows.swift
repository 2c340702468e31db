import FilesinkiSQLite

/// The merge of a table whose rows are identified by their primary key.
///
/// First it plans, in temporary tables, which rows the skeleton loses, which it has anew and which
/// are added; then it carries the plan out. Changed rows are taken out before any comes in, so that
/// rows may exchange values that are unique.
struct KeyedRows {
    let table: TableMerge
    let skeleton: SQLiteTable
    let plan: RowPlan

    init(table: TableMerge, skeleton: SQLiteTable) {
        self.table = table
        self.skeleton = skeleton
        let shared = table.other.columns.filter { skeleton.column($0.name) != nil }
        plan = RowPlan(
            table: table.name, skeleton: skeleton, added: shared, connection: table.connection)
    }

    private var other: SQLiteTable { table.other }

    func merge() throws(SQLiteMergeError) {
        let changedRows = ChangedRows(table: table, source: "other", columns: other.columns)
        try changedRows.findRows()
        if !other.isKeyedByRowid { try checkIndices() }
        if table.cells.isTraced {
            try SkeletonChanges(table: table, skeleton: skeleton).note()
        }
        try plan.createTables()
        try planChanged(changedRows)
        try planRemoved(changedRows)
        try changedRows.dropTables()
        if table.conflicts.isEmpty { try plan.execute() }
        try plan.dropTables()
    }

    private func checkIndices() throws(SQLiteMergeError) {
        try table.connection.checkIndices(of: table.name, in: "other")
        if table.base != nil { try table.connection.checkIndices(of: table.name, in: "base") }
    }

    /// Rows that the other side added or changed.
    private func planChanged(_ changedRows: ChangedRows) throws(SQLiteMergeError) {
        let query = try RowQuery(table: table, skeleton: skeleton)
        let rows = try table.connection.prepare(query.changed(changedRows))
        while try rows.step() {
            let row = query.row(rows)
            guard let old = row.skeleton else {
                if row.base == nil {
                    try add(row)
                } else {
                    try conflict(row, "One side changed the row, and the other removed it.")
                }
                continue
            }
            if let new = try merged(row, old), new != old {
                try plan.renew(row.location, new)
            }
        }
    }

    private func add(_ row: RowQuery.Row) throws(SQLiteMergeError) {
        var values: [SQLiteValue] = []
        for (column, value) in zip(other.columns, row.other) {
            if skeleton.column(column.name) != nil {
                values.append(value)
            } else if value != .null {
                try conflict(
                    row,
                    "One side added the row with a value in column \(column.name), and the other removed the column."
                )
            }
        }
        table.cells.note(cell(of: row), .added)
        try plan.add(values)
    }

    /// The row of which every cell has both sides' changes; nil when one has a conflict.
    private func merged(_ row: RowQuery.Row, _ old: [SQLiteValue]) throws(SQLiteMergeError)
        -> [SQLiteValue]?
    {
        var new = old
        var isWhole = true
        for (index, column) in other.columns.enumerated() {
            let base = row.base?[index]
            let theirs = row.other[index]
            if theirs == base { continue }
            guard let place = skeleton.columns.firstIndex(where: { $0.isNamed(column.name) }) else {
                isWhole = false
                try conflict(row, "One side changed column \(column.name), the other removed it.")
                continue
            }
            let cell = CellRules.Cell(base: base, skeleton: old[place], other: theirs)
            // A counter adds both differences, also when they are equal.
            let isDecided =
                theirs == old[place]
                && !table.cells.isCounted(cell, table: table.name, column: column.name)
            if isDecided { continue }
            if old[place] == base {
                table.cells.note(
                    table.cells.named(self.cell(of: row, column.name), cell), .edited)
                new[place] = theirs
            } else if let value = table.cells.value(
                of: cell, table: table.name, column: column.name)
            {
                table.cells.note(
                    self.cell(of: row, column.name), cell, value, table: table.name,
                    column: column.name)
                new[place] = value
            } else {
                isWhole = false
                try table.conflicts.add(
                    self.cell(of: row).place, Self.reason(column.name, cell),
                    cell: table.cells.named(self.cell(of: row, column.name), cell))
            }
        }
        return isWhole ? new : nil
    }

    /// Rows that the other side removed.
    private func planRemoved(_ changedRows: ChangedRows) throws(SQLiteMergeError) {
        guard table.base != nil else { return }
        let query = try RowQuery(table: table, skeleton: skeleton)
        let rows = try table.connection.prepare(query.removed(changedRows))
        while try rows.step() {
            let row = query.row(rows)
            if query.isUnchanged(row) {
                table.cells.note(cell(of: row), .removed)
                try plan.remove(row.location)
            } else {
                try conflict(row, "One side removed the row, and the other changed it.")
            }
        }
    }

    private func conflict(_ row: RowQuery.Row, _ reason: String) throws(SQLiteMergeError) {
        let cell = cell(of: row)
        try table.conflicts.add(cell.place, reason, cell: cell)
    }

    /// A row, or a cell of it.
    private func cell(of row: RowQuery.Row, _ column: String? = nil) -> MergeCell {
        let key = other.key.compactMap { name in
            other.columns.firstIndex { $0.isNamed(name) }.map { row.other[$0] }
        }
        return MergeCell(table: table.name, key: RowPlan.shown(key), column: column)
    }

    private static func reason(_ column: String, _ cell: CellRules.Cell) -> String {
        let values = "\(cell.skeleton.shown) and \(cell.other.shown)"
        return cell.base == nil
            ? "Both sides added the row, and column \(column) is \(values)."
            : "Both sides changed column \(column), to \(values)."
    }
}

extension SQLiteTable.Column {
    func isNamed(_ other: String) -> Bool { folded(name) == folded(other) }
}

/// The queries that put the three versions of a row beside each other.
struct RowQuery {
    let table: TableMerge
    let skeleton: SQLiteTable
    /// What the rows of the base have in the columns of the other side that it does not have.
    private let initialValues: [Int: SQLiteValue]
    /// The same of the columns that only the skeleton has.
    private let ownValues: [Int: SQLiteValue]

    init(table: TableMerge, skeleton: SQLiteTable) throws(SQLiteMergeError) {
        self.table = table
        self.skeleton = skeleton
        let base = table.base
        initialValues = try table.connection.initialValues(of: table.other) {
            base?.column($0.name) == nil
        }
        ownValues = try table.connection.initialValues(of: skeleton) {
            base?.column($0.name) == nil && table.other.column($0.name) == nil
        }
    }

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
    func changed(_ changedRows: ChangedRows) -> String {
        let source =
            other.rowid.map {
                "\(changedRows.mine) c CROSS JOIN other.\(name) o ON o.\($0) = c.id"
            } ?? "other.\(name) o"
        let join = table.base == nil ? "" : "LEFT JOIN base.\(name) b ON \(sameKey("b", "o", key))"
        let isSame = changedRows.isComparable ? sameCells("b", "o", other.columns) : "0"
        return """
            SELECT \(columns(row: "o"))
            FROM \(source) \(join) LEFT JOIN main.\(name) m ON \(sameKey("m", "o", key))
            WHERE \(isPresent("b", table.base != nil)) = 0 OR NOT \(isSame)
            """
    }

    /// Rows of the base that the other side has not, and the skeleton has.
    func removed(_ changedRows: ChangedRows) -> String {
        let source =
            table.base?.rowid.map {
                "\(changedRows.gone) c CROSS JOIN base.\(name) b ON b.\($0) = c.id"
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

    /// Whether the skeleton has a row of the base as it was. What it has filled into a column of its own is a change.
    func isUnchanged(_ row: Row) -> Bool {
        guard let kept = row.skeleton, let base = row.base else { return false }
        let isSame = zip(other.columns, base).allSatisfy { column, value in
            guard let place = skeleton.columns.firstIndex(where: { $0.isNamed(column.name) })
            else { return true }
            return kept[place] == value
        }
        return isSame && ownValues.allSatisfy { kept[$0.key] == $0.value }
    }

    /// Reads the row that the statement is at.
    func row(_ rows: MergeStatement) -> Row {
        let (count, kept) = (other.columns.count, skeleton.columns.count)
        let width = skeleton.rowid == nil ? key.count : 1
        let end = 2 * count + kept + width
        let isInBase = rows.value(end) == .integer(1)
        let isInSkeleton = rows.value(end + 1) == .integer(1)
        var base = rows.values(count..<2 * count)
        for (column, value) in initialValues { base[column] = value }
        return Row(
            other: rows.values(0..<count), base: isInBase ? base : nil,
            skeleton: isInSkeleton ? rows.values(2 * count..<2 * count + kept) : nil,
            location: rows.values(2 * count + kept..<end))
    }
}
