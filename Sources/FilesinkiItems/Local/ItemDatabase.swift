package import FilesinkiModel
package import FilesinkiSQLite
package import FilesinkiStore
import FilesinkiSystem

/// The SQLite file of a zone of items on this device, which several processes use at once.
///
/// Every change is one short transaction that has the write lock from its start. No transaction spans
/// a network wait.
package final class ItemDatabase<Kind: ItemKind> {
    package typealias State = Kind.State

    package let connection: OwnConnection
    package let cache: StatementCache<Failure>

    package init(_ connection: OwnConnection) {
        self.connection = connection
        cache = StatementCache(connection)
    }

    /// Opens a zone's file to read and to write, and creates it when it is missing.
    ///
    /// - Throws: As ``ItemZone/open(_:)``.
    package convenience init(opening place: ItemPlace<Kind>) throws(Failure) {
        try place.check()
        try StateFile.makeFolder(place.folder)
        self.init(
            try ItemFile<Kind>().open(place.file, chance: place.systemContext.randomBytes(8)))
    }

    /// Opens a zone's file to read, without waiting for a lock; nil when it is missing.
    package convenience init?(reading path: String) throws(Failure) {
        guard let connection = try ItemFile<Kind>().openToRead(path) else { return nil }
        self.init(connection)
    }

    /// Runs `body` in one transaction: everything is on disk when this returns, and nothing when it
    /// throws.
    package func write<Result>(_ body: () throws -> Result) throws -> Result {
        // With SQLite's 2 MB a large transaction writes and reads each page many times. It takes what it changes, and
        // gives it back.
        try connection.execute("PRAGMA cache_size = -65536")
        defer { try? connection.execute("PRAGMA cache_size = -2000") }
        return try connection.transaction(anyErrors: body)
    }

    /// As ``write(_:)``, but a power failure may undo it: for what can be read from the store's log
    /// again.
    package func writeWithoutWaiting<Result>(_ body: () throws -> Result) throws -> Result {
        try connection.execute("PRAGMA synchronous = NORMAL")
        defer { try? connection.execute("PRAGMA synchronous = FULL") }
        return try write(body)
    }

    /// Runs `body` in one read transaction.
    package func read<Result>(_ body: () throws -> Result) throws -> Result {
        try connection.snapshot(anyErrors: body)
    }
}

extension ItemDatabase {
    // MARK: Settings

    /// The value of a setting; nil when it is not set.
    package func setting(_ name: String) throws(Failure) -> [UInt8]? {
        let statement = try cache.statement("SELECT value FROM setting WHERE key = ?")
        defer { statement.reset() }
        statement.bind(name, at: 1)
        return try statement.step() ? Array(statement.bytes(0)) : nil
    }

    package func set(_ name: String, _ value: [UInt8]?) throws(Failure) {
        guard let value else {
            let statement = try cache.statement("DELETE FROM setting WHERE key = ?")
            statement.bind(name, at: 1)
            return try statement.execute()
        }
        let statement = try cache.statement(
            """
            INSERT INTO setting (key, value) VALUES (?, ?)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """)
        statement.bind(name, at: 1)
        value.withUnsafeBytes { statement.bind($0, at: 2) }
        try statement.execute()
    }

    /// A number that is kept as text.
    package func number(_ name: String) throws(Failure) -> Int64? {
        try setting(name).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }

    package func set(_ name: String, number: Int64?) throws(Failure) {
        try set(name, number.map { Array(String($0).utf8) })
    }
}

extension ItemDatabase {
    // MARK: The log

    /// The known store; nil before the first exchange.
    package func knownStore() throws(Failure) -> KnownStore? {
        guard let id = try setting("store"), id.count == 16 else { return nil }
        return KnownStore(id: id, epoch: UInt64(bitPattern: try number("epoch") ?? 0))
    }

    package func setKnownStore(_ store: KnownStore) throws(Failure) {
        try set("store", store.id)
        try set("epoch", number: Int64(bitPattern: store.epoch))
    }

    /// How far the log was read; nil before the first exchange.
    package func logPosition() throws(Failure) -> LogPosition? {
        guard let bytes = try setting("token") else { return nil }
        let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
        guard let sequence = UInt64(text),
            let hash = ContentID(bytes.dropFirst(text.utf8.count + 1))
        else { throw connection.corrupt("the change token is invalid") }
        return LogPosition(
            ChangeToken(sequence: sequence, hash: hash), storedHeader: try setting("head") ?? [])
    }

    package func setLogPosition(_ position: LogPosition?) throws(Failure) {
        let token = position?.token
        try set("token", token.map { Array("\($0.sequence) ".utf8) + $0.hash.bytes })
        try set("head", position?.storedHeader)
        let statement = try cache.statement("DELETE FROM publishing WHERE sequence <= ?")
        statement.bind(Int64(clamping: token?.sequence ?? 0), at: 1)
        try statement.execute()
    }

    /// Records the id of a commit before it is published.
    func recordPublishing(_ id: [UInt8], sequence: UInt64) throws(Failure) {
        let statement = try cache.statement(
            "INSERT INTO publishing (sequence, commit_id) VALUES (?, ?)")
        statement.bind(Int64(clamping: sequence), at: 1)
        bind(id, to: statement, at: 2)
        try statement.execute()
    }

    /// Whether a commit was published from this file.
    func isOwn(_ id: [UInt8]) throws(Failure) -> Bool {
        let statement = try cache.statement("SELECT 1 FROM publishing WHERE commit_id = ?")
        defer { statement.reset() }
        bind(id, to: statement, at: 1)
        return try statement.step()
    }
}
