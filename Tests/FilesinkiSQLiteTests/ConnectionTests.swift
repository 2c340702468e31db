import FilesinkiModel
import FilesinkiSQLite
import Glibc
import Synchronization
import Testing

/// What the manifest and the key-value files rely on.
@Suite struct ConnectionTests {
    let folder = TemporaryFolder()

    private struct Stop: Error {}

    @Test(arguments: ["a b.db", "%41?mode=ro#.db", "'\"\\.db", "ü.db", "file:x.db", ":memory:"])
    func `a name of any characters is a plain file`(_ name: String) throws {
        try folder.own(name).execute("CREATE TABLE t(x)")
        #expect(folder.names == [Array(name.utf8)])
    }

    @Test func `a path of bytes that are not UTF-8, or that begins with two slashes, is opened`()
        throws
    {
        let bytes = Array(("/" + folder.path + "/").utf8) + [0xFF, 0x80]
        let connection = try OwnConnection(bytes, .own(.creating, .test))
        try connection.execute("CREATE TABLE t(x)")
        #expect(folder.names == [[0xFF, 0x80]])
    }

    @Test func `a transaction commits everything or nothing`() throws {
        let connection = try folder.own()
        try connection.execute("CREATE TABLE t(x)")
        #expect(throws: Stop.self) {
            try connection.transaction(anyErrors: {
                try connection.execute("INSERT INTO t VALUES (1)")
                throw Stop()
            })
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.number("SELECT count(*) FROM t") == 0)
        let failure = #expect(throws: Failure.self) {
            try connection.transaction { () throws(Failure) in
                try connection.execute("INSERT INTO t VALUES (1)")
                try connection.execute("INSERT INTO missing VALUES (1)")
            }
        }
        #expect(failure?.code == .corrupt)
        #expect(!connection.isInTransaction)
        try connection.transaction { () throws(Failure) in
            try connection.requireTransaction()
            try connection.execute("INSERT INTO t VALUES (1)")
        }
        #expect(try folder.own().number("SELECT count(*) FROM t") == 1)
    }

    @Test func `a write that needs a transaction is refused without one`() throws {
        let connection = try folder.own()
        let failure = #expect(throws: Failure.self) { try connection.requireTransaction() }
        #expect(failure?.code == .io)
        #expect(failure?.message.contains("transaction ended") == true)
    }

    @Test func `a snapshot is one state, and inside a transaction the transaction's`() throws {
        let (reader, writer) = (try folder.own(), try folder.own())
        try writer.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x)")
        let count = "SELECT count(*) FROM t"
        try reader.snapshot { () throws(Failure) in
            #expect(try reader.number(count) == 0)
            try writer.execute("INSERT INTO t VALUES (1)")
            #expect(try reader.number(count) == 0)
        }
        #expect(try reader.number(count) == 1)
        try writer.transaction { () throws(Failure) in
            try writer.execute("INSERT INTO t VALUES (2)")
            #expect(try writer.snapshot { () throws(Failure) in try writer.number(count) } == 2)
            #expect(writer.isInTransaction)
        }
        #expect(try reader.number(count) == 2)
    }

    @Test func `values of each type make the round trip`() throws {
        let connection = try folder.own()
        let values: [SQLiteValue] = [
            .null, .integer(.min), .real(0.5), .text([]), .text([0x61, 0xFF, 0]), .blob([]),
            .blob([0, 1]),
        ]
        try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
        let insert = try connection.prepare("INSERT INTO t(x) VALUES (?)")
        for value in values { try insert.execute([value]) }
        let rows = try connection.prepare("SELECT x FROM t ORDER BY id")
        var found: [SQLiteValue] = []
        while try rows.step() { found.append(rows.value(0)) }
        #expect(found == values)
    }

    @Test func `only a text value reads as text`() throws {
        let row = try folder.own().prepare("SELECT 'a', 1, x'61', NULL")
        #expect(try row.step())
        #expect((0..<4).map { row.text($0) } == ["a", "", "", ""])
    }

    @Test func `a file that is not a database is damaged, and that is recorded`() throws {
        folder.write(Array(repeating: 7, count: 4_096), to: "own.db")
        let recorded = Mutex<[[UInt8]]>([])
        let purpose = FilePurpose(name: "test file", damageRemedy: "Throw it away.") { path in
            recorded.withLock { $0.append(path) }
        }
        let path = folder.path + "/own.db"
        let connection = try OwnConnection(path, .own(.reading, purpose))
        let failure = #expect(throws: Failure.self) {
            try connection.number("SELECT count(*) FROM sqlite_schema")
        }
        #expect(failure?.code == .corrupt && failure?.remedy == "Throw it away.")
        #expect(recorded.withLock { $0 } == [Array(path.utf8)])
    }

    @Test func `a missing file is not created by a reader or a writer`() throws {
        for access in [Profile<Failure>.OwnAccess.reading, .writing] {
            let failure = #expect(throws: Failure.self) {
                try OwnConnection(folder.path + "/none.db", .own(access, .test))
            }
            #expect(failure?.code == .io)
            #expect(failure?.message.hasPrefix("Cannot open the test file:") == true)
        }
        #expect(folder.names.isEmpty)
    }

    @Test func `no code of an untrusted schema runs in an own file, either`() throws {
        let connection = try folder.own()
        #expect(try connection.number("PRAGMA trusted_schema") == 0)
        #expect(try connection.number("PRAGMA cell_size_check") == 1)
    }
}
