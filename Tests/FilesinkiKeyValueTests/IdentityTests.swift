import FilesinkiItems
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiKeyValue

/// Whose a commit of a key-value store is: this replica's own, or a copy's.
@Suite("Own commits of a key-value store")
struct IdentityTests {
    /// A copy of a device as `cp -a` makes it.
    private func copy(_ device: Device, _ meeting: Meeting) throws -> Device {
        let folder = try TemporaryFolder(inMemory: true)
        #expect(system("cp -a '\(device.folder.path)/.' '\(folder.path)'") == 0)
        return try Device(
            device.place.device.name, remote: meeting.remote, clock: meeting.clock, folder: folder)
    }

    private func id(_ device: Device) async -> [UInt8] { await device.values.device.id }

    @Test("E4.2 keys: a copied replica takes a new id when it reads a commit by the other one")
    func copied() async throws {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        try await a.set("k", .integer(1))
        for device in [a, b] { try await device.sync() }
        let twin = try copy(a, meeting)
        let before = await id(a)
        try await a.set("k", .integer(2))
        #expect(try await a.sync().notices.isEmpty)
        try await twin.set("mine", .integer(3))
        let report = try await twin.sync()
        #expect(report.notices.map(\.code) == [.exists])
        #expect(report.notices.first?.message.contains("device id") == true)
        #expect(await id(twin) != before)
        #expect(try await twin.sync().notices.isEmpty)
        #expect(try await a.sync().notices.isEmpty)
        #expect(await id(a) == before)
        for device in [b, a] { try await device.sync() }
        for device in [a, b, twin] {
            #expect(try await device.all == ["k": .integer(2), "mine": .integer(3)])
        }
        // What it publishes is published with the new id.
        let authors = try await Forger(meeting: meeting).commits.map(\.device.id)
        #expect(authors == [before, before, await id(twin)])
    }

    @Test("E4.2 keys: a new id that cannot be taken now is taken by the next exchange")
    func later() async throws {
        let meeting = try await Meeting()
        let a = try meeting.device("a")
        try await a.set("k", .integer(1))
        try await a.sync()
        let twin = try copy(a, meeting)
        try await a.set("k", .integer(2))
        try await a.sync()
        var place = twin.place
        place.renewDevice = { _ in
            throw Failure(.busy, "Another process holds it.", remedy: "Try again.")
        }
        let report = try await KeyValues.open(place).exchange()
        #expect(report.notices.map(\.code) == [.busy])
        #expect(try await twin.sync().notices.map(\.code) == [.exists])
        #expect(await id(twin) != twin.place.device.id)
        #expect(try await twin.sync().notices.isEmpty)
    }

    @Test("E4.2 keys: commits of a killed run, or of another process, are not a copy's")
    func own() async throws {
        let meeting = try await Meeting()
        let a = try meeting.device("a")
        try await a.sync()
        for number in 1...3 as ClosedRange<Int64> {
            try await a.set("k", .integer(number))
            let dying = FaultyRemote(meeting.remote)
            dying.plan(FaultyRemote.Script(.after(.notAllowed), verb: .publish))
            let killed = try a.moved(to: dying)
            _ = await failure { _ = try await killed.exchange() }
        }
        let second = try a.anotherProcess()
        for number in 0..<20 as Range<Int64> {
            try await a.set("x", .integer(number))
            try await second.apply([ValueChange(ValueKey("y"), .integer(number))])
            async let one = a.values.exchange()
            async let two = second.exchange()
            #expect(try await (one.notices + two.notices).isEmpty)
        }
        #expect(await id(a) == a.place.device.id)
    }

    @Test("E3.6 keys: after a kill in the first exchange a change is based on what was published")
    func firstExchange() async throws {
        let meeting = try await Meeting()
        let a = try meeting.device("a")
        try await a.set("n", .integer(2), .sum)
        let dying = FaultyRemote(meeting.remote)
        dying.plan(FaultyRemote.Script(.after(.notAllowed), verb: .publish))
        let killed = try a.moved(to: dying)
        #expect(await failure { _ = try await killed.exchange() } != nil)
        #expect(try await Forger(meeting: meeting).commits.count == 1)
        try await a.set("n", .integer(5))
        let b = try meeting.device("b")
        for device in [b, a, b] { try await device.sync() }
        #expect(try await a.get("n") == .integer(5))
        #expect(try await b.get("n") == .integer(5))
        #expect(try await a.values.losers(ValueKey("n")).isEmpty)
    }
}
