import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiS3

@Suite struct S3MultipartTests {
    let bucket = MemoryBucket()
    let clock = ManualClock()
    let content = (0..<1050).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let name = "a b/packs/00/a"

    func put() async throws {
        var settings = S3Remote.UploadSettings()
        settings.largestSinglePut = 999
        settings.partSize = 100
        settings.parallelParts = 3
        try await bucket.remote(clock, settings).put(content, to: try ObjectKey("packs/00/a"))
    }

    var stored: [UInt8]? { bucket.objects[name] }
    var leftOvers: Int { bucket.openUploads }

    func isPart(_ number: Int) -> @Sendable (HTTPRequest) -> Bool {
        { $0.url.contains("partNumber=\(number)&") }
    }

    @Test func `a large object is sent in parts`() async throws {
        try await put()
        #expect(stored == content)
        #expect(leftOvers == 0)
        #expect(bucket.asked.count == 13)
        #expect(bucket.asked.first == "POST /a%20b/packs/00/a?uploads=")
        #expect(
            bucket.asked.contains("PUT /a%20b/packs/00/a?partNumber=11&uploadId=upload%20%26%200"))
    }

    @Test func `a part that fails is sent again alone`() async throws {
        bucket.script(.silence(isServed: false), times: 2, isPart(4))
        bucket.script(.instead(.error(503, "SlowDown", "", ["Retry-After": "3"])), isPart(5))
        try await put()
        #expect(stored == content)
        #expect(bucket.asked.count == 16)
        #expect(clock.slept.contains(.seconds(3)))
    }

    @Test(
        "a failed upload leaves nothing behind",
        arguments: [
            HTTPReply.error(403, "AccessDenied"), .error(500, "InternalError"), .portal,
            HTTPReply(status: 200),
        ])
    func failures(_ reply: HTTPReply) async throws {
        bucket.script(.instead(reply), times: 99, isPart(7))
        await #expect(throws: Failure.self) { try await put() }
        #expect(stored == nil)
        #expect(leftOvers == 0)
        #expect(bucket.asked.last?.hasPrefix("DELETE ") == true)
    }

    static func isCompletion(_ request: HTTPRequest) -> Bool {
        request.method == "POST" && request.url.contains("uploadId=")
    }

    @Test func `a completion whose reply was lost is found complete`() async throws {
        bucket.script(.silence(isServed: true), Self.isCompletion)
        try await put()
        #expect(stored == content)
    }

    @Test func `an error inside a 200 reply is an error`() async throws {
        bucket.script(.instead(.error(200, "InternalError")), Self.isCompletion)
        try await put()
        #expect(stored == content)
        bucket.script(.instead(.error(200, "InternalError")), times: 9, Self.isCompletion)
        let failure = await #expect(throws: Failure.self) { try await put() }
        #expect(failure?.code == .away)
        #expect(leftOvers == 0)
    }

    @Test func `an upload that another client ended is a failure`() async throws {
        bucket.script(.instead(.error(404, "NoSuchUpload")), Self.isCompletion)
        await #expect(throws: Failure.self) { try await put() }
        #expect(stored == nil)
    }

    @Test func `a cancelled upload leaves nothing behind`() async throws {
        let task = Task { try await put() }
        bucket.script(.silence(isServed: false), times: 1000, isPart(2))
        task.cancel()
        _ = await task.result
        #expect(leftOvers == 0)
    }

    @Test(
        "only a valid reply of the service confirms a single-request upload",
        arguments: [HTTPReply.portal, HTTPReply(status: 200), .error(500, "X"), .error(403, "X")])
    func single(_ reply: HTTPReply) async throws {
        bucket.script(.instead(reply))
        await #expect(throws: Failure.self) {
            try await bucket.remote().put([1], to: try ObjectKey("packs/00/a"))
        }
    }
}
