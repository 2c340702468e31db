import FilesinkiModel
import FilesinkiSQLite

/// Which side the result begins as a copy of, the same on both devices.
struct SkeletonChoice {
    let sides: SQLiteMerge.Sides
    /// The bytes of all three files.
    let size: Int

    /// - Returns: Whether it is here's.
    /// - Throws: A decline where both sides changed what only one can bring.
    func isHere() throws(SQLiteMergeError) -> Bool {
        let schemas = try Schemas(sides, size: size)
        let bySchema = try schemas.isHereChanged()
        let byModule = try isHereTouched(schemas)
        if let bySchema, let byModule, bySchema != byModule {
            throw .declined(
                "", "One side changed the schema, the other what a virtual table keeps.")
        }
        if let only = bySchema ?? byModule { return only }
        do {
            return try sides.here.compared(to: sides.there) > 0
        } catch {
            throw .failed(error)
        }
    }

    /// Whether here changed the tables of a module, as a full-text index; nil when nobody did.
    private func isHereTouched(_ schemas: Schemas) throws(SQLiteMergeError) -> Bool? {
        let tables = Set(schemas.here.ownedTables).union(schemas.there.ownedTables).sorted()
        guard !tables.isEmpty else { return nil }
        let known = sides.base ?? sides.there
        let connection = try MergeConnection(known.path, .merging(isWritable: false, size))
        try connection.attach(sides.here.path, as: "here")
        try connection.attach(sides.there.path, as: "there")
        var found: Bool?
        for table in tables {
            let here = try connection.differs(table, "main", "here")
            let there = try connection.differs(table, "main", "there")
            if here && there || sides.base == nil && here
                || found.map({ $0 ? there : here }) == true
            {
                throw .declined(
                    "table \(table)", "It belongs to a virtual table that both sides changed.")
            }
            if here || there { found = here }
        }
        return found
    }
}

/// What the three databases declare.
private struct Schemas {
    var base: SQLiteSchema?
    var here: SQLiteSchema
    var there: SQLiteSchema

    init(_ sides: SQLiteMerge.Sides, size: Int) throws(SQLiteMergeError) {
        func schema(_ content: FileContent) throws(SQLiteMergeError) -> SQLiteSchema {
            let connection = try MergeConnection(content.path, .merging(isWritable: false, size))
            return try SQLiteSchema(of: "main", on: connection)
        }
        if let file = sides.base { base = try schema(file) }
        here = try schema(sides.here)
        there = try schema(sides.there)
        guard here.encoding == there.encoding, base == nil || base?.encoding == here.encoding else {
            throw .declined("", "The databases keep text in different encodings.")
        }
    }

    /// Whether it was here that changed the schema; nil where both have the same one.
    func isHereChanged() throws(SQLiteMergeError) -> Bool? {
        if here.items == there.items { return nil }
        if let base, base.items == there.items { return true }
        if let base, base.items == here.items { return false }
        let name = here.items.symmetricDifference(there.items).map(\.name).sorted().first ?? ""
        throw .declined("table \(name)", "Both sides changed the schema, each in another way.")
    }
}

extension MergeConnection {
    /// Whether a table's rows in one database are not those in another, in rowid's or key's place.
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
