import FilesinkiMerge
import FilesinkiModel
import Testing

@Suite struct SQLiteMergeLawTests {
    private static let table = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, n INT, s TEXT);
        INSERT INTO t VALUES (1, 10, 'a'), (2, 20, 'b')
        """

    @Test func `a change on one side only is the result, byte for byte`() throws {
        let trial = MergeTrial()
        let base = trial.folder.database(Self.table)
        let changed = trial.folder.database("UPDATE t SET n = 1", from: base)
        for (ours, theirs) in [(changed, changed), (base, changed), (changed, base)] {
            let answer = try trial.merge(base, ours, theirs)
            let isSame = answer.path.map(trial.folder.bytes) == trial.folder.bytes(of: changed)
            #expect(isSame)
        }
    }

    @Test func `without a base the result has the rows of both, and unequal ones decline`() throws {
        let trial = MergeTrial()
        let ours = trial.folder.database(Self.table + "; INSERT INTO t VALUES (3, 3, 'c')")
        let theirs = trial.folder.database(Self.table + "; INSERT INTO t VALUES (4, 4, 'd')")
        let answer = try trial.merge(nil, ours, theirs)
        #expect(trial.rows("SELECT id FROM t", answer) == ["1", "2", "3", "4"])
        let other = trial.folder.database("UPDATE t SET n = 0 WHERE id = 1", from: theirs)
        #expect(
            try trial.merge(nil, ours, other).conflicts
                == ["table t, key 1: Both sides added the row, and column n is 0 and 10."])
    }

    @Test func `without a base a table without key has every row of both`() throws {
        let trial = MergeTrial()
        let ours = trial.folder.database("CREATE TABLE t(a); INSERT INTO t VALUES (1), (1), (2)")
        let theirs = trial.folder.database("CREATE TABLE t(a); INSERT INTO t VALUES (3), (1)")
        let answer = try trial.merge(nil, ours, theirs)
        #expect(trial.rows("SELECT a FROM t ORDER BY a", answer) == ["1", "1", "2", "3"])
    }

    @Test(arguments: [
        (FieldRule.Resolution.max, "/t/n", 17), (.min, "/n", 13), (.sum, "/*/n", 20),
        (.newest, "/t/*", 13),
    ])
    func `rules decide cells that both changed`(
        _ resolution: FieldRule.Resolution, _ pattern: String, _ expected: Int
    ) throws {
        var trial = MergeTrial()
        trial.theirsModified = Timestamp(nanoseconds: 2)
        trial.settings.fields = [
            FieldRule(pattern: try FieldPattern(parsing: pattern), resolution: resolution)
        ]
        let answer = try trial.merge(
            base: Self.table, ours: "UPDATE t SET n = 17 WHERE id = 1",
            theirs: "UPDATE t SET n = 13 WHERE id = 1")
        #expect(trial.rows("SELECT n FROM t WHERE id = 1", answer) == [String(expected)])
    }

    @Test(
        "a counter adds both differences, also where they are equal, and from NULL as from 0",
        arguments: [
            ("6", "6", "7|integer"), ("3", "3", "1|integer"), ("6", "5", "6|integer"),
            ("5.5", "5.5", "6.0|real"), ("'x'", "'x'", "x|text"),
        ])
    func equalSteps(_ ours: String, _ theirs: String, _ expected: String) throws {
        var trial = MergeTrial()
        trial.settings.fields = [
            FieldRule(pattern: try FieldPattern(parsing: "/t/n"), resolution: .sum)
        ]
        let answer = try trial.merge(
            base: "CREATE TABLE t(id INTEGER PRIMARY KEY, n, m); INSERT INTO t VALUES (1, 5, 0)",
            ours: "UPDATE t SET n = \(ours)", theirs: "UPDATE t SET n = \(theirs), m = 1")
        #expect(trial.rows("SELECT n, typeof(n) FROM t WHERE m = 1", answer) == [expected])
        let fromNull = try trial.merge(
            base: "CREATE TABLE t(id INTEGER PRIMARY KEY, n, m); INSERT INTO t VALUES (1, NULL, 0)",
            ours: "UPDATE t SET n = 2", theirs: "UPDATE t SET n = 2, m = 1")
        #expect(trial.rows("SELECT n FROM t", fromNull) == ["4"])
    }

    @Test("a counter in a column that both sides added starts from its default")
    func newCounter() throws {
        var trial = MergeTrial()
        trial.settings.fields = [
            FieldRule(pattern: try FieldPattern(parsing: "/t/n"), resolution: .sum)
        ]
        let column = "ALTER TABLE t ADD COLUMN n INT DEFAULT 10;"
        let answer = try trial.merge(
            base: "CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)",
            ours: column + "UPDATE t SET n = 12 WHERE id = 1",
            theirs: column + "UPDATE t SET n = 13")
        #expect(trial.rows("SELECT * FROM t", answer) == ["1|15", "2|13"])
    }

    @Test("a row that both sides added alike is not counted twice")
    func rowAddedAlike() throws {
        var trial = MergeTrial()
        trial.settings.fields = [
            FieldRule(pattern: try FieldPattern(parsing: "/t/n"), resolution: .sum)
        ]
        let answer = try trial.merge(
            base: "CREATE TABLE t(id INTEGER PRIMARY KEY, n)",
            ours: "INSERT INTO t VALUES (1, 4)", theirs: "INSERT INTO t VALUES (1, 4), (2, 1)")
        #expect(trial.rows("SELECT * FROM t", answer) == ["1|4", "2|1"])
    }

    @Test(arguments: [
        (FieldChoice.ours, 1), (.theirs, 2), (.newest, 2), (.oldest, 1),
    ])
    func `a choice of side decides what no rule covers`(_ choice: FieldChoice, _ expected: Int)
        throws
    {
        var trial = MergeTrial()
        trial.theirsModified = Timestamp(nanoseconds: 2)
        trial.settings.fieldChoice = choice
        let answer = try trial.merge(
            base: Self.table, ours: "UPDATE t SET n = 1 WHERE id = 1",
            theirs: "UPDATE t SET n = 2 WHERE id = 1")
        #expect(trial.rows("SELECT n FROM t WHERE id = 1", answer) == [String(expected)])
    }

    @Test func `a sum that is not a 64-bit number declines, and so does a rule by equal times`()
        throws
    {
        for (resolution, value) in [(FieldRule.Resolution.sum, Int.max), (.newest, 5)] {
            var trial = MergeTrial()
            trial.settings.fields = [
                FieldRule(pattern: try FieldPattern(parsing: "/n"), resolution: resolution)
            ]
            let answer = try trial.merge(
                base: Self.table, ours: "UPDATE t SET n = \(value) WHERE id = 1",
                theirs: "UPDATE t SET n = \(value - 1) WHERE id = 1")
            #expect(answer.path == nil)
        }
    }

    @Test func `page size, encoding and journal mode stay those of the kept file`() throws {
        let trial = MergeTrial()
        let base = trial.folder.database(
            "PRAGMA encoding = 'UTF-16be'; PRAGMA page_size = 1024; PRAGMA journal_mode = WAL;"
                + Self.table)
        let ours = trial.folder.database("UPDATE t SET s = 'ä𝄞' WHERE id = 1", from: base)
        let theirs = trial.folder.database("UPDATE t SET s = 'ö' WHERE id = 2", from: base)
        let answer = try trial.merge(base, ours, theirs)
        #expect(
            trial.rows(
                "SELECT s FROM t; PRAGMA page_size; PRAGMA encoding; PRAGMA journal_mode", answer)
                == ["ä𝄞", "ö", "1024", "UTF-16be", "wal"])
    }

    @Test(arguments: 0..<30)
    func `random databases and edits obey the laws`(_ seed: Int) throws {
        var random = RandomDatabase(seed: UInt64(seed))
        let trial = MergeTrial()
        let base = trial.folder.database(random.schema + random.edits(count: 12, ids: 0..<20))
        let ours = trial.folder.database(random.edits(count: 6, ids: 0..<30), from: base)
        let theirs = trial.folder.database(random.edits(count: 6, ids: 0..<30), from: base)
        let answer = try trial.merge(base, ours, theirs)
        guard let result = answer.path else { return }
        let rows = ["k", "w", "n"].map { table in
            { (path: String) in Set(trial.folder.query(path, "SELECT * FROM \(table)")) }
        }
        for read in rows {
            let (old, ourRows, theirRows, new) = (
                read(base), read(ours), read(theirs), read(result)
            )
            // What one side added anew, and the other left alone, is there as it is.
            let key = { (row: String) in row.split(separator: "|").first }
            let touchedByOurs = Set(old.symmetricDifference(ourRows).map(key))
            let touchedByTheirs = Set(old.symmetricDifference(theirRows).map(key))
            for row in ourRows.subtracting(old) where !touchedByTheirs.contains(key(row)) {
                #expect(new.contains(row))
            }
            for row in theirRows.subtracting(old) where !touchedByOurs.contains(key(row)) {
                #expect(new.contains(row))
            }
            #expect(new.isSuperset(of: old.intersection(ourRows).intersection(theirRows)))
            for row in old.subtracting(ourRows) where !touchedByTheirs.contains(key(row)) {
                #expect(!new.contains(row))
            }
        }
        // Once merged, a second merge with either side says the same.
        for side in [ours, theirs] {
            let again = try trial.merge(base, result, side)
            #expect(again.path.map(trial.folder.dump) == trial.folder.dump(result))
        }
    }
}

/// Small databases from a seed (SplitMix64).
private struct RandomDatabase {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    private mutating func next(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }

    let schema = """
        CREATE TABLE k(id INTEGER PRIMARY KEY, a, b TEXT, c INT);
        CREATE TABLE w(id TEXT, a, b TEXT, c INT, PRIMARY KEY(id)) WITHOUT ROWID;
        CREATE TABLE n(id, a, b TEXT, c INT);
        CREATE INDEX i ON k(a); CREATE INDEX j ON w(b, c);
        """

    mutating func edits(count: Int, ids: Range<Int>) -> String {
        var sql = ""
        for _ in 0..<count {
            let table = ["k", "w", "n"][next(3)]
            let id = ids.lowerBound + next(ids.count)
            let column = ["a", "b", "c"][next(3)]
            switch next(5) {
            case 0: sql += "DELETE FROM \(table) WHERE id = \(id);"
            case 1: sql += "UPDATE \(table) SET \(column) = \(value()) WHERE id = \(id);"
            default:
                sql +=
                    "INSERT OR IGNORE INTO \(table) VALUES "
                    + "(\(id), \(value()), \(value()), \(value()));"
            }
        }
        return sql
    }

    private mutating func value() -> String {
        ["NULL", "1", "2", "1.5", "'x'", "x'00'", "''"][next(7)]
    }
}
