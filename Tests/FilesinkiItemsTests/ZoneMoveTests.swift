import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiItems

/// The way from one generation of a zone to the next.
@Suite("Moves of zones")
struct ZoneMoveTests {
    /// A device of which `a` and `d` are published by two commits, `b` waits, and so does the removal of `c`.
    private func device(_ box: ToyBox) async throws -> ToyDevice {
        let device = try box.device("a")
        try await device.set(["a": "1", "c": "1"])
        try await device.sync()
        try await device.set(["d": "2"])
        try await device.sync()
        try await device.set(["b": "3", "c": nil])
        return device
    }

    private func keys(_ device: ToyDevice) async throws -> [String] {
        try await device.all.keys.sorted()
    }

    @Test func `a reset keeps every item, and all of them are sent to the new log`() async throws {
        let box = try await ToyBox()
        let device = try await device(box)
        try await device.zone.lose("a", version: 7)
        let move = ZoneMove(way: "r", cause: .reset, sequence: 2, isLive: true)
        let moved = try await device.zone.moved(move, from: "")
        #expect(moved.isDone && moved.kept == [])
        #expect(try await keys(device) == ["a", "b", "d"])
        let item = try #require(try await device.zone.item("a"))
        #expect(item.version == 0 && item.isSentAgain && item.base.text == "1")
        #expect(try await device.zone.pendingKeys().map(\.description) == ["a", "b", "c", "d"])
        #expect(try await device.zone.losers(try ItemKey("a")).map(\.version) == [0])
        #expect(await device.zone.generation == 2)
        #expect(try await !device.zone.isGone())
        #expect(try await device.zone.way() == "r")
        #expect(try await device.zone.status().sequence == 0)
        // Nothing changed on this device.
        #expect(try await device.zone.status().last == nil)
        try await device.sync()
        #expect(
            try await StoreListing.zoneNames(at: box.remote).sorted() == [
                "toy-default", "toy2-default",
            ])
        #expect(try await device.zone.pendingKeys().isEmpty)
    }

    @Test(
        "a deletion takes the items, and what nobody else has is kept first",
        arguments: [
            (ZoneCause.deleted, 1, ["b", "d"], ChangeReason.deleted),
            (.deleted, 2, ["b"], .deleted), (.purged, 0, ["a", "b", "d"], .purged),
        ] as [(ZoneCause, UInt64, [String], ChangeReason)])
    func deletion(
        _ cause: ZoneCause, _ sequence: UInt64, _ kept: [String], _ reason: ChangeReason
    ) async throws {
        let box = try await ToyBox()
        let device = try await device(box)
        try await device.zone.lose("a", version: 7)
        let start = try await device.zone.position()
        let move = ZoneMove(way: "d", cause: cause, sequence: sequence, isLive: false)
        let moved = try await device.zone.moved(move, from: "")
        #expect(moved.isDone && moved.kept == kept)
        #expect(try await keys(device) == [])
        #expect(try await device.zone.pendingKeys().isEmpty)
        let events = try await device.zone.events(after: start)
        #expect(events.map(\.reason) == [reason])
        #expect(events.first?.keys.map(\.description) == ["a", "b", "d"])
        #expect(try await device.zone.isGone())
        #expect(await device.zone.generation == 2)
        // What gave way stays in the history, and is sent to no log.
        #expect(try await device.zone.losers(try ItemKey("a")).map(\.version) == [7])
        #expect(try await !device.zone.hasPending())
    }

    @Test func `a deletion of a zone without items is no event`() async throws {
        let box = try await ToyBox()
        let device = try box.device("a")
        try await device.sync()
        let move = ZoneMove(way: "d", cause: .deleted, sequence: 0, isLive: true)
        #expect(try await device.zone.moved(move, from: "").isDone)
        #expect(try await device.zone.status().last == nil)
        #expect(try await !device.zone.isGone())
    }

    @Test func `what another process has moved already is not moved again`() async throws {
        let box = try await ToyBox()
        let device = try await device(box)
        let move = ZoneMove(way: "dr", cause: .deleted, sequence: 0, isLive: true)
        let moved = try await device.zone.moved(move, from: "d")
        #expect(!moved.isDone && moved.kept == [])
        #expect(try await keys(device) == ["a", "b", "d"])
        #expect(try await device.zone.way() == "")
        #expect(try await device.zone.status().sequence == 2)
    }

    @Test func `an error of who keeps the items moves nothing`() async throws {
        let box = try await ToyBox()
        let device = try await device(box)
        let move = ZoneMove(way: "d", cause: .deleted, sequence: 0, isLive: false)
        await #expect(throws: Failure.self) { try await device.zone.failedMove(move) }
        #expect(try await keys(device) == ["a", "b", "d"])
        #expect(try await device.zone.way() == "")
        #expect(await device.zone.generation == 1)
    }

    @Test func `what the former log needed is forgotten`() async throws {
        let box = try await ToyBox()
        let device = try await device(box)
        try await device.zone.fillSettings()
        let move = ZoneMove(way: "r", cause: .reset, sequence: 0, isLive: true)
        _ = try await device.zone.moved(move, from: "")
        #expect(try await device.zone.settings() == [])
    }

    @Test func `the way of another store is taken as it is`() async throws {
        let box = try await ToyBox()
        let device = try box.device("a")
        try await device.zone.adopt(way: "rd")
        #expect(try await device.zone.way() == "rd")
        #expect(await device.zone.generation == 3)
        try await device.set(["a": "1"])
        try await device.sync()
        #expect(try await StoreListing.zoneNames(at: box.remote) == ["toy3-default"])
        try await device.zone.adopt(way: "")
        #expect(await device.zone.generation == 1)
    }

    @Test func `whether a zone is gone is remembered until it is created again`() async throws {
        let device = try (try await ToyBox()).device("a")
        #expect(try await !device.zone.isGone())
        for isGone in [true, true, false, false] {
            try await device.zone.setGone(isGone)
            #expect(try await device.zone.isGone() == isGone)
        }
    }
}

extension ItemZone<ToyKind> {
    /// Moves, and returns what was to be kept.
    fileprivate func moved(
        _ move: ZoneMove, from former: String
    ) throws -> (isDone: Bool, kept: [String]) {
        var kept: [String] = []
        let isDone = try self.move(move, from: former) { kept += $0.map(\.key.description) }
        return (isDone, kept)
    }

    fileprivate func failedMove(_ move: ZoneMove) throws {
        _ = try self.move(move, from: "") { _ in throw Failure(.full, "No space.", remedy: "") }
    }

    fileprivate func lose(_ key: String, version: UInt64) throws {
        let loser = Superseded(
            key: try ItemKey(key), held: ToyKind.State(text: "lost", time: 5), version: version,
            reason: "shorter")
        try database.write { try database.recordSuperseded(loser) }
    }

    fileprivate func hasPending() throws -> Bool { try database.hasPending() }

    private var logSettings: [String] {
        ZoneCounter.allCases.map(\.rawValue) + ["token", "head", "pruned"]
    }

    fileprivate func fillSettings() throws {
        try database.write {
            for name in logSettings { try database.set(name, number: 5) }
            try database.recordPublishing([UInt8](repeating: 1, count: 16), sequence: 90)
        }
    }

    /// What the file has of the log.
    fileprivate func settings() throws -> [String] {
        let publishing = try database.isOwn([UInt8](repeating: 1, count: 16)) ? ["publishing"] : []
        return try logSettings.filter { try database.setting($0) != nil } + publishing
    }
}
