import FilesinkiModel
import FilesinkiSQLite

/// What a database declares: its tables, and the application's numbers in its header.
struct SQLiteSchema {
    /// One row of `sqlite_schema`, without the page it begins at.
    struct Item: Hashable {
        var type: String
        var name: String
        var table: String
        var sql: String
    }

    /// All that was declared; what SQLite makes by itself is not part.
    var items: Set<Item> = []
    var encoding = ""
    /// `user_version`, which applications count their schema by.
    var userVersion: Int64 = 0
    var applicationID: Int64 = 0
    /// Whether AUTOINCREMENT was ever used.
    var hasSequence = false

    /// - Parameter name: The name under which the connection knows the database.
    init(of name: String, on connection: MergeConnection) throws(SQLiteMergeError) {
        let rows = try connection.prepare(
            "SELECT type, name, tbl_name, sql FROM \(name).sqlite_schema")
        while try rows.step() {
            let item = Item(
                type: rows.text(0), name: rows.text(1), table: rows.text(2), sql: rows.text(3))
            if item.name == "sqlite_sequence" { hasSequence = true }
            if !folded(item.name).hasPrefix("sqlite_") { items.insert(item) }
        }
        let encodings = try connection.prepare("PRAGMA \(name).encoding")
        encoding = try encodings.step() ? encodings.text(0) : ""
        userVersion = try connection.number("PRAGMA \(name).user_version")
        applicationID = try connection.number("PRAGMA \(name).application_id")
    }

    /// The tables whose rows are the user's, by name: not SQLite's own, and not those that belong to
    /// a virtual table.
    var tables: [String] {
        let owned = Set(ownedTables)
        return allTables.filter { !owned.contains($0) }
    }

    /// The tables that a virtual table, as a full-text index, keeps its content in: those with its
    /// name, an underscore and more. Only its module knows what their rows mean.
    var ownedTables: [String] {
        let owners = items.filter(\.isVirtual).map { folded($0.name) + "_" }
        return allTables.filter { name in owners.contains { folded(name).hasPrefix($0) } }
    }

    private var allTables: [String] {
        items.filter { $0.type == "table" && !$0.isVirtual }.map(\.name).sorted()
    }

    /// The name as this database spells it.
    func table(_ name: String) -> String? {
        items.first { $0.type == "table" && !$0.isVirtual && folded($0.name) == folded(name) }?.name
    }
}

extension SQLiteSchema.Item {
    /// Whether its rows come from a module.
    var isVirtual: Bool {
        let words = sql.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
        return type == "table" && words.count > 1 && folded(String(words[1])) == "virtual"
    }
}

/// A table as `pragma_table_xinfo` describes it.
struct SQLiteTable {
    struct Column: Hashable {
        var name: String
        var affinity: Affinity
    }

    /// How SQLite converts a value before it stores it (datatype3.html, section 3.1).
    enum Affinity: Hashable {
        case integer, text, blob, real, numeric
    }

    let name: String
    /// The stored columns, without generated ones.
    private(set) var columns: [Column] = []
    /// The names of the primary key's columns, in its order; empty for a table without one.
    private(set) var key: [String] = []
    /// A name for the rowid that no column has; nil for a table WITHOUT ROWID.
    let rowid: String?
    /// Whether the key is another name of the rowid.
    private(set) var isKeyedByRowid = false
    /// The expressions that are the defaults of columns, by their place in ``columns``.
    private(set) var defaults: [Int: String] = [:]

    init(_ table: String, in database: String, on connection: MergeConnection)
        throws(SQLiteMergeError)
    {
        name = table
        let rows = try connection.prepare(
            "SELECT name, type, pk, hidden, dflt_value FROM pragma_table_xinfo(?1, ?2)")
        rows.bind(.text(Array(table.utf8)), at: 1)
        rows.bind(.text(Array(database.utf8)), at: 2)
        var names: Set<String> = []
        var keys: [(Int64, String, String)] = []
        while try rows.step() {
            let (column, type) = (rows.text(0), folded(rows.text(1)))
            names.insert(folded(column))
            if rows.value(3) == .integer(0) {
                if rows.value(4) != .null { defaults[columns.count] = rows.text(4) }
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
        _ rowid: String, _ table: String, _ database: String, _ connection: MergeConnection
    ) -> Bool {
        (try? connection.prepare("SELECT \(rowid) FROM \(database).\(quoted(table))")) != nil
    }

    func column(_ name: String) -> Column? {
        columns.first { folded($0.name) == folded(name) }
    }
}

extension SQLiteTable.Affinity {
    /// - Parameter type: A declared type, in small letters. `ANY` keeps values as they are in a
    ///   STRICT table; treating others alike is harmless.
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

/// A name quoted for SQL.
func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
        + "\""
}

/// A name in lower case: SQLite compares names without regard to the case of ASCII letters.
func folded(_ name: String) -> String {
    String(
        String.UnicodeScalarView(
            name.unicodeScalars.map {
                ("A"..."Z").contains($0) ? Unicode.Scalar(UInt8($0.value) + 32) : $0
            }))
}
