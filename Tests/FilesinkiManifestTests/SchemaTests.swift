import FilesinkiModel
import FilesinkiSQLite
import Testing

@testable import FilesinkiManifest

@Suite struct SchemaTests {
    let temporary: TemporaryManifest

    init() throws { temporary = try TemporaryManifest() }

    private var path: [UInt8] { Array(temporary.path.utf8) }

    /// Makes the file that the first version left behind.
    private func restoreVersionOne() throws {
        try temporary.write([])
        try OwnConnection(path, .manifest(.writing)).execute(VersionOne.sql)
    }

    /// A schema of the version after the current one, with one more column.
    private func later(_ sql: String = "ALTER TABLE run ADD COLUMN host TEXT NOT NULL DEFAULT ''")
        -> Schema
    {
        let current = Schema.current
        var migrations = current.migrations
        migrations[current.version + 1] = Array(sql.utf8)
        return Schema(
            version: current.version + 1, creation: current.creation, migrations: migrations)
    }

    private func expectVersionOne(_ manifest: ManifestDatabase) throws {
        #expect(try manifest.loadBase() == VersionOne.base)
        #expect(try manifest.token == VersionOne.token)
        #expect(try manifest.runs(limit: 9).map(\.outcome) == ["done"])
    }

    @Test func `reads a manifest that the first version wrote`() throws {
        try restoreVersionOne()
        try expectVersionOne(.open(at: temporary.path, create: false))
    }

    @Test func `migrates an old manifest with its rows, once`() throws {
        try restoreVersionOne()
        try expectVersionOne(.open(at: path, create: false, schema: later()))
        let manifest = try ManifestDatabase.open(at: path, create: false, schema: later())
        try expectVersionOne(manifest)
        #expect(try later().state(of: manifest.connection) == .current)
        try manifest.connection.execute("SELECT host FROM run")
    }

    @Test(arguments: ["ALTER TABLE run ADD COLUMN host TEXT; SELECT none", ""])
    func `leaves an old manifest unchanged when the migration fails`(_ sql: String) throws {
        try restoreVersionOne()
        let schema =
            sql.isEmpty
            ? Schema(version: Schema.current.version + 1, creation: [], migrations: [:])
            : later(sql)
        let failure = #expect(throws: Failure.self) {
            try ManifestDatabase.open(at: path, create: false, schema: schema)
        }
        #expect(failure?.code == .corrupt)
        try expectVersionOne(.open(at: path, create: false))
    }

    @Test func `refuses a manifest of a newer version and leaves it unchanged`() throws {
        try restoreVersionOne()
        _ = try ManifestDatabase.open(at: path, create: false, schema: later())
        let before = try temporary.read()
        for open in [
            { try ManifestDatabase.open(at: path, create: true) },
            { try ManifestDatabase.openReadOnly(at: path) },
        ] {
            let failure = #expect(throws: Failure.self) { try open() }
            #expect(failure?.code == .newerFormat)
        }
        #expect(try temporary.read() == before)
    }

    @Test func `refuses a database of another program`() throws {
        try temporary.write([])
        try OwnConnection(path, .manifest(.writing)).execute(
            "CREATE TABLE theirs (x); PRAGMA user_version = 1")
        let failure = #expect(throws: Failure.self) {
            try ManifestDatabase.open(at: path, create: true)
        }
        #expect(failure?.code == .corrupt)
    }
}
