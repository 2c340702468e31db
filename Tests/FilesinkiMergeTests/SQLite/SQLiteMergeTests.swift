import FilesinkiMerge
import FilesinkiModel
import Glibc
import Testing

@Suite struct SQLiteMergeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var base: String
        var ours: String
        var theirs: String
        /// A query over the result and its rows, or the reasons to decline.
        var query: String
        var expected: [String]

        var testDescription: String { name }

        init(
            _ name: String, base: String, ours: String, theirs: String, query: String = "",
            _ expected: [String]
        ) {
            self.name = name
            self.base = base
            self.ours = ours
            self.theirs = theirs
            self.query = query
            self.expected = expected
        }
    }

    @Test(arguments: merging + declining + schemas)
    func `the result has both sides, or the reason is returned`(_ row: Row) throws {
        let trial = MergeTrial()
        let answer = try trial.merge(base: row.base, ours: row.ours, theirs: row.theirs)
        #expect(trial.rows(row.query, answer) == row.expected)
    }

    private static let people = """
        CREATE TABLE p(id INTEGER PRIMARY KEY, name TEXT, age INT);
        INSERT INTO p VALUES (1, 'Ann', 30), (2, 'Ben', 40), (7, 'Cem', 50);
        """

    private static let merging: [Row] = [
        Row(
            "rows that either side adds", base: people, ours: "INSERT INTO p VALUES (3, 'x', 1)",
            theirs: "INSERT INTO p VALUES (4, 'y', 2)", query: "SELECT * FROM p WHERE id IN (3, 4)",
            ["3|x|1", "4|y|2"]),
        Row(
            "other columns of one row", base: people, ours: "UPDATE p SET name = 'x' WHERE id = 7",
            theirs: "UPDATE p SET age = 51 WHERE id = 7", query: "SELECT * FROM p WHERE id = 7",
            ["7|x|51"]),
        Row(
            "the same change", base: people, ours: "UPDATE p SET age = 3; DELETE FROM p WHERE id=1",
            theirs:
                "UPDATE p SET age = 3; DELETE FROM p WHERE id=1; INSERT INTO p VALUES (9, 'z', 9)",
            query: "SELECT * FROM p", ["2|Ben|3", "7|Cem|3", "9|z|9"]),
        Row(
            "the same row added by both", base: people,
            ours: "INSERT INTO p VALUES (3, 'x', 1), (5, 'h', 1)",
            theirs: "INSERT INTO p VALUES (3, 'x', 1), (6, 't', 1)",
            query: "SELECT * FROM p WHERE id > 2 AND id < 7", ["3|x|1", "5|h|1", "6|t|1"]),
        Row(
            "a removed row stays removed", base: people, ours: "DELETE FROM p WHERE id = 1",
            theirs: "DELETE FROM p WHERE id = 2", query: "SELECT id FROM p", ["7"]),
        Row(
            "rows that exchange a unique value",
            base: "CREATE TABLE t(id INTEGER PRIMARY KEY, u INT UNIQUE, v);"
                + "INSERT INTO t VALUES (1, 10, 0), (2, 20, 0), (3, 30, 0)",
            ours: "UPDATE t SET u = -1 WHERE id = 1; UPDATE t SET u = 10 WHERE id = 2;"
                + "UPDATE t SET u = 20 WHERE id = 1",
            theirs: "UPDATE t SET v = 5 WHERE id < 3", query: "SELECT * FROM t",
            ["1|20|5", "2|10|5", "3|30|0"]),
        Row(
            "WITHOUT ROWID and a key of two columns",
            base: "CREATE TABLE t(a TEXT, b INT, c, d, PRIMARY KEY(a, b)) WITHOUT ROWID;"
                + "INSERT INTO t VALUES ('x', 1, 1, 1), ('x', 2, 2, 2), ('y', 1, 3, 3)",
            ours: "UPDATE t SET c = 9 WHERE b = 2; DELETE FROM t WHERE a = 'y'",
            theirs: "UPDATE t SET d = 8 WHERE b = 2; INSERT INTO t VALUES ('z', 0, 0, 0)",
            query: "SELECT * FROM t", ["x|1|1|1", "x|2|9|8", "z|0|0|0"]),
        Row(
            "a text key, with collation, in tables whose rowids differ",
            base: "CREATE TABLE t(k TEXT PRIMARY KEY COLLATE NOCASE, v, w);"
                + "INSERT INTO t VALUES ('a', 1, 1), ('b', 2, 2), ('c', 3, 3)",
            ours: "DELETE FROM t WHERE k = 'a'; VACUUM; UPDATE t SET v = 9 WHERE k = 'c'",
            theirs: "UPDATE t SET k = 'B' WHERE k = 'b'; UPDATE t SET w = 8 WHERE k = 'c'",
            query: "SELECT k, v, w FROM t ORDER BY k", ["B|2|2", "c|9|8"]),
        Row(
            "blobs, generated columns, and values without affinity",
            base:
                "CREATE TABLE t(k BLOB PRIMARY KEY, v, g AS (typeof(v)), s TEXT AS (v||'!') STORED);"
                + "INSERT INTO t(k, v) VALUES (x'00ff', 1), (x'01', zeroblob(9)), (x'', '')",
            ours: "UPDATE t SET v = 1.0 WHERE k = x'00ff'",
            theirs: "UPDATE t SET v = x'' WHERE k = x'01'; INSERT INTO t(k, v) VALUES (x'07', 'n')",
            query: "SELECT quote(k), quote(v), g FROM t ORDER BY k",
            ["X''|''|text", "X'00FF'|1.0|real", "X'01'|X''|blob", "X'07'|'n'|text"]),
        Row(
            "no key: whole rows, as often as they are",
            base: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 1), (1, 1), (2, 2), (3, 3)",
            ours: "DELETE FROM t WHERE rowid = 1; INSERT INTO t VALUES (4, 4), (5, 5)",
            theirs: "INSERT INTO t VALUES (4, 4), (6, 6), (6, 6); DELETE FROM t WHERE a = 3",
            query: "SELECT a, b FROM t ORDER BY a", ["1|1", "2|2", "4|4", "5|5", "6|6", "6|6"]),
        Row(
            "keys that are NULL are whole rows",
            base:
                "CREATE TABLE t(k TEXT PRIMARY KEY, v); INSERT INTO t VALUES (NULL, 1), (NULL, 2)",
            ours: "INSERT INTO t VALUES (NULL, 3)", theirs: "DELETE FROM t WHERE v = 1",
            query: "SELECT v FROM t ORDER BY v", ["2", "3"]),
        Row(
            "the counter of AUTOINCREMENT is the greater one",
            base: "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, v)",
            ours: "INSERT INTO t VALUES (5, 'h')",
            theirs: "INSERT INTO t VALUES (90, 't'); DELETE FROM t; INSERT INTO t VALUES (8, 'u')",
            query: "SELECT seq FROM sqlite_sequence UNION ALL SELECT id FROM t", ["90", "5", "8"]),
        Row(
            "no trigger fires",
            base: people + "CREATE TABLE log(x); CREATE TRIGGER tr AFTER INSERT ON p BEGIN "
                + "INSERT INTO log VALUES (new.id); END",
            ours: "INSERT INTO p VALUES (3, 'x', 1)", theirs: "INSERT INTO p VALUES (4, 'y', 1)",
            query: "SELECT x FROM log ORDER BY x", ["3", "4"]),
        Row(
            "a foreign key to a row of the other side's transaction",
            base: "CREATE TABLE a(id INTEGER PRIMARY KEY);"
                + "CREATE TABLE b(id INTEGER PRIMARY KEY, a REFERENCES a); INSERT INTO a VALUES (1)",
            ours: "INSERT INTO a VALUES (2); INSERT INTO b VALUES (1, 2)",
            theirs: "INSERT INTO b VALUES (2, 1)", query: "SELECT * FROM b", ["1|2", "2|1"]),
        Row(
            "numbers of the header", base: people, ours: "PRAGMA user_version = 3",
            theirs: "PRAGMA application_id = 5",
            query:
                "SELECT user_version, application_id FROM pragma_user_version, pragma_application_id",
            ["3|5"]),
        Row(
            "names that need quotes",
            base: "CREATE TABLE \"a\"\"b c\"(\"select\" INTEGER PRIMARY KEY, \"x y\", rowid, oid);"
                + "INSERT INTO \"a\"\"b c\" VALUES (1, 2, 3, 4)",
            ours: "UPDATE \"a\"\"b c\" SET \"x y\" = 9",
            theirs: "UPDATE \"a\"\"b c\" SET rowid = 8",
            query: "SELECT * FROM \"a\"\"b c\"", ["1|9|8|4"]),
        Row(
            "a full-text index that one side changed",
            base: "CREATE VIRTUAL TABLE f USING fts5(x); CREATE TABLE t(id INTEGER PRIMARY KEY)",
            ours: "INSERT INTO f VALUES ('hello world')", theirs: "INSERT INTO t VALUES (1)",
            query: "SELECT x, id FROM f('hello'), t", ["hello world|1"]),
    ]

    private static let declining: [Row] = [
        Row(
            "one cell", base: people, ours: "UPDATE p SET name = 'x' WHERE id = 7",
            theirs: "UPDATE p SET name = 'a' WHERE id = 7",
            ["table p, key 7: Both sides changed column name, to 'x' and 'a'."]),
        Row(
            "an automatic number given twice", base: people,
            ours: "INSERT INTO p VALUES (8, 'y', 1)", theirs: "INSERT INTO p VALUES (8, 'x', 1)",
            ["table p, key 8: Both sides added the row, and column name is 'y' and 'x'."]),
        Row(
            "changed and removed", base: people, ours: "DELETE FROM p WHERE id = 7",
            theirs: "UPDATE p SET age = 1 WHERE id = 7",
            ["table p, key 7: One side removed the row, and the other changed it."]),
        Row(
            "a unique value twice",
            base: "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE)",
            ours: "INSERT INTO t VALUES (1, 'm')", theirs: "INSERT INTO t VALUES (2, 'm')",
            ["table t, key 1: SQLite refuses: UNIQUE constraint failed: t.u."]),
        Row(
            "a check over two columns",
            base: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, CHECK (a + b < 10));"
                + "INSERT INTO t VALUES (1, 2, 2)",
            ours: "UPDATE t SET a = 7", theirs: "UPDATE t SET b = 7",
            ["table t, key 1: SQLite refuses: CHECK constraint failed: a + b < 10."]),
        Row(
            "a reference to a removed row",
            base: "CREATE TABLE a(id INTEGER PRIMARY KEY);"
                + "CREATE TABLE b(id INTEGER PRIMARY KEY, a REFERENCES a); INSERT INTO a VALUES (1)",
            ours: "DELETE FROM a", theirs: "INSERT INTO b VALUES (1, 1)",
            ["table b, row 1: It would refer to a row of table a that does not exist."]),
        Row(
            "a row without key that both replaced",
            base: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 1), (2, 2)",
            ours: "UPDATE t SET a = 5 WHERE b = 2", theirs: "UPDATE t SET a = 6 WHERE b = 2",
            ["table t, row 2: Both sides changed the row, and the table has no key to identify it."]
        ),
        Row(
            "numbers of the header", base: people, ours: "PRAGMA user_version = 3",
            theirs: "PRAGMA user_version = 4",
            ["user_version: It is 4 on one side and 3 on the other."]),
        Row(
            "a full-text index that both changed",
            base: "CREATE VIRTUAL TABLE f USING fts5(x)",
            ours: "INSERT INTO f VALUES ('hello')", theirs: "INSERT INTO f VALUES ('world')",
            ["table f_content: It belongs to a virtual table that both sides changed."]),
    ]

    private static let schemas: [Row] = [
        Row(
            "a new column is taken, and rows of the other side fit in", base: people,
            ours: "ALTER TABLE p ADD COLUMN mail TEXT DEFAULT 'none'; UPDATE p SET mail = 'm' "
                + "WHERE id = 7; PRAGMA user_version = 2",
            theirs: "UPDATE p SET age = 51 WHERE id = 7; INSERT INTO p VALUES (9, 'z', 9);"
                + "DELETE FROM p WHERE id = 1",
            query: "SELECT * FROM p, pragma_user_version",
            ["2|Ben|40|none|2", "7|Cem|51|m|2", "9|z|9|none|2"]),
        Row(
            "new tables, indices and views are taken", base: people,
            ours: "CREATE TABLE q(x); INSERT INTO q VALUES (5); CREATE INDEX i ON p(age);"
                + "CREATE VIEW w AS SELECT * FROM q",
            theirs: "UPDATE p SET age = 51 WHERE id = 7",
            query: "SELECT x, age FROM w, p WHERE id = 7",
            ["5|51"]),
        Row(
            "the same change of the schema", base: people,
            ours: "ALTER TABLE p ADD COLUMN m; UPDATE p SET age = 1 WHERE id = 1",
            theirs: "ALTER TABLE p ADD COLUMN m; UPDATE p SET m = 2 WHERE id = 2",
            query: "SELECT * FROM p", ["1|Ann|1|NULL", "2|Ben|40|2", "7|Cem|50|NULL"]),
        Row(
            "a value in a new column of a row that the other side removed", base: people,
            ours: "ALTER TABLE p ADD COLUMN mail TEXT; UPDATE p SET mail = 'm' WHERE id = 7",
            theirs: "DELETE FROM p WHERE id = 7",
            ["table p, key 7: One side removed the row, and the other changed it."]),
        Row(
            "a value in a column that both added, of a row that one removed", base: people,
            ours: "ALTER TABLE p ADD COLUMN m; UPDATE p SET m = 1 WHERE id = 7",
            theirs: "ALTER TABLE p ADD COLUMN m; DELETE FROM p WHERE id = 7",
            ["table p, key 7: One side removed the row, and the other changed it."]),
        Row(
            "a new column that is NULL in a row that the other side removed", base: people,
            ours: "ALTER TABLE p ADD COLUMN m; UPDATE p SET m = 1 WHERE id = 1",
            theirs: "DELETE FROM p WHERE id = 7", query: "SELECT * FROM p",
            ["1|Ann|30|1", "2|Ben|40|NULL"]),
        Row(
            "a default of a new column is no change of a row", base: people,
            ours: "ALTER TABLE p ADD COLUMN m INT DEFAULT '5'; UPDATE p SET m = 6 WHERE id = 1",
            theirs: "DELETE FROM p WHERE id = 7", query: "SELECT *, typeof(m) FROM p",
            ["1|Ann|30|6|integer", "2|Ben|40|5|integer"]),
        Row(
            "a default of a column that both added is no change of a row", base: people,
            ours:
                "ALTER TABLE p ADD COLUMN m TEXT DEFAULT 'none'; UPDATE p SET m = 'x' WHERE id = 1",
            theirs: "ALTER TABLE p ADD COLUMN m TEXT DEFAULT 'none'; DELETE FROM p WHERE id = 7",
            query: "SELECT * FROM p", ["1|Ann|30|x", "2|Ben|40|none"]),
        Row(
            "defaults that are words, signed numbers and bytes", base: people,
            ours:
                "ALTER TABLE p ADD COLUMN n DEFAULT none;"
                + "ALTER TABLE p ADD COLUMN o DEFAULT -5; ALTER TABLE p ADD COLUMN q DEFAULT x'00ff'",
            theirs: "DELETE FROM p WHERE id > 1",
            query: "SELECT id, n, o, quote(q) FROM p", ["1|none|-5|X'00FF'"]),
        Row(
            "a default that one side replaced by NULL", base: people,
            ours:
                "ALTER TABLE p ADD COLUMN m TEXT DEFAULT 'none'; UPDATE p SET m = NULL WHERE id = 7",
            theirs: "DELETE FROM p WHERE id = 7",
            ["table p, key 7: One side removed the row, and the other changed it."]),
        Row(
            "a new row with a value in a column that the other side removed", base: people,
            ours: "ALTER TABLE p DROP COLUMN age", theirs: "INSERT INTO p VALUES (9, 'z', 9)",
            [
                "table p, key 9: One side added the row with a value in column age, and the other "
                    + "removed the column."
            ]),
        Row(
            "a new row without a value in a column that the other side removed", base: people,
            ours: "ALTER TABLE p DROP COLUMN age", theirs: "INSERT INTO p VALUES (9, 'z', NULL)",
            query: "SELECT * FROM p WHERE id = 9", ["9|z"]),
        Row(
            "a removed column that nobody changed", base: people,
            ours: "ALTER TABLE p DROP COLUMN age", theirs: "UPDATE p SET name = 'x' WHERE id = 1",
            query: "SELECT * FROM p WHERE id = 1", ["1|x"]),
        Row(
            "a removed column that the other side changed", base: people,
            ours: "ALTER TABLE p DROP COLUMN age", theirs: "UPDATE p SET age = 1 WHERE id = 1",
            ["table p, key 1: One side changed column age, the other removed it."]),
        Row(
            "a removed table that the other side changed", base: people, ours: "DROP TABLE p",
            theirs: "UPDATE p SET age = 1 WHERE id = 1",
            [
                "table p: One side changed its rows, and the other its key or its columns, or "
                    + "removed it."
            ]),
        Row(
            "other changes on both", base: people, ours: "ALTER TABLE p ADD COLUMN m",
            theirs: "CREATE TABLE q(x)",
            ["table p: Both sides changed the schema differently."]),
    ]
}

/// Measures, where somebody asks: `FILESINKI_SQLITE_SPEED` is a folder with `base.db`, `here.db` and
/// `there.db`.
@Suite struct SQLiteMergeSpeed {
    private static let folder = getenv("FILESINKI_SQLITE_SPEED").map { String(cString: $0) }

    @Test(.enabled(if: folder != nil)) func `a large database merges in time`() throws {
        let folder = try #require(Self.folder)
        let result = "\(folder)/result.db"
        unlink(result)
        let clock = ContinuousClock()
        let time = try clock.measure {
            let outcome = try SQLiteMerge().merge(
                base: "\(folder)/base.db", ours: "\(folder)/here.db",
                theirs: "\(folder)/there.db", into: result)
            #expect(outcome == .merged)
        }
        print("The merge took \(time).")
    }
}
