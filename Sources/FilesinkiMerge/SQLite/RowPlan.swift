import FilesinkiSQLite

/// What is to be done to the rows of the skeleton, collected in temporary tables.
struct RowPlan {
    /// The name of the table.
    let table: String
    let skeleton: SQLiteTable
    /// The columns that an added row has values for.
    let added: [SQLiteTable.Column]
    let connection: MergeConnection
    private let removing: ValueList
    private let renewing: ValueList
    private let adding: ValueList

    init(
        table: String, skeleton: SQLiteTable, added: [SQLiteTable.Column],
        connection: MergeConnection
    ) {
        self.table = table
        self.skeleton = skeleton
        self.added = added
        self.connection = connection
        let width = skeleton.rowid == nil ? skeleton.key.count : 1
        removing = ValueList("temp.\"to remove\"", width, connection)
        renewing = ValueList("temp.\"to renew\"", skeleton.columns.count + 1, connection)
        adding = ValueList("temp.\"to add\"", added.count, connection)
    }

    func createTables() throws(SQLiteMergeError) {
        for list in [removing, renewing, adding] { try list.create() }
    }

    func dropTables() throws(SQLiteMergeError) {
        for list in [removing, renewing, adding] { try list.drop() }
    }

    func remove(_ location: [SQLiteValue]) throws(SQLiteMergeError) {
        try removing.append(location)
    }

    func renew(_ location: [SQLiteValue], _ values: [SQLiteValue]) throws(SQLiteMergeError) {
        try removing.append(location)
        try renewing.append(values + location.prefix(1))
    }

    func add(_ values: [SQLiteValue]) throws(SQLiteMergeError) { try adding.append(values) }

    func execute() throws(SQLiteMergeError) {
        try remove()
        let rowid = skeleton.isKeyedByRowid ? nil : skeleton.rowid
        let columns = skeleton.columns
        try insert(renewing, columns, rowid: rowid)
        try insert(adding, added, rowid: nil)
    }

    private func remove() throws(SQLiteMergeError) {
        let place = skeleton.rowid ?? "(\(skeleton.key.map(quoted).joined(separator: ", ")))"
        let width = skeleton.rowid == nil ? skeleton.key.count : 1
        let columns = (0..<width).map { "v\($0)" }.joined(separator: ", ")
        try connection.execute(
            "DELETE FROM main.\(quoted(table)) "
                + "WHERE \(place) IN (SELECT \(columns) FROM \(removing.name))")
    }

    private func insert(_ list: ValueList, _ columns: [SQLiteTable.Column], rowid: String?)
        throws(SQLiteMergeError)
    {
        let names = columns.map { quoted($0.name) } + (rowid.map { [$0] } ?? [])
        let marks = names.indices.map { "?\($0 + 1)" }
        let statement = try connection.prepare(
            "INSERT INTO main.\(quoted(table))(\(names.joined(separator: ", "))) "
                + "VALUES (\(marks.joined(separator: ", ")))")
        let rows = try connection.prepare("SELECT * FROM \(list.name) ORDER BY rowid")
        let key = skeleton.key.compactMap { name in columns.firstIndex { $0.isNamed(name) } }
        while try rows.step() {
            let values = rows.values(0..<names.count)
            do throws(SQLiteMergeError) { try statement.execute(values) } catch {
                throw error.at(Self.place(table, key.map { values[$0] }))
            }
        }
    }

    /// A row in a message.
    static func place(_ table: String, _ key: [SQLiteValue]) -> String {
        key.isEmpty ? "table \(table)" : "table \(table), key \(shown(key))"
    }

    /// The values of a key in a message.
    static func shown(_ key: [SQLiteValue]) -> String {
        key.count == 1 ? key[0].shown : "(\(key.map(\.shown).joined(separator: ", ")))"
    }
}

/// A temporary table of values without types.
private final class ValueList {
    let name: String
    private let width: Int
    private let connection: MergeConnection
    private var statement: MergeStatement?

    init(_ name: String, _ width: Int, _ connection: MergeConnection) {
        self.name = name
        self.width = width
        self.connection = connection
    }

    func create() throws(SQLiteMergeError) {
        let columns = (0..<width).map { "v\($0)" }.joined(separator: ", ")
        try connection.execute("CREATE TABLE \(name)(\(columns))")
    }

    func append(_ values: [SQLiteValue]) throws(SQLiteMergeError) {
        if statement == nil { statement = try prepared() }
        try statement?.execute(values)
    }

    private func prepared() throws(SQLiteMergeError) -> MergeStatement {
        let marks = Array(repeating: "?", count: width).joined(separator: ", ")
        return try connection.prepare("INSERT INTO \(name) VALUES (\(marks))")
    }

    func drop() throws(SQLiteMergeError) {
        statement = nil
        try connection.execute("DROP TABLE \(name)")
    }
}

/// The rows in which a side may differ from the base: those without an equal row at the same rowid.
///
/// Comparing by rowid takes one pass over both tables in their own order, whatever the key; only
/// what is left is looked up by key. After a VACUUM that renumbered the rows all of them count as
/// changed: slower, and still correct. Tables WITHOUT ROWID are in the order of their key already.
struct ChangedRows {
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

    /// Whether the base has the same columns, so that its rows can be compared.
    var isComparable: Bool {
        guard let base = table.base else { return false }
        return columns.allSatisfy { base.column($0.name)?.affinity == $0.affinity }
            && base.rowid == rowid
    }

    /// Fills the temporary tables.
    func findRows() throws(SQLiteMergeError) {
        guard let rowid else { return }
        try table.connection.execute(
            "CREATE TABLE \(mine)(id INTEGER PRIMARY KEY);"
                + "CREATE TABLE \(gone)(id INTEGER PRIMARY KEY)")
        guard isComparable else { return try insertAll(rowid) }
        try table.connection.execute(
            """
            INSERT INTO \(mine) SELECT x.\(rowid) FROM \(source).\(name) x
            LEFT JOIN base.\(name) b ON b.\(rowid) = x.\(rowid)
            WHERE b.\(rowid) IS NULL OR NOT \(sameCells("b", "x", columns));
            INSERT INTO \(gone) SELECT b.\(rowid) FROM \(mine) m
            CROSS JOIN base.\(name) b ON b.\(rowid) = m.id;
            """)
        try findRemoved(rowid)
    }

    /// Finds rows whose rowid is gone altogether, if the row counts say that there are any. NOT INDEXED,
    /// as an index would visit the rows in its own order and take six times as long.
    private func findRemoved(_ rowid: String) throws(SQLiteMergeError) {
        let removed = try table.connection.number(
            """
            SELECT (SELECT count(*) FROM base.\(name)) - (SELECT count(*) FROM \(source).\(name))
                + (SELECT count(*) FROM \(mine)) - (SELECT count(*) FROM \(gone))
            """)
        guard removed != 0 else { return }
        try table.connection.execute(
            """
            INSERT OR IGNORE INTO \(gone) SELECT b.\(rowid) FROM base.\(name) b NOT INDEXED
            LEFT JOIN \(source).\(name) x ON x.\(rowid) = b.\(rowid)
            WHERE x.\(rowid) IS NULL
            """)
    }

    private func insertAll(_ rowid: String) throws(SQLiteMergeError) {
        try table.connection.execute(
            "INSERT INTO \(mine) SELECT \(rowid) FROM \(source).\(name)")
        guard let own = table.base?.rowid else { return }
        try table.connection.execute("INSERT INTO \(gone) SELECT \(own) FROM base.\(name)")
    }

    func dropTables() throws(SQLiteMergeError) {
        guard rowid != nil else { return }
        try table.connection.execute("DROP TABLE \(mine); DROP TABLE \(gone)")
    }
}
