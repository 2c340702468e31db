import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Glibc
import Testing

/// SQLite databases that programs have open while they are synced.
@Suite struct LiveDatabaseTests {
    private static let rounds = knob("FILESINKI_LIVE_ROUNDS")

    @Test func `a database that is written to all the time is synced whole, and never goes back`()
        async throws
    {
        let world = try World()
        let (a, b) = try await world.pair(TreeFixture())
        let stop = world.folder.path("stop")
        let writer = try Script(
            """
            wal()
            c.execute('CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT)')
            def turn():
                c.execute('INSERT INTO t(x) VALUES (hex(randomblob(40)))')
                time.sleep(0.005)
            """, a.at("x.db"), stop: stop)
        for _ in 0..<20_000 where try await a.sync().publishedCommits > 0 { break }
        try await b.sync()
        let reader = try Script(
            """
            wal()
            last = 0
            def turn():
                global last
                try: now = c.execute('SELECT count(*) FROM t').fetchone()[0]
                except sqlite3.OperationalError as e:
                    if 'no such table' in str(e) and last == 0: return
                    raise
                assert now >= last, (now, last)
                last = now
            """, b.at("x.db"), stop: stop)
        var last = -1
        var advances = 0
        var round = 0
        // On a busy machine the writer may get its turn late.
        while round < Self.rounds ?? 10 || (advances < 2 && round < 5_000) {
            round += 1
            let reports = [try await a.sync(), try await b.sync()]
            for report in reports { #expect(report.problems.isEmpty, "\(report.problems)") }
            #expect(query(b.at("x.db"), "PRAGMA integrity_check") == "ok")
            let count = Int(query(b.at("x.db"), "SELECT count(*) FROM t")) ?? -1
            #expect(count >= last)
            if count > last { advances += 1 }
            last = count
        }
        #expect(advances > 1)
        fclose(fopen(stop, "w"))
        #expect(writer.wait() == 0)
        #expect(reader.wait() == 0)
        try await a.sync()
        try await b.sync()
        let rows = query(a.at("x.db"), "SELECT count(*) FROM t")
        #expect(query(b.at("x.db"), "SELECT count(*) FROM t") == rows)
    }

    @Test func `E1.1 a large content behind a small file is stored with the commit that names it`()
        async throws
    {
        let world = try World()
        let (a, b) = try await world.pair(TreeFixture())
        let client = try SQLClient(
            a.at("x.db"), "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        try client.run("CREATE TABLE t(x); INSERT INTO t VALUES (randomblob(3000000))")
        let report = try await a.sync()
        #expect(report.publishedCommits == 1)
        #expect(report.problems.isEmpty, "\(report.problems)")
        #expect(try await b.sync().problems.isEmpty)
        let hash = "SELECT hex(x) FROM t"
        #expect(query(b.at("x.db"), hash) == query(a.at("x.db"), hash))
        #expect(query(b.at("x.db"), "SELECT length(x) FROM t") == "3000000")
        client.close()
    }

    @Test func `transactions in the WAL are synced, and the WAL is not`() async throws {
        let world = try World()
        let (a, b) = try await world.pair(TreeFixture())
        let client = try SQLClient(a.at("x.db"), "PRAGMA journal_mode = WAL; CREATE TABLE t(x)")
        try await a.sync()
        try client.run("INSERT INTO t VALUES (7)")
        let first = try await a.sync()
        #expect(first.problems.isEmpty, "\(first.problems)")
        try await b.sync()
        #expect(try b.names == ["x.db"])
        #expect(query(b.at("x.db"), "SELECT x FROM t") == "7")
        try client.run("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try await a.sync().publishedCommits == 0)
        try client.run("INSERT INTO t VALUES (8)")
        #expect(try await a.sync().publishedCommits == 1)
    }

    @Test func `a program that has the file open reads the new content`() async throws {
        let world = try World()
        let (a, b) = try await world.pair(TreeFixture())
        try SQLClient(a.at("x.db"), "CREATE TABLE t(x); INSERT INTO t VALUES (1)").close()
        try await a.sync()
        try await b.sync()
        let open = try SQLClient(
            b.at("x.db"), "PRAGMA journal_mode = WAL; BEGIN; SELECT * FROM t; COMMIT")
        try SQLClient(a.at("x.db"), "INSERT INTO t VALUES (2)").close()
        try await a.sync()
        try await b.sync()
        #expect(open.text("SELECT count(*) FROM t") == "2")
        #expect(open.text("PRAGMA journal_mode") == "wal")
        #expect(try await b.sync().publishedCommits == 0)
        #expect(try await a.sync().publishedCommits == 0)
    }

    @Test
    func `a merged database has both sides' rows, and a further sync writes nothing`()
        async throws
    {
        let world = try World()
        let (a, b) = try await world.pair(TreeFixture())
        let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT, y TEXT)"
        try SQLClient(a.at("x.db"), schema + "; INSERT INTO t VALUES (1, 'x', 'y'), (2, 'x', 'y')")
            .close()
        for machine in [a, b, a, b] { try await machine.sync() }
        let open = try SQLClient(
            a.at("x.db"), "PRAGMA journal_mode = WAL; INSERT INTO t VALUES (3, 'a', '')")
        try open.run("UPDATE t SET x = 'a' WHERE id = 1")
        try SQLClient(
            b.at("x.db"), "INSERT INTO t VALUES (4, 'b', ''); UPDATE t SET y = 'b' WHERE id = 1"
        )
        .close()
        try await a.sync()
        let report = try await b.sync()
        #expect(report.steps.map(\.reason) == [.merged("auto:sqlite")])
        for machine in [a, b, a, b] { try await machine.sync() }
        for machine in [a, b] {
            let rows = query(
                machine.at("x.db"), "SELECT group_concat(id || x || y, ' ') FROM (SELECT * FROM t)")
            #expect(rows == "1ab 2xy 3a 4b")
            #expect(query(machine.at("x.db"), "PRAGMA integrity_check") == "ok")
        }
        #expect(open.text("SELECT count(*) FROM t") == "4")
        #expect(try await b.sync().publishedCommits == 0)
        #expect(try await a.sync().publishedCommits == 0)
    }

    @Test func `a cell that both changed is a conflict, unless a rule decides`()
        async throws
    {
        let world = try World()
        let (a, b) = try await world.pair(TreeFixture())
        try SQLClient(
            a.at("x.db"), "CREATE TABLE t(id INTEGER PRIMARY KEY, n); INSERT INTO t VALUES (1, 10)"
        )
        .close()
        let rules = "[[rule]]\nmatch = '*.db'\nfields.\"/t/n\" = \"sum\"\n"
        for machine in [a, b, a, b] { try await machine.sync() }
        try SQLClient(a.at("x.db"), "UPDATE t SET n = 15").close()
        try SQLClient(b.at("x.db"), "UPDATE t SET n = 13").close()
        try await a.sync()
        try await b.sync { $0.strategy = Strategy([.merge(.format(.sqlite)), .end(.leave)]) }
        #expect(query(b.at("x.db"), "SELECT n FROM t") == "13")
        try b.write([".filesinki.toml": .file(rules)])
        try await b.sync()
        #expect(query(b.at("x.db"), "SELECT n FROM t") == "18")
    }

    @Test func `a database is not written beside another one's WAL`() async throws {
        let world = try World()
        let (a, b) = try await world.pair(TreeFixture())
        try b.write(["x.db-wal": .file("of another one")])
        try SQLClient(a.at("x.db"), "CREATE TABLE t(x)").close()
        try await a.sync()
        let report = try await b.sync()
        #expect(report.problems.map(\.failure.code) == [.exists])
        #expect(b.text("x.db-wal") == "of another one")
        b.remove("x.db-wal")
        try await b.sync()
        #expect(query(b.at("x.db"), "SELECT count(*) FROM t") == "0")
    }

    @Test func `a removed database is removed with its WAL`() async throws {
        let world = try World()
        let (a, b) = try await world.pair(TreeFixture())
        try SQLClient(a.at("x.db"), "CREATE TABLE t(x)").close()
        try await a.sync()
        try await b.sync()
        let open = try SQLClient(
            b.at("x.db"), "PRAGMA journal_mode = WAL; INSERT INTO t VALUES (1)")
        try await b.sync()
        try await a.sync()
        a.remove("x.db")
        try await a.sync { $0.maxDelete = .count(9) }
        let report = try await b.sync { $0.maxDelete = .count(9) }
        #expect(report.problems.isEmpty, "\(report.problems)")
        let names = try b.names
        #expect(names.isEmpty, "\(names)")
        open.close()
    }
}

/// A Python script with an open database, in a process of its own: SQLite's locks are a process's.
private final class Script {
    private var process: pid_t = 0

    /// - Parameter body: Defines `turn()`, which is called until the file `stop` is there.
    init(_ body: String, _ database: String, stop: String) throws {
        let text = """
            here = 0; import os, sqlite3, sys, time
            c = sqlite3.connect(sys.argv[1], isolation_level=None)
            def wal():
                # SQLite does not wait for the lock that a change of the mode needs.
                while True:
                    try: return c.execute('PRAGMA journal_mode = WAL')
                    except sqlite3.OperationalError: time.sleep(0.01)
            \(body)
            # It ends with the tests, however these end.
            parent = os.getppid()
            while os.getppid() == parent and not os.path.exists(sys.argv[2]): turn()
            """
        let arguments = ["python3", "-c", text, database, stop]
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        try #require(posix_spawnp(&process, "python3", nil, nil, &words, environ) == 0)
    }

    /// The exit status.
    func wait() -> Int32 {
        var status: Int32 = 0
        waitpid(process, &status, 0)
        return status
    }
}

private func query(_ path: String, _ sql: String) -> String {
    SQLClient.text(path, sql)
}
