import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiS3

@Suite struct S3WaitTests {
    let bucket = MemoryBucket(pageSize: 2)
    let clock = ManualClock()

    func key(_ number: Int) throws -> ObjectKey { try ObjectKey("log/\(number)/c") }

    @Test func `the pauses grow, and add up to the given time`() async throws {
        try await bucket.remote(clock).wait(prefix: "log/", timeout: .seconds(120))
        #expect(clock.slept.first == .seconds(1))
        #expect(clock.slept.max() == .seconds(30))
        #expect(clock.slept.reduce(.zero, +) == .seconds(120))
        #expect(zip(clock.slept, clock.slept.dropFirst().dropLast()).allSatisfy { $0 <= $1 })
    }

    @Test func `a poll lists one key after the last known one`() async throws {
        let remote = bucket.remote(clock)
        for number in 1...5 { try await remote.put([1], to: key(number)) }
        let before = bucket.asked.count
        try await remote.wait(prefix: "log/", timeout: .seconds(2))
        #expect(bucket.asked.count - before == 4)
        let look = try #require(bucket.asked.last)
        #expect(look.contains("max-keys=1&"))
        #expect(look.hasSuffix("start-after=a%20b%2Flog%2F5%2Fc"))
    }

    @Test func `a new key ends the wait`() async throws {
        let remote = bucket.remote(clock)
        try await remote.put([1], to: key(1))
        let page = "<ListBucketResult><Contents><Key>a b/log/2/c</Key><Size>1</Size></Contents>"
        bucket.script(.instead(.xml(page + "</ListBucketResult>"))) {
            $0.url.contains("max-keys=1&")
        }
        try await remote.wait(prefix: "log/", timeout: .seconds(600))
        #expect(clock.slept == [.seconds(1)])
    }

    @Test func `a change between two waits ends the second at once`() async throws {
        let remote = bucket.remote(clock)
        try await remote.wait(prefix: "log/", timeout: .seconds(1))
        try await remote.put([1], to: key(1))
        try await remote.wait(prefix: "log/", timeout: .seconds(600))
        #expect(clock.slept == [.seconds(1)])
        try await remote.wait(prefix: "log/", timeout: .seconds(1))
        #expect(clock.slept == [.seconds(1), .seconds(1)])
    }

    @Test func `a wait of zero starts the subscription`() async throws {
        let remote = bucket.remote(clock)
        try await remote.wait(prefix: "log/", timeout: .zero)
        try await remote.put([1], to: key(1))
        try await remote.wait(prefix: "log/", timeout: .seconds(600))
        #expect(clock.slept.isEmpty)
    }

    @Test func `an unavailable service is retried, and a refusal is not`()
        async throws
    {
        bucket.script(.instead(.error(503, "SlowDown")), times: 2)
        try await bucket.remote(clock).wait(prefix: "log/", timeout: .seconds(4))
        #expect(clock.slept.reduce(.zero, +) == .seconds(4))
        bucket.script(.instead(.error(403, "AccessDenied"))) { $0.url.contains("max-keys=1&") }
        await #expect(throws: Failure.self) {
            try await bucket.remote(clock).wait(prefix: "log/", timeout: .seconds(60))
        }
    }
}
