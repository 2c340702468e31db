extension SQLiteConnection {
    /// Declines a database whose pages are damaged. Indices are not compared with their tables, which
    /// would take several times as long; see ``checkIndices(of:in:)``.
    func checkStructure() throws(SQLiteTrouble) {
        try check("PRAGMA main.quick_check(1)", "A content that takes part is damaged")
    }

    /// Declines a table whose indices do not fit: where rows are looked up by one, a wrong one would
    /// make rows look removed.
    func checkIndices(of table: String, in database: String) throws(SQLiteTrouble) {
        try check(
            "PRAGMA \(database).integrity_check(\(quoted(table)))",
            "A content that takes part is damaged")
    }

    /// Declines a database that is not whole in every way that SQLite can tell.
    func checkIntegrity(_ what: String) throws(SQLiteTrouble) {
        // Named, as without a name it is for the attached ones, too.
        try check("PRAGMA main.integrity_check(1)", what)
    }

    private func check(_ sql: String, _ what: String) throws(SQLiteTrouble) {
        let rows = try prepare(sql)
        guard try rows.step(), rows.text(0) != "ok" else { return }
        throw .declined("", "\(what): \(rows.text(0)).")
    }

    /// Declines a result in which a row refers to one that is not there.
    func checkForeignKeys() throws(SQLiteTrouble) {
        let rows = try prepare("PRAGMA main.foreign_key_check")
        var conflicts: [MergeConflict] = []
        while conflicts.count < 10, try rows.step() {
            conflicts.append(
                MergeConflict(
                    "table \(rows.text(0)), row \(rows.value(1).shown)",
                    "It would refer to a row of table \(rows.text(2)) that is not there."))
        }
        if !conflicts.isEmpty { throw .declined(conflicts) }
    }
}
