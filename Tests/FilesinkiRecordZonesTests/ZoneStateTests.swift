import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiStore
import FilesinkiSystem
import FilesinkiTesting
import Testing

@testable import FilesinkiRecordZones

extension RecordDevice {
    var catalogue: ZoneCatalogue {
        get async throws { try ZoneCatalogue.open(await zone.cataloguePlace) }
    }

    /// Ends the zone here as the commands do, and publishes that if `isOnline`.
    @discardableResult
    func end(_ cause: ZoneCause, isOnline: Bool = true) async throws -> ZoneEntry? {
        clock.advance(by: .seconds(1))
        let catalogue = try await catalogue
        let known = try await zone.status().sequence
        let entry = try await catalogue.end("default", cause, knowing: known)
        if isOnline { _ = try await catalogue.exchange() }
        _ = try await zone.follow(catalogue.entry("default"))
        return entry
    }

    @discardableResult
    func create(isOnline: Bool = true) async throws -> ZoneEntry? {
        clock.advance(by: .seconds(1))
        let catalogue = try await catalogue
        let entry = try await catalogue.create("default")
        if isOnline { _ = try await catalogue.exchange() }
        _ = try await zone.follow(catalogue.entry("default"))
        return entry
    }

    var entry: ZoneEntry { get async throws { try await catalogue.entry("default") } }

    /// What a sync says when the zone is deleted; nil when it went well.
    func syncFailure() async throws -> Failure? {
        do { _ = try await sync() } catch let failure as Failure { return failure }
        return nil
    }

    /// The records that were kept when a generation of the zone was deleted, as lines.
    func kept(_ generation: Int = 1) throws -> [Substring] {
        let file = folder.path + "/rec/default.deleted-\(generation).jsonl"
        return String(decoding: try StateFile.read(file) ?? [], as: UTF8.self)
            .split(separator: "\n")
    }
}

extension RecordWorld {
    /// Two devices with the record `n`.
    func pair() async throws -> (a: RecordDevice, b: RecordDevice) {
        let (a, b) = (try device("a"), try device("b"))
        try await a.save("n", "a:int=1", "b:int=1")
        try await a.sync()
        try await b.sync()
        return (a, b)
    }
}

/// Zones that are deleted, purged, reset and created again.
@Suite("States of zones")
struct ZoneStateTests {
    @Test(
        "CK-03 CK-22 SE-07 a deleted zone goes on all devices; what waits is kept, and never sent",
        arguments: [ZoneCause.deleted, .purged])
    func deleted(_ cause: ZoneCause) async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        try await b.save("m", "a:int=2")
        try await b.save("n", "b=3")
        let token = try await b.zone.position()
        let before = try await world.commits.count
        try await a.end(cause)
        let found = try #require(try await b.syncFailure())
        #expect(found.code == .notFound)
        #expect(found.message.contains("\(cause.rawValue) by a"))
        #expect(found.message.contains("default.deleted-1.jsonl"))
        for device in [a, b] { #expect(try await device.fields("n") == nil) }
        #expect(try await world.commits.count == before)
        #expect(try await b.zone.pendingKeys().isEmpty)
        // Both records, with all their fields, as operations.
        let lines = try b.kept()
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(#""op":"force-replace""#) })
        #expect(lines.contains { $0.contains(#""name":"n""#) && $0.contains(#""value":3"#) })
        #expect(try a.kept().isEmpty)
        let events = try await b.zone.events(after: token)
        #expect(events.map(\.reason.rawValue) == [cause.rawValue])
        #expect(Set(events[0].keys.map(\.description)).isSuperset(of: ["m", "n"]))
        // Nothing can be saved in it, with or without the remote.
        let refused = await #expect(throws: Failure.self) { try await b.save("x", "a:int=1") }
        #expect(refused?.code == .notFound)
        #expect(try await a.syncFailure()?.code == .notFound)
    }

    @Test("CK-03 a zone is created again after its deletion, and is another one")
    func createdAgain() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        let tag = try await a.tag("n")
        try await a.end(.deleted)
        try await b.save("m", "a:int=2")
        try await a.create()
        #expect(try await a.fields("n") == nil)
        try await a.save("n", "a:int=9")
        try await a.sync()
        #expect(try await a.tag("n") != tag)
        #expect(try await a.tag("n") == "2.1")
        let report = try await b.sync()
        #expect(report.notices.map(\.code) == [.differs])
        #expect(try await b.fields("n") == ["a": .integer(9)])
        #expect(try await b.fields("m") == nil)
        #expect(try b.kept().count == 1)
        #expect(try await b.zone.zoneStates() == (try await a.zone.zoneStates()))
        // A device that never saw the first one.
        let c = try world.device("c")
        try await c.sync()
        #expect(try await c.fields("n") == ["a": .integer(9)])
        #expect(try await a.create() == nil)
    }

    @Test("CK-22 what was kept stays where two generations of a device had one number")
    func keptTwice() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        try await b.end(.reset, isOnline: false)
        try await b.save("m", "a:int=1")
        try await a.end(.deleted)
        try await a.create()
        try await b.sync()
        try await b.save("p", "a:int=1")
        try await a.end(.deleted)
        #expect(try await b.syncFailure() != nil)
        for name in ["m", "p"] {
            #expect(try b.kept(2).contains { $0.contains("\"name\":\"\(name)\"") })
        }
    }

    @Test("CK-22 what was published into a zone whose deletion was not known yet is kept")
    func publishedLate() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        try await a.end(.deleted)
        // The catalogue was read before the deletion, the commit came after it.
        try await b.save("late", "a:int=1")
        _ = try await b.zone.exchangeItems(ExchangeOptions())
        #expect(try await b.zone.pendingKeys().isEmpty)
        #expect(try await b.syncFailure()?.code == .notFound)
        let lines = try b.kept()
        #expect(lines.count == 1 && lines[0].contains(#""name":"late""#))
    }

    @Test("CK-22 a saved conflict is kept, too")
    func keptConflict() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        try await a.save("n", "a=2")
        try await a.sync()
        try await b.save("n", "a=3", policy: .unchanged)
        try await b.sync()
        #expect(try await b.zone.conflicts().count == 1)
        try await a.end(.deleted)
        #expect(try await b.syncFailure() != nil)
        #expect(try await b.zone.conflicts().isEmpty)
        #expect(try b.kept().count == 1)
    }

    @Test("CK-22 two devices delete a zone at once: it is deleted once")
    func deletedTwice() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        try await a.end(.deleted, isOnline: false)
        try await b.end(.purged, isOnline: false)
        #expect(try await a.syncFailure() != nil)
        #expect(try await b.syncFailure() != nil)
        #expect(try await a.syncFailure() != nil)
        #expect(try await a.entry == (try await b.entry))
        #expect(try await a.entry.endings.map(\.cause) == [.deleted])
        #expect(try await a.end(.deleted) == nil)
    }

    @Test("CK-22 two devices create a zone again at once: it is one zone")
    func createdTwice() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        try await a.end(.deleted)
        #expect(try await b.syncFailure() != nil)
        try await a.create(isOnline: false)
        try await b.create(isOnline: false)
        try await a.save("x", "a:int=1")
        try await b.save("y", "a:int=2")
        for device in [a, b, a] { try await device.sync() }
        for device in [a, b] {
            #expect(try await device.fields("x") != nil)
            #expect(try await device.fields("y") != nil)
        }
        #expect(try await a.entry == (try await b.entry))
        #expect(try await a.entry.generation == 2)
    }

    @Test("CK-22 a deletion and a reset at once are a deletion", arguments: [true, false])
    func deletedAndReset(_ isResetFirst: Bool) async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        try await a.end(.deleted, isOnline: false)
        try await b.end(.reset, isOnline: false)
        for device in isResetFirst ? [b, a] : [a, b] { _ = try await device.syncFailure() }
        for device in [a, b, a] { _ = try await device.syncFailure() }
        #expect(try await a.entry == (try await b.entry))
        for device in [a, b] {
            #expect(try await device.fields("n") == nil)
            #expect(try await device.zone.isGone())
        }
    }

    @Test("CK-22 a deletion that waited is void once the zone is another one")
    func lateDeletion() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        try await b.end(.deleted, isOnline: false)
        try await a.end(.deleted)
        try await a.create()
        try await a.save("new", "a:int=1")
        try await a.sync()
        try await b.sync()
        #expect(try await b.fields("new") == ["a": .integer(1)])
        #expect(try await !b.zone.isGone())
    }

    @Test("CK-22 who watches is told what goes with a deleted zone, then why")
    func watched() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        let observer = try await ItemObserver(b.zone, place: b.zone.place)
        try await a.end(.deleted)
        let events = try await observer.next()
        #expect(events.map(\.reason) == [.deleted])
        let found = await #expect(throws: Failure.self) { try await observer.next() }
        #expect(found?.message.contains("deleted by a") == true)
    }

    @Test("CK-22 another process that has the zone open follows, and publishes nothing old")
    func twoProcesses() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        let second = try RecordZone.open(b.zone.place)
        _ = try await second.exchange()
        try await a.end(.reset)
        try await a.sync()
        try await b.save("m", "a:int=1")
        try await b.sync()
        let before = try await world.commits.count
        try await b.save("p", "a:int=1")
        _ = try await second.exchange()
        #expect(try await world.commits.count == before)
        try await a.sync()
        #expect(try await a.fields("p") != nil)
        #expect(try await a.fields("m") != nil)
    }
}

extension RecordZone {
    /// The generation, and whether the zone is gone.
    func zoneStates() throws -> [String] { [try way(), "\(try isGone())"] }
}
