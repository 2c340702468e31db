package import FilesinkiModel
internal import FilesinkiSQLite

extension ManifestWriter {
    /// How many rows of the journal are kept.
    package static let journalLimit: Int64 = 100_000
    /// How many runs are kept.
    package static let runLimit: Int64 = 10_000

    /// Records what a run did to a path.
    package func addJournal(_ row: JournalRow) throws(Failure) {
        try database.connection.requireTransaction()
        let insert = try database.cache.statement(Self.journalInsertion)
        insert.bind(row.run, at: 1)
        insert.bind(row.time.nanoseconds, at: 2)
        row.path.bytes.withUnsafeBytes { insert.bind($0, at: 3) }
        insert.bind(row.action, at: 4)
        insert.bind(row.rule, at: 5)
        if let device = row.device {
            device.id.withUnsafeBytes { insert.bind($0, at: 6) }
            insert.bind(device.name, at: 7)
        } else {
            insert.bindNull(at: 6)
            insert.bindNull(at: 7)
        }
        insert.bind(Int64(bitPattern: row.baseVersion), at: 8)
        insert.bind(Int64(bitPattern: row.version), at: 9)
        insert.bind(row.note, at: 10)
        try insert.execute()
    }

    private static let journalInsertion =
        """
        INSERT INTO journal (\(ManifestDatabase.journalColumns))
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Records that a run began.
    ///
    /// - Returns: Its id.
    package func beginRun(started: Timestamp) throws(Failure) -> Int64 {
        try database.connection.requireTransaction()
        let insert = try database.cache.statement(
            """
            INSERT INTO run (started, outcome, published, taken, deleted, conflicts, problems, sent,
            received) VALUES (?, '', 0, 0, 0, 0, 0, 0, 0)
            """)
        insert.bind(started.nanoseconds, at: 1)
        try insert.execute()
        return database.connection.lastRow
    }

    /// Records how a run ended, and drops the oldest rows beyond ``journalLimit`` and ``runLimit``.
    package func endRun(
        _ id: Int64, ended: Timestamp, outcome: String, exitCode: Int32, counts: RunCounts
    ) throws(Failure) {
        try database.connection.requireTransaction()
        let update = try database.cache.statement(
            """
            UPDATE run SET ended = ?, outcome = ?, exit_code = ?, published = ?, taken = ?,
            deleted = ?, conflicts = ?, problems = ?, sent = ?, received = ? WHERE id = ?
            """)
        update.bind(ended.nanoseconds, at: 1)
        update.bind(outcome, at: 2)
        update.bind(Int64(exitCode), at: 3)
        let numbers = [
            counts.published, counts.taken, counts.deleted, counts.conflicts, counts.problems,
            counts.sent, counts.received, id,
        ]
        for (index, number) in numbers.enumerated() { update.bind(number, at: Int32(index) + 4) }
        try update.execute()
        try prune("journal", to: Self.journalLimit)
        try prune("run", to: Self.runLimit)
    }

    /// Keeps the newest rows of a table whose ids grow with time.
    func prune(_ table: String, to limit: Int64) throws(Failure) {
        let delete = try database.cache.statement(
            "DELETE FROM \(table) WHERE id <= (SELECT max(id) FROM \(table)) - ?")
        delete.bind(limit, at: 1)
        try delete.execute()
    }
}
