package import FilesinkiModel
import FilesinkiRemote
import FilesinkiSQLite
import FilesinkiStore
import FilesinkiSystem
import Synchronization

/// One open key-value store of a replica.
///
/// Any number of processes can use the same store at once: what one sets, the others see. No transaction
/// spans a network wait.
package actor KeyValues {
    let place: KeyValuePlace
    let database: KeyValueDatabase
    let memory: KeyValueMemory
    let zone: ZoneClient

    private init(_ place: KeyValuePlace, _ database: sending KeyValueDatabase) {
        self.place = place
        self.database = database
        memory = KeyValueMemory(database, device: place.device)
        zone = ZoneClient(Zone(place), memory: memory, systemContext: place.systemContext) {
            try place.openRemote()
        }
    }

    /// Opens a store to read and to write, and creates its file when it is missing.
    ///
    /// - Throws: `Failure` with code `usage` for an invalid name, `corrupt` for a damaged file, `io` when
    ///   the file cannot be created.
    package static func open(_ place: KeyValuePlace) throws -> KeyValues {
        try KeyValues(place, KeyValueDatabase(opening: place))
    }

    var now: Timestamp { place.systemContext.now() }

    /// The value of a key on this device; ``Register/absent`` without a value.
    package func get(_ key: ValueKey) throws -> Register { try database.item(key)?.ours ?? .absent }

    /// All keys with a value, in order. Reads all items.
    ///
    /// - Parameter prefix: Only keys that begin with these bytes.
    package func list(prefix: [UInt8] = []) throws -> [KeyAndValue] {
        try database.list(prefix: prefix)
    }

    /// The keys that are not published yet.
    package func pendingKeys() throws -> [ValueKey] { try database.pending().map(\.key) }

    /// The superseded values of a key, newest first.
    package func losers(_ key: ValueKey) throws -> [SupersededValue] { try database.losers(key) }

    /// How much the store holds on this device.
    package func usage() throws -> Usage { try database.usage() }

    /// The limits of this device.
    package func limits() throws -> Limits { try database.limits() }

    /// Sets the limits of this device.
    package func set(_ limits: Limits) throws {
        try database.write { try database.set(limits) }
    }

    /// The events behind a position; up to 1,000.
    ///
    /// - Throws: `Failure` with code `token-expired` when some are not kept any more.
    package func events(after token: FeedToken) throws -> [ValueEvent] {
        try database.read { try database.events(after: token) }
    }

    /// The position behind the last event.
    package func position() throws -> FeedToken { try database.position() }

    /// Whether the exchange with the remote is turned off.
    package func isOff() throws -> Bool { try database.setting("off") != nil }

    /// Turns the exchange with the remote off or on. Changes made meanwhile are published later.
    package func setOff(_ isOff: Bool) throws {
        try database.write { try database.set("off", isOff ? [1] : nil) }
    }

    /// Ends the use of the remote.
    package func close() { zone.disconnect() }

    /// The state of the store on this device, in one read transaction.
    package func status() throws -> StoreStatus {
        try database.read {
            let token = try database.position()
            var before = token
            before.number = max(0, token.number - 1)
            return StoreStatus(
                usage: try database.usage(), pending: try database.pending().map(\.key),
                isOff: try isOff(), sequence: try database.logPosition()?.token.sequence ?? 0,
                token: token, last: try database.events(after: before).last)
        }
    }
}

/// A key that has a value.
package struct KeyAndValue: Sendable {
    package var key: ValueKey
    package var held: Register
}

/// Reads the values of a store on this device. Needs no network and waits for no lock.
package enum LocalValues {
    /// The value of a key; ``Register/absent`` without a value, or when the store does not exist.
    ///
    /// - Parameter state: The replica's state folder.
    package static func get(
        _ key: ValueKey, store name: String, state: String
    ) throws(Failure) -> Register {
        try open(name, state)?.item(key)?.ours ?? .absent
    }

    /// The command that merges a key on this device; nil for none.
    package static func mergeCommand(
        _ key: ValueKey, store name: String, state: String
    ) throws(Failure) -> String? {
        try open(name, state)?.mergeCommand(key)
    }

    /// All keys that begin with a prefix and have a value, in order.
    package static func list(
        prefix: [UInt8], store name: String, state: String
    ) throws(Failure) -> [KeyAndValue] {
        try open(name, state)?.list(prefix: prefix) ?? []
    }

    /// How many values of all stores are not published.
    ///
    /// - Parameter state: The replica's state folder.
    package static func pendingCount(state: String) throws(Failure) -> Int {
        let folder = state + "/kv"
        guard StateFile.exists(folder) else { return 0 }
        var count = 0
        for name in try StateFile.names(in: folder) where name.hasSuffix(".sqlite") {
            let store = String(name.dropLast(".sqlite".count))
            // An archive of a former store has another kind of name.
            guard (try? KeyValuePlace.check(name: store)) != nil else { continue }
            count += try open(store, state)?.pending().count ?? 0
        }
        return count
    }

    private static func open(_ name: String, _ state: String) throws(Failure) -> KeyValueDatabase? {
        try KeyValuePlace.check(name: name)
        return try KeyValueFile.openToRead(KeyValuePlace.file(of: name, in: state))
            .map(KeyValueDatabase.init)
    }
}

extension KeyValueDatabase {
    func list(prefix: [UInt8]) throws(Failure) -> [KeyAndValue] {
        try items().compactMap { item in
            guard item.ours.value != nil, item.key.bytes.starts(with: prefix) else { return nil }
            return KeyAndValue(key: item.key, held: item.ours)
        }
    }

    func limits() throws(Failure) -> Limits {
        var limits = Limits()
        limits.keys = try number("limit-keys").map(Int.init(clamping:)) ?? limits.keys
        limits.bytes = try number("limit-bytes").map(Int.init(clamping:)) ?? limits.bytes
        limits.value = try number("limit-value").map(Int.init(clamping:)) ?? limits.value
        limits.key = try number("limit-key").map(Int.init(clamping:)) ?? limits.key
        return limits
    }

    func set(_ limits: Limits) throws(Failure) {
        try set("limit-keys", number: Int64(limits.keys))
        try set("limit-bytes", number: Int64(limits.bytes))
        try set("limit-value", number: Int64(min(limits.value, Limits.maximumValue)))
        try set("limit-key", number: Int64(min(limits.key, ValueKey.maximumLength)))
    }
}

/// The values of a store for a program that cannot wait: a connection of its own, which one thread uses
/// at a time. Sending and fetching is the work of ``KeyValues``.
package final class SynchronousValues: Sendable {
    private let place: KeyValuePlace
    private let database: Mutex<KeyValueDatabase>

    /// - Throws: As ``KeyValues/open(_:)``.
    package init(_ place: KeyValuePlace) throws {
        self.place = place
        database = Mutex(try KeyValueDatabase(opening: place))
    }

    /// The value of a key on this device; nil for none.
    package func get(_ key: ValueKey) throws -> TypedValue? {
        try database.withLock { try $0.item(key)?.ours.value }
    }

    /// All keys that have a value here, in order.
    package func list() throws -> [(key: ValueKey, value: TypedValue)] {
        try database.withLock { database in
            try database.list(prefix: []).compactMap { item in
                item.held.value.map { (item.key, $0) }
            }
        }
    }

    /// As ``KeyValues/apply(_:)``.
    ///
    /// - Returns: The number of the recorded event; nil when no value changed.
    package func apply(_ changes: [ValueChange]) throws -> Int64? {
        let (device, now) = (place.device.id, place.systemContext.now())
        return try database.withLock { database in
            let changed = try ChangeTransaction(database: database, device: device, now: now)
                .update { _ in changes }
            return changed.isEmpty ? nil : database.connection.lastRow
        }
    }

    /// The position behind the last event.
    package func position() throws -> FeedToken { try database.withLock { try $0.position() } }

    /// The last event; nil before the first one.
    package func lastEvent() throws -> ValueEvent? {
        try database.withLock { database in
            try database.read {
                var before = try database.position()
                before.number = max(0, before.number - 1)
                return try database.events(after: before).last
            }
        }
    }
}

/// The state of a key-value store on this device.
package struct StoreStatus: Sendable {
    package var usage: Usage
    /// Keys whose change waits to be published.
    package var pending: [ValueKey]
    package var isOff: Bool
    /// The number of the last commit that was seen; 0 for none.
    package var sequence: UInt64
    /// The position behind the last event.
    package var token: FeedToken
    /// The last event; nil before the first one.
    package var last: ValueEvent?
}
