import FilesinkiModel

/// What a database says about itself: its tables, and the numbers in its header that are the
/// application's.
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
    init(of name: String, on connection: SQLiteConnection) throws(SQLiteTrouble) {
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
        userVersion = try connection.integer("PRAGMA \(name).user_version")
        applicationID = try connection.integer("PRAGMA \(name).application_id")
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
