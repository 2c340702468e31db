/// The merge of a table whose rows are known by their primary key.
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

    func run() throws(SQLiteTrouble) {
        let candidates = Candidates(table: table, source: "other", columns: other.columns)
        try candidates.find()
        if !other.isKeyedByRowid { try checkIndices() }
        try plan.begin()
        try planChanged(candidates)
        try planRemoved(candidates)
        try candidates.drop()
        if table.conflicts.isEmpty { try plan.carryOut() }
        try plan.end()
    }

    private func checkIndices() throws(SQLiteTrouble) {
        try table.connection.checkIndices(of: table.name, in: "other")
        if table.base != nil { try table.connection.checkIndices(of: table.name, in: "base") }
    }

    /// Rows that the other side added or changed.
    private func planChanged(_ candidates: Candidates) throws(SQLiteTrouble) {
        let query = RowQuery(table: table, skeleton: skeleton)
        let rows = try table.connection.prepare(query.changed(candidates))
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

    private func add(_ row: RowQuery.Row) throws(SQLiteTrouble) {
        var values: [SQLiteValue] = []
        for (column, value) in zip(other.columns, row.other) {
            if skeleton.column(column.name) != nil {
                values.append(value)
            } else if value != .null {
                try conflict(row, "A new row has a value in column \(column.name), which is gone.")
            }
        }
        try plan.add(values)
    }

    /// The row of which every cell has both sides' changes; nil when one has a conflict.
    private func merged(_ row: RowQuery.Row, _ old: [SQLiteValue]) throws(SQLiteTrouble)
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
            if theirs == old[place] { continue }
            let cell = CellRules.Cell(base: base, skeleton: old[place], other: theirs)
            if old[place] == base {
                new[place] = theirs
            } else if let value = table.cells.value(
                of: cell, table: table.name, column: column.name)
            {
                new[place] = value
            } else {
                isWhole = false
                try conflict(row, Self.reason(column.name, cell))
            }
        }
        return isWhole ? new : nil
    }

    /// Rows that the other side removed.
    private func planRemoved(_ candidates: Candidates) throws(SQLiteTrouble) {
        guard table.base != nil else { return }
        let query = RowQuery(table: table, skeleton: skeleton)
        let rows = try table.connection.prepare(query.removed(candidates))
        while try rows.step() {
            let row = query.row(rows)
            let isSame = zip(other.columns, row.other).allSatisfy { column, value in
                guard let place = skeleton.columns.firstIndex(where: { $0.isNamed(column.name) })
                else { return true }
                return row.skeleton?[place] == value
            }
            if isSame {
                try plan.remove(row.location)
            } else {
                try conflict(row, "One side removed the row, and the other changed it.")
            }
        }
    }

    private func conflict(_ row: RowQuery.Row, _ reason: String) throws(SQLiteTrouble) {
        let key = other.key.compactMap { name in
            other.columns.firstIndex { $0.isNamed(name) }.map { row.other[$0] }
        }
        try table.conflicts.add(RowPlan.place(table.name, key), reason)
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
