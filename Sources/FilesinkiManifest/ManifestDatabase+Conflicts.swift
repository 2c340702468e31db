package import FilesinkiModel
internal import FilesinkiSQLite

extension ManifestDatabase {
    /// The conflicts, oldest first.
    ///
    /// - Parameter state: Only those in this state; nil for all.
    package func conflicts(_ state: ConflictRow.State? = nil) throws(Failure) -> [ConflictRow] {
        let all = try readConflicts("SELECT \(conflictList) FROM conflict ORDER BY id") { _ in }
        return all.filter { state == nil || $0.state == state }
    }

    /// The open conflicts of one path, oldest first.
    package func openConflicts(at path: RelativePath) throws(Failure) -> [ConflictRow] {
        try readConflicts(
            "SELECT \(conflictList) FROM conflict WHERE path = ? AND state = 1 ORDER BY id"
        ) { statement in
            path.bytes.withUnsafeBytes { statement.bind($0, at: 1) }
        }
    }

    /// The conflict with a number, or nil.
    package func conflict(_ id: Int64) throws(Failure) -> ConflictRow? {
        try readConflicts("SELECT \(conflictList) FROM conflict WHERE id = ?") { statement in
            statement.bind(id, at: 1)
        }.first
    }

    private var conflictList: String { "\(ConflictRow.columns), row_check, id" }

    private func readConflicts(
        _ sql: String, bind: (OwnStatement) -> Void
    ) throws(Failure) -> [ConflictRow] {
        let select = try cache.statement(sql)
        defer { select.reset() }
        bind(select)
        var rows: [ConflictRow] = []
        while try select.step() {
            var reader = RowReader(select, table: "conflict")
            let row = ConflictRow(id: select.integer(9), from: &reader)
            _ = try reader.finish()
            rows.append(row)
        }
        return rows
    }
}

extension ManifestWriter {
    /// Records a conflict; the row's own id is not looked at.
    ///
    /// - Returns: The number it is given.
    @discardableResult
    package func addConflict(_ row: ConflictRow) throws(Failure) -> Int64 {
        try database.connection.requireTransaction()
        let insert = try database.cache.statement(
            """
            INSERT INTO conflict (\(ConflictRow.columns), row_check)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        bind(row, to: insert)
        try insert.execute()
        return database.connection.lastRow
    }

    /// Marks a conflict as settled; does nothing when there is none with this number.
    package func resolveConflict(_ id: Int64) throws(Failure) {
        try database.connection.requireTransaction()
        guard var row = try database.conflict(id) else { return }
        row.state = .resolved
        let update = try database.cache.statement(
            """
            UPDATE conflict SET path = ?, base = ?, here = ?, there = ?, copy_path = ?, rule = ?,
            time = ?, state = ?, row_check = ? WHERE id = ?
            """)
        bind(row, to: update)
        update.bind(id, at: 10)
        try update.execute()
    }

    private func bind(_ row: ConflictRow, to statement: OwnStatement) {
        var writer = RowWriter(statement, table: "conflict")
        row.write(to: &writer)
        _ = writer.finish()
    }
}
