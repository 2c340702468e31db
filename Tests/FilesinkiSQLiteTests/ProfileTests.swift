import FilesinkiModel
import FilesinkiSQLite
import Glibc
import Testing

/// What the profiles for files of others allow.
@Suite struct ProfileTests {
    let folder = TemporaryFolder()

    private func kind(_ body: () throws -> Void) -> SQLiteError.Kind? {
        #expect(throws: SQLiteError.self, performing: body)?.kind
    }

    // MARK: Untrusted

    @Test func `no trigger of an untrusted file fires, and no view is read`() throws {
        try folder.own().execute(
            """
            CREATE TABLE a(x); CREATE TABLE b(x); CREATE VIEW v AS SELECT 1;
            CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO b VALUES (1); END;
            """)
        let connection = try folder.untrusted()
        try connection.execute("INSERT INTO a VALUES (1)")
        #expect(try connection.number("SELECT count(*) FROM b") == 0)
        #expect(kind { try connection.execute("SELECT * FROM v") } == .mismatch)
    }

    @Test(
        "an untrusted file cannot be changed by SQL, nor run code",
        arguments: [
            "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema",
            "SELECT load_extension('/tmp/x.so')", "SELECT \"no column\" FROM a",
            "SELECT x LIKE printf('%.101c', 'a') FROM a",
        ])
    func refusals(_ sql: String) throws {
        try folder.own().execute("CREATE TABLE a(x); INSERT INTO a VALUES ('x')")
        let connection = try folder.untrusted()
        #expect(throws: SQLiteError.self) { try connection.execute(sql) }
        #expect(try connection.number("SELECT count(*) FROM sqlite_schema") == 1)
    }

    @Test func `an endless statement on an untrusted file is interrupted`() throws {
        try folder.own().execute("CREATE TABLE a(x)")
        let connection = try folder.untrusted(isWritable: false)
        let endless = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i FROM c) SELECT i FROM c"
        #expect(
            kind { _ = try connection.number("SELECT count(*) FROM (\(endless))") } == .interrupted)
    }

    @Test func `a value is no longer than the contents`() throws {
        try folder.own().execute("CREATE TABLE a(x)")
        let connection = try folder.untrusted()
        #expect(
            kind { try connection.execute("INSERT INTO a VALUES (zeroblob(2000000))") } == .tooLarge
        )
        try connection.execute("INSERT INTO a VALUES (zeroblob(1000000))")
    }

    @Test func `an attached file is read as it is, and never written`() throws {
        let source = try folder.own("source.db")
        try source.execute("CREATE TABLE a(x); INSERT INTO a VALUES (1)")
        try folder.own().execute("CREATE TABLE a(x)")
        let connection = try folder.untrusted()
        // Whoever holds the file does not matter.
        try source.transaction { () throws(Failure) in
            do {
                try connection.attach(folder.path + "/source.db", as: "other")
                #expect(try connection.number("SELECT count(*) FROM other.a") == 1)
            } catch {
                Issue.record(error)
            }
        }
        #expect(kind { try connection.execute("INSERT INTO other.a VALUES (2)") } == .readOnly)
        #expect(folder.names == ["own.db", "source.db"].map { Array($0.utf8) })
    }

    // MARK: Live

    @Test func `a locked live file is busy at once`() throws {
        let holder = try folder.own()
        try holder.execute("CREATE TABLE a(x); BEGIN EXCLUSIVE")
        let path = folder.path + "/own.db"
        let reader = try Connection(path, .live(.reading))
        let started = ContinuousClock.now
        #expect(kind { _ = try reader.number("SELECT count(*) FROM a") } == .busy)
        #expect(ContinuousClock.now - started < .seconds(4))
        // Without locks it is read as it lies.
        #expect(try Connection(path, .live(.immutable)).number("SELECT count(*) FROM a") == 0)
        try holder.execute("COMMIT")
        #expect(try reader.number("SELECT count(*) FROM a") == 0)
    }

    @Test func `a live file is not opened through a symlink`() throws {
        try folder.own().execute("CREATE TABLE a(x)")
        symlink(folder.path + "/own.db", folder.path + "/link.db")
        for access in [Profile<SQLiteError>.LiveAccess.reading, .writing, .immutable] {
            #expect(
                kind { _ = try Connection(folder.path + "/link.db", .live(access)) } == .cannotOpen)
        }
    }

    @Test func `a backup copies all pages, and its lock excludes other writers`() throws {
        let own = try folder.own()
        try own.execute("CREATE TABLE a(x); INSERT INTO a VALUES (1), (2)")
        let source = try Connection(folder.path + "/own.db", .live(.reading))
        let target = try Connection(folder.path + "/copy.db", .live(.scratch))
        try Backup(from: source, into: target).copyPages()
        #expect(try target.number("SELECT count(*) FROM a") == 2)
        let backup = try Backup(
            from: target, into: Connection(folder.path + "/own.db", .live(.writing)))
        try backup.lockTarget()
        let other = try Connection(folder.path + "/own.db", .live(.writing))
        #expect(kind { try other.execute("INSERT INTO a VALUES (3)") } == .busy)
    }
}
