package import FilesinkiModel
internal import FilesinkiSQLite

extension ManifestDatabase {
    /// What was done to a path, newest first.
    ///
    /// - Parameter limit: The most rows to return.
    package func journal(of path: RelativePath, limit: Int) throws(Failure) -> [JournalRow] {
        try readJournal(
            "SELECT \(Self.journalColumns) FROM journal WHERE path = ? ORDER BY id DESC LIMIT ?"
        ) { statement in
            path.bytes.withUnsafeBytes { statement.bind($0, at: 1) }
            statement.bind(Int64(limit), at: 2)
        }
    }

    /// What was done last, newest first.
    package func journal(limit: Int) throws(Failure) -> [JournalRow] {
        try readJournal("SELECT \(Self.journalColumns) FROM journal ORDER BY id DESC LIMIT ?") {
            $0.bind(Int64(limit), at: 1)
        }
    }

    /// The last runs, newest first.
    package func runs(limit: Int) throws(Failure) -> [RunRow] {
        let select = try cache.statement(
            """
            SELECT id, started, ended, outcome, exit_code, published, taken, deleted, conflicts,
            problems, sent, received FROM run ORDER BY id DESC LIMIT ?
            """)
        defer { select.reset() }
        select.bind(Int64(limit), at: 1)
        var rows: [RunRow] = []
        while try select.step() { rows.append(run(select)) }
        return rows
    }

    private func run(_ select: OwnStatement) -> RunRow {
        var row = RunRow(
            id: select.integer(0), started: Timestamp(nanoseconds: select.integer(1)),
            ended: select.isNull(2) ? nil : Timestamp(nanoseconds: select.integer(2)),
            outcome: select.text(3),
            exitCode: select.isNull(4) ? nil : Int32(truncatingIfNeeded: select.integer(4)))
        row.counts.published = select.integer(5)
        row.counts.taken = select.integer(6)
        row.counts.deleted = select.integer(7)
        row.counts.conflicts = select.integer(8)
        row.counts.problems = select.integer(9)
        row.counts.sent = select.integer(10)
        row.counts.received = select.integer(11)
        return row
    }

    static let journalColumns =
        "run, time, path, action, rule, device_id, device_name, base_version, version, note"

    private func readJournal(
        _ sql: String, bind: (OwnStatement) -> Void
    ) throws(Failure) -> [JournalRow] {
        let select = try cache.statement(sql)
        defer { select.reset() }
        bind(select)
        var rows: [JournalRow] = []
        while try select.step() {
            let path: RelativePath
            // These rows carry no check, so that the path is looked at as one from outside.
            do throws(Failure) { path = try RelativePath(Array(select.bytes(2))) } catch {
                throw connection.corrupt("the journal has a path that is none")
            }
            rows.append(journalRow(select, path))
        }
        return rows
    }

    private func journalRow(_ select: OwnStatement, _ path: RelativePath) -> JournalRow {
        JournalRow(
            run: select.integer(0), time: Timestamp(nanoseconds: select.integer(1)), path: path,
            action: select.text(3), rule: select.text(4),
            device: select.isNull(5)
                ? nil : Device(id: Array(select.bytes(5)), name: select.text(6)),
            baseVersion: UInt64(bitPattern: select.integer(7)),
            version: UInt64(bitPattern: select.integer(8)), note: select.text(9))
    }
}
