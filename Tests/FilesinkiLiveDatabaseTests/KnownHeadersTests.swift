import FilesinkiLiveDatabase
import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

/// A database is read with the header that its content had first.
@Suite struct KnownHeadersTests {
    private static let table = "CREATE TABLE t(x); INSERT INTO t VALUES (1);"

    private let folder = Folder()
    private let known = Folder()
    private var path: String { folder.path + "/a.db" }

    private var live: LiveDatabases {
        LiveDatabases(
            scratch: folder.scratch, headers: known.path, retries: RetryPolicy(attempts: 3) {})
    }

    private func snapshot(_ path: String) throws -> [UInt8] {
        let copy = try #require(try live.snapshot(of: path))
        return Folder.bytes(copy.path)
    }

    /// A database that was written a few times, and that no program has open.
    private func make(_ mode: String, _ path: String) throws {
        try SQLClient(path, "PRAGMA journal_mode = \(mode);" + Self.table).close()
        try SQLClient(path, "INSERT INTO t VALUES (2)").close()
        #expect(Folder.names(folder.path).allSatisfy { !$0.hasSuffix("-wal") })
    }

    @Test("a database at rest is read byte for byte", arguments: ["DELETE", "WAL"])
    func atRest(_ mode: String) throws {
        try make(mode, path)
        let own = Folder.bytes(path)
        #expect(own[18] == (mode == "WAL" ? 2 : 1))
        let isSame = try snapshot(path) == own
        #expect(isSame)
    }

    @Test("programs that change no content change no byte", arguments: ["DELETE", "WAL"])
    func unchanged(_ mode: String) throws {
        try make(mode, path)
        let own = try snapshot(path)
        let other = mode == "WAL" ? "DELETE" : "WAL"
        let client = try SQLClient(path, "PRAGMA journal_mode = \(other); UPDATE t SET x = x")
        let isSameInUse = try snapshot(path) == own
        #expect(isSameInUse)
        client.close()
        #expect(Folder.bytes(path) != own)
        let isSameAtRest = try snapshot(path) == own
        #expect(isSameAtRest)
        try SQLClient(path, "INSERT INTO t VALUES (3)").close()
        let edited = try snapshot(path)
        #expect(edited != own && edited == Folder.bytes(path))
    }

    @Test("what is written in place is read as what was written", arguments: ["DELETE", "WAL"])
    func replaced(_ mode: String) throws {
        try make("DELETE", path)
        let new = folder.path + "/new.db"
        try make(mode, new)
        try SQLClient(new, "INSERT INTO t VALUES (7)").close()
        let open = try SQLClient(path)
        #expect(open.text("SELECT count(*) FROM t") == "2")
        let old = try snapshot(path)
        #expect(
            try live.replace(path, with: new) { Folder.bytes($0) == old })
        #expect(open.text("SELECT count(*) FROM t") == "3")
        #expect(open.text("PRAGMA journal_mode") == "delete")
        #expect(Folder.bytes(path)[18] == 1)
        let isSame = try snapshot(path) == Folder.bytes(new)
        #expect(isSame)
    }

    @Test func `a file with a version that was stored with a normalized header is replaced`() throws
    {
        try make("DELETE", path)
        let stored = try folder.snapshot(path)
        let new = folder.path + "/new.db"
        try make("DELETE", new)
        #expect(try live.replace(path, with: new) { Folder.bytes($0) == stored })
        #expect(try !live.replace(path, with: new) { Folder.bytes($0) == [] })
    }

    @Test func `what will be installed is read as it is now`() throws {
        try make("WAL", path)
        let own = Folder.bytes(path)
        try live.willInstall(path)
        try SQLClient(path, "PRAGMA journal_mode = DELETE").close()
        #expect(Folder.bytes(path) != own)
        let isSame = try snapshot(path) == own
        #expect(isSame)
    }

    @Test func `without the note, the header is the one that the file has`() throws {
        try make("WAL", path)
        _ = try snapshot(path)
        try SQLClient(path, "PRAGMA journal_mode = DELETE").close()
        for name in Folder.names(known.path) { Folder.write([1, 2, 3], "\(known.path)/\(name)") }
        let isSame = try snapshot(path) == Folder.bytes(path)
        #expect(isSame)
    }
}
