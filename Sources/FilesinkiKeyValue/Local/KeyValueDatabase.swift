internal import FilesinkiModel
internal import FilesinkiSQLite

/// What a key-value store keeps here, in one SQLite file that several processes use at once.
///
/// Every change is one short transaction that begins with the right to write; nobody holds the file
/// while he waits for a remote.
final class KeyValueDatabase {
    let connection: OwnConnection
    let cache: StatementCache<Failure>

    init(_ connection: OwnConnection) {
        self.connection = connection
        cache = StatementCache(connection)
    }

    /// Opens a store's file to read and to write; it is made when it is not there.
    ///
    /// - Throws: As ``KeyValues/open(_:)``.
    convenience init(opening place: KeyValuePlace) throws(Failure) {
        try KeyValuePlace.check(name: place.name)
        try KeyValueFile.makeFolder(place.folder)
        self.init(
            try KeyValueFile.open(place.file, chance: place.systemContext.randomBytes(8)))
    }

    /// Carries out `body` in one transaction: all of it is on disk when this returns, or nothing.
    func write<Result>(_ body: () throws -> Result) throws -> Result {
        try connection.transaction(anyErrors: body)
    }

    /// As ``write(_:)``, but a power cut may take it back: for what the store's log tells again.
    func writeWithoutWaiting<Result>(_ body: () throws -> Result) throws -> Result {
        try connection.run("PRAGMA synchronous = NORMAL")
        defer { try? connection.run("PRAGMA synchronous = FULL") }
        return try write(body)
    }

    /// Runs `body` in one read transaction.
    func read<Result>(_ body: () throws -> Result) throws -> Result {
        try connection.snapshot(anyErrors: body)
    }
}

// Settings.
extension KeyValueDatabase {
    /// The bytes of a setting; nil when there are none.
    func setting(_ name: String) throws(Failure) -> [UInt8]? {
        let statement = try cache.statement("SELECT value FROM setting WHERE key = ?")
        defer { statement.reset() }
        statement.bind(name, at: 1)
        return try statement.step() ? Array(statement.bytes(0)) : nil
    }

    func set(_ name: String, _ value: [UInt8]?) throws(Failure) {
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
    func number(_ name: String) throws(Failure) -> Int64? {
        try setting(name).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }

    func set(_ name: String, number: Int64?) throws(Failure) {
        try set(name, number.map { Array(String($0).utf8) })
    }
}

// Commands of this device.
extension KeyValueDatabase {
    private static func name(ofCommandFor key: ValueKey) -> String {
        "merge-command:" + hexadecimal(key.bytes)
    }

    /// The command that merges a key on this device; nil when there is none.
    func mergeCommand(_ key: ValueKey) throws(Failure) -> String? {
        try setting(Self.name(ofCommandFor: key)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// - Parameter command: Empty for none.
    func set(mergeCommand command: String, of key: ValueKey) throws(Failure) {
        try set(
            Self.name(ofCommandFor: key), command.isEmpty ? nil : Array(command.utf8))
    }
}
