package import FilesinkiModel
import FilesinkiSQLite

/// An item of this device that gave way to another.
package struct Superseded<State: ItemState>: Sendable {
    package var key: ItemKey
    package var held: State
    /// The commit that the item was based on.
    package var version: UInt64
    /// Why it gave way: `initial`, or the name of the rule.
    package var reason: String

    package init(key: ItemKey, held: State, version: UInt64, reason: String) {
        self.key = key
        self.held = held
        self.version = version
        self.reason = reason
    }
}

extension ItemDatabase {
    /// How many are kept on this device; the store's log keeps all.
    package static var keptSuperseded: Int64 { 1_000 }

    /// Records an item that gave way; it is published with the next commit.
    package func recordSuperseded(_ loser: Superseded<State>) throws(Failure) {
        let statement = try cache.statement(
            """
            INSERT INTO superseded (key, time, version, reason, published, content)
            VALUES (?, ?, ?, ?, 0, ?)
            """)
        bind(loser.key.bytes, to: statement, at: 1)
        statement.bind(loser.held.time, at: 2)
        statement.bind(Int64(bitPattern: loser.version), at: 3)
        statement.bind(loser.reason, at: 4)
        bind(loser.held.encoded ?? [], to: statement, at: 5)
        try statement.execute()
        let row = connection.lastRow
        try setWaitingAssets(loser.held.assets, of: loser.key, loser: row)
        let old = try cache.statement("DELETE FROM superseded WHERE id <= ? AND published = 1")
        old.bind(row - Self.keptSuperseded, at: 1)
        try old.execute()
    }

    /// Calls `body` with each item that is not published yet and its row number, until it returns
    /// false.
    func forEachUnpublishedLoser(
        _ body: (Int64, Superseded<State>) throws(Failure) -> Bool
    ) throws(Failure) {
        let statement = try cache.statement(
            "SELECT \(Self.columns) FROM superseded WHERE published = 0 ORDER BY id")
        defer { statement.reset() }
        while try statement.step() {
            let (row, loser) = read(statement)
            guard try body(row, loser) else { return }
        }
    }

    /// The superseded contents of an item, newest first.
    package func losers(_ key: ItemKey) throws(Failure) -> [Superseded<State>] {
        let statement = try cache.statement(
            "SELECT \(Self.columns) FROM superseded WHERE key = ? ORDER BY id DESC")
        defer { statement.reset() }
        bind(key.bytes, to: statement, at: 1)
        var found: [Superseded<State>] = []
        while try statement.step() { found.append(read(statement).loser) }
        return found
    }

    private static var columns: String { "id, key, time, version, reason, content" }

    private func read(_ row: OwnStatement) -> (row: Int64, loser: Superseded<State>) {
        let time = row.integer(2)
        let held = State(encoded: Array(row.bytes(5)), time: time) ?? .removed(at: time)
        let loser = Superseded(
            key: ItemKey(unchecked: Array(row.bytes(1))), held: held,
            version: UInt64(bitPattern: row.integer(3)), reason: row.text(4))
        return (row.integer(0), loser)
    }

    func markPublished(loser row: Int64) throws(Failure) {
        let statement = try cache.statement("UPDATE superseded SET published = 1 WHERE id = ?")
        statement.bind(row, at: 1)
        try statement.execute()
        try removeWaitingAssets(ofLoser: row)
    }
}
