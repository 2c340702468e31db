import FilesinkiSQLite

/// What the side changed in a table with a key that the result is a copy of, for a ``MergeTrace``: the merge itself looks
/// for the changes of the other side alone.
///
/// Of what both sides changed differently ``KeyedRows`` tells.
struct SkeletonChanges {
    let table: TableMerge
    let skeleton: SQLiteTable
    /// What the rows of the base have in the columns of the skeleton that it does not have.
    private let initialValues: [Int: SQLiteValue]

    init(table: TableMerge, skeleton: SQLiteTable) throws(SQLiteMergeError) {
        self.table = table
        self.skeleton = skeleton
        let base = table.base
        initialValues = try table.connection.initialValues(of: skeleton) {
            base?.column($0.name) == nil
        }
    }

    private var name: String { quoted(table.name) }
    private var key: [String] { skeleton.key }
    private var columns: [SQLiteTable.Column] { skeleton.columns }

    /// Notes all changes. Costs a pass over the table, before the merge changes it.
    func note() throws(SQLiteMergeError) {
        try noteChanged()
        if table.base != nil { try noteRemoved() }
    }

    /// Notes the rows and cells that the skeleton has and the base has not.
    private func noteChanged() throws(SQLiteMergeError) {
        let count = columns.count
        let rows = try table.connection.prepare(changed)
        while try rows.step() {
            let own = rows.values(0..<count)
            let other = rows.values(2 * count..<3 * count)
            let isInBase = rows.value(3 * count) == .integer(1)
            let isInOther = rows.value(3 * count + 1) == .integer(1)
            if isInBase, isInOther {
                noteCells(own, base: rows.values(count..<2 * count), other: other)
            } else if !isInBase {
                noteAdded(own, other: isInOther ? other : nil)
            }
            // Of a row that the other side removed it is told there.
        }
    }

    private func noteAdded(_ own: [SQLiteValue], other: [SQLiteValue]?) {
        let place = row(own)
        guard let other else { return table.cells.noteOwn(place.place, .added, cell: place) }
        // Without a base, all that both have would be listed.
        let isAlike = columns.indices.allSatisfy { !isShared(columns[$0]) || own[$0] == other[$0] }
        guard table.base != nil, isAlike else { return }
        table.cells.noteOwn(place.place, .alike, isBoth: true, cell: place)
    }

    private func noteCells(_ own: [SQLiteValue], base: [SQLiteValue], other: [SQLiteValue]) {
        for (index, column) in columns.enumerated() {
            let old = initialValues[index] ?? base[index]
            let new = own[index]
            guard new != old else { continue }
            let cell = CellRules.Cell(
                base: old, skeleton: new, other: isShared(column) ? other[index] : old)
            let place = table.cells.named(row(own, column.name), cell)
            if cell.other == old {
                table.cells.noteOwn(place.place, .edited, cell: place)
            } else if cell.other == new,
                !table.cells.isCounted(cell, table: table.name, column: column.name)
            {
                table.cells.noteOwn(place.place, .alike, isBoth: true, cell: place)
            }
        }
    }

    /// Notes the rows that the skeleton has not, and the base has: those that the other side left or removed, too.
    private func noteRemoved() throws(SQLiteMergeError) {
        let rows = try table.connection.prepare(removed)
        while try rows.step() {
            let values = rows.values(0..<key.count)
            let place = MergeCell(table: table.name, key: RowPlan.shown(values))
            let isInOther = rows.value(key.count) == .integer(1)
            table.cells.noteOwn(place.place, .removed, isBoth: !isInOther, cell: place)
        }
    }

    private func isShared(_ column: SQLiteTable.Column) -> Bool {
        table.other.column(column.name) != nil
    }

    /// A row of the skeleton, or a cell of it.
    private func row(_ values: [SQLiteValue], _ column: String? = nil) -> MergeCell {
        let found = key.compactMap { name in
            columns.firstIndex { $0.isNamed(name) }.map { values[$0] }
        }
        return MergeCell(table: table.name, key: RowPlan.shown(found), column: column)
    }

    // MARK: Queries

    private func isPresent(_ row: String) -> String {
        "(\(row).\(quoted(key.first ?? "")) IS NOT NULL)"
    }

    private var changed: String {
        let own = columns.map { "m.\(quoted($0.name))" }
        let old = columns.map { column in
            table.base?.column(column.name) == nil ? "NULL" : "b.\(quoted(column.name))"
        }
        let other = columns.map { isShared($0) ? "o.\(quoted($0.name))" : "NULL" }
        let isInBase = table.base == nil ? "0" : isPresent("b")
        let list = (own + old + other + [isInBase, isPresent("o")]).joined(separator: ", ")
        let join = table.base == nil ? "" : "LEFT JOIN base.\(name) b ON \(sameKey("b", "m", key))"
        let rows = ChangedRows(table: table, source: "main", columns: columns)
        let isSame = rows.isComparable ? sameCells("b", "m", columns) : "0"
        return """
            SELECT \(list)
            FROM main.\(name) m \(join) LEFT JOIN other.\(name) o ON \(sameKey("o", "m", key))
            WHERE \(isInBase) = 0 OR NOT \(isSame)
            """
    }

    private var removed: String {
        let values = key.map { "b.\(quoted($0))" }
        let list = (values + [isPresent("o")]).joined(separator: ", ")
        let shared = table.other.columns
        let rows = ChangedRows(table: table, source: "other", columns: shared)
        let isSame = rows.isComparable ? sameCells("b", "o", shared) : "0"
        return """
            SELECT \(list)
            FROM base.\(name) b LEFT JOIN other.\(name) o ON \(sameKey("o", "b", key))
            WHERE NOT EXISTS (SELECT 1 FROM main.\(name) m WHERE \(sameKey("m", "b", key)))
                AND (\(isPresent("o")) = 0 OR \(isSame))
            """
    }
}
