import FilesinkiModel
import FilesinkiRemote
import FilesinkiSQLite
import FilesinkiStore
import FilesinkiSystem
import FilesinkiTesting
import Testing

@testable import FilesinkiItems

/// What an item is between the log and this device.
@Suite("States of items")
struct ItemStateTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var ours: String?
        var base: String?
        var version: UInt64
        var isPending = false
        var isSentAgain = false

        var testDescription: String { "\(ours ?? "-") on \(base ?? "-") of \(version)" }
    }

    @Test(
        "an item waits for an edit, and for a log that does not have it",
        arguments: [
            Row(ours: nil, base: nil, version: 0), Row(ours: "x", base: "x", version: 3),
            Row(ours: "x", base: nil, version: 0, isPending: true),
            Row(ours: "x", base: "y", version: 3, isPending: true),
            Row(ours: nil, base: "y", version: 3, isPending: true),
            Row(ours: "x", base: "x", version: 0, isPending: true, isSentAgain: true),
            // What was edited since a reset is no repetition.
            Row(ours: "x", base: "y", version: 0, isPending: true),
            // A removal needs no repetition.
            Row(ours: nil, base: nil, version: 3),
        ])
    func states(_ row: Row) {
        let item = Item<ToyKind.State>("a", ours: row.ours, base: row.base, version: row.version)
        #expect(item.isPending == row.isPending)
        #expect(item.isSentAgain == row.isSentAgain)
        #expect(item.isUnchanged == row.isSentAgain)
    }

    @Test func `what an item has beyond the log is no edit until somebody saves it`() {
        var item = Item<ToyKind.State>("a", ours: "united", base: "theirs", version: 4)
        #expect(!item.isUnchanged)
        item.markUnchanged()
        #expect(item.isUnchanged && item.isPending && !item.isSentAgain)
        // A save is based on what was united.
        item.beginChange()
        #expect(item.base.text == "united" && item.version == 0)
    }

    @Test(
        "a save of any other item is based on what was agreed",
        arguments: [("x", "y", 3), ("x", "x", 3), ("x", "x", 0)] as [(String, String, UInt64)])
    func saves(_ ours: String, _ base: String, _ version: UInt64) {
        var item = Item<ToyKind.State>("a", ours: ours, base: base, version: version)
        item.beginChange()
        #expect(item.base.text == base && item.version == version)
    }

    @Test func `a new item was never set`() throws {
        let item = Item<ToyKind.State>.new(try ItemKey("a"))
        #expect(item.ours == .removed(at: 0) && item.base == .removed(at: 0))
        #expect(item.version == 0 && item.batch == 0 && item.note.isEmpty && !item.isPending)
    }
}

/// Transactions of a zone's file.
@Suite("Transactions of zones")
struct ItemTransactionTests {
    private let file: ToyFile<ToyKind>
    private let database: ItemDatabase<ToyKind>

    private struct Stop: Error {}

    init() throws {
        file = try ToyFile()
        database = try file.open()
    }

    private func pragma(_ name: String) throws -> Int64 {
        try database.connection.number("PRAGMA \(name)")
    }

    @Test func `what waits for no disk does so alone, and what follows is safe again`() throws {
        #expect(try pragma("synchronous") == 2)
        let inside = try database.writeWithoutWaiting { try pragma("synchronous") }
        #expect(inside == 1)
        #expect(try pragma("synchronous") == 2)
        #expect(throws: Stop.self) { try database.writeWithoutWaiting { throw Stop() } }
        #expect(try pragma("synchronous") == 2)
    }

    @Test func `a transaction has memory for many items, and gives it back`() throws {
        let inside = try database.write { try pragma("cache_size") }
        #expect(inside == -65_536)
        #expect(try pragma("cache_size") == -2_000)
        #expect(throws: Stop.self) { try database.write { throw Stop() } }
        #expect(try pragma("cache_size") == -2_000)
    }

    @Test func `a read is one state, whatever others write meanwhile`() throws {
        let other = try file.open()
        try database.read {
            #expect(try database.items().isEmpty)
            try other.write { try other.put(Item("a", ours: "1")) }
            #expect(try database.items().isEmpty)
        }
        #expect(try database.items().count == 1)
    }

    @Test func `a change of another process, and no own one, is a new version of the file`() throws
    {
        let (version, other) = (try database.dataVersion(), try file.open())
        try database.write { try database.put(Item("a", ours: "1")) }
        #expect(try database.dataVersion() == version)
        try other.write { try other.put(Item("a", ours: "2")) }
        #expect(try database.dataVersion() != version)
    }

    @Test func `every item is visited while other tables are written`() throws {
        try database.write {
            for key in ["b", "a"] { try database.put(Item(key, ours: "1")) }
            try database.put(Item("c", ours: nil, base: "1"))
            try database.forEachItem { item throws(Failure) in
                try database.set(item.key.description, [1])
            }
        }
        #expect(try ["a", "b", "c", "d"].map { try database.setting($0) } == [[1], [1], [1], nil])
    }

    @Test func `a superseded item without content, or with one that cannot be read, is a removal`()
        throws
    {
        try database.write {
            for text in [nil, "x"] {
                try database.recordSuperseded(
                    Superseded(
                        key: try ItemKey("a"), held: ToyKind.State(text: text, time: 8),
                        version: .max, reason: "why"))
            }
            try database.connection.execute("UPDATE superseded SET content = x'01ff' WHERE id = 2")
        }
        let found = try database.losers(try ItemKey("a"))
        #expect(found.map(\.held) == [.removed(at: 8), .removed(at: 8)])
        #expect(found.map(\.version) == [.max, .max])
    }

    @Test func `the visit of what gave way ends when the commit is full`() throws {
        try database.write {
            for key in ["a", "b", "c"] {
                try database.recordSuperseded(
                    Superseded(
                        key: try ItemKey(key), held: ToyKind.State(text: "x", time: 8), version: 1,
                        reason: "why"))
            }
        }
        var visited: [String] = []
        try database.forEachUnpublishedLoser { _, loser throws(Failure) in
            visited.append(loser.key.description)
            return visited.count < 2
        }
        #expect(visited == ["a", "b"])
    }

    @Test func `who has missed events is told how this kind is read as a whole`() throws {
        let pinFile = try ToyFile<PinKind>()
        let pins = try pinFile.open()
        let token = FeedToken(feed: [UInt8](repeating: 0, count: 8), number: 3)
        let toy = #expect(throws: Failure.self) { try database.events(after: token) }
        let pin = #expect(throws: Failure.self) { try pins.events(after: token) }
        #expect(toy?.path == Array("0000000000000000-3".utf8))
        #expect(toy?.message == "The changes since this token are no longer known.")
        #expect(
            toy?.remedy
                == "Read everything with filesinki toy list, and continue with the token that filesinki toy status prints."
        )
        #expect(
            pin?.remedy
                == "filesinki pin everything prints everything, and at its end the token to continue with."
        )
    }
}

/// Where a zone is, on this device and in the store.
@Suite("Places of zones")
struct ItemPlaceTests {
    private func place(
        _ name: String = "box", _ scope: DatabaseScope = .private, address: String? = nil
    ) -> ItemPlace<ToyKind> {
        ItemPlace<ToyKind>(
            state: "/s", name: name, scope: scope, device: Device(id: [], name: "a"),
            address: address, systemContext: ManualClock().systemContext,
            connect: { _ in MemoryRemote() }, renewDevice: { Device(id: $0, name: "a") })
    }

    @Test(
        "each database has a folder, names in the store and options of its own",
        arguments: [
            (DatabaseScope.private, "/s/toys/box.sqlite", "toy-box", "box", ""),
            (.public, "/s/toys/public/box.sqlite", "public-toy-box", "public/box", " --db public"),
            (
                .shared("team"), "/s/toys/shared-team/box.sqlite", "shared-team-toy-box",
                "shared-team/box", " --db shared-team"
            ),
        ])
    func databases(
        _ scope: DatabaseScope, _ file: String, _ zone: String, _ title: String, _ option: String
    ) {
        let place = place("box", scope)
        #expect(place.file == file)
        #expect(place.storeZone(generation: 1) == zone)
        #expect(place.storeZone(generation: 3) == zone.replacing("toy-box", with: "toy3-box"))
        #expect(place.title == title)
        #expect(place.database == option)
    }

    @Test func `the names of a zone and of its database are checked, each and together`() {
        let (long, longest) = (String(repeating: "b", count: 41), String(repeating: "c", count: 7))
        #expect(throws: Never.self) { try place(longest + "c", .shared("b")).check() }
        #expect(throws: Never.self) { try place(longest, .shared(long)).check() }
        let together = #expect(throws: Failure.self) {
            try place(longest + "c", .shared(long)).check()
        }
        #expect(together?.code == .usage)
        let name = #expect(throws: Failure.self) { try place("B", .public).check() }
        #expect(name?.path == Array("B".utf8))
        #expect(name?.remedy == "Use 1 to 48 of the characters a-z 0-9 _ -.")
    }

    @Test func `without an address there is no remote`() {
        let failure = #expect(throws: Failure.self) { try place().openRemote() }
        #expect(failure?.code == .notFound)
        #expect(failure?.message == "The replica has no remote.")
        #expect(throws: Never.self) { try place(address: "memory").openRemote() }
    }

    @Test func `whether the store has a zone is asked without a file on this device`() async throws
    {
        let box = try await ToyBox()
        let device = try box.device("a")
        #expect(try await !device.zone.place.isStored())
        try await device.set(["a": "1"])
        try await device.sync()
        #expect(try await device.zone.place.isStored())
        var other = device.zone.place
        other.name = "other"
        #expect(try await !other.isStored())
        #expect(!StateFile.exists(other.file))
    }

    @Test func `the databases of a device are those that have a folder, the private one first`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        #expect(try LocalZones<ToyKind>.scopes(state: folder.path) == [.private])
        let tree: TreeFixture = [
            "toys": .directory([
                "shared-b": .directory(), "shared-a": .directory(), "public": .directory(),
                "private": .directory(), "box.sqlite": .file("x"), "shared-": .directory(),
            ])
        ]
        try tree.write(to: folder.path)
        #expect(
            try LocalZones<ToyKind>.scopes(state: folder.path) == [
                .private, .public, .shared("a"), .shared("b"),
            ])
    }

    @Test func `what waits is counted over all databases`() throws {
        let file = try ToyFile<ToyKind>()
        for scope in [DatabaseScope.private, .public, .shared("team")] {
            var place = file.place
            place.scope = scope
            let database = try ItemDatabase(opening: place)
            try database.write { try database.put(Item("a", ours: "1")) }
        }
        #expect(try LocalZones<ToyKind>.pendingCount(state: file.folder.path) == 3)
    }

    @Test func `a zone of another kind is beside this one, and has its connection`() async throws {
        let box = try await ToyBox()
        let device = try box.device("a")
        let other = await device.zone.place(of: PinKind.self, "pins")
        #expect(other.file == device.folder.path + "/pins/pins.sqlite")
        #expect(other.address == "memory" && other.device.name == "a")
        let zone = try ItemZone.open(other)
        _ = try await zone.exchange()
        #expect(try await zone.status().sequence == 0)
    }
}

/// What an exchange leaves in the log, and what `status` says afterwards.
@Suite("States of zones")
struct ZoneStatusTests {
    @Test func `a commit names the kind's command, or the one that the caller has`() async throws {
        let box = try await ToyBox()
        let device = try box.device("a")
        try await device.set(["a": "1"])
        try await device.sync()
        try await device.set(["a": "2"])
        var options = ExchangeOptions()
        options.operation = "toy move"
        _ = try await device.zone.exchange(options)
        #expect(try await box.commits.map(\.operation) == ["toy sync", "toy move"])
    }

    @Test func `the state has what is here, what waits, and the last event`() async throws {
        let box = try await ToyBox()
        let (a, b) = (try box.device("a"), try box.device("b"))
        try await a.set(["x": "12", "y": "3"])
        try await a.sync()
        try await b.sync()
        try await b.set(["z": "4567", "y": nil])
        let status = try await b.zone.status()
        #expect(status.usage == Usage(keys: 2, bytes: 6))
        #expect(status.pending.map(\.description) == ["y", "z"])
        #expect(status.sequence == 1 && !status.isOff)
        #expect(status.last?.keys.map(\.description) == ["x", "y"])
        #expect(status.last?.reason == .initial)
        #expect(status.token == status.last?.token && status.token.number == 1)
    }

    @Test func `an exchange that is turned off stays so for other processes`() async throws {
        let device = try (try await ToyBox()).device("a")
        let other = try ItemZone.open(device.zone.place)
        for isOff in [true, false] {
            try await device.zone.setOff(isOff)
            #expect(try await other.isOff() == isOff)
            #expect(try await other.status().isOff == isOff)
        }
    }

    @Test func `changes that one commit has room for are told before they are made`() async throws {
        let device = try (try await ToyBox()).device("a", limits: CommitLimits(rows: 2))
        let items = ["a", "b", "c"].map { Item<ToyKind.State>($0, ours: "1") }
        #expect(await device.zone.fitsIntoCommit(items.prefix(2)))
        #expect(await !device.zone.fitsIntoCommit(items))
    }
}
