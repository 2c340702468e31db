package import FilesinkiModel
internal import FilesinkiSQLite

/// The manifest of a replica: what was observed here and at the remote, in one SQLite file.
///
/// One process writes at a time; any number of others read beside it, each with its own value of
/// this class, and see the state after the last committed transaction. A value is used from one
/// task at a time.
///
/// The manifest is a cache of observations. When a method throws a `Failure` with code `corrupt`,
/// ``setAside(_:)`` moves the file away, and a new one is filled from the log.
package final class ManifestDatabase {
    let connection: OwnConnection
    let base: CheckedTable<BaseRow>
    let local: CheckedTable<LocalRow>
    let remote: CheckedTable<RemoteRow>
    let tombstone: CheckedTable<TombstoneRow>
    let pack: CheckedTable<PackRow>
    let inline: CheckedTable<InlineRow>
    let setting: CheckedTable<SettingRow>
    /// Statements of the tables without a tally.
    let cache: StatementCache<Failure>

    /// All tables with a tally, for the end of a transaction.
    private var tables: [any Tallied] {
        [base, local, remote, tombstone, pack, inline, setting]
    }

    private init(_ connection: OwnConnection) {
        let tallies = TallyTable(connection)
        self.connection = connection
        base = CheckedTable(connection, tallies: tallies)
        local = CheckedTable(connection, tallies: tallies)
        remote = CheckedTable(connection, tallies: tallies)
        tombstone = CheckedTable(connection, tallies: tallies)
        pack = CheckedTable(connection, tallies: tallies)
        inline = CheckedTable(connection, tallies: tallies)
        setting = CheckedTable(connection, tallies: tallies)
        cache = StatementCache(connection)
    }

    /// Opens a manifest to read and to write.
    ///
    /// - Parameters:
    ///   - path: The file. Its folder must exist.
    ///   - create: Whether to make the file when it is missing or was never finished; only its
    ///     owner may read it.
    /// - Throws: `Failure` with code `not-found` when it is missing, `corrupt` when it is damaged
    ///   or no manifest, `newer-format` when a newer program wrote it.
    package static func open(at path: [UInt8], create: Bool) throws(Failure) -> ManifestDatabase {
        try open(at: path, create: create, schema: .current)
    }

    /// Opens a manifest whose path is text, as ``open(at:create:)`` does.
    package static func open(at path: String, create: Bool) throws(Failure) -> ManifestDatabase {
        try open(at: Array(path.utf8), create: create)
    }

    static func open(
        at path: [UInt8], create: Bool, schema: Schema
    ) throws(Failure) -> ManifestDatabase {
        try ManifestFile(path).ensure(create: create)
        let connection = try OwnConnection(path, .manifest(.writing))
        switch try schema.state(of: connection) {
        case .current: break
        case .empty where !create: throw connection.corrupt("it was never finished")
        case .empty, .older: try schema.bringUp(connection)
        }
        try connection.run(Self.writingPragmas)
        return ManifestDatabase(connection)
    }

    /// Opens a manifest to read beside whoever writes: never waits for them, and never creates one.
    ///
    /// - Throws: As ``open(at:create:)``.
    package static func openReadOnly(at path: [UInt8]) throws(Failure) -> ManifestDatabase {
        try ManifestFile(path).ensure(create: false)
        let connection = try OwnConnection(path, .manifest(.reading))
        switch try Schema.current.state(of: connection) {
        case .current: break
        case .empty: throw connection.corrupt("it was never finished")
        case .older: _ = try open(at: path, create: false)
        }
        try connection.run(Self.readingPragmas)
        return ManifestDatabase(connection)
    }

    /// Opens a manifest whose path is text, as ``openReadOnly(at:)`` does.
    package static func openReadOnly(at path: String) throws(Failure) -> ManifestDatabase {
        try openReadOnly(at: Array(path.utf8))
    }

    /// Kilobytes of cache; these pragmas read the schema, so they follow the check of its version.
    private static let readingPragmas = "PRAGMA cache_size = -8000;"

    /// A commit is on disk when it returns; a large transaction leaves no large WAL behind.
    private static let writingPragmas =
        readingPragmas + """
            PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
            PRAGMA journal_size_limit = 4194304;
            """

    /// Carries out `body` in one transaction: all of it is on disk when this returns, or nothing.
    ///
    /// - Parameter body: Gets the writer, which is of no use after it returns. What it reads
    ///   through this manifest includes what it has written.
    /// - Throws: What `body` throws, and then nothing was written; `Failure` when SQLite refuses.
    package func write<Result>(_ body: (ManifestWriter) throws -> Result) throws -> Result {
        guard !connection.isInTransaction else {
            throw Failure(
                .busy, path: connection.path, "A transaction of the manifest is under way.",
                remedy: "Put both works into one transaction.")
        }
        defer { for table in tables { table.forgetChanges() } }
        return try connection.transaction(anyErrors: {
            let result = try body(ManifestWriter(self))
            try connection.requireTransaction()
            for table in tables { try table.flush() }
            return result
        })
    }
}
