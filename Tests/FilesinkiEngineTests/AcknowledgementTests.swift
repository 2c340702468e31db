import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

/// How often a device says how far it has seen the log, and what is known of it in between.
@Suite("Acknowledgements")
struct AcknowledgementTests {
    let world: World
    let (a, b): (Machine, Machine)

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["f": .file("base")])
    }

    /// The numbers of the commits up to which the devices say that they have seen the log.
    private var told: [UInt64] {
        world.store.objects.keys.map(\.description).filter { $0.hasPrefix("devices/") }
            .compactMap { UInt64($0.split(separator: "/")[3]) }.sorted()
    }

    @Test func `one is sent at the first sync, and then after 64 commits`() async throws {
        #expect(told == [1, 1])
        for number in 0..<63 { try await a.save("\(number)", at: "f") }
        try await a.sync()
        #expect(told == [1, 1])
        try await a.save("one more", at: "f")
        #expect(told == [1, 65])
        try await a.sync()
        #expect(told == [1, 65])
    }

    @Test func `a device that only saves sends one, unless a change waits at a path that it has`()
        async throws
    {
        let c = try await world.replica("c")
        try await c.save("c's", at: "n")
        #expect(told == [1, 1, 2])
        try await a.sync()
        try await a.save("a's", at: "n")
        for number in 0..<64 { try await c.save("\(number)", at: "m") }
        // The version that c has of n is in the tree of commit 2 only.
        #expect(told == [1, 1, 2])
        try await c.sync()
        #expect(told.last.map { $0 > 64 } == true)
    }

    @Test func `one is sent again after a day with news`() async throws {
        world.clock.advance(by: .seconds(25 * 60 * 60))
        try await a.sync()
        #expect(told == [1, 1])
        try await a.save("new", at: "f")
        try await a.sync()
        #expect(told == [1, 2])
        try await a.save("newer", at: "f")
        try await a.sync()
        #expect(told == [1, 2])
    }

    @Test func `one does not count the device's own commits`() async throws {
        try await b.save("b's", at: "f")
        try await a.sync()
        try await a.save("a's", at: "f")
        #expect(told == [1, 1])
        let seen = try await a.with { try await $0.devices() }
        #expect(seen.map(\.device.name) == ["a", "b"])
        #expect(seen.map(\.seen) == [3, 2])
        // Of this device more is known here than elsewhere.
        let elsewhere = try await b.with { try await $0.devices() }
        #expect(elsewhere.map(\.seen) == [1, 2])
        let known = try #require(seen.last?.time)
        #expect(known > (try #require(elsewhere.first?.time)))
    }

    @Test func `what this device has only read counts from its last run that succeeded`()
        async throws
    {
        try await b.save("b's", at: "f")
        try await a.sync()
        let last = try #require(try await a.with { try await $0.status().lastSuccess })
        world.remote.isAway = true
        try a.write(["g": .file("waits")])
        try await a.sync()
        world.remote.isAway = false
        let seen = try await a.with { try await $0.devices() }.filter(\.isThisOne)
        #expect(seen.map(\.seen) == [2])
        #expect(seen.map(\.time) == [last])
    }

    @Test func `those of another store count for nothing`() async throws {
        for number in 0..<70 { try await a.save("\(number)", at: "f") }
        try await a.sync()
        let other = try World()
        _ = try await other.pair(["h": .file("z")])
        world.store.objects = other.store.objects
        try await a.with { try await $0.setRemote("memory", acceptingOther: true) }
        try await a.sync()
        let seen = try await a.with { try await $0.devices() }
        #expect(seen.filter(\.isThisOne).map(\.seen) == [2])
    }

    @Test(
        "E1.5 an acknowledgement that cannot be stored is a notice of the run, whatever the reason",
        arguments: [Failure.Code.limit, .full, .notAllowed, .io, .away, .busy, .corrupt])
    func notStored(_ code: Failure.Code) async throws {
        world.remote.plan(.init(.before(code), verb: .publish, prefix: "devices/"))
        let c = try await world.replica("c")
        let report = try await c.sync()
        #expect(report.problems.isEmpty && report.away == nil && report.publishedCommits == 0)
        #expect(report.notices.map(\.failure.code) == [code])
        #expect(try c.tree() == (try a.tree()))
        #expect(told == [1, 1])
        // Not tried again at once, for it may go on.
        #expect(try await c.sync().notices.isEmpty)
        #expect(told == [1, 1])
        for number in 0..<16 { try await a.save("\(number)", at: "f") }
        #expect(try await c.sync().notices.isEmpty)
        #expect(told == [1, 1, 17])
    }
}
