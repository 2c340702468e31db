internal import CSQLite
internal import FilesinkiText

/// One open SQLite database, used as its ``Profile`` allows.
///
/// A connection is used from one task at a time: SQLite's own mutexes are off. It closes when it and
/// its last statement are released.
package final class Connection<Thrown: Error> {
    let handle: OpaquePointer
    /// The file, for messages.
    package let path: [UInt8]
    private let profile: Profile<Thrown>
    /// Keeps what the progress handler counts on alive.
    private let budget: StepBudget?

    /// Opens a database.
    ///
    /// - Parameter path: Any bytes; no character in it has a meaning to SQLite.
    /// - Throws: The profile's error. An untrusted file that SQLite cannot read is noticed here or by
    ///   the first statement.
    package init(_ path: [UInt8], _ profile: Profile<Thrown>) throws(Thrown) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_URI
        let code = sqlite3_open_v2(
            Self.address(path, isImmutable: profile.isImmutable), &opened, profile.flags | flags,
            profile.fileSystem)
        guard let opened else {
            throw profile.convert(
                SQLiteError(.noMemory, "no memory to open it", path: path, action: .open))
        }
        handle = opened
        self.path = path
        self.profile = profile
        budget = profile.contentSize.map(StepBudget.init)
        guard code == SQLITE_OK else { throw error(code, .open) }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, profile.busyTimeout)
        if let size = profile.contentSize { restrict(size) }
        try execute(profile.pragmas)
        try setCache(of: "main")
        // Last, as it forbids to turn the journal off.
        if profile.contentSize != nil { set(SQLITE_DBCONFIG_DEFENSIVE, true) }
    }

    deinit { sqlite3_close_v2(handle) }

    /// Opens a database whose path is text.
    package convenience init(_ path: String, _ profile: Profile<Thrown>) throws(Thrown) {
        try self.init(Array(path.utf8), profile)
    }

    /// Attaches another file under a name of its own. It is read as it lies on the disk, without
    /// locks, and never changed.
    ///
    /// - Parameter name: A plain word, which goes into the SQL as it is.
    package func attach(_ path: String, as name: String) throws(Thrown) {
        let statement = try prepare("ATTACH ?1 AS \(name)")
        statement.bind(Self.address(Array(path.utf8), isImmutable: true), at: 1)
        _ = try statement.step()
        try setCache(of: name)
    }

    private func setCache(of database: String) throws(Thrown) {
        guard let kilobytes = profile.cacheSize else { return }
        try execute("PRAGMA \(database).cache_size = -\(kilobytes)")
    }

    /// The URI of a file, in which every byte that could mean something else is escaped.
    private static func address(_ path: [UInt8], isImmutable: Bool) -> String {
        // An empty authority, so that a path may begin with two slashes.
        let scheme = path.first == UInt8(ascii: "/") ? "file://" : "file:"
        return scheme + PercentCoding.encodePath(path) + (isImmutable ? "?mode=ro&immutable=1" : "")
    }

    // MARK: Statements

    /// Runs statements and ignores their rows.
    package func execute(_ sql: String) throws(Thrown) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, .use) }
    }

    /// Compiles one statement.
    package func prepare(_ sql: String) throws(Thrown) -> Statement<Thrown> {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw error(code, .read) }
        return Statement(prepared, on: self)
    }

    /// The first column of a query's first row as a number; 0 when there is no row.
    package func number(_ sql: String) throws(Thrown) -> Int64 {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Whether a query has a row.
    package func hasRow(_ sql: String) throws(Thrown) -> Bool { try prepare(sql).step() }

    /// How many rows the last insert, update or delete changed.
    package var changedRows: Int { Int(sqlite3_changes(handle)) }

    /// The rowid of the row inserted last.
    package var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

    // MARK: Transactions

    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs `body` in one transaction that has the write lock from its start: everything is committed
    /// when this returns, and nothing when it throws.
    package func transaction<Result>(
        _ body: () throws(Thrown) -> Result
    ) throws(Thrown) -> Result {
        try transaction(body) { $0 }
    }

    /// As ``transaction(_:)``, for a body that also throws errors of its own.
    package func transaction<Result>(
        anyErrors body: () throws -> Result
    ) throws -> Result {
        try transaction(body) { $0 as any Error }
    }

    private func transaction<Result, Failed: Error>(
        _ body: () throws(Failed) -> Result, _ convert: (Thrown) -> Failed
    ) throws(Failed) -> Result {
        do throws(Thrown) { try execute("BEGIN IMMEDIATE") } catch { throw convert(error) }
        do throws(Failed) {
            let result = try body()
            do throws(Thrown) { try execute("COMMIT") } catch { throw convert(error) }
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs `body` in one read transaction, or in the transaction that is open already.
    package func snapshot<Result>(
        _ body: () throws(Thrown) -> Result
    ) throws(Thrown) -> Result {
        guard !isInTransaction else { return try body() }
        try execute("BEGIN")
        defer { rollBack() }
        return try body()
    }

    /// As ``snapshot(_:)``, for a body that also throws errors of its own.
    package func snapshot<Result>(anyErrors body: () throws -> Result) throws -> Result {
        guard !isInTransaction else { return try body() }
        try execute("BEGIN")
        defer { rollBack() }
        return try body()
    }

    /// Checks that a write would be part of a transaction.
    ///
    /// - Throws: `transactionEnded` when none is open: its writer outlived it, or SQLite rolled it
    ///   back.
    package func requireTransaction() throws(Thrown) {
        guard isInTransaction else {
            throw profile.convert(
                SQLiteError(.transactionEnded, "no transaction is open", path: path, action: .use))
        }
    }

    /// Ends a transaction without its changes; SQLite may have ended it already.
    private func rollBack() { try? execute("ROLLBACK") }

    // MARK: Errors

    /// The error for content that is not what was written.
    ///
    /// - Parameter reason: What is wrong with it, as the end of a sentence.
    package func corrupt(_ reason: String) -> Thrown {
        profile.convert(SQLiteError(.corrupt, reason, path: path, action: .read))
    }

    /// The error that a result code stands for.
    ///
    /// - Parameter text: What SQLite says of it; nil for the connection's last message.
    func error(_ code: Int32, text: String? = nil, _ action: SQLiteError.Action) -> Thrown {
        profile.convert(
            SQLiteError(
                code, text ?? String(cString: sqlite3_errmsg(handle)), path: path, action: action,
                systemError: sqlite3_system_errno(handle)))
    }

    // MARK: Restrictions

    /// Allows nothing that a schema made to do harm could use.
    private func restrict(_ size: Int) {
        for option in [
            SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_DQS_DML,
            SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
        ] {
            set(option, false)
        }
        // No value is longer than the files that it could come from.
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: max(size, 1 << 20)))
        sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100)
        budget?.limit(handle)
    }

    private func set(_ option: Int32, _ isOn: Bool) {
        filesinki_sqlite3_set_switch(handle, option, isOn ? 1 : 0)
    }
}
