package import FilesinkiModel
import FilesinkiSQLite

/// The manifest of a replica: what was last observed locally and at the remote, in one SQLite file.
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
    ///   - create: Whether to create the file when it is missing or was never finished. Only its
    ///     owner can read it.
    /// - Throws: `Failure` with code `not-found` when it is missing, `corrupt` when it is damaged
    ///   or not a manifest, `newer-format` when a newer program wrote it.
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
        try connection.execute(Self.writingPragmas)
        return ManifestDatabase(connection)
    }

    /// Opens a manifest to read beside a writer: never waits for it, and never creates a manifest. An
    /// older schema is brought up first.
    ///
    /// - Throws: As ``open(at:create:)``.
    package static func openReadOnly(at path: [UInt8]) throws(Failure) -> ManifestDatabase {
        try ManifestFile(path).ensure(create: false)
        let connection = try OwnConnection.toRead(path, .manifest(.reading))
        switch try Schema.current.state(of: connection) {
        case .current: break
        case .empty: throw connection.corrupt("it was never finished")
        case .older: _ = try open(at: path, create: false)
        }
        try connection.execute(Self.readingPragmas)
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

    /// Runs `body` in one transaction: everything is on disk when this returns, and nothing when it
    /// throws.
    ///
    /// - Parameter body: Gets the writer, which must not be used after it returns. Its reads include
    ///   its own writes.
    /// - Throws: What `body` throws; `Failure` with code `busy` inside another transaction, and when
    ///   SQLite refuses.
    package func write<Result>(_ body: (ManifestWriter) throws -> Result) throws -> Result {
        guard !connection.isInTransaction else {
            throw Failure(
                .busy, path: connection.path, "A transaction of the manifest is open already.",
                remedy: "Put both changes into one transaction.")
        }
        defer { for table in tables { table.forgetChanges() } }
        return try connection.transaction(anyErrors: {
            let result = try body(ManifestWriter(self))
            try connection.requireTransaction()
            for table in tables { try table.flush() }
            return result
        })
    }

    /// Runs `body`, whose reads all see the manifest as it was at the first of them, whatever another process writes.
    package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try connection.snapshot(anyErrors: body)
    }

    // MARK: Base

    /// The whole base tree, in no order. Memory grows with the tree.
    ///
    /// - Throws: `Failure` with code `corrupt` when a row is damaged or missing, as all reads do.
    package func loadBase() throws(Failure) -> [BaseRow] { try base.rows() }

    /// The rows per page of ``basePages(of:)`` and the other pages.
    package static let pageSize = 4096

    /// The whole base tree in pages, ordered by the paths' bytes.
    package func basePages(of size: Int = pageSize) -> RowPages<BaseRow> {
        base.pages(of: size)
    }

    /// The base row of one path, or nil.
    ///
    /// Look-ups of one path find a damaged row, but not a row that the index has lost; ``loadBase()``
    /// and ``verify()`` do.
    package func base(_ path: RelativePath) throws(Failure) -> BaseRow? {
        try base.row(path.bytes)
    }

    /// The base rows below a folder, without its own, ordered by the paths' bytes.
    package func baseRows(below folder: RelativePath) throws(Failure) -> [BaseRow] {
        try base.rows(below: folder)
    }

    /// The base rows whose paths begin with these bytes and are longer, ordered by the paths' bytes.
    package func baseRows(beginning prefix: [UInt8]) throws(Failure) -> [BaseRow] {
        try base.rows(beginning: prefix)
    }

    /// The number of base rows, by the tally.
    package func baseCount() throws(Failure) -> Int { try base.count() }

    /// The number of files in the base, and their bytes.
    ///
    /// For display: rows are not verified. Costs a pass over the rows, and no memory.
    package func baseFiles() throws(Failure) -> (count: Int, bytes: Int64) {
        let select = try cache.statement(
            "SELECT count(*), CAST(total(size) AS INTEGER) FROM base WHERE kind <> 2")
        defer { select.reset() }
        guard try select.step() else { return (0, 0) }
        return (Int(clamping: select.integer(0)), select.integer(1))
    }

    /// The paths of the base that contain these bytes. Costs a pass over the rows, which are not
    /// verified.
    package func basePaths(containing bytes: [UInt8]) throws(Failure) -> [RelativePath] {
        try foundPaths("SELECT path FROM base WHERE instr(path, ?) > 0", bytes)
    }

    /// The paths of the remote changes that contain these bytes. Costs a pass over the rows, which are not
    /// verified.
    package func remotePaths(containing bytes: [UInt8]) throws(Failure) -> [RelativePath] {
        try foundPaths("SELECT path FROM remote WHERE instr(path, ?) > 0", bytes)
    }

    private func foundPaths(
        _ query: String, _ bytes: [UInt8]
    ) throws(Failure) -> [RelativePath] {
        let select = try cache.statement(query)
        defer { select.reset() }
        bytes.withUnsafeBytes { select.bind($0, at: 1) }
        var paths: [RelativePath] = []
        while try select.step() { paths.append(RelativePath(unchecked: Array(select.bytes(0)))) }
        return paths
    }

    // MARK: Waiting changes

    /// The paths whose scanned state differs from the base, in no order.
    package func loadLocal() throws(Failure) -> [LocalRow] { try local.rows() }

    /// The local change of one path, or nil.
    package func local(_ path: RelativePath) throws(Failure) -> LocalRow? {
        try local.row(path.bytes)
    }

    /// The local changes below a folder, ordered by the paths' bytes.
    package func localRows(below folder: RelativePath) throws(Failure) -> [LocalRow] {
        try local.rows(below: folder)
    }

    /// The local changes whose paths begin with these bytes and are longer, ordered by the paths'
    /// bytes.
    package func localRows(beginning prefix: [UInt8]) throws(Failure) -> [LocalRow] {
        try local.rows(beginning: prefix)
    }

    /// The paths whose state at the remote differs from the base, in no order.
    package func loadRemote() throws(Failure) -> [RemoteRow] { try remote.rows() }

    /// The paths whose state at the remote differs from the base in pages, ordered by the paths' bytes.
    package func remotePages(of size: Int = pageSize) -> RowPages<RemoteRow> {
        remote.pages(of: size)
    }

    /// The number of remote changes, by the tally.
    package func remoteCount() throws(Failure) -> Int { try remote.count() }

    /// The remote change of one path, or nil.
    package func remote(_ path: RelativePath) throws(Failure) -> RemoteRow? {
        try remote.row(path.bytes)
    }

    /// The remote changes below a folder, ordered by the paths' bytes.
    package func remoteRows(below folder: RelativePath) throws(Failure) -> [RemoteRow] {
        try remote.rows(below: folder)
    }

    /// The remote changes whose paths begin with these bytes and are longer, ordered by the paths'
    /// bytes.
    package func remoteRows(beginning prefix: [UInt8]) throws(Failure) -> [RemoteRow] {
        try remote.rows(beginning: prefix)
    }

    /// A page of the remote changes, in the order in which their paths were first recorded.
    ///
    /// - Parameters:
    ///   - id: The last id of the page before; 0 for the first page.
    ///   - limit: The most rows of the page.
    package func remoteRows(
        after id: Int64, limit: Int
    ) throws(Failure) -> [(id: Int64, row: RemoteRow)] {
        try remote.rows(after: id, limit: limit)
    }

    // MARK: Tombstones, packs, inline contents

    /// All tombstones, in no order.
    package func loadTombstones() throws(Failure) -> [TombstoneRow] { try tombstone.rows() }

    /// All tombstones in pages, ordered by the paths' bytes.
    package func tombstonePages(of size: Int = pageSize) -> RowPages<TombstoneRow> {
        tombstone.pages(of: size)
    }

    /// The tombstone of one path, or nil.
    package func tombstone(_ path: RelativePath) throws(Failure) -> TombstoneRow? {
        try tombstone.row(path.bytes)
    }

    /// The tombstones below a folder, ordered by the paths' bytes.
    package func tombstones(below folder: RelativePath) throws(Failure) -> [TombstoneRow] {
        try tombstone.rows(below: folder)
    }

    /// All known packs, in no order.
    package func loadPacks() throws(Failure) -> [PackRow] { try pack.rows() }

    /// All known packs in pages, in the order in which they were added.
    package func packPages(of size: Int = pageSize) -> RowPages<PackRow> {
        pack.pagesInOrderOfInsertion(of: size)
    }

    /// The number of known packs, by the tally.
    package func packCount() throws(Failure) -> Int { try pack.count() }

    /// The pack with an id, or nil.
    package func pack(_ id: [UInt8]) throws(Failure) -> PackRow? { try pack.row(id) }

    /// All contents that are stored inside commits in pages, in the order in which they were added.
    package func inlinePages(of size: Int = pageSize) -> RowPages<InlineRow> {
        inline.pagesInOrderOfInsertion(of: size)
    }

    /// The number of contents that are stored inside commits, by the tally.
    package func inlineCount() throws(Failure) -> Int { try inline.count() }

    /// The sequence number of a commit that carries the content, or nil.
    package func inlineSequence(of content: ContentID) throws(Failure) -> UInt64? {
        try inline.row(content.bytes)?.sequence
    }

    // MARK: Settings

    /// How far the log has been read; nil before the first time.
    package var token: ChangeToken? {
        get throws(Failure) {
            guard let bytes = try value(ChangeToken.setting) else { return nil }
            guard bytes.count > 8, let hash = ContentID(bytes.dropFirst(8))
            else { throw connection.corrupt("the token has another length") }
            let sequence = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return ChangeToken(sequence: sequence, hash: hash)
        }
    }

    /// The value of a setting to which the caller gave a name and a meaning; nil when it is not set.
    ///
    /// Reads all settings, of which there are few: one that an index has lost must not read as one
    /// that was never set.
    package func value(_ name: String) throws(Failure) -> [UInt8]? {
        try setting.rows().first { $0.name == name }?.value
    }
}

extension Profile where Thrown == Failure {
    /// How a manifest's file is opened.
    static func manifest(_ access: OwnAccess) -> Profile {
        own(
            access,
            FilePurpose(
                name: "manifest",
                damageRemedy:
                    "It is rebuilt from the store's log by the next sync; no file is lost.",
                recordDamage: { ManifestDatabase.doubt($0) }))
    }
}
