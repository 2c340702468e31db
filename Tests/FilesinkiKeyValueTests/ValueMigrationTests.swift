import FilesinkiItems
import FilesinkiModel
import FilesinkiSQLite
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiKeyValue

/// Files of version 1, as earlier versions of the program wrote them.
@Suite("Key-value files of version 1")
struct ValueMigrationTests {
    /// The tables of version 1.
    private static let tables = """
        CREATE TABLE item (
            id           INTEGER PRIMARY KEY,
            key          BLOB NOT NULL UNIQUE,
            size         INTEGER NOT NULL,
            time         INTEGER NOT NULL,
            device       BLOB NOT NULL,
            policy       INTEGER NOT NULL,
            base_time    INTEGER NOT NULL,
            base_device  BLOB NOT NULL,
            base_policy  INTEGER NOT NULL,
            base_version INTEGER NOT NULL,
            value        BLOB,
            base_value   BLOB
        ) STRICT;
        CREATE INDEX item_pending ON item (key) WHERE value IS NOT base_value OR policy <> base_policy;
        CREATE TABLE setting (
            id    INTEGER PRIMARY KEY,
            key   TEXT NOT NULL UNIQUE,
            value BLOB NOT NULL
        ) STRICT;
        CREATE TABLE event (
            id     INTEGER PRIMARY KEY AUTOINCREMENT,
            reason TEXT NOT NULL,
            time   INTEGER NOT NULL,
            keys   BLOB NOT NULL
        ) STRICT;
        CREATE TABLE loser (
            id        INTEGER PRIMARY KEY,
            key       BLOB NOT NULL,
            time      INTEGER NOT NULL,
            device    BLOB NOT NULL,
            policy    INTEGER NOT NULL,
            version   INTEGER NOT NULL,
            reason    TEXT NOT NULL,
            published INTEGER NOT NULL,
            value     BLOB NOT NULL
        ) STRICT;
        CREATE INDEX loser_key ON loser (key);
        CREATE TABLE publishing (
            id        INTEGER PRIMARY KEY,
            sequence  INTEGER NOT NULL,
            commit_id BLOB NOT NULL UNIQUE
        ) STRICT;
        """

    private static let device = Array("a...............".utf8)

    /// A file with a published value, one that was changed since, a removed one, one with a rule, an
    /// event and a value that gave way.
    private func former(_ folder: TemporaryFolder) throws -> KeyValuePlace {
        let clock = ManualClock()
        let place = KeyValuePlace(
            state: folder.path, device: FilesinkiModel.Device(id: Self.device, name: "a"),
            address: nil,
            systemContext: clock.systemContext,
            connect: { _ in throw Failure(.away, "There is no remote.", remedy: "") },
            renewDevice: { FilesinkiModel.Device(id: $0, name: "a") })
        #expect(mkdir(place.folder, 0o700) == 0)
        let file = try OwnConnection(place.file, .own(.creating, ValueKind.file.purpose))
        try file.execute("PRAGMA journal_mode = WAL")
        try file.execute(Self.tables)
        try file.execute(
            "PRAGMA application_id = \(ValueKind.file.application); PRAGMA user_version = 1")
        try insert(file, "same", ours: .string("x"), base: .string("x"))
        try insert(file, "changed", ours: .integer(2), base: .integer(1))
        try insert(file, "removed", ours: nil, base: .bool(true))
        try insert(file, "rule", ours: .integer(9), base: .integer(9), policy: .max)
        try insert(file, "new", ours: .data([0, 255]), base: nil, version: 0)
        let event = try file.prepare("INSERT INTO event (reason, time, keys) VALUES (?, 7, ?)")
        event.bind("server", at: 1)
        bind(ValueCoder.encode(.array([.data(Array("same".utf8))])), to: event, at: 2)
        try event.execute()
        let loser = try file.prepare(
            """
            INSERT INTO loser (key, time, device, policy, version, reason, published, value)
            VALUES (?, 3, ?, 1, 5, 'newest', 0, ?)
            """)
        bind(Array("same".utf8), to: loser, at: 1)
        bind(Self.device, to: loser, at: 2)
        bind(ValueCoder.encode(.string("lost")), to: loser, at: 3)
        try loser.execute()
        try file.execute("INSERT INTO setting (key, value) VALUES ('feed', x'0102030405060708')")
        return place
    }

    private func insert(
        _ file: OwnConnection, _ key: String, ours: TypedValue?, base: TypedValue?,
        policy: MergePolicy = .newest, version: Int64 = 4
    ) throws {
        let statement = try file.prepare(
            """
            INSERT INTO item (key, size, time, device, policy, base_time, base_device, base_policy,
                base_version, value, base_value)
            VALUES (?, 1, 11, ?, ?, 10, ?, ?, ?, ?, ?)
            """)
        bind(Array(key.utf8), to: statement, at: 1)
        for column: Int32 in [2, 4] { bind(Self.device, to: statement, at: column) }
        for column: Int32 in [3, 5] { statement.bind(Int64(policy.rawValue), at: column) }
        statement.bind(version, at: 6)
        for (column, value) in [(Int32(7), ours), (8, base)] {
            if let value {
                bind(ValueCoder.encode(value), to: statement, at: column)
            } else {
                statement.bindNull(at: column)
            }
        }
        try statement.execute()
    }

    private func bind(_ bytes: [UInt8], to statement: OwnStatement, at index: Int32) {
        bytes.withUnsafeBytes { statement.bind($0, at: index) }
    }

    @Test func `nothing is lost when the file is brought up to date`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let values = try KeyValues.open(try former(folder))
        let all = try await values.list()
        #expect(all.map(\.key.description) == ["changed", "new", "rule", "same"])
        #expect(
            all.map(\.held.value) == [.integer(2), .data([0, 255]), .integer(9), .string("x")])
        #expect(all[2].held.policy == .max)
        #expect(all.allSatisfy { $0.held.time == 11 && $0.held.device == Self.device })
        #expect(
            try await values.pendingKeys().map(\.description) == ["changed", "new", "removed"])
        let item = try #require(try await values.item("changed"))
        #expect(item.base.value == .integer(1) && item.base.time == 10 && item.version == 4)
        let lost = try #require(try await values.losers(ValueKey("same")).first)
        #expect(lost.held.value == .string("lost") && lost.held.policy == .max)
        #expect(lost.version == 5 && lost.reason == "newest")
        #expect(try await values.hasPending())
        let start = FeedToken(feed: [1, 2, 3, 4, 5, 6, 7, 8], number: 0)
        #expect(try await values.events(after: start).flatMap(\.keys) == [ValueKey("same")])
    }

    @Test func `a command that only reads brings it up to date, too`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let place = try former(folder)
        let found = try LocalValues.get(
            ValueKey("rule"), in: StoreFile(place.name, state: place.state))
        #expect(found.value == .integer(9))
        #expect(try LocalValues.pendingCount(state: place.state) == 3)
    }

    @Test func `a damaged value stops it, and the file stays as it is`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let place = try former(folder)
        let file = try OwnConnection(place.file, .own(.writing, ValueKind.file.purpose))
        try file.execute("UPDATE item SET value = x'FF' WHERE key = x'6E6577'")
        #expect(throws: Failure.self) { try KeyValues.open(place) }
        #expect(try file.number("PRAGMA user_version") == 1)
        #expect(try file.number("SELECT count(*) FROM item WHERE base_device IS NOT NULL") == 5)
    }
}

extension KeyValues {
    fileprivate func item(_ key: String) throws -> Item<Register>? {
        try database.item(ValueKey(key))
    }

    fileprivate func hasPending() throws -> Bool { try database.hasPending() }
}
