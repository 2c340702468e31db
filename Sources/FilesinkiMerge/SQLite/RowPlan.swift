/// What is to be done to the rows of the skeleton, in temporary tables until all is known.
struct RowPlan {
    /// The name of the table.
    let table: String
    let skeleton: SQLiteTable
    /// The columns that an added row has values for.
    let added: [SQLiteTable.Column]
    let connection: SQLiteConnection
    private let removing: ValueList
    private let renewing: ValueList
    private let adding: ValueList

    init(
        table: String, skeleton: SQLiteTable, added: [SQLiteTable.Column],
        connection: SQLiteConnection
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

    func begin() throws(SQLiteTrouble) {
        for list in [removing, renewing, adding] { try list.create() }
    }

    func end() throws(SQLiteTrouble) {
        for list in [removing, renewing, adding] { try list.drop() }
    }

    func remove(_ location: [SQLiteValue]) throws(SQLiteTrouble) { try removing.append(location) }

    func renew(_ location: [SQLiteValue], _ values: [SQLiteValue]) throws(SQLiteTrouble) {
        try removing.append(location)
        try renewing.append(values + location.prefix(1))
    }

    func add(_ values: [SQLiteValue]) throws(SQLiteTrouble) { try adding.append(values) }

    func carryOut() throws(SQLiteTrouble) {
        try remove()
        let rowid = skeleton.isKeyedByRowid ? nil : skeleton.rowid
        let columns = skeleton.columns
        try insert(renewing, columns, rowid: rowid)
        try insert(adding, added, rowid: nil)
    }

    private func remove() throws(SQLiteTrouble) {
        let place = skeleton.rowid ?? "(\(skeleton.key.map(quoted).joined(separator: ", ")))"
        let width = skeleton.rowid == nil ? skeleton.key.count : 1
        let columns = (0..<width).map { "v\($0)" }.joined(separator: ", ")
        try connection.run(
            "DELETE FROM main.\(quoted(table)) "
                + "WHERE \(place) IN (SELECT \(columns) FROM \(removing.name))")
    }

    private func insert(_ list: ValueList, _ columns: [SQLiteTable.Column], rowid: String?)
        throws(SQLiteTrouble)
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
            try statement.run(values, place: Self.place(table, key.map { values[$0] }))
        }
    }

    /// A row in a message.
    static func place(_ table: String, _ key: [SQLiteValue]) -> String {
        guard let first = key.first else { return "table \(table)" }
        let shown =
            key.count == 1 ? first.shown : "(\(key.map(\.shown).joined(separator: ", ")))"
        return "table \(table), key \(shown)"
    }
}

/// A temporary table of values without types.
private final class ValueList {
    let name: String
    private let width: Int
    private let connection: SQLiteConnection
    private var statement: SQLiteStatement?

    init(_ name: String, _ width: Int, _ connection: SQLiteConnection) {
        self.name = name
        self.width = width
        self.connection = connection
    }

    func create() throws(SQLiteTrouble) {
        let columns = (0..<width).map { "v\($0)" }.joined(separator: ", ")
        try connection.run("CREATE TABLE \(name)(\(columns))")
    }

    func append(_ values: [SQLiteValue]) throws(SQLiteTrouble) {
        if statement == nil { statement = try prepared() }
        try statement?.run(values)
    }

    private func prepared() throws(SQLiteTrouble) -> SQLiteStatement {
        let marks = Array(repeating: "?", count: width).joined(separator: ", ")
        return try connection.prepare("INSERT INTO \(name) VALUES (\(marks))")
    }

    func drop() throws(SQLiteTrouble) {
        statement = nil
        try connection.run("DROP TABLE \(name)")
    }
}
