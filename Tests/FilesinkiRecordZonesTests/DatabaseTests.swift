import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiRecordZones

/// The databases of a store: zones whose names begin with a prefix.
@Suite("Databases of records")
struct DatabaseTests {
    @Test(
        "CK-01 a database is a prefix of the names of its zones in the store",
        arguments: [
            ("private", ["_catalog", "rec-default"]),
            ("public", ["public-_catalog", "public-rec-default"]),
            ("shared-team_1", ["shared-team_1-_catalog", "shared-team_1-rec-default"]),
        ])
    func names(_ database: String, zones: [String]) async throws {
        let world = try await RecordWorld()
        let device = try world.device("a", in: DatabaseScope(parsing: database))
        try await device.save("n", "title=x")
        try await device.sync()
        let catalogue = try ZoneCatalogue.open(await device.zone.cataloguePlace)
        _ = try await catalogue.create("other")
        _ = try await catalogue.exchange()
        #expect(try await StoreListing.zoneNames(at: world.remote).sorted() == zones)
        for zone in zones where zone.hasSuffix("default") { #expect(RecordItem.isZone(zone)) }
    }

    @Test func `CK-01 databases of one device have their own records, zones and files`()
        async throws
    {
        let world = try await RecordWorld()
        let mine = try world.device("a")
        let all = try mine.other(.public, world)
        let team = try mine.other(.shared("team"), world)
        for (device, title) in [(mine, "mine"), (all, "all"), (team, "team")] {
            try await device.save("n", "title=\(title)")
        }
        let state = mine.folder.path
        // A record and its schema in each.
        #expect(try LocalZones<RecordKind>.pendingCount(state: state) == 6)
        #expect(
            try LocalZones<RecordKind>.scopes(state: state) == [
                .private, .public, .shared("team"),
            ])
        for device in [mine, all, team] { try await device.sync() }
        #expect(try LocalZones<RecordKind>.pendingCount(state: state) == 0)
        for (scope, title) in [
            (DatabaseScope.private, "mine"), (.public, "all"), (.shared("team"), "team"),
        ] {
            let other = try world.device("b", in: scope)
            try await other.sync()
            #expect(try await other.fields("n")?["title"] == .string(title), "\(scope)")
        }
        // What becomes of a zone of one database concerns no other.
        let catalogue = try ZoneCatalogue.open(await all.zone.cataloguePlace)
        _ = try await catalogue.end("default", .deleted, knowing: 1)
        _ = try await catalogue.exchange()
        let error = await #expect(throws: Failure.self) { try await all.sync() }
        #expect(error?.path == Array("public/default".utf8))
        #expect(error?.remedy.contains("rec zones create --db public default") == true)
        try await mine.sync()
        try await team.sync()
        #expect(try await team.fields("n")?["title"] == .string("team"))
    }

    @Test func `CK-01 a reference into another database is refused by its name`() async throws {
        let world = try await RecordWorld()
        let mine = try world.device("a")
        try await mine.save("target", "title=x")
        let all = try mine.other(.public, world)
        let error = await #expect(throws: Failure.self) {
            try await all.save("n", "of:reference=target")
        }
        #expect(error?.code == .usage && error?.path == Array("n".utf8))
        #expect(
            error?.message == "reference-violation: 'n' refers to 'target', which is in the zone "
                + "default of the database private; a reference is to a record of the same zone.")
        #expect(try await all.fields("n") == nil)
        let missing = await #expect(throws: Failure.self) {
            try await all.save("n", "of:reference=nowhere")
        }
        #expect(missing?.message.contains("does not exist") == true)
    }

    @Test(
        "CK-01 the name of a database is private, public or shared-NAME",
        arguments: [
            "private", "public", "shared-a", "shared-team_1",
            "shared-" + String(repeating: "x", count: 40),
        ])
    func valid(_ text: String) throws {
        let scope = try DatabaseScope(parsing: text)
        #expect(scope.description == text)
        for rest in ["rec-a", "rec2-a-b", "_catalog", "kv-default", "files"] {
            let (found, name) = DatabaseScope.split(zone: scope.zonePrefix + rest)
            #expect(found == scope && name == rest)
        }
    }

    @Test(
        "CK-01 other databases are refused",
        arguments: [
            "", "Private", "shared", "shared-", "shared-A", "shared-a-b", "shared-a/b", "public-",
            "shared-" + String(repeating: "x", count: 41),
        ])
    func invalid(_ text: String) {
        #expect(throws: Failure.self) { try DatabaseScope(parsing: text) }
    }

    @Test func `CK-01 every zone of every generation has a name that each remote takes`()
        async throws
    {
        let scope = DatabaseScope.shared(String(repeating: "x", count: 40))
        try scope.check(zone: "12345678")
        #expect((scope.zonePrefix + "rec1001-12345678").utf8.count <= 64)
        #expect(throws: Failure.self) { try scope.check(zone: "123456789") }
        try DatabaseScope.public.check(zone: String(repeating: "z", count: 48))
    }
}
