import FilesinkiLiveDatabase
import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

@Suite struct SnapshotTests {
    private static let table = "CREATE TABLE t(x); INSERT INTO t VALUES (1);"

    @Test func `a snapshot contains the WAL, and no file is left beside the database`() throws {
        let folder = Folder()
        let path = folder.path + "/a b%?.db"
        let client = try SQLClient(path, "PRAGMA journal_mode = WAL;" + Self.table)
        let names = Folder.names(folder.path)
        let copy = try #require(try folder.live.snapshot(of: path))
        #expect(SQLClient.text(copy.path, "SELECT count(*) FROM t") == "1")
        #expect(SQLClient.text(copy.path, "PRAGMA integrity_check") == "ok")
        #expect(Folder.names(folder.path) == names)
        try client.run("INSERT INTO t VALUES (2)")
        let second = try #require(try folder.live.snapshot(of: path))
        #expect(SQLClient.text(second.path, "SELECT count(*) FROM t") == "2")
    }

    @Test func `equal contents give equal bytes, whatever their layout`() throws {
        let folder = Folder()
        let path = folder.path + "/a.db"
        let client = try SQLClient(path, "PRAGMA journal_mode = WAL;" + Self.table)
        let inLog = try folder.snapshot(path)
        #expect(try folder.snapshot(path) == inLog)
        try client.run("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try folder.snapshot(path) == inLog)
        try client.run("UPDATE t SET x = x")
        client.close()
        #expect(Folder.names(folder.path) == ["a.db"])
        #expect(try folder.snapshot(path) == inLog)
        #expect(Folder.names(folder.path) == ["a.db"])
        try SQLClient(path).run("PRAGMA journal_mode = DELETE")
        #expect(try folder.snapshot(path) == inLog)
        // A snapshot put in its place is its own snapshot.
        Folder.write(try #require(inLog), path)
        #expect(try folder.snapshot(path) == inLog)
        try SQLClient(path).run("INSERT INTO t VALUES (2)")
        #expect(try folder.snapshot(path) != inLog)
    }

    @Test func `a WAL or journal that was left behind is read and not changed`() throws {
        for mode in ["WAL", "DELETE"] {
            let folder = Folder()
            let (path, dead) = (folder.path + "/live.db", folder.path + "/dead.db")
            let client = try SQLClient(
                path, "PRAGMA journal_mode = \(mode); PRAGMA cache_size = 1;" + Self.table)
            if mode == "DELETE" {
                // Large enough to reach the file before the commit, which never comes.
                try client.run(
                    "BEGIN; WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c "
                        + "WHERE i < 3000) INSERT INTO t SELECT zeroblob(100) FROM c; DELETE FROM t WHERE x = 1"
                )
            }
            for ending in ["", "-wal", "-journal"] {
                let bytes = Folder.bytes(path + ending)
                if !bytes.isEmpty { Folder.write(bytes, dead + ending) }
            }
            let before = Folder.names(folder.path)
            let copy = try #require(try folder.live.snapshot(of: dead))
            #expect(SQLClient.text(copy.path, "SELECT sum(x) || count(*) FROM t") == "11")
            #expect(Folder.names(folder.path) == before)
        }
    }

    @Test func `a read-only folder can be read`() throws {
        let folder = Folder()
        let path = folder.path + "/a.db"
        let client = try SQLClient(path, "PRAGMA journal_mode = WAL;" + Self.table)
        chmod(folder.path, 0o500)
        #expect(try folder.snapshot(path) != nil)
        client.close()
        #expect(try folder.snapshot(path) != nil)
    }

    @Test func `a lasting lock makes it busy`() throws {
        let folder = Folder()
        let path = folder.path + "/a.db"
        let client = try SQLClient(path, Self.table)
        try client.run("BEGIN EXCLUSIVE")
        let failure = #expect(throws: Failure.self) { try folder.snapshot(path) }
        #expect(failure?.code == .busy)
        try client.run("COMMIT")
        #expect(try folder.snapshot(path) != nil)
        #expect(Folder.names(folder.scratch).isEmpty)
    }

    @Test func `a file that only begins like a database is not one`() throws {
        let folder = Folder()
        let path = folder.path + "/a.db"
        let magic = Array("SQLite format 3\0".utf8)
        #expect(LiveDatabases.isDatabase(magic + [1]))
        #expect(!LiveDatabases.isDatabase(magic.dropLast()))
        for rest in [[], [UInt8](repeating: 7, count: 4_000), [16, 0, 2, 2, 0, 64, 32, 32]] {
            Folder.write(magic + rest, path)
            #expect(try folder.snapshot(path) == nil)
        }
        let failure = #expect(throws: Failure.self) { try folder.snapshot(path + "x") }
        #expect(failure?.code == .notFound)
    }
}
