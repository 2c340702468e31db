import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiTesting
import Testing

@testable import FilesinkiRecordZones

/// A change tag is that of one state of a record.
@Suite("Change tags of several devices")
struct ChangeTagTests {
    @Test(
        "CK-04 what two devices save at one moment has a tag on each, before and after it is published"
    )
    func oneMoment() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        world.clock.advance(by: .seconds(1))
        _ = try await a.zone.apply([a.operation("n", ["a=2"])])
        _ = try await b.zone.apply([b.operation("n", ["a=3"])])
        let tags = [try #require(try await a.tag("n")), try #require(try await b.tag("n"))]
        #expect(tags[0] != tags[1])
        for device in [a, b, a] { try await device.sync() }
        // Of two changes at the same moment that of the greater device id is newer.
        for device in [a, b] {
            #expect(try await device.fields("n")?["a"] == .integer(3))
            let tag = try #require(try await device.zone.tag(RecordName("n")))
            #expect(tags.map(tag.matches) == [false, true])
        }
    }

    @Test("CK-04 what two devices merge at one moment has a tag on each")
    func oneMomentOfMerging() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        let c = try world.device("c")
        try await c.sync()
        try await a.save("n", "a=2")
        try await b.save("n", "b=2")
        try await c.save("n", "c:int=9")
        try await c.sync()
        var fetch = ExchangeOptions()
        fetch.onlyFetches = true
        for device in [a, b] { _ = try await device.zone.exchange(fetch) }
        #expect(try await a.fields("n") != b.fields("n"))
        #expect(try await a.tag("n") != b.tag("n"))
        let record = try #require(try await a.zone.record(RecordName("n"))?.record)
        #expect(record.modified.device == a.zone.place.device.id)
    }
}
