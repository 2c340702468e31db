package import FilesinkiModel
import FilesinkiRemote
import FilesinkiSQLite
import FilesinkiStore
import FilesinkiSystem
import Synchronization

/// One open zone of items of a replica, such as a key-value store.
///
/// Any number of processes can use the same zone at once: what one sets, the others see. No transaction
/// spans a network wait.
package actor ItemZone<Kind: ItemKind> {
    package typealias State = Kind.State
    package typealias Report = ItemReport<Kind.State>

    package nonisolated let place: ItemPlace<Kind>
    package let database: ItemDatabase<Kind>
    let memory: ItemMemory<Kind>
    /// Held by the exchange that is under way: callers of one process have one client of the log.
    let exchanging = TaskLock()
    private let remote: OpenedRemote
    /// The client of the present generation's log.
    private(set) var zone: ZoneClient
    /// Which generation ``zone`` reads and publishes.
    package private(set) var generation: UInt64

    private init(_ place: ItemPlace<Kind>, _ database: sending ItemDatabase<Kind>) throws {
        let (memory, remote) = (
            ItemMemory(database, place),
            OpenedRemote { try place.openRemote() }
        )
        self.place = place
        generation = try database.generation()
        zone = ZoneClient(
            Zone(place, generation: generation), memory: memory, systemContext: place.systemContext
        ) { try remote.get() }
        self.memory = memory
        self.remote = remote
        self.database = database
    }

    /// Opens a zone to read and to write, and creates its file when it is missing.
    ///
    /// - Throws: `Failure` with code `usage` for an invalid name, `corrupt` for a damaged file, `io` when
    ///   the file cannot be created.
    package static func open(_ place: ItemPlace<Kind>) throws -> ItemZone {
        try ItemZone(place, ItemDatabase(opening: place))
    }

    package var now: Timestamp { place.systemContext.now() }

    /// The device that publishes: another one than the place's once a copy of the replica was found.
    package var device: Device { memory.device }

    /// Whether one commit has room for these changes.
    package func fitsIntoCommit(_ items: some Sequence<Item<State>>) -> Bool {
        PendingCommit.fits(items, limits: place.commitLimits)
    }

    /// The items that are not published yet.
    package func pendingKeys() throws -> [ItemKey] { try database.pending().map(\.key) }

    /// The superseded contents of an item, newest first.
    package func losers(_ key: ItemKey) throws -> [Superseded<State>] { try database.losers(key) }

    /// How much the zone holds on this device.
    package func usage() throws -> Usage { try database.usage() }

    /// The events behind a position; up to 1,000.
    ///
    /// - Throws: `Failure` with code `token-expired` when some are not kept any more.
    package func events(after token: FeedToken) throws -> [ItemEvent] {
        try database.read { try database.events(after: token) }
    }

    /// The position behind the last event.
    package func position() throws -> FeedToken { try database.position() }

    /// A number that changes whenever another process has changed the file.
    package func localVersion() throws -> Int64 { try database.dataVersion() }

    /// Whether the exchange with the remote is turned off.
    package func isOff() throws -> Bool { try database.setting("off") != nil }

    /// Turns the exchange with the remote off or on. Changes made meanwhile are published later.
    package func setOff(_ isOff: Bool) throws {
        try database.write { try database.set("off", isOff ? [1] : nil) }
    }

    /// Ends the use of the remote.
    package func close() {
        zone.disconnect()
        remote.close()
    }

    /// Uses the log of the present generation, which this or another process may have changed.
    package func followGeneration() throws {
        let present = try database.generation()
        guard present != generation else { return }
        let remote = remote
        zone = ZoneClient(
            Zone(place, generation: present), memory: memory, systemContext: place.systemContext
        ) { try remote.get() }
        generation = present
    }

    /// Where a zone of another kind is in the same replica and database. It shares the connection to the remote.
    package func place<Other: ItemKind>(of kind: Other.Type, _ name: String) -> ItemPlace<Other> {
        let remote = remote
        return ItemPlace(
            state: place.state, name: name, scope: place.scope, device: memory.device,
            address: place.address,
            systemContext: place.systemContext, connect: { _ in try remote.get() },
            renewDevice: place.renewDevice)
    }

    /// The state of the zone on this device, in one read transaction.
    package func status() throws -> ItemZoneStatus {
        try database.read {
            let token = try database.position()
            var before = token
            before.number = max(0, token.number - 1)
            return ItemZoneStatus(
                usage: try database.usage(), pending: try database.pending().map(\.key),
                isOff: try isOff(), sequence: try database.logPosition()?.token.sequence ?? 0,
                token: token, last: try database.events(after: before).last)
        }
    }
}

/// The remote of a zone, opened when it is needed first.
private final class OpenedRemote: Sendable {
    private let open: @Sendable () throws -> any Remote
    private let opened = Mutex<(any Remote)?>(nil)

    init(_ open: @escaping @Sendable () throws -> any Remote) { self.open = open }

    func get() throws -> any Remote {
        try opened.withLock { known in
            if let known { return known }
            let made = try open()
            known = made
            return made
        }
    }

    func close() { opened.withLock { $0 = nil } }
}

/// The state of a zone of items on this device.
package struct ItemZoneStatus: Sendable {
    package var usage: Usage
    /// Items whose change waits to be published.
    package var pending: [ItemKey]
    package var isOff: Bool
    /// The number of the last commit that was seen; 0 for none.
    package var sequence: UInt64
    /// The position behind the last event.
    package var token: FeedToken
    /// The last event; nil before the first one.
    package var last: ItemEvent?
}

/// Counts what waits to be published in all zones of a kind, without the network.
package enum LocalZones<Kind: ItemKind> {
    /// The names of the zones of a database that this device knows, in order.
    ///
    /// - Parameter state: The replica's state folder.
    package static func names(
        state: String, _ scope: DatabaseScope = .private
    ) throws(Failure) -> [String] {
        let folder = ItemPlace<Kind>.folder(in: state, scope)
        guard StateFile.exists(folder) else { return [] }
        return try StateFile.names(in: folder).compactMap { file in
            guard file.hasSuffix(".sqlite") else { return nil }
            let name = String(file.dropLast(".sqlite".count))
            // An archive of a former store has another kind of name.
            return (try? ItemPlace<Kind>.check(name: name)) == nil ? nil : name
        }.sorted()
    }

    /// The files in which the items of stores that were left lie: see ``ItemZone/archive()``.
    package static func archives(state: String) throws(Failure) -> [String] {
        var found: [String] = []
        for scope in try scopes(state: state) {
            let folder = ItemPlace<Kind>.folder(in: state, scope)
            guard StateFile.exists(folder) else { continue }
            let names = try StateFile.names(in: folder).sorted()
            found += names.filter {
                $0.hasSuffix(".sqlite") && $0.contains(ItemZone<Kind>.archiveMark)
            }
            .map { folder + "/" + $0 }
        }
        return found
    }

    /// The databases of which this device has zones, the private one first, the others in the order of names.
    package static func scopes(state: String) throws(Failure) -> [DatabaseScope] {
        let folder = ItemPlace<Kind>.folder(in: state)
        guard StateFile.exists(folder) else { return [.private] }
        let others = try StateFile.names(in: folder).compactMap { try? DatabaseScope(parsing: $0) }
        return [.private]
            + others.filter { $0 != .private }.sorted { $0.description < $1.description }
    }

    /// The zones of all databases that have something that is not published, in the order of ``scopes(state:)`` and of names.
    package static func pending(state: String) throws(Failure) -> [PendingZone] {
        var pending: [PendingZone] = []
        for scope in try scopes(state: state) {
            for name in try names(state: state, scope) {
                let file = ItemPlace<Kind>.file(of: name, in: state, scope)
                guard let database = try ItemDatabase<Kind>(reading: file) else { continue }
                let count = try database.pendingCount()
                guard count > 0 else { continue }
                pending.append(
                    PendingZone(
                        name: name, scope: scope, count: count,
                        isOff: try database.setting("off") != nil))
            }
        }
        return pending
    }

    /// The zones of all databases that hold something and are of another store than this one: what they hold is not in it.
    ///
    /// - Parameter store: The id of the replica's store; empty for none.
    package static func left(
        behind store: [UInt8], state: String
    ) throws(Failure) -> [LeftZone] {
        guard !store.isEmpty else { return [] }
        var left: [LeftZone] = []
        for scope in try scopes(state: state) {
            for name in try names(state: state, scope) {
                let file = ItemPlace<Kind>.file(of: name, in: state, scope)
                guard let database = try ItemDatabase<Kind>(reading: file),
                    let known = try database.knownStore(), known.id != store
                else { continue }
                let count = try database.usage().keys
                guard count > 0 else { continue }
                left.append(
                    LeftZone(
                        name: name, scope: scope, count: count,
                        remedy: Kind.names.accepting(
                            of: name, scope == .private ? "" : " --db \(scope)")))
            }
        }
        return left
    }

    /// How many items of all zones of all databases are not published.
    package static func pendingCount(state: String) throws(Failure) -> Int {
        try pending(state: state).reduce(0) { $0 + $1.count }
    }
}

/// A zone that has something that is not published.
package struct PendingZone: Sendable {
    package var name: String
    package var scope: DatabaseScope
    /// How many items.
    package var count: Int
    /// Whether its exchange is turned off.
    package var isOff: Bool
}

/// A zone of a store that the replica has left for another one.
package struct LeftZone: Sendable {
    package var name: String
    package var scope: DatabaseScope
    /// How many items it holds.
    package var count: Int
    /// How the zone takes the other store, and how to keep what it holds: a sentence without its first words.
    package var remedy: String
}
