internal import FilesinkiModel
internal import FilesinkiSQLite

/// A value of this device that gave way to another.
package struct SupersededValue: Sendable {
    package var key: ValueKey
    package var held: Register
    /// The commit that the value was based on.
    package var version: UInt64
    /// Why it gave way: `initial`, or the merge policy's name.
    package var reason: String
}

extension KeyValueDatabase {
    /// So many are kept here; the store's log keeps all.
    static let keptLosers: Int64 = 1_000

    func keep(_ loser: SupersededValue) throws(Failure) {
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

    /// What the store's log does not keep yet, with the numbers of the rows.
    func unpublishedLosers() throws(Failure) -> [(row: Int64, loser: SupersededValue)] {
        try losers("published = 0 AND ? IS NULL", key: nil)
    }

    /// What gave way at a key, the newest first.
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
