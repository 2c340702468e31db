import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Synchronization
import Testing

@testable import FilesinkiS3

/// Uploads in parts whose writers were killed.
@Suite struct S3SweepTests {
    private static let day = Duration.seconds(86_400)

    /// - Parameter uploads: The bucket's keys of uploads, and when they were begun.
    private func bucket(
        _ uploads: KeyValuePairs<String, String>, pageSize: Int = 1000
    ) -> MemoryBucket {
        let bucket = MemoryBucket(pageSize: pageSize)
        bucket.state.withLock { state in
            for (number, upload) in uploads.enumerated() {
                state.uploads["id & \(number)"] = [1: [7]]
                state.begun["id & \(number)"] = (upload.key, upload.value)
            }
        }
        return bucket
    }

    private func left(_ bucket: MemoryBucket) -> [String] {
        bucket.state.withLock { $0.uploads.keys.sorted() }
    }

    @Test("uploads of the store that are a day old are aborted", arguments: [1, 2, 1000])
    func aborted(_ pageSize: Int) async throws {
        let bucket = bucket(
            [
                "a b/packs/00/a": MemoryBucket.date, "a b/packs/00/b": "2026-01-02T03:04:06.000Z",
                "a b/packs/00/c": "2025-12-31T00:00:00Z", "a b/packs/00/c": MemoryBucket.date,
                "a b/.others": MemoryBucket.date, "a bc/packs": MemoryBucket.date,
            ], pageSize: pageSize)
        let dry = try await bucket.remote().sweep([""], olderThan: Self.day, isDryRun: true)
        #expect(dry == 3 && left(bucket).count == 6)
        #expect(try await bucket.remote().sweep([""], olderThan: Self.day) == 3)
        #expect(left(bucket) == ["id & 1", "id & 4", "id & 5"])
        #expect(bucket.objects.isEmpty)
    }

    @Test func `an upload that is not finished is found`() async throws {
        let bucket = MemoryBucket()
        var settings = S3Remote.UploadSettings()
        settings.largestSinglePut = 9
        let remote = bucket.remote(ManualClock(), settings)
        bucket.script(.instead(.error(403, "AccessDenied")), times: 99) { $0.method == "DELETE" }
        bucket.script(.instead(.error(403, "AccessDenied")), times: 99) {
            $0.url.contains("partNumber")
        }
        let content = [UInt8](repeating: 1, count: 20)
        await #expect(throws: Failure.self) {
            try await remote.put(content, to: ObjectKey("packs/a"))
        }
        bucket.state.withLock { $0.script = [] }
        #expect(bucket.openUploads == 1)
        #expect(try await remote.sweep([""], olderThan: Self.day) == 1)
        #expect(bucket.openUploads == 0)
    }

    @Test(
        "where uploads may not be listed, none is aborted",
        arguments: [
            HTTPReply.error(403, "AccessDenied"), .error(405, "MethodNotAllowed"),
            .error(501, "NotImplemented"),
            .xml("<ListMultipartUploadsResult></ListMultipartUploadsResult>"),
        ])
    func refused(_ reply: HTTPReply) async throws {
        let bucket = bucket(["a b/packs/00/a": MemoryBucket.date])
        bucket.script(.instead(reply))
        #expect(try await bucket.remote().sweep([""], olderThan: Self.day) == 0)
        #expect(left(bucket).count == 1)
    }

    @Test(
        "another reply than a list is a failure",
        arguments: [
            HTTPReply.portal, .error(500, "InternalError"),
            .xml(
                "<ListMultipartUploadsResult><Upload><Key>a b/p</Key></Upload>"
                    + "</ListMultipartUploadsResult>"),
            .xml(
                "<ListMultipartUploadsResult><IsTruncated>true</IsTruncated>"
                    + "</ListMultipartUploadsResult>"),
        ])
    func unusable(_ reply: HTTPReply) async throws {
        let bucket = bucket(["a b/packs/00/a": MemoryBucket.date])
        bucket.script(.instead(reply))
        await #expect(throws: Failure.self) {
            try await bucket.remote().sweep([""], olderThan: Self.day)
        }
        #expect(left(bucket).count == 1)
    }

    @Test func `a service that repeats its page is not asked for ever`() async throws {
        let bucket = MemoryBucket()
        let page = HTTPReply.xml(
            "<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>k"
                + "</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker>"
                + "</ListMultipartUploadsResult>", ["Date": MemoryBucket.now])
        bucket.script(.instead(page), times: 9)
        #expect(try await bucket.remote().sweep([""], olderThan: Self.day) == 0)
        #expect(bucket.requests.count == 2)
    }
}
