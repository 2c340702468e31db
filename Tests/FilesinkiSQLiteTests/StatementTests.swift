import FilesinkiModel
import FilesinkiSQLite
import Glibc
import Testing

/// Statements, one by one.
@Suite struct StatementTests {
    let folder = TemporaryFolder()

    private func table(_ sql: String = "CREATE TABLE t(x UNIQUE)") throws -> OwnConnection {
        let connection = try folder.own()
        try connection.execute(sql)
        return connection
    }

    @Test func `a statement that failed can be executed again`() throws {
        let connection = try table()
        let insert = try connection.prepare("INSERT INTO t VALUES (?)")
        try insert.execute([.integer(1)])
        let failure = #expect(throws: Failure.self) { try insert.execute([.integer(1)]) }
        #expect(failure?.message.contains("UNIQUE") == true)
        try insert.execute([.integer(2)])
        #expect(try connection.number("SELECT count(*) FROM t") == 2)
    }

    @Test func `a value stays bound until another takes its place`() throws {
        let connection = try table("CREATE TABLE t(x, y)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?, ?)")
        insert.bind("a", at: 1)
        insert.bind(1, at: 2)
        try insert.execute()
        insert.bindNull(at: 2)
        try insert.execute()
        let rows = try connection.prepare("SELECT x, y FROM t ORDER BY rowid")
        var found: [[SQLiteValue]] = []
        while try rows.step() { found.append(rows.values(0..<rows.columns)) }
        #expect(found == [[.text([0x61]), .integer(1)], [.text([0x61]), .null]])
        // At the end of the rows it begins again.
        #expect(try rows.step())
    }

    @Test func `bytes without any are a blob, and no NULL; so is a text`() throws {
        let connection = try table("CREATE TABLE t(x, y)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?, ?)")
        [].withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in insert.bind(bytes, at: 1) }
        insert.bind("", at: 2)
        try insert.execute()
        let row = try connection.prepare("SELECT x, y, NULL, typeof(x), typeof(y) FROM t")
        #expect(try row.step())
        #expect((0..<3).map { row.isNull($0) } == [false, false, true])
        #expect(row.bytes(0).isEmpty && row.bytes(2).isEmpty)
        #expect([row.text(3), row.text(4)] == ["blob", "text"])
    }

    @Test func `a text keeps its NUL, and invalid bytes are replaced where text is wanted`() throws
    {
        let connection = try table("CREATE TABLE t(x)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?)")
        insert.bind("a\0b", at: 1)
        try insert.execute()
        let row = try connection.prepare("SELECT x, CAST(x'61ff' AS TEXT) FROM t")
        #expect(try row.step())
        #expect(row.text(0) == "a\0b" && row.text(1) == "a\u{FFFD}")
        #expect(row.value(1) == .text([0x61, 0xFF]))
        #expect(row.integer(0) == 0)
    }

    @Test func `a number of no row is 0, and rows are counted`() throws {
        let connection = try table("CREATE TABLE t(x); INSERT INTO t VALUES (5), (6), (7)")
        #expect(connection.changedRows == 3 && connection.lastRow == 3)
        #expect(try connection.number("SELECT x FROM t WHERE x > 9") == 0)
        #expect(try connection.number("SELECT x FROM t ORDER BY x DESC") == 7)
        #expect(try connection.hasRow("SELECT x FROM t WHERE x = 5"))
        #expect(try !connection.hasRow("SELECT x FROM t WHERE x = 8"))
        try connection.execute("DELETE FROM t WHERE x > 5")
        #expect(connection.changedRows == 2)
    }

    @Test func `a statement is compiled once for its SQL`() throws {
        let cache = StatementCache(try table())
        let one = try cache.statement("SELECT x FROM t")
        #expect(try cache.statement("SELECT x FROM t") === one)
        #expect(try cache.statement("SELECT x FROM t ") !== one)
        #expect(throws: Failure.self) { try cache.statement("SELECT y FROM t") }
    }

    @Test func `SQL that is none is damage, as the SQL is the program's own`() throws {
        let connection = try table()
        for sql in ["SELECT", "SELECT * FROM missing", "INSERT INTO t VALUES (1, 2)"] {
            let failure = #expect(throws: Failure.self) { try connection.prepare(sql) }
            #expect(failure?.code == .corrupt, "\(sql)")
            #expect(failure?.path == Array((folder.path + "/own.db").utf8))
        }
    }

    // MARK: Transactions

    @Test func `a transaction in another one is refused, and the outer one stays open`() throws {
        let connection = try table("CREATE TABLE t(x)")
        try connection.transaction { () throws(Failure) in
            try connection.execute("INSERT INTO t VALUES (1)")
            #expect(throws: Failure.self) {
                try connection.transaction { () throws(Failure) in
                    try connection.execute("INSERT INTO t VALUES (2)")
                }
            }
            #expect(connection.isInTransaction)
        }
        #expect(try connection.number("SELECT max(x) FROM t") == 1)
    }

    @Test func `a transaction that cannot be committed changes nothing, and ends`() throws {
        let connection = try table(
            """
            PRAGMA foreign_keys = ON; CREATE TABLE a(id INTEGER PRIMARY KEY);
            CREATE TABLE b(a REFERENCES a(id) DEFERRABLE INITIALLY DEFERRED)
            """)
        let failure = #expect(throws: Failure.self) {
            try connection.transaction { () throws(Failure) in
                try connection.execute("INSERT INTO b VALUES (7)")
            }
        }
        #expect(failure?.message.contains("FOREIGN KEY") == true)
        #expect(!connection.isInTransaction)
        #expect(try connection.number("SELECT count(*) FROM b") == 0)
    }

    private struct Stop: Error {}

    @Test func `a snapshot ends with its body, also with an error`() throws {
        let connection = try table("CREATE TABLE t(x)")
        #expect(try connection.snapshot(anyErrors: { try connection.number("SELECT 7") }) == 7)
        #expect(!connection.isInTransaction)
        #expect(throws: Stop.self) {
            try connection.snapshot(anyErrors: {
                #expect(connection.isInTransaction)
                throw Stop()
            })
        }
        #expect(!connection.isInTransaction)
        #expect(throws: Failure.self) {
            try connection.snapshot { () throws(Failure) in throw connection.corrupt("why") }
        }
        #expect(!connection.isInTransaction)
        // Inside a transaction it ends nothing.
        try connection.transaction(anyErrors: {
            try connection.snapshot(anyErrors: {})
            #expect(connection.isInTransaction)
        })
    }

    @Test func `a writer that cannot have the lock does not begin`() throws {
        let (holder, path) = (try table("CREATE TABLE t(x)"), folder.path + "/own.db")
        let other = try Connection(path, .live(.writing))
        try holder.transaction(anyErrors: {
            let error = #expect(throws: SQLiteError.self) {
                try other.transaction { () throws(SQLiteError) in Issue.record("begun") }
            }
            #expect(error?.kind == .busy && error?.action == .use)
            #expect(!other.isInTransaction)
        })
    }

    @Test func `damage that the caller finds is said as SQLite's own is`() throws {
        let failure = try table().corrupt("a row cannot be decoded")
        #expect(failure.code == .corrupt)
        #expect(failure.message == "The test file is damaged: a row cannot be decoded.")
        #expect(failure.remedy == "Throw it away.")
        let live = try Connection(folder.path + "/own.db", .live(.reading)).corrupt("why")
        #expect(live.kind == .corrupt && live.action == .read && live.text == "why")
    }

    // MARK: Untrusted

    @Test func `an untrusted file that is not to be written is not, and is not created`() throws {
        _ = try table()
        let connection = try folder.untrusted(isWritable: false)
        let writing = #expect(throws: SQLiteError.self) {
            try connection.execute("INSERT INTO t VALUES (1)")
        }
        #expect(writing?.kind == .readOnly)
        for isWritable in [true, false] {
            let opening = #expect(throws: SQLiteError.self) {
                try folder.untrusted("none.db", isWritable: isWritable)
            }
            #expect(opening?.kind == .cannotOpen && opening?.action == .open)
        }
        #expect(folder.names == [Array("own.db".utf8)])
    }

    @Test func `an untrusted file has no journal, and may be larger than a value's least limit`()
        throws
    {
        _ = try table()
        let connection = try Connection(
            folder.path + "/own.db",
            Profile<SQLiteError>.untrusted(isWritable: true, contentSize: 3_000_000) { $0 })
        try connection.execute("INSERT INTO t VALUES (zeroblob(2900000))")
        #expect(folder.names == [Array("own.db".utf8)])
        let error = #expect(throws: SQLiteError.self) {
            try connection.execute("INSERT INTO t VALUES (zeroblob(3100000))")
        }
        #expect(error?.kind == .tooLarge)
    }

    @Test func `a copy of what is no database is damage`() throws {
        folder.write(Array(repeating: 7, count: 8_192), to: "own.db")
        let source = try Connection(folder.path + "/own.db", .live(.immutable))
        let target = try Connection(folder.path + "/copy.db", .live(.scratch))
        let error = #expect(throws: SQLiteError.self) {
            try Backup(from: source, into: target).copyPages()
        }
        #expect(error?.kind == .corrupt && error?.action == .copy)
    }
}
