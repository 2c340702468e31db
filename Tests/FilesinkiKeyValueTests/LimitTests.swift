import FilesinkiItems
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiKeyValue

@Suite("Limits of a key-value store")
struct LimitTests {
    static let mebibyte = 1 << 20

    @Test func `KV-07 KV-12 key 1025 is refused, and nothing is changed`() async throws {
        let device = try await Meeting().device("a")
        let first = try (0..<1_024).map { ValueChange(try ValueKey("k\($0)"), .integer(1)) }
        try await device.values.apply(first)
        let start = try await device.values.position()
        let found = await failure {
            try await device.values.apply([
                ValueChange(ValueKey("k0"), .integer(2)),
                ValueChange(ValueKey("more"), .integer(1)),
            ])
        }
        #expect(found?.code == .limit)
        #expect(try await device.get("k0") == .integer(1))
        #expect(try await device.values.usage() == Usage(keys: 1_024, bytes: 8_192))
        let events = try await device.values.events(after: start)
        #expect(events.map(\.reason) == [.quota])
        #expect(events.flatMap(\.keys).map(\.description) == ["k0", "more"])
        // One goes, another comes.
        try await device.values.apply([
            ValueChange(ValueKey("k0"), nil), ValueChange(ValueKey("more"), .integer(1)),
        ])
    }

    @Test func `KV-07 1 MiB is allowed, one byte more is not, and a smaller value always is`()
        async throws
    {
        let device = try await Meeting().device("a")
        try await device.set("big", .data([UInt8](repeating: 7, count: Self.mebibyte)))
        let more = TypedValue.data([UInt8](repeating: 7, count: Self.mebibyte + 1))
        #expect(await failure { try await device.set("big", more) }?.code == .limit)
        #expect(await failure { try await device.set("x", .bool(true)) }?.code == .limit)
        var tight = Limits()
        (tight.keys, tight.bytes, tight.value) = (1, 10, 10)
        try await device.values.set(tight)
        try await device.set("big", .data([UInt8](repeating: 7, count: 1_000)))
        #expect(try await device.values.usage().bytes == 1_000)
        #expect(await failure { try await device.set("y", .bool(true)) }?.code == .limit)
        try await device.set("big", nil)
        try await device.set("y", .bool(true))
    }

    @Test func `KV-07 a merge that exceeds a limit is kept and reported`() async throws {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        let value = TypedValue.data([UInt8](repeating: 1, count: Self.mebibyte / 2 + 1))
        try await a.set("a", value)
        try await b.set("b", value)
        try await a.sync()
        let start = try await b.values.position()
        #expect(try await b.sync().isOver)
        #expect(try await a.sync().isOver)
        #expect(try await a.all == b.all)
        #expect(try await b.values.events(after: start).map(\.reason) == [.initial, .quota])
        try await a.set("a", .bool(true))
        #expect(try await !a.sync().isOver)
    }

    @Test(
        "KV-08 a key has at most 64 bytes, of any kind",
        arguments: [
            (String(repeating: "x", count: 64), true), (String(repeating: "x", count: 65), false),
            (String(repeating: "é", count: 32), true), (String(repeating: "é", count: 33), false),
            ("", false),
        ])
    func keys(_ key: String, isAllowed: Bool) async throws {
        let device = try await Meeting().device("a")
        let found = await failure { try await device.set(key, .integer(1)) }
        #expect((found == nil) == isAllowed)
        guard let found, !key.isEmpty else { return }
        #expect(found.code == .usage)
        #expect(found.message.contains("\(key.utf8.count) bytes"))
    }
}
