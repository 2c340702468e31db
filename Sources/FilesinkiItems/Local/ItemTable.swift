package import FilesinkiModel
package import FilesinkiSQLite

/// The state of an item on this device.
package struct Item<State: ItemState>: Sendable {
    package var key: ItemKey
    /// This device's item.
    package var ours: State
    /// The item on which this device and the store last agreed.
    package var base: State
    /// The commit that set ``base``; 0 when the log does not have the item. After a reset there is a base all the same.
    package var version: UInt64
    /// The changes of one batch are published in one commit; 0 for none.
    package var batch: Int64 = 0
    /// What the kind must know to publish the pending change.
    package var note: [UInt8] = []

    /// Whether this device's item is not published yet.
    package var isPending: Bool { !ours.hasSameContent(as: base) || isSentAgain }

    /// Whether the item has not changed since a reset, and waits because the new log does not have it.
    package var isSentAgain: Bool {
        version == 0 && !base.isRemoved && ours.hasSameContent(as: base)
    }

    /// Whether nobody has changed the item on this device since a reset: it is sent again as it was, or united with what
    /// the new log has.
    package var isUnchanged: Bool { isSentAgain || note == Self.unchanged }

    private static var unchanged: [UInt8] { Array("sent-again".utf8) }

    /// Records that what the item has beyond the log is no edit, until somebody saves it.
    mutating func markUnchanged() { note = Self.unchanged }

    /// Called before somebody saves or removes the item. What it has beyond the log since a reset is then what the change is
    /// based on, and only the change is an edit.
    package mutating func beginChange() {
        guard isUnchanged, !isSentAgain else { return }
        (base, version) = (ours, 0)
    }

    package init(key: ItemKey, ours: State, base: State, version: UInt64) {
        self.key = key
        self.ours = ours
        self.base = base
        self.version = version
    }

    /// An item that was never set.
    package static func new(_ key: ItemKey) -> Item {
        Item(key: key, ours: .removed(at: 0), base: .removed(at: 0), version: 0)
    }
}

extension ItemDatabase {
    private static var columns: String {
        "key, time, base_time, base_version, batch, note, ours, base"
    }

    // MARK: Items

    /// The state of an item; nil for one that was never set.
    package func item(_ key: ItemKey) throws(Failure) -> Item<State>? {
        let statement = try cache.statement("SELECT \(Self.columns) FROM item WHERE key = ?")
        defer { statement.reset() }
        bind(key.bytes, to: statement, at: 1)
        return try statement.step() ? try read(statement) : nil
    }

    /// Every item in the order of keys, including removed ones.
    package func items() throws(Failure) -> [Item<State>] {
        try items("SELECT \(Self.columns) FROM item ORDER BY key")
    }

    /// Calls `body` with every item in the order of keys, including removed ones. It may write other tables.
    package func forEachItem(
        _ body: (Item<State>) throws(Failure) -> Void
    ) throws(Failure) {
        let statement = try cache.statement("SELECT \(Self.columns) FROM item ORDER BY key")
        defer { statement.reset() }
        while try statement.step() { try body(try read(statement)) }
    }

    /// The items that are not published yet, in the order of keys.
    package func pending() throws(Failure) -> [Item<State>] {
        try items("SELECT \(Self.columns) FROM item WHERE pending = 1 ORDER BY key")
    }

    /// The pending items of a batch.
    package func pending(ofBatch batch: Int64) throws(Failure) -> [Item<State>] {
        let statement = try cache.statement(
            "SELECT \(Self.columns) FROM item WHERE pending = 1 AND batch = ? ORDER BY key")
        defer { statement.reset() }
        statement.bind(batch, at: 1)
        return try rows(statement)
    }

    /// Calls `body` with what is not published yet, until it returns false: the items of a batch
    /// together, any other alone.
    package func forEachPendingBatch(
        _ body: ([Item<State>]) throws(Failure) -> Bool
    ) throws(Failure) {
        let statement = try cache.statement(
            "SELECT \(Self.columns) FROM item WHERE pending = 1 ORDER BY batch, key")
        defer { statement.reset() }
        var batch: [Item<State>] = []
        while try statement.step() {
            let item = try read(statement)
            if let last = batch.last, last.batch == 0 || last.batch != item.batch {
                guard try body(batch) else { return }
                batch = []
            }
            batch.append(item)
        }
        if !batch.isEmpty { _ = try body(batch) }
    }

    private func items(_ sql: String) throws(Failure) -> [Item<State>] {
        let statement = try cache.statement(sql)
        defer { statement.reset() }
        return try rows(statement)
    }

    private func rows(_ statement: OwnStatement) throws(Failure) -> [Item<State>] {
        var items: [Item<State>] = []
        while try statement.step() { items.append(try read(statement)) }
        return items
    }

    private func read(_ row: OwnStatement) throws(Failure) -> Item<State> {
        var item = Item(
            key: ItemKey(unchecked: Array(row.bytes(0))), ours: try state(row, 6, time: 1),
            base: try state(row, 7, time: 2), version: UInt64(bitPattern: row.integer(3)))
        item.batch = row.integer(4)
        item.note = Array(row.bytes(5))
        return item
    }

    private func state(
        _ row: OwnStatement, _ column: Int32, time: Int32
    ) throws(Failure) -> State {
        guard !row.isNull(column) else { return .removed(at: row.integer(time)) }
        guard let state = State(encoded: Array(row.bytes(column)), time: row.integer(time)) else {
            throw connection.corrupt("a \(Kind.names.content) cannot be decoded")
        }
        return state
    }

    /// Writes the state of an item. A change that is no longer pending has neither batch nor note.
    ///
    /// - Parameter isChanged: Whether our item may have changed; else what is derived from it stays.
    package func put(_ item: Item<State>, isChanged: Bool = true) throws {
        var item = item
        if !item.isPending { (item.batch, item.note) = (0, []) }
        try store(item)
        if isChanged { try Kind.didChange(item, in: self) }
    }

    /// As ``put(_:)``, as it is and without a word to the kind.
    package func store(_ item: Item<State>) throws(Failure) {
        let statement = try cache.statement(
            """
            INSERT INTO item (key, size, time, base_time, base_version, pending, batch, note, ours,
                base)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET size = excluded.size, time = excluded.time,
                base_time = excluded.base_time, base_version = excluded.base_version,
                pending = excluded.pending, batch = excluded.batch, note = excluded.note,
                ours = excluded.ours, base = excluded.base
            """)
        bind(item.key.bytes, to: statement, at: 1)
        statement.bind(Int64(item.ours.size), at: 2)
        statement.bind(item.ours.time, at: 3)
        statement.bind(item.base.time, at: 4)
        statement.bind(Int64(bitPattern: item.version), at: 5)
        statement.bind(item.isPending ? 1 : 0, at: 6)
        statement.bind(item.batch, at: 7)
        bind(item.note, to: statement, at: 8)
        bind(item.ours.encoded, to: statement, at: 9)
        bind(item.base.encoded, to: statement, at: 10)
        try statement.execute()
        try setWaitingAssets(item.isPending ? item.ours.assets : [], of: item.key)
    }

    package func bind(_ bytes: [UInt8]?, to statement: OwnStatement, at index: Int32) {
        guard let bytes else { return statement.bindNull(at: index) }
        bytes.withUnsafeBytes { statement.bind($0, at: index) }
    }

    /// Removes every item.
    package func removeItems() throws(Failure) {
        try connection.execute("DELETE FROM item")
        if Kind.hasAssets { try connection.execute("DELETE FROM waiting_asset WHERE loser = 0") }
    }

    /// The number of items that are not removed, and their bytes.
    package func usage() throws(Failure) -> Usage {
        let statement = try cache.statement(
            "SELECT count(*), ifnull(sum(size), 0) FROM item WHERE ours IS NOT NULL")
        defer { statement.reset() }
        guard try statement.step() else { return Usage(keys: 0, bytes: 0) }
        return Usage(keys: Int(statement.integer(0)), bytes: Int(statement.integer(1)))
    }

    /// The number of items that are not published yet.
    func pendingCount() throws(Failure) -> Int {
        Int(try connection.number("SELECT count(*) FROM item WHERE pending = 1"))
    }

    /// Whether anything is not published yet.
    package func hasPending() throws(Failure) -> Bool {
        let statement = try cache.statement(
            """
            SELECT 1 FROM item WHERE pending = 1
            UNION ALL SELECT 1 FROM superseded WHERE published = 0 LIMIT 1
            """)
        defer { statement.reset() }
        return try statement.step()
    }
}

/// How much a zone holds on this device.
package struct Usage: Hashable, Sendable {
    /// Items that are not removed.
    package var keys: Int
    /// All of them together, in bytes.
    package var bytes: Int

    package init(keys: Int, bytes: Int) {
        self.keys = keys
        self.bytes = bytes
    }
}
