import FilesinkiItems
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiKeyValue

/// A device that comes back after the log no longer reaches back to what it saw last.
@Suite("Key-value stores whose log was pruned")
struct ResyncTests {
    /// A device `b` that has seen commit 1 with the keys a, b, c and d, and a store in which then b was
    /// changed and c removed.
    private func begin() async throws -> (Meeting, Device, Device) {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        for key in ["a", "b", "c", "d"] { try await a.set(key, .string("old")) }
        try await a.sync()
        try await b.sync()
        try await a.set("a", .string("again"))
        try await a.set("d", .string("again"))
        try await a.sync()
        try await a.set("b", .string("new"))
        try await a.sync()
        try await a.set("c", nil)
        try await a.sync()
        return (meeting, a, b)
    }

    @Test(
        "KV-11 values changed and removed meanwhile are received, with and without a tombstone",
        arguments: [false, true])
    func missed(_ isForgotten: Bool) async throws {
        let (meeting, a, b) = try await begin()
        try await b.set("mine", .integer(1))
        let start = try await b.values.position()
        try await Forger(meeting: meeting).prune(
            [1], omitting: isForgotten ? ["c"] : [], at: 4)
        let report = try await b.sync()
        #expect(report.changed.map(\.description) == ["a", "b", "c", "d"])
        #expect(report.problems.isEmpty)
        let events = try await b.values.events(after: start)
        #expect(events.map(\.reason) == [.server])
        try await a.sync()
        #expect(
            try await b.all == [
                "a": .string("again"), "b": .string("new"), "d": .string("again"),
                "mine": .integer(1),
            ])
        #expect(try await a.all == b.all)
    }

    @Test func `KV-14 values set here meanwhile are merged with missed ones, by the key's rule`()
        async throws
    {
        let (meeting, a, b) = try await begin()
        meeting.clock.advance(by: .seconds(1))
        try await b.set("b", .string("mine"))
        try await b.set("c", .string("mine"))
        try await Forger(meeting: meeting).prune([1], omitting: ["c"], at: 4)
        try await b.sync()
        try await a.sync()
        #expect(try await b.get("b") == .string("mine"))
        #expect(try await b.get("c") == .string("mine"))
        #expect(try await a.all == b.all)
    }

    @Test func `a value set again stays although a later checkpoint lacks it`() async throws {
        let (meeting, a, b) = try await begin()
        try await a.set("c", .string("back"))
        try await a.sync()
        try await a.set("e", .integer(5))
        try await a.sync()
        try await Forger(meeting: meeting).prune([1], omitting: ["c"], at: 4)
        try await b.sync()
        #expect(try await b.get("c") == .string("back"))
        #expect(try await b.all == a.all)
    }

    @Test func `a value that is lost with its commit is named, and stays where it is known`()
        async throws
    {
        let (meeting, a, b) = try await begin()
        // Commit 2 has the values of a and d.
        try await Forger(meeting: meeting).prune([1, 2], at: 4)
        let report = try await b.sync()
        #expect(Set(report.problems.map(\.path)) == [Array("a".utf8), Array("d".utf8)])
        #expect(
            try await b.all == [
                "a": .string("old"), "b": .string("new"), "d": .string("old"),
            ])
        // Setting it anew mends it, for those too who never knew it.
        try await a.set("a", .string("mended"))
        try await a.sync()
        try await b.sync()
        let fresh = try meeting.device("f")
        try await fresh.sync()
        for device in [b, fresh] { #expect(try await device.get("a") == .string("mended")) }
        #expect(try await fresh.get("d") == nil)
    }
}
