internal import FilesinkiModel
internal import FilesinkiSQLite

extension KeyValueDatabase {
    private static let columns = """
        key, time, device, policy, base_time, base_device, base_policy, base_version, value,
        base_value
        """

    /// What is known of a key; nil when it was never heard of.
    func item(_ key: ValueKey) throws(Failure) -> Item? {
        let statement = try cache.statement("SELECT \(Self.columns) FROM item WHERE key = ?")
        defer { statement.reset() }
        key.bytes.withUnsafeBytes { statement.bind($0, at: 1) }
        return try statement.step() ? try read(statement) : nil
    }

    /// Every key, those too that were removed, in order.
    func items() throws(Failure) -> [Item] {
        try items("SELECT \(Self.columns) FROM item ORDER BY key")
    }

    /// What waits to be published.
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
        let here = try held(row, value: 8, time: 1, device: 2, policy: 3)
        let base = try held(row, value: 9, time: 4, device: 5, policy: 6)
        return Item(
            key: ValueKey(unchecked: Array(row.bytes(0))), here: here, base: base,
            version: UInt64(bitPattern: row.integer(7)))
    }

    private func held(
        _ row: OwnStatement, value: Int32, time: Int32, device: Int32, policy: Int32
    ) throws(Failure) -> Register {
        guard !row.isNull(value) else { return Register(nil, time: row.integer(time), device: []) }
        guard let decoded = ValueCoder.decode(Array(row.bytes(value))),
            let policy = UInt8(exactly: row.integer(policy)).flatMap(MergePolicy.init)
        else { throw connection.corrupt("a value is not one") }
        return Register(
            decoded, time: row.integer(time), device: Array(row.bytes(device)), policy: policy)
    }

    /// Writes what is known of a key.
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
        statement.bind(Int64(item.here.value?.size ?? 0), at: 2)
        bind(item.here, to: statement, at: 3, value: 10)
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

    /// Forgets every key.
    func removeItems() throws(Failure) { try connection.run("DELETE FROM item") }

    /// How many keys have a value here, and how much these take.
    func usage() throws(Failure) -> Usage {
        let statement = try cache.statement(
            "SELECT count(*), ifnull(sum(size), 0) FROM item WHERE value IS NOT NULL")
        defer { statement.reset() }
        guard try statement.step() else { return Usage(keys: 0, bytes: 0) }
        return Usage(keys: Int(statement.integer(0)), bytes: Int(statement.integer(1)))
    }

    /// Whether anything waits to be published.
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
