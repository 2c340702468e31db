/// The merge of what is neither schema nor row: the application's numbers and the counters of
/// AUTOINCREMENT.
struct HeaderMerge {
    let schemas: SchemaTriple
    let connection: SQLiteConnection
    let conflicts: ConflictList

    func run() throws(SQLiteTrouble) {
        try merge("user_version", \.userVersion)
        try merge("application_id", \.applicationID)
        guard schemas.skeleton.hasSequence, schemas.other.hasSequence else { return }
        // A number that either side ever gave is not given again.
        try connection.run(
            """
            UPDATE main.sqlite_sequence AS m SET seq = o.seq FROM other.sqlite_sequence AS o
            WHERE o.name = m.name AND o.seq > m.seq;
            INSERT INTO main.sqlite_sequence(name, seq)
            SELECT name, seq FROM other.sqlite_sequence
            WHERE name NOT IN (SELECT name FROM main.sqlite_sequence)
                AND name IN (SELECT name FROM main.sqlite_schema WHERE type = 'table');
            """)
    }

    private func merge(_ name: String, _ number: KeyPath<SQLiteSchema, Int64>)
        throws(SQLiteTrouble)
    {
        let (mine, theirs) = (schemas.skeleton[keyPath: number], schemas.other[keyPath: number])
        let known = schemas.base?[keyPath: number]
        if theirs == mine || theirs == known { return }
        guard mine == known else {
            return try conflicts.add(name, "It is \(mine) on one side and \(theirs) on the other.")
        }
        try connection.run("PRAGMA main.\(name) = \(theirs)")
    }
}
