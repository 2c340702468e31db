package import FilesinkiModel
internal import FilesinkiRemote
internal import FilesinkiSQLite
internal import FilesinkiStore

/// One key-value store of a replica, as one process has it open.
///
/// Any number of processes use the same store at once: what one sets, the others see. Nothing is held
/// while a remote is waited for.
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

    /// Opens a store to read and to write; its file is made when it is not there.
    ///
    /// - Throws: `Failure` with code `usage` for a name that is none, `corrupt` for a damaged file,
    ///   `io` when the file cannot be made.
    package static func open(_ place: KeyValuePlace) throws -> KeyValues {
        try KeyValues(place, KeyValueDatabase(opening: place))
    }

    var now: Timestamp { place.systemContext.now() }

    /// What is at a key here; ``Register/absent`` when nothing is.
    package func get(_ key: ValueKey) throws -> Register { try database.item(key)?.here ?? .absent }

    /// All keys that have a value here, in order.
    ///
    /// - Parameter prefix: Only keys that begin with these bytes.
    package func list(prefix: [UInt8] = []) throws -> [KeyAndValue] {
        try database.list(prefix: prefix)
    }

    /// What waits to be published.
    package func pendingKeys() throws -> [ValueKey] { try database.pending().map(\.key) }

    /// What gave way to another at a key, the newest first.
    package func losers(_ key: ValueKey) throws -> [SupersededValue] { try database.losers(key) }

    /// How much the store holds here.
    package func usage() throws -> Usage { try database.usage() }

    /// The limits of this device.
    package func limits() throws -> Limits { try database.limits() }

    /// Sets the limits of this device.
    package func set(_ limits: Limits) throws {
        try database.write { try database.set(limits) }
    }

    /// The events behind a place; up to 1,000.
    ///
    /// - Throws: `Failure` with code `token-expired` when they are no longer all known.
    package func events(after token: FeedToken) throws -> [ValueEvent] {
        try database.read { try database.events(after: token) }
    }

    /// The place behind the last event.
    package func position() throws -> FeedToken { try database.position() }

    /// Whether the store is off: then nothing is sent or fetched.
    package func isOff() throws -> Bool { try database.setting("off") != nil }

    /// Turns the exchange with the remote off or on. What is changed meanwhile waits here.
    package func setOff(_ isOff: Bool) throws {
        try database.write { try database.set("off", isOff ? [1] : nil) }
    }

    /// Ends the use of the remote.
    package func close() { zone.disconnect() }
}

/// A key that has a value.
package struct KeyAndValue: Sendable {
    package var key: ValueKey
    package var held: Register
}

/// The values of a store as they are here, without a way to change them: needs no network, and waits
/// for nobody.
package enum LocalValues {
    /// What is at a key; ``Register/absent`` when nothing is, or there is no such store.
    ///
    /// - Parameter state: The replica's state folder.
    package static func get(
        _ key: ValueKey, store name: String, state: String
    ) throws(Failure) -> Register {
        try open(name, state)?.item(key)?.here ?? .absent
    }

    /// The command that merges a key on this device; nil when there is none.
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

    private static func open(_ name: String, _ state: String) throws(Failure) -> KeyValueDatabase? {
        try KeyValuePlace.check(name: name)
        return try KeyValueFile.openToRead(KeyValuePlace.file(of: name, in: state))
            .map(KeyValueDatabase.init)
    }
}

extension KeyValueDatabase {
    func list(prefix: [UInt8]) throws(Failure) -> [KeyAndValue] {
        try items().compactMap { item in
            guard item.here.value != nil, item.key.bytes.starts(with: prefix) else { return nil }
            return KeyAndValue(key: item.key, held: item.here)
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
