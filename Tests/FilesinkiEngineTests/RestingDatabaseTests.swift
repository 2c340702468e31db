import FilesinkiEngine
import FilesinkiHashing
import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

/// SQLite databases that no program has open while they are synced.
@Suite struct RestingDatabaseTests {
    private static let table = "CREATE TABLE t(id INTEGER PRIMARY KEY, x);"

    /// Two devices that have synced a database, which was at rest on the first one.
    private func pair(_ world: World, _ mode: String) async throws -> (Machine, Machine) {
        let (a, b) = try await world.pair(TreeFixture())
        try change(a, "PRAGMA journal_mode = \(mode);" + Self.table)
        try change(a, "INSERT INTO t(id) VALUES (1)")
        try change(a, "INSERT INTO t(id) VALUES (2)")
        #expect(try a.names == ["x.db"])
        try await a.sync()
        try await b.sync()
        return (a, b)
    }

    /// Syncs both until neither publishes, and returns how many commits there were.
    private func settle(_ machines: Machine...) async throws -> Int {
        var published = 0
        for _ in 0..<4 {
            for machine in machines {
                let report = try await machine.sync()
                #expect(report.problems.isEmpty && report.conflicted.isEmpty)
                published += report.publishedCommits
            }
        }
        for machine in machines { #expect(try await machine.sync().publishedCommits == 0) }
        return published
    }

    @Test("a database at rest arrives byte for byte", arguments: ["DELETE", "WAL"])
    func arrives(_ mode: String) async throws {
        let world = try World()
        let (a, b) = try await pair(world, mode)
        let own = bytes(a)
        #expect(own.count > 100 && own[18] == (mode == "WAL" ? 2 : 1))
        let isSame = bytes(b) == own
        #expect(isSame)
        try await expectStored(own, b)
    }

    @Test("a program that changes nothing makes no version", arguments: ["DELETE", "WAL"])
    func unchanged(_ mode: String) async throws {
        let world = try World()
        let (a, b) = try await pair(world, mode)
        let own = bytes(b)
        try change(
            b, "PRAGMA journal_mode = \(mode == "WAL" ? "DELETE" : "WAL"); UPDATE t SET x = x")
        #expect(bytes(b) != own)
        #expect(try await settle(b, a) == 0)
        #expect(bytes(b) != own)
    }

    @Test func `a version that was written into a file in use is that version`() async throws {
        let world = try World()
        let (a, b) = try await pair(world, "DELETE")
        let open = try SQLClient(b.at("x.db"))
        #expect(open.text("SELECT count(*) FROM t") == "2")
        for count in 3...4 {
            try change(a, "INSERT INTO t(id) VALUES (\(count))")
            try await a.sync()
            try await b.sync()
            #expect(open.text("SELECT count(*) FROM t") == "\(count)")
            // The version has the header of the file that it comes from, and the file here has another one.
            try await expectStored(bytes(a), b)
            #expect(bytes(b) != bytes(a))
            touch(b)
            #expect(try await settle(b, a) == 0)
        }
    }

    @Test("without what a device knows of the header, there is one more version and no conflict")
    func forgotten() async throws {
        let world = try World()
        let (a, b) = try await pair(world, "DELETE")
        try change(a, "INSERT INTO t(id) VALUES (3)")
        try await a.sync()
        try await b.sync()
        #expect(bytes(a) != bytes(b))
        b.remove(".filesinki/databases")
        touch(b)
        #expect(try await settle(b, a) == 1)
        #expect(try a.names == ["x.db"])
        #expect(try b.names == ["x.db"])
        try change(a, "INSERT INTO t(id) VALUES (4)")
        try await a.sync()
        try await b.sync()
        b.remove(".filesinki/databases")
        b.loseManifest()
        #expect(try await settle(b, a) <= 1)
        #expect(try a.names == ["x.db"])
        #expect(try b.names == ["x.db"])
        for machine in [a, b] {
            #expect(SQLClient.text(machine.at("x.db"), "SELECT sum(id) FROM t") == "10")
        }
    }

    @Test("what is known of the header goes with the file, and stays with one that is renamed")
    func gone() async throws {
        let world = try World()
        let (a, b) = try await pair(world, "DELETE")
        try a.write(["k": .file("keep")])
        _ = try await settle(a, b)
        a.rename("x.db", "y.db")
        _ = try await settle(a, b)
        let notes = try [a, b].map { try note($0, "y.db") }
        #expect(notes.allSatisfy { access($0, F_OK) == 0 })
        a.remove("y.db")
        _ = try await settle(a, b)
        #expect(try b.names == ["k"])
        #expect(notes.allSatisfy { access($0, F_OK) != 0 })
    }

    /// The file that has the header of a database.
    private func note(_ machine: Machine, _ name: String) throws -> String {
        var status = stat()
        try #require(stat(machine.at(name), &status) == 0)
        return machine.at(".filesinki/databases/\(status.st_ino)")
    }

    @Test func `an edit on one side and a header that changed on the other are no conflict`()
        async throws
    {
        let world = try World()
        let (a, b) = try await pair(world, "DELETE")
        // A merge by rows declines what a foreign key does not allow.
        try change(a, "CREATE TABLE c(t REFERENCES t(id)); INSERT INTO c VALUES (99)")
        _ = try await settle(a, b)
        for machine in [a, b] { machine.remove(".filesinki/databases") }
        try change(b, "PRAGMA journal_mode = WAL; UPDATE t SET x = x")
        try change(a, "INSERT INTO t(id) VALUES (3)")
        try await a.sync()
        // Without headers of their own, the two would differ in nothing but the row.
        try await expectStored(bytes(a), a)
        try await b.sync()
        #expect(try await settle(b, a) <= 1)
        for machine in [a, b] {
            #expect(try machine.names == ["x.db"])
            #expect(SQLClient.text(machine.at("x.db"), "SELECT sum(id) FROM t") == "6")
        }
    }

    /// Expects the store to have the content, as these bytes.
    private func expectStored(_ bytes: [UInt8], _ machine: Machine) async throws {
        let shown = try await machine.with { replica in
            let sink = ByteBox()
            try await replica.show(content: ContentHasher.hash(bytes)) { sink.append($0) }
            return sink.bytes
        }
        let isSame = shown == bytes
        #expect(isSame)
    }

    private func change(_ machine: Machine, _ sql: String) throws {
        try SQLClient(machine.at("x.db")).run(sql)
    }

    private func bytes(_ machine: Machine) -> [UInt8] {
        guard let file = fopen(machine.at("x.db"), "r") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    private func touch(_ machine: Machine) {
        #expect(utimensat(AT_FDCWD, machine.at("x.db"), nil, 0) == 0)
    }
}
