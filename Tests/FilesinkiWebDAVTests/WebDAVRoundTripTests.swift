import FilesinkiHTTP
import FilesinkiRemote
import FilesinkiTesting
import FilesinkiWebDAV
import Testing

/// What requests cost over a link where nothing but the delay takes time.
@Suite struct WebDAVRoundTripTests {
    private func roundTrips(
        _ body: @escaping @Sendable (WebDAVRemote) async throws -> Void
    ) async throws -> Int {
        let server = MemoryDAV()
        // As in a store that is in use.
        server.place([1], at: "/dav/log/0/c")
        server.place([1], at: "/dav/packs/0")
        return try await RoundTrips.count { trips in
            let remote = WebDAVRemote(
                address: try WebAddress("http://localhost/dav", schemes: ["http": false]),
                transport: DistantTransport(server, trips), credentials: .none,
                systemContext: ManualClock().systemContext)
            try await body(remote)
        }
    }

    @Test func `a slot is filled in four round trips, an object stored in three`() async throws {
        let published = try await roundTrips { _ = try await $0.publish([2], to: key("log/1/c")) }
        #expect(published == 4)
        let put = try await roundTrips { try await $0.put([2], to: key("packs/1")) }
        #expect(put == 3)
        let read = try await roundTrips { _ = try await $0.get(key("packs/0"), range: nil) }
        #expect(read == 1)
    }

    @Test func `a remote is tested in few round trips`() async throws {
        let trips = try await roundTrips { remote in
            let probe = SlotProbe(
                systemContext: ManualClock().systemContext, writers: 4, rounds: 8
            ) { remote }
            let report = try await probe.testRemote()
            #expect(report.isFit, "\(report)")
        }
        #expect(trips <= 55, "\(trips) round trips")
    }
}
