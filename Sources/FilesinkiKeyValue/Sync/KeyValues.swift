package import FilesinkiItems
package import FilesinkiModel
import FilesinkiSQLite
import Synchronization

extension KeyValues {
    /// The value of a key on this device; ``Register/absent`` without a value.
    package func get(_ key: ValueKey) throws -> Register { try database.item(key)?.ours ?? .absent }

    /// All keys with a value, in order. Reads all items.
    ///
    /// - Parameter prefix: Only keys that begin with these bytes.
    package func list(prefix: [UInt8] = []) throws -> [KeyAndValue] {
        try database.list(prefix: prefix)
    }

    /// The command that merges a key on this device; nil for none.
    package func mergeCommand(_ key: ValueKey) throws -> String? { try database.mergeCommand(key) }

    /// The limits of this device.
    package func limits() throws -> Limits { try database.limits() }

    /// Sets the limits of this device.
    package func set(_ limits: Limits) throws {
        try database.write { try database.set(limits) }
    }
}

/// A key that has a value.
package struct KeyAndValue: Sendable {
    package var key: ValueKey
    package var held: Register
}

/// The file of a store on this device, which need not be there.
package struct StoreFile: Sendable {
    let path: String

    /// - Parameter state: The replica's state folder.
    /// - Throws: `Failure` with code `usage` for an invalid name.
    package init(
        _ name: String, in scope: DatabaseScope = .private, state: String
    ) throws(Failure) {
        try KeyValuePlace.check(name: name)
        try scope.check(zone: name)
        path = KeyValuePlace.file(of: name, in: state, scope)
    }
}

/// Reads the values of a store on this device. Needs no network and waits for no lock.
package enum LocalValues {
    /// The value of a key; ``Register/absent`` without a value, or when the store does not exist.
    package static func get(_ key: ValueKey, in store: StoreFile) throws(Failure) -> Register {
        try open(store)?.item(key)?.ours ?? .absent
    }

    /// The command that merges a key on this device; nil for none.
    package static func mergeCommand(
        _ key: ValueKey, in store: StoreFile
    ) throws(Failure) -> String? {
        try open(store)?.mergeCommand(key)
    }

    /// All keys that begin with a prefix and have a value, in order.
    package static func list(
        prefix: [UInt8], in store: StoreFile
    ) throws(Failure) -> [KeyAndValue] {
        try open(store)?.list(prefix: prefix) ?? []
    }

    /// The superseded values of a key, newest first.
    package static func losers(
        _ key: ValueKey, in store: StoreFile
    ) throws(Failure) -> [SupersededValue] {
        try open(store)?.losers(key) ?? []
    }

    /// How many values of all stores are not published.
    ///
    /// - Parameter state: The replica's state folder.
    package static func pendingCount(state: String) throws(Failure) -> Int {
        try LocalZones<ValueKind>.pendingCount(state: state)
    }

    private static func open(_ store: StoreFile) throws(Failure) -> KeyValueDatabase? {
        try KeyValueDatabase(reading: store.path)
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
