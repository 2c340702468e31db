import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import FilesinkiWebDAV
import Testing

@Suite struct WaitingTests {
    let seconds = { (counts: [Int]) in counts.map { Duration.seconds($0) } }

    @Test func `the pauses grow from one second to thirty, and end with the time`() async throws {
        let clock = ManualClock()
        let server = MemoryDAV()
        server.place([1], at: "/dav/log/1/c")
        try await server.remote(systemContext: clock.systemContext)
            .wait(prefix: "log/", timeout: .seconds(130))
        #expect(clock.slept == seconds([1, 2, 4, 8, 16, 30, 30, 30, 9]))
    }

    @Test func `a poll requests the folder's own properties only`() async throws {
        let server = MemoryDAV()
        server.place([1], at: "/dav/log/1/c")
        try await server.remote().wait(prefix: "log/0", timeout: .seconds(5))
        #expect(Set(server.requests.map(\.url)) == ["http://localhost/dav/log/"])
        #expect(server.requests.allSatisfy { $0.method == "PROPFIND" && $0.fields["Depth"] == "0" })
    }

    /// How a server lists a folder.
    func habits(_ markers: String) -> MemoryDAV.Habits {
        var habits = MemoryDAV.Habits()
        switch markers {
        case "time": habits.properties = { "<D:getlastmodified>\($0)</D:getlastmodified>" }
        case "nothing": habits.properties = { _ in "" }
        default: break
        }
        return habits
    }

    @Test(
        "a change ends the wait, whatever the server reports of a folder",
        arguments: ["tag", "time", "nothing", "no folder"])
    func change(_ markers: String) async throws {
        let server = MemoryDAV(habits(markers))
        if markers != "no folder" { server.place([1], at: "/dav/log/1/c") }
        let clock = ManualClock()
        let writer = try server.remote()
        var systemContext = clock.systemContext
        let sleep = systemContext.sleep
        systemContext.sleep = { duration in
            if clock.slept.count == 2 { _ = try await writer.publish([2], to: key("log/2/c")) }
            try await sleep(duration)
        }
        try await server.remote(systemContext: systemContext).wait(
            prefix: "log/", timeout: .seconds(3600))
        #expect(clock.slept == seconds([1, 2, 4]))
    }

    @Test func `a change in the second of the first poll is not missed`() async throws {
        var habits = MemoryDAV.Habits()
        habits.properties = { _ in "<D:getlastmodified>now</D:getlastmodified>" }
        habits.date = { "now" }
        let clock = ManualClock()
        let server = MemoryDAV(habits)
        server.place([1], at: "/dav/log/1/c")
        let remote = try server.remote(systemContext: clock.systemContext)
        try await remote.wait(prefix: "log/", timeout: .seconds(3600))
        #expect(clock.slept == seconds([1]))
    }

    @Test func `a weak tag that becomes strong is not a change`() async throws {
        let looks = Counter()
        var habits = MemoryDAV.Habits()
        habits.properties = { _ in
            "<D:getetag>\(looks.next() == 1 ? "W/" : "")\"a\"</D:getetag>"
        }
        let clock = ManualClock()
        let server = MemoryDAV(habits)
        server.place([1], at: "/dav/log/1/c")
        let remote = try server.remote(systemContext: clock.systemContext)
        try await remote.wait(prefix: "log/", timeout: .seconds(20))
        #expect(clock.slept == seconds([1, 2, 4, 8, 5]))
    }

    @Test func `a timeout of zero still polls once, and an invalid prefix only sleeps`()
        async throws
    {
        let clock = ManualClock()
        let server = MemoryDAV()
        let remote = try server.remote(systemContext: clock.systemContext)
        try await remote.wait(prefix: "log/", timeout: .zero)
        #expect(clock.slept.isEmpty && server.requests.count == 1)
        try await remote.wait(prefix: "../", timeout: .seconds(3))
        #expect(clock.slept == seconds([3]) && server.requests.count == 1)
    }

    @Test(
        "a change between two waits ends the second at once",
        arguments: ["tag", "time", "nothing", "no folder"])
    func between(_ markers: String) async throws {
        let clock = ManualClock()
        let server = MemoryDAV(habits(markers))
        if markers != "no folder" { server.place([1], at: "/dav/log/1/c") }
        let remote = try server.remote(systemContext: clock.systemContext)
        try await remote.wait(prefix: "log/", timeout: .zero)
        _ = try await server.remote().publish([2], to: key("log/2/c"))
        try await remote.wait(prefix: "log/", timeout: .seconds(3600))
        #expect(clock.slept.isEmpty)
        try await remote.wait(prefix: "log/", timeout: .seconds(3))
        #expect(clock.slept == seconds([1, 2]))
    }

    @Test
    func `a change between two waits, in the second of a poll, ends the second wait after a pause`()
        async throws
    {
        var habits = MemoryDAV.Habits()
        habits.properties = { _ in "<D:getlastmodified>then</D:getlastmodified>" }
        let looks = Counter()
        habits.date = { looks.next() == 1 ? "then" : "later" }
        let clock = ManualClock()
        let server = MemoryDAV(habits)
        server.place([1], at: "/dav/log/1/c")
        let remote = try server.remote(systemContext: clock.systemContext)
        try await remote.wait(prefix: "log/", timeout: .zero)
        try await remote.wait(prefix: "log/", timeout: .seconds(3600))
        #expect(clock.slept == seconds([1]))
    }
}
