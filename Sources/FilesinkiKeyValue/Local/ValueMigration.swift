import FilesinkiItems
import FilesinkiModel
import FilesinkiSQLite

/// Brings key-value files of version 1 up to date. They had a column for each part of a value: its
/// type's policy, device and time, beside the value's bytes.
enum ValueMigration {
    /// Called in a transaction.
    static func migrate(_ file: OwnConnection, from version: Int64) throws(Failure) {
        guard version == 1 else { return }
        try file.execute(
            """
            ALTER TABLE item RENAME TO former_item;
            ALTER TABLE loser RENAME TO former_loser;
            DROP INDEX item_pending;
            DROP INDEX loser_key;
            """)
        try file.execute(ItemTables.items)
        let database = KeyValueDatabase(file)
        try copyItems(file, to: database)
        try copyLosers(file)
        try file.execute("DROP TABLE former_item; DROP TABLE former_loser")
    }

    private static func copyItems(
        _ file: OwnConnection, to database: KeyValueDatabase
    ) throws(Failure) {
        let rows = try file.prepare(
            """
            SELECT key, base_version, time, device, policy, value,
                base_time, base_device, base_policy, base_value FROM former_item
            """)
        while try rows.step() {
            let item = Item<Register>(
                key: ItemKey(unchecked: Array(rows.bytes(0))), ours: try register(rows, 2, file),
                base: try register(rows, 6, file), version: UInt64(bitPattern: rows.integer(1)))
            try database.store(item)
        }
    }

    /// - Parameter column: The first of time, device, policy and value.
    private static func register(
        _ row: OwnStatement, _ column: Int32, _ file: OwnConnection
    ) throws(Failure) -> Register {
        let time = row.integer(column)
        guard !row.isNull(column + 3) else { return .removed(at: time) }
        guard let value = ValueCoder.decode(Array(row.bytes(column + 3))),
            let policy = UInt8(exactly: row.integer(column + 2)).flatMap(MergePolicy.init)
        else { throw file.corrupt("a value cannot be decoded") }
        return Register(
            value, time: time, device: Array(row.bytes(column + 1)), policy: policy)
    }

    private static func copyLosers(_ file: OwnConnection) throws(Failure) {
        let rows = try file.prepare(
            """
            SELECT key, version, reason, published, time, device, policy, value FROM former_loser
            ORDER BY id
            """)
        let copy = try file.prepare(
            """
            INSERT INTO superseded (key, time, version, reason, published, content)
            VALUES (?, ?, ?, ?, ?, ?)
            """)
        while try rows.step() {
            let held = try register(rows, 4, file)
            copy.bind(rows.bytes(0), at: 1)
            copy.bind(held.time, at: 2)
            copy.bind(rows.integer(1), at: 3)
            copy.bind(rows.text(2), at: 4)
            copy.bind(rows.integer(3), at: 5)
            (held.encoded ?? []).withUnsafeBytes { copy.bind($0, at: 6) }
            try copy.execute()
        }
    }
}
