import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiS3

/// What requests cost over a link where nothing but the delay takes time.
@Suite struct S3RoundTripTests {
    private func roundTrips(
        _ body: @escaping @Sendable (S3Remote) async throws -> Void
    ) async throws -> Int {
        let bucket = MemoryBucket()
        return try await RoundTrips.count { trips in
            let remote = S3Remote(
                address: MemoryBucket.address,
                transport: DistantTransport(bucket, trips),
                credentials: MemoryBucket.credentials, systemContext: ManualClock().systemContext)
            try await body(remote)
        }
    }

    @Test func `a slot is filled, an object stored and one read in one round trip each`()
        async throws
    {
        let published = try await roundTrips {
            _ = try await $0.publish([2], to: ObjectKey("log/1/c"))
        }
        #expect(published == 1)
        let put = try await roundTrips { try await $0.put([2], to: ObjectKey("packs/1")) }
        #expect(put == 1)
        let read = try await roundTrips { _ = try await $0.get(ObjectKey("packs/0"), range: nil) }
        #expect(read == 1)
    }

    @Test func `a bucket is tested in few round trips`() async throws {
        let trips = try await roundTrips { remote in
            let probe = SlotProbe(
                systemContext: ManualClock().systemContext, writers: 4, rounds: 8
            ) { remote }
            let report = try await probe.testRemote()
            #expect(report.isFit, "\(report)")
        }
        #expect(trips <= 25, "\(trips) round trips")
    }
}
