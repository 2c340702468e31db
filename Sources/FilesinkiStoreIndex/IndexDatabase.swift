import FilesinkiModel
import FilesinkiSQLite
import FilesinkiStore
import FilesinkiSystem
import Glibc

/// The file of an index: how it is opened, and how far it has read.
///
/// Everything in it is derived from the log. A file that is damaged, or of another version, is removed.
final class IndexDatabase {
    let connection: OwnConnection
    let cache: StatementCache<Failure>

    /// In the header (`PRAGMA application_id`): "fsnx".
    private static let application: Int64 = 0x6673_6E78
    private static let version: Int64 = 2
    private static let purpose = FilePurpose(
        name: "index of the page", damageRemedy: "It is made again from the store's log.")

    /// Opens the file, and creates it and its folder if they are missing.
    ///
    /// - Throws: `Failure`: `not-allowed`, `full`, `io`; `corrupt` for a damaged file, which ``remove(_:)`` removes.
    init(_ path: String) throws(Failure) {
        if let slash = path.lastIndex(of: "/") {
            try StateFile.makeFolder(String(path[..<slash]))
        }
        connection = try OwnConnection(path, .own(.creating, Self.purpose))
        cache = StatementCache(connection)
        // What a loss of power undoes is read again. The file is only this program's.
        try connection.execute(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 1048576"
        )
        try connection.transaction { () throws(Failure) in try prepareTables() }
    }

    private func prepareTables() throws(Failure) {
        let application = try connection.number("PRAGMA application_id")
        let version = try connection.number("PRAGMA user_version")
        if (application, version) == (Self.application, Self.version) { return }
        guard application == 0, version == 0 else {
            throw connection.corrupt("its header is not that of this version")
        }
        try connection.execute(String(decoding: PackageResources.index_sql, as: UTF8.self))
        try connection.execute(
            "PRAGMA application_id = \(Self.application); PRAGMA user_version = \(Self.version)")
    }

    /// Removes a file that is not open, and what SQLite keeps beside it.
    static func remove(_ path: String) {
        // The WAL first: it would be taken for that of the next file.
        for end in ["-wal", "-shm", ""] { unlink(path + end) }
    }

    /// Removes all rows, for another store.
    func clear() throws(Failure) {
        try connection.transaction { () throws(Failure) in
            for table in [
                "state", "commits", "device", "version", "entry", "folder", "deleted", "growth",
                "pack", "inline",
            ] {
                try connection.execute("DELETE FROM \(table)")
            }
        }
    }

    // MARK: State

    /// What the index was filled from; nil before the first commit.
    func position() throws(Failure) -> (store: KnownStore, position: LogPosition)? {
        guard let store = try bytes("store"), store.count == 24,
            let hash = try bytes("hash").flatMap({ ContentID($0) })
        else { return nil }
        let epoch = store[16...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let token = ChangeToken(sequence: UInt64(clamping: try number("sequence")), hash: hash)
        return (
            KnownStore(id: Array(store[..<16]), epoch: epoch),
            LogPosition(token, storedHeader: try bytes("header") ?? [])
        )
    }

    func setPosition(_ position: LogPosition, of store: KnownStore) throws(Failure) {
        let epoch = withUnsafeBytes(of: store.epoch.bigEndian) { Array($0) }
        try set("store", .blob(store.id + epoch))
        try set("sequence", .integer(Int64(clamping: position.token.sequence)))
        try set("hash", .blob(position.token.hash.bytes))
        try set("header", .blob(position.storedHeader))
    }

    /// A number of the state; 0 for none.
    func number(_ key: String) throws(Failure) -> Int64 {
        guard case .integer(let number)? = try value(key) else { return 0 }
        return number
    }

    /// Adds to a number of the state, within 0 and 2^62.
    func add(_ difference: Int64, to key: String) throws(Failure) {
        let sum = try number(key).addingReportingOverflow(difference)
        try set(key, .integer(sum.overflow ? SafeSize.maximum : SafeSize.held(sum.partialValue)))
    }

    private func bytes(_ key: String) throws(Failure) -> [UInt8]? {
        guard case .blob(let bytes)? = try value(key) else { return nil }
        return bytes
    }

    private func value(_ key: String) throws(Failure) -> SQLiteValue? {
        let statement = try cache.statement("SELECT value FROM state WHERE key = ?")
        defer { statement.reset() }
        statement.bind(key, at: 1)
        return try statement.step() ? statement.value(0) : nil
    }

    private func set(_ key: String, _ value: SQLiteValue) throws(Failure) {
        try cache.statement(
            "INSERT INTO state VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
        ).execute([.text(Array(key.utf8)), value])
    }
}

/// Sizes of other devices, which may say anything: a sum of them must not overflow.
enum SafeSize {
    static let maximum: Int64 = 1 << 62

    static func held(_ size: Int64) -> Int64 { min(max(size, 0), maximum) }

    /// The SQL of a sum that is held to the same range.
    static func sum(_ column: String, _ parameter: String) -> String {
        // One size is at most 2^53, so this cannot overflow.
        "min(max(\(column) + \(parameter), 0), \(maximum))"
    }

    /// A size that is added up.
    static func ofOne(_ size: Int64) -> Int64 { min(max(size, 0), 1 << 53) }
}
