import FilesinkiModel
import FilesinkiSQLite

/// The state of a key on this device.
struct Item: Sendable {
    var key: ValueKey
    /// This device's value.
    var ours: Register
    /// The value on which this device and the store last agreed.
    var base: Register
    /// The commit that set ``base``; 0 when the store never had the key.
    var version: UInt64

    /// Whether this device's value is not published yet.
    var isPending: Bool { !ours.hasSameValue(as: base) }

    static func new(_ key: ValueKey) -> Item {
        Item(key: key, ours: .absent, base: .absent, version: 0)
    }
}

extension KeyValueDatabase {
    private static let columns = """
        key, time, device, policy, base_time, base_device, base_policy, base_version, value,
        base_value
        """

    // MARK: Items

    /// The state of a key; nil for a key that was never set.
    func item(_ key: ValueKey) throws(Failure) -> Item? {
        let statement = try cache.statement("SELECT \(Self.columns) FROM item WHERE key = ?")
        defer { statement.reset() }
        key.bytes.withUnsafeBytes { statement.bind($0, at: 1) }
        return try statement.step() ? try read(statement) : nil
    }

    /// Every key in order, including removed ones.
    func items() throws(Failure) -> [Item] {
        try items("SELECT \(Self.columns) FROM item ORDER BY key")
    }

    /// The items that are not published yet.
    func pending() throws(Failure) -> [Item] {
        try items(
            """
            SELECT \(Self.columns) FROM item
            WHERE value IS NOT base_value OR policy <> base_policy ORDER BY key
            """)
    }

    private func items(_ sql: String) throws(Failure) -> [Item] {
        let statement = try cache.statement(sql)
        defer { statement.reset() }
        var items: [Item] = []
        while try statement.step() { items.append(try read(statement)) }
        return items
    }

    private func read(_ row: OwnStatement) throws(Failure) -> Item {
        let ours = try held(row, value: 8, time: 1, device: 2, policy: 3)
        let base = try held(row, value: 9, time: 4, device: 5, policy: 6)
        return Item(
            key: ValueKey(unchecked: Array(row.bytes(0))), ours: ours, base: base,
            version: UInt64(bitPattern: row.integer(7)))
    }

    private func held(
        _ row: OwnStatement, value: Int32, time: Int32, device: Int32, policy: Int32
    ) throws(Failure) -> Register {
        guard !row.isNull(value) else { return Register(nil, time: row.integer(time), device: []) }
        guard let decoded = ValueCoder.decode(Array(row.bytes(value))),
            let policy = UInt8(exactly: row.integer(policy)).flatMap(MergePolicy.init)
        else { throw connection.corrupt("a value cannot be decoded") }
        return Register(
            decoded, time: row.integer(time), device: Array(row.bytes(device)), policy: policy)
    }

    /// Writes the state of a key.
    func put(_ item: Item) throws(Failure) {
        let statement = try cache.statement(
            """
            INSERT INTO item (key, size, time, device, policy, base_time, base_device, base_policy,
                base_version, value, base_value)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET size = excluded.size, time = excluded.time,
                device = excluded.device, policy = excluded.policy, base_time = excluded.base_time,
                base_device = excluded.base_device, base_policy = excluded.base_policy,
                base_version = excluded.base_version, value = excluded.value,
                base_value = excluded.base_value
            """)
        bind(item.key.bytes, to: statement, at: 1)
        statement.bind(Int64(item.ours.value?.size ?? 0), at: 2)
        bind(item.ours, to: statement, at: 3, value: 10)
        bind(item.base, to: statement, at: 6, value: 11)
        statement.bind(Int64(bitPattern: item.version), at: 9)
        try statement.execute()
    }

    private func bind(_ held: Register, to statement: OwnStatement, at index: Int32, value: Int32) {
        statement.bind(held.time, at: index)
        bind(held.device, to: statement, at: index + 1)
        statement.bind(Int64(held.policy.rawValue), at: index + 2)
        if let bytes = held.value.map(ValueCoder.encode) {
            bind(bytes, to: statement, at: value)
        } else {
            statement.bindNull(at: value)
        }
    }

    func bind(_ bytes: [UInt8], to statement: OwnStatement, at index: Int32) {
        bytes.withUnsafeBytes { statement.bind($0, at: index) }
    }

    /// Removes every key.
    func removeItems() throws(Failure) { try connection.execute("DELETE FROM item") }

    /// The number of keys with a value, and their bytes.
    func usage() throws(Failure) -> Usage {
        let statement = try cache.statement(
            "SELECT count(*), ifnull(sum(size), 0) FROM item WHERE value IS NOT NULL")
        defer { statement.reset() }
        guard try statement.step() else { return Usage(keys: 0, bytes: 0) }
        return Usage(keys: Int(statement.integer(0)), bytes: Int(statement.integer(1)))
    }

    /// Whether anything is not published yet.
    func hasPending() throws(Failure) -> Bool {
        let statement = try cache.statement(
            """
            SELECT 1 FROM item WHERE value IS NOT base_value OR policy <> base_policy
            UNION ALL SELECT 1 FROM loser WHERE published = 0 LIMIT 1
            """)
        defer { statement.reset() }
        return try statement.step()
    }
}

/// A value of this device that a merge replaced.
package struct SupersededValue: Sendable {
    package var key: ValueKey
    package var held: Register
    /// The commit that the value was based on.
    package var version: UInt64
    /// Why it was replaced: `initial`, or the merge policy's name.
    package var reason: String
}

extension KeyValueDatabase {
    /// How many are kept on this device; the store's log keeps all.
    static let keptLosers: Int64 = 1_000

    /// Records a value that a merge replaced; it is published with the next commit.
    func recordSuperseded(_ loser: SupersededValue) throws(Failure) {
        let statement = try cache.statement(
            """
            INSERT INTO loser (key, time, device, policy, version, reason, published, value)
            VALUES (?, ?, ?, ?, ?, ?, 0, ?)
            """)
        bind(loser.key.bytes, to: statement, at: 1)
        statement.bind(loser.held.time, at: 2)
        bind(loser.held.device, to: statement, at: 3)
        statement.bind(Int64(loser.held.policy.rawValue), at: 4)
        statement.bind(Int64(bitPattern: loser.version), at: 5)
        statement.bind(loser.reason, at: 6)
        bind(loser.held.value.map(ValueCoder.encode) ?? [], to: statement, at: 7)
        try statement.execute()
        let old = try cache.statement("DELETE FROM loser WHERE id <= ? AND published = 1")
        old.bind(connection.lastRow - Self.keptLosers, at: 1)
        try old.execute()
    }

    /// The superseded values that are not published yet, with their row numbers.
    func unpublishedLosers() throws(Failure) -> [(row: Int64, loser: SupersededValue)] {
        try losers("published = 0 AND ? IS NULL", key: nil)
    }

    /// The superseded values of a key, newest first.
    func losers(_ key: ValueKey) throws(Failure) -> [SupersededValue] {
        try losers("key = ?", key: key).map(\.loser).reversed()
    }

    private func losers(
        _ condition: String, key: ValueKey?
    ) throws(Failure) -> [(row: Int64, loser: SupersededValue)] {
        let statement = try cache.statement(
            """
            SELECT id, key, time, device, policy, version, reason, value FROM loser
            WHERE \(condition) ORDER BY id
            """)
        defer { statement.reset() }
        if let key { bind(key.bytes, to: statement, at: 1) } else { statement.bindNull(at: 1) }
        var found: [(row: Int64, loser: SupersededValue)] = []
        while try statement.step() {
            let held = Register(
                ValueCoder.decode(Array(statement.bytes(7))), time: statement.integer(2),
                device: Array(statement.bytes(3)),
                policy: UInt8(exactly: statement.integer(4)).flatMap(MergePolicy.init) ?? .newest)
            let loser = SupersededValue(
                key: ValueKey(unchecked: Array(statement.bytes(1))), held: held,
                version: UInt64(bitPattern: statement.integer(5)), reason: statement.text(6))
            found.append((statement.integer(0), loser))
        }
        return found
    }

    func markPublished(loser row: Int64) throws(Failure) {
        let statement = try cache.statement("UPDATE loser SET published = 1 WHERE id = ?")
        statement.bind(row, at: 1)
        try statement.execute()
    }
}
