/// A cell or a row of a database that both versions of a merge are about, for those who show it as a table.
package struct MergeCell: Hashable, Sendable {
    package var table: String
    /// The values of the row's key, as messages show values.
    package var key: String
    /// Nil for the whole row.
    package var column: String?
    /// The values of the cell, as messages show them; nil where the row or the column is not there.
    package var base: String?
    package var ours: String?
    package var theirs: String?

    package init(table: String, key: String, column: String? = nil) {
        self.table = table
        self.key = key
        self.column = column
    }

    /// What messages call it.
    package var place: String {
        "table \(table), key \(key)" + (column.map { ", column \($0)" } ?? "")
    }
}
