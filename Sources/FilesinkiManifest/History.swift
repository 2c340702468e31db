package import FilesinkiModel
import FilesinkiSQLite

/// What a run did to one path, and why.
package struct JournalRow: Hashable, Sendable {
    /// The run that did it: what ``ManifestWriter/beginRun(started:)`` returned.
    package var run: Int64
    package var time: Timestamp
    package var path: RelativePath
    /// In a word, such as `publish`.
    package var action: String
    /// The row of the table or the strategy that decided.
    package var rule: String
    /// The device that made the change; nil for none.
    package var device: Device?
    /// The version before; 0 for none.
    package var baseVersion: UInt64
    /// The version after; 0 for none.
    package var version: UInt64
    /// For people; may be empty.
    package var note: String

    package init(
        run: Int64, time: Timestamp, path: RelativePath, action: String, rule: String,
        device: Device? = nil, baseVersion: UInt64 = 0, version: UInt64 = 0, note: String = ""
    ) {
        self.run = run
        self.time = time
        self.path = path
        self.action = action
        self.rule = rule
        self.device = device
        self.baseVersion = baseVersion
        self.version = version
        self.note = note
    }
}

/// What a run did, in numbers.
package struct RunCounts: Hashable, Sendable {
    /// Paths sent to the remote.
    package var published: Int64 = 0
    /// Paths fetched from the remote.
    package var taken: Int64 = 0
    /// Paths deleted on either side.
    package var deleted: Int64 = 0
    package var conflicts: Int64 = 0
    /// Paths that failed.
    package var problems: Int64 = 0
    /// Bytes to the remote.
    package var sent: Int64 = 0
    /// Bytes from the remote.
    package var received: Int64 = 0

    package init() {}
}

/// One run of the engine.
package struct RunRow: Hashable, Sendable {
    package var id: Int64
    package var started: Timestamp
    /// When it ended; nil while it is under way, or when it was killed.
    package var ended: Timestamp?
    /// In a word, such as `done`; empty until it ended.
    package var outcome: String
    /// The exit code of the process; nil until the run ended.
    package var exitCode: Int32?
    package var counts: RunCounts

    package init(
        id: Int64, started: Timestamp, ended: Timestamp? = nil, outcome: String = "",
        exitCode: Int32? = nil, counts: RunCounts = RunCounts()
    ) {
        self.id = id
        self.started = started
        self.ended = ended
        self.outcome = outcome
        self.exitCode = exitCode
        self.counts = counts
    }

    /// Whether it sent and received everything that could be: it was done (0), or left nothing but conflicts or what is
    /// withheld, which a person decides (3).
    package var isComplete: Bool { exitCode == 0 || exitCode == 3 }
}

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

    /// The versions that paths got by a rule, in no order. Costs a pass over the journal.
    package func journalVersions(
        by rule: String
    ) throws(Failure) -> [(path: RelativePath, version: UInt64)] {
        let rows = try readJournal(
            "SELECT \(Self.journalColumns) FROM journal WHERE rule = ?"
        ) { statement in statement.bind(rule, at: 1) }
        return rows.map { ($0.path, $0.version) }
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
        while try select.step() { rows.append(runRow(select)) }
        return rows
    }

    private func runRow(_ select: OwnStatement) -> RunRow {
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
            // These rows carry no check, so the path is validated like one from outside.
            do throws(Failure) { path = try RelativePath(Array(select.bytes(2))) } catch {
                throw connection.corrupt("the journal has an invalid path")
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
    private func prune(_ table: String, to limit: Int64) throws(Failure) {
        let delete = try database.cache.statement(
            "DELETE FROM \(table) WHERE id <= (SELECT max(id) FROM \(table)) - ?")
        delete.bind(limit, at: 1)
        try delete.execute()
    }
}
