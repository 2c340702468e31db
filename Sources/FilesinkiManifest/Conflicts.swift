package import FilesinkiModel
import FilesinkiSQLite

/// A path that both sides changed to different contents.
package struct ConflictRow: Hashable, Sendable {
    package enum State: Int64, Sendable, CaseIterable {
        /// Not resolved yet.
        case open = 1
        case resolved = 2
    }

    /// The number that users name it by, from 1 on; 0 before the manifest has assigned one.
    package var id: Int64
    package var path: RelativePath
    /// The entry both sides knew; nil for none.
    package var base: Entry?
    /// The entry of this replica; nil for none.
    package var ours: Entry?
    /// The entry of the remote; nil for none.
    package var theirs: Entry?
    /// Where in the tree the other version is kept; nil when it is not.
    package var copyPath: RelativePath?
    /// The strategy that decided, such as `keep-both`.
    package var rule: String
    /// When it was found.
    package var time: Timestamp
    package var state: State

    package init(
        id: Int64 = 0, path: RelativePath, base: Entry?, ours: Entry?, theirs: Entry?,
        copyPath: RelativePath? = nil, rule: String, time: Timestamp, state: State = .open
    ) {
        self.id = id
        self.path = path
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.copyPath = copyPath
        self.rule = rule
        self.time = time
        self.state = state
    }

    static let columns =
        "path, base, here, there, copy_path, rule, time, state"

    func write(to writer: inout RowWriter) {
        writer.put(path.bytes)
        for entry in [base, ours, theirs] { writer.put(optional: entry.map(EntryBytes.encode)) }
        writer.put(optional: copyPath?.bytes)
        writer.put(rule)
        writer.put(time)
        writer.put(state.rawValue)
    }

    init(id: Int64, from reader: inout RowReader) {
        self.id = id
        path = reader.path()
        base = Self.entry(&reader)
        ours = Self.entry(&reader)
        theirs = Self.entry(&reader)
        copyPath = reader.optionalPath()
        rule = reader.text()
        time = reader.time()
        let found = State(rawValue: reader.integer())
        if found == nil { reader.reject() }
        state = found ?? .open
    }

    private static func entry(_ reader: inout RowReader) -> Entry? {
        guard let bytes = reader.optionalBytes() else { return nil }
        let entry = EntryBytes.decode(bytes)
        if entry == nil { reader.reject() }
        return entry
    }
}

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

    /// The conflict with an id, or nil.
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
    /// Records a conflict; the row's own id is ignored.
    ///
    /// - Returns: The id assigned to it.
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

    /// Marks a conflict as resolved; does nothing when no conflict has this id.
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
