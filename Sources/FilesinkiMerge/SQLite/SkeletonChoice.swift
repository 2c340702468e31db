import FilesinkiModel
import FilesinkiSQLite

/// Which side the result starts as a copy of; both devices choose the same one.
struct SkeletonChoice {
    let sides: SQLiteMerge.Sides
    /// The bytes of all three files.
    let size: Int

    /// - Returns: Whether it is ours.
    /// - Throws: `declined` when both sides changed what only the skeleton can contribute.
    func isOurs() throws(SQLiteMergeError) -> Bool {
        let schemas = try Schemas(sides, size: size)
        let bySchema = try schemas.isOursChanged()
        let byModule = try isOursTouched(schemas)
        if let bySchema, let byModule, bySchema != byModule {
            throw .declined(
                "", "One side changed the schema, the other the contents of a virtual table.")
        }
        if let only = bySchema ?? byModule { return only }
        do {
            return try sides.ours.compared(to: sides.theirs) > 0
        } catch {
            throw .failed(error)
        }
    }

    /// Whether our side changed the tables of a virtual table, such as a full-text index; nil when no
    /// side did.
    private func isOursTouched(_ schemas: Schemas) throws(SQLiteMergeError) -> Bool? {
        let tables = Set(schemas.ours.ownedTables).union(schemas.theirs.ownedTables).sorted()
        guard !tables.isEmpty else { return nil }
        let known = sides.base ?? sides.theirs
        let connection = try MergeConnection(known.path, .merging(isWritable: false, size))
        try connection.attach(sides.ours.path, as: "ours")
        try connection.attach(sides.theirs.path, as: "theirs")
        var found: Bool?
        for table in tables {
            let ours = try connection.differs(table, "main", "ours")
            let theirs = try connection.differs(table, "main", "theirs")
            if ours && theirs || sides.base == nil && ours
                || found.map({ $0 ? theirs : ours }) == true
            {
                throw .declined(
                    "table \(table)", "It belongs to a virtual table that both sides changed.")
            }
            if ours || theirs { found = ours }
        }
        return found
    }
}

/// What the three databases declare.
private struct Schemas {
    var base: SQLiteSchema?
    var ours: SQLiteSchema
    var theirs: SQLiteSchema

    init(_ sides: SQLiteMerge.Sides, size: Int) throws(SQLiteMergeError) {
        func schema(_ content: FileContent) throws(SQLiteMergeError) -> SQLiteSchema {
            let connection = try MergeConnection(content.path, .merging(isWritable: false, size))
            return try SQLiteSchema(of: "main", on: connection)
        }
        if let file = sides.base { base = try schema(file) }
        ours = try schema(sides.ours)
        theirs = try schema(sides.theirs)
        guard ours.encoding == theirs.encoding, base == nil || base?.encoding == ours.encoding
        else {
            throw .declined("", "The databases store text in different encodings.")
        }
    }

    /// Whether our side changed the schema; nil when both have the same one.
    func isOursChanged() throws(SQLiteMergeError) -> Bool? {
        if ours.items == theirs.items { return nil }
        if let base, base.items == theirs.items { return true }
        if let base, base.items == ours.items { return false }
        let name = ours.items.symmetricDifference(theirs.items).map(\.name).sorted().first ?? ""
        throw .declined("table \(name)", "Both sides changed the schema differently.")
    }
}

extension MergeConnection {
    /// Whether a table's rows differ between two databases, compared by rowid or key.
    func differs(_ table: String, _ left: String, _ right: String) throws(SQLiteMergeError) -> Bool
    {
        let first = try SQLiteTable(table, in: left, on: self)
        let second = try SQLiteTable(table, in: right, on: self)
        guard first.columns == second.columns, first.rowid == second.rowid,
            first.key == second.key
        else { return true }
        let name = quoted(table)
        let place = first.rowid.map { "x.\($0) = y.\($0)" } ?? sameKey("x", "y", first.key)
        let sought = first.rowid ?? first.key.first.map(quoted) ?? "NULL"
        let isOther = try hasRow(
            """
            SELECT 1 FROM \(right).\(name) y LEFT JOIN \(left).\(name) x ON \(place)
            WHERE x.\(sought) IS NULL OR NOT \(sameCells("x", "y", first.columns)) LIMIT 1
            """)
        if isOther { return true }
        return try hasRow(
            """
            SELECT 1 WHERE (SELECT count(*) FROM \(left).\(name))
                <> (SELECT count(*) FROM \(right).\(name))
            """)
    }
}
