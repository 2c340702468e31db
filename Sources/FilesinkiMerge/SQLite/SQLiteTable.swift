/// A table as `pragma_table_xinfo` tells it.
struct SQLiteTable {
    struct Column: Hashable {
        var name: String
        var affinity: Affinity
    }

    /// What SQLite makes of a value before it keeps it (datatype3.html, section 3.1).
    enum Affinity: Hashable {
        case integer, text, blob, real, numeric
    }

    let name: String
    /// The columns that are kept and not computed.
    private(set) var columns: [Column] = []
    /// The names of the primary key's columns, in its order; empty for a table without one.
    private(set) var key: [String] = []
    /// A name for the rowid that no column has; nil for a table WITHOUT ROWID.
    let rowid: String?
    /// Whether the key is another name of the rowid.
    private(set) var isKeyedByRowid = false

    init(_ table: String, in database: String, on connection: SQLiteConnection)
        throws(SQLiteTrouble)
    {
        name = table
        let rows = try connection.prepare(
            "SELECT name, type, pk, hidden FROM pragma_table_xinfo(?1, ?2)")
        rows.bind(.text(Array(table.utf8)), at: 1)
        rows.bind(.text(Array(database.utf8)), at: 2)
        var names: Set<String> = []
        var keys: [(Int64, String, String)] = []
        while try rows.step() {
            let (column, type) = (rows.text(0), folded(rows.text(1)))
            names.insert(folded(column))
            if rows.value(3) == .integer(0) {
                columns.append(Column(name: column, affinity: Affinity(type)))
            }
            if case .integer(let place) = rows.value(2), place > 0 {
                keys.append((place, column, type))
            }
        }
        key = keys.sorted { $0.0 < $1.0 }.map(\.1)
        let free = ["_rowid_", "rowid", "oid"].first { !names.contains($0) }
        rowid = free.flatMap { Self.accepts($0, table, database, connection) ? $0 : nil }
        isKeyedByRowid = rowid != nil && keys.count == 1 && keys.first?.2 == "integer"
    }

    private static func accepts(
        _ rowid: String, _ table: String, _ database: String, _ connection: SQLiteConnection
    ) -> Bool {
        (try? connection.prepare("SELECT \(rowid) FROM \(database).\(quoted(table))")) != nil
    }

    func column(_ name: String) -> Column? {
        columns.first { folded($0.name) == folded(name) }
    }
}

extension SQLiteTable.Affinity {
    /// - Parameter type: A declared type, in small letters. `ANY` keeps values as they are in a
    ///   STRICT table; to think so of others does no harm.
    init(_ type: String) {
        func has(_ part: String) -> Bool { type.firstRange(of: part) != nil }
        if has("int") {
            self = .integer
        } else if has("char") || has("clob") || has("text") {
            self = .text
        } else if has("blob") || type.isEmpty || type == "any" {
            self = .blob
        } else if has("real") || has("floa") || has("doub") {
            self = .real
        } else {
            self = .numeric
        }
    }
}

/// That two rows have the same cells, as SQL.
///
/// Bytes count, not collations. A column without affinity keeps 1 and 1.0 apart though they are
/// equal, so there the types are compared, too. The terms are in groups, as SQLite bounds the depth
/// of an expression.
func sameCells(_ left: String, _ right: String, _ columns: [SQLiteTable.Column]) -> String {
    let terms = columns.map { column in
        let (first, second) = ("\(left).\(quoted(column.name))", "\(right).\(quoted(column.name))")
        let same = "\(first) COLLATE BINARY IS \(second)"
        return column.affinity == .blob ? "\(same) AND typeof(\(first)) = typeof(\(second))" : same
    }
    let groups = stride(from: 0, to: terms.count, by: 50).map {
        "(" + terms[$0..<min($0 + 50, terms.count)].joined(separator: " AND ") + ")"
    }
    return groups.isEmpty ? "1" : "(" + groups.joined(separator: " AND ") + ")"
}

/// That two rows have the same key, by the key's own collation, as SQL that an index serves.
func sameKey(_ left: String, _ right: String, _ key: [String]) -> String {
    key.map { "\(left).\(quoted($0)) = \(right).\(quoted($0))" }.joined(separator: " AND ")
}
