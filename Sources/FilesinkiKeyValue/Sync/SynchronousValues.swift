internal import FilesinkiModel
internal import FilesinkiSQLite
internal import Synchronization

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

    /// What is at a key here; nil when nothing is.
    package func get(_ key: ValueKey) throws -> TypedValue? {
        try database.withLock { try $0.item(key)?.here.value }
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
    /// - Returns: The number of the event that was noted; nil when no key holds something else now.
    package func apply(_ changes: [ValueChange]) throws -> Int64? {
        let (device, now) = (place.device.id, place.systemContext.now())
        return try database.withLock { database in
            let changed = try LocalChange(database: database, device: device, now: now)
                .update { _ in changes }
            return changed.isEmpty ? nil : database.connection.lastRow
        }
    }

    /// The place behind the last event.
    package func position() throws -> FeedToken { try database.withLock { try $0.position() } }

    /// The last event; nil when there was none.
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
