import FilesinkiLiveDatabase
import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

@Suite struct ReplacingTests {
    private static let table = "CREATE TABLE t(x); INSERT INTO t VALUES (1);"

    @Test(arguments: ["WAL", "DELETE"])
    func `programs that have the file open read the new content, and the mode stays`(_ mode: String)
        throws
    {
        let folder = Folder()
        let (path, new) = (folder.path + "/a.db", folder.path + "/new.db")
        let reader = try SQLClient(path, "PRAGMA journal_mode = \(mode);" + Self.table)
        #expect(reader.text("SELECT count(*) FROM t") == "1")
        try SQLClient(new, Self.table + "INSERT INTO t VALUES (2), (3); CREATE INDEX i ON t(x)")
            .close()
        let old = try folder.snapshot(path)
        var seen: [UInt8] = []
        let isDone = try folder.live.replace(path, with: new) { current in
            seen = Folder.bytes(current)
            return true
        }
        #expect(isDone)
        let isSame = seen == old
        #expect(isSame)
        #expect(reader.text("SELECT count(*) FROM t") == "3")
        #expect(reader.text("PRAGMA integrity_check") == "ok")
        #expect(reader.text("PRAGMA journal_mode") == mode.lowercased())
        #expect(try folder.snapshot(path) == folder.snapshot(new))
        #expect(Folder.names(folder.scratch).isEmpty)
    }

    @Test(arguments: ["WAL", "DELETE"])
    func `a file that the plan did not see stays`(_ mode: String) throws {
        let folder = Folder()
        let (path, new) = (folder.path + "/a.db", folder.path + "/new.db")
        let client = try SQLClient(path, "PRAGMA journal_mode = \(mode);" + Self.table)
        try SQLClient(new, "CREATE TABLE other(y)").close()
        #expect(try !folder.live.replace(path, with: new) { _ in false })
        try client.run("INSERT INTO t VALUES (5)")
        #expect(client.text("SELECT sum(x) FROM t") == "6")
    }

    @Test(arguments: ["WAL", "DELETE"])
    func `no other writer comes between the check and the write`(_ mode: String) throws {
        let folder = Folder()
        let (path, new) = (folder.path + "/a.db", folder.path + "/new.db")
        let client = try SQLClient(
            path, "PRAGMA journal_mode = \(mode);" + Self.table, patience: 0)
        try SQLClient(new, Self.table + "DELETE FROM t").close()
        #expect(
            try folder.live.replace(path, with: new) { _ in
                !client.accepts("INSERT INTO t VALUES (5)")
            })
        #expect(client.text("SELECT count(*) FROM t") == "0")
    }

    @Test func `a writer that does not end makes it busy, and nothing is written`() throws {
        let folder = Folder()
        let (path, new) = (folder.path + "/a.db", folder.path + "/new.db")
        let client = try SQLClient(
            path, "PRAGMA journal_mode = WAL;" + Self.table + "BEGIN IMMEDIATE")
        try SQLClient(new, "CREATE TABLE other(y)").close()
        let failure = #expect(throws: Failure.self) {
            try folder.live.replace(path, with: new) { _ in true }
        }
        #expect(failure?.code == .busy)
        try client.run("COMMIT")
        #expect(client.text("SELECT count(*) FROM t") == "1")
    }

    @Test(arguments: ["WAL", "DELETE"])
    func `another page size is accepted when no program has the file open`(_ mode: String) throws {
        let folder = Folder()
        let (path, new) = (folder.path + "/a.db", folder.path + "/new.db")
        let client = try SQLClient(path, "PRAGMA journal_mode = \(mode);" + Self.table)
        try SQLClient(new, "PRAGMA page_size = 1024;" + Self.table + "INSERT INTO t VALUES (2)")
            .close()
        if mode == "WAL" {
            let failure = #expect(throws: Failure.self) {
                try folder.live.replace(path, with: new) { _ in true }
            }
            #expect(failure?.code == .busy)
            #expect(client.text("SELECT count(*) FROM t") == "1")
        }
        client.close()
        #expect(try folder.live.replace(path, with: new) { _ in true })
        #expect(SQLClient.text(path, "SELECT count(*) FROM t") == "2")
        #expect(SQLClient.text(path, "PRAGMA journal_mode") == mode.lowercased())
        #expect(SQLClient.text(path, "PRAGMA integrity_check") == "ok")
    }
}
