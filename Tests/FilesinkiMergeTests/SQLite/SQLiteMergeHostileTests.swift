import FilesinkiMerge
import FilesinkiModel
import Testing

/// The files are from a remote; whatever they are, the answer is one of three.
@Suite struct SQLiteMergeHostileTests {
    private static let table = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, n INT, s TEXT UNIQUE);
        WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 300)
        INSERT INTO t SELECT i, i, printf('%050d', i) FROM c;
        """

    @Test(arguments: 0..<44)
    func `corrupt bytes decline, and never end the process`(_ seed: Int) throws {
        let trial = MergeTrial()
        let base = trial.folder.database(Self.table)
        let ours = trial.folder.database("UPDATE t SET n = 0 WHERE id = 3", from: base)
        let theirs = trial.folder.database("UPDATE t SET n = 0 WHERE id = 290", from: base)
        var bytes = trial.folder.bytes(of: theirs)
        if seed % 4 == 0 {
            bytes.removeLast(bytes.count * (seed + 1) / 46)
        } else {
            for step in 0..<(1 + seed % 7) {
                let place = (seed &* 7_919 &+ step &* 104_729) % bytes.count
                bytes[seed % 3 == 0 ? 16 + place % 84 : place] ^= UInt8(1 << (seed % 8))
            }
        }
        trial.folder.write(bytes, to: theirs)
        let result = trial.folder.freePath()
        let outcome = try SQLiteMerge().merge(base: base, ours: ours, theirs: theirs, into: result)
        if outcome == .merged {
            #expect(trial.folder.query(result, "PRAGMA integrity_check") == ["ok"])
        } else {
            #expect(trial.folder.bytes(of: result).isEmpty)
        }
    }

    @Test func `a content that is not a database declines`() throws {
        let trial = MergeTrial()
        let database = trial.folder.database(Self.table)
        let magic = Array("SQLite format 3\0".utf8)
        for bytes in [[], [1], magic, magic + [UInt8](repeating: 0xFF, count: 5_000)] {
            let other = trial.folder.freePath()
            trial.folder.write(bytes, to: other)
            #expect(try trial.merge(nil, database, other).path == nil)
        }
    }

    @Test func `an index that does not match its table declines`() throws {
        let trial = MergeTrial()
        let base = trial.folder.database(
            "CREATE TABLE t(k TEXT PRIMARY KEY, n INT); CREATE TABLE u(k TEXT PRIMARY KEY, n INT);"
                + "INSERT INTO t VALUES ('a', 1), ('b', 2); INSERT INTO u VALUES ('x', 1), ('y', 2)"
        )
        let ours = trial.folder.database("UPDATE t SET n = 5 WHERE k = 'a'", from: base)
        // The index of the one table is read as that of the other.
        let theirs = trial.folder.database(
            "DELETE FROM t WHERE k = 'b'; PRAGMA writable_schema = ON;"
                + "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema "
                + "WHERE name = 'sqlite_autoindex_u_1') WHERE name = 'sqlite_autoindex_t_1'",
            from: base)
        #expect(try trial.merge(base, ours, theirs).path == nil)
    }

    @Test func `a check that needs more memory than the files' size declines`() throws {
        let answer = try MergeTrial().merge(
            base: """
                CREATE TABLE t(id INTEGER PRIMARY KEY, n,
                    CHECK (length(zeroblob(3000000)) > n))
                """,
            ours: "INSERT INTO t VALUES (1, 5)", theirs: "INSERT INTO t VALUES (2, 6)")
        #expect(answer.conflicts == ["table t, key 1: SQLite refuses: string or blob too big."])
    }

    @Test func `a disk error is a failure and not a decline`() throws {
        let trial = MergeTrial()
        let base = trial.folder.database(Self.table)
        let ours = trial.folder.database("UPDATE t SET n = 0 WHERE id = 3", from: base)
        let theirs = trial.folder.database("UPDATE t SET n = 0 WHERE id = 4", from: base)
        #expect(throws: Failure.self) {
            try SQLiteMerge().merge(
                base: base, ours: ours, theirs: theirs, into: "/nowhere/at/all")
        }
        #expect(throws: Failure.self) {
            try SQLiteMerge().merge(
                base: "/nowhere/at/all", ours: ours, theirs: theirs, into: trial.folder.freePath())
        }
    }
}
