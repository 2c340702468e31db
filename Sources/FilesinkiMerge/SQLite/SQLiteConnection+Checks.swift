extension SQLiteConnection {
    /// Declines a database that is not whole: a wrong index would make rows look removed.
    func checkIntegrity(_ what: String) throws(SQLiteTrouble) {
        let rows = try prepare("PRAGMA integrity_check(1)")
        guard try rows.step(), rows.text(0) != "ok" else { return }
        throw .declined("", "\(what): \(rows.text(0)).")
    }

    /// Declines a result in which a row refers to one that is not there.
    func checkForeignKeys() throws(SQLiteTrouble) {
        let rows = try prepare("PRAGMA foreign_key_check")
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
