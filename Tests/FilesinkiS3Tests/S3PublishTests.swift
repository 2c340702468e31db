import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiS3

/// A slot: whatever the service answers, the outcome is what the slot holds.
@Suite struct S3PublishTests {
    let clock = ManualClock()
    static let noTag = HTTPReply(status: 200, fields: ["ETag": "\"opaque\""])

    enum Wanted: Sendable, Equatable {
        case mine, theirs
        case failure(Failure.Code)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var turn: MemoryBucket.Turn
        /// Whether another writer was first.
        var isTaken = false
        var wanted: Wanted
        var requests: Int
    }

    @Test(
        "the slot's content decides the outcome",
        arguments: [
            Row(
                testDescription: "the tag proves it",
                turn: .afterwards(
                    HTTPReply(status: 200, fields: ["ETag": "\"55a54008ad1ba589aa210d2629c1df41\""])
                ),
                wanted: .mine, requests: 1),
            Row(
                testDescription: "another tag is read back", turn: .afterwards(noTag),
                wanted: .mine, requests: 2),
            Row(
                testDescription: "no tag is read back", turn: .afterwards(HTTPReply(status: 200)),
                wanted: .mine, requests: 2),
            Row(
                testDescription: "a lie is found out", turn: .instead(noTag), isTaken: true,
                wanted: .theirs, requests: 2),
            Row(
                testDescription: "an empty lie is tried again", turn: .instead(noTag),
                wanted: .mine, requests: 3),
            Row(
                testDescription: "a login page is not believed", turn: .instead(.portal),
                wanted: .failure(.away), requests: 2),
            Row(
                testDescription: "412 is read", turn: .instead(.error(412, "PreconditionFailed")),
                isTaken: true, wanted: .theirs, requests: 2),
            Row(
                testDescription: "412 for what a lost answer wrote",
                turn: .afterwards(.error(412, "PreconditionFailed")), wanted: .mine, requests: 2),
            Row(
                testDescription: "409 with an empty slot is tried again",
                turn: .instead(.error(409, "ConditionalRequestConflict")), wanted: .mine,
                requests: 3),
            Row(
                testDescription: "409 with a filled slot",
                turn: .instead(.error(409, "ConditionalRequestConflict")), isTaken: true,
                wanted: .theirs, requests: 2),
            Row(
                testDescription: "500 after the effect",
                turn: .afterwards(.error(500, "InternalError")), wanted: .mine, requests: 2),
            Row(
                testDescription: "500 before the effect",
                turn: .instead(.error(500, "InternalError")), wanted: .failure(.away), requests: 2),
            Row(
                testDescription: "503 for a taken slot", turn: .instead(.error(503, "SlowDown")),
                isTaken: true, wanted: .theirs, requests: 2),
            Row(
                testDescription: "silence after the effect", turn: .silence(isServed: true),
                wanted: .mine, requests: 2),
            Row(
                testDescription: "silence before the effect", turn: .silence(isServed: false),
                wanted: .failure(.away), requests: 2),
            Row(
                testDescription: "silence for a taken slot", turn: .silence(isServed: false),
                isTaken: true, wanted: .theirs, requests: 2),
            Row(
                testDescription: "no conditional requests",
                turn: .instead(.error(501, "NotImplemented")),
                wanted: .failure(.unfitStore), requests: 1),
            Row(
                testDescription: "no right to write", turn: .instead(.error(403, "AccessDenied")),
                wanted: .failure(.notAllowed), requests: 1),
        ])
    func outcomes(_ row: Row) async throws {
        let bucket = MemoryBucket()
        let key = try ObjectKey("log/1/c")
        if row.isTaken { bucket.objects["a b/log/1/c"] = [9] }
        bucket.script(row.turn)
        var found: Wanted
        do {
            found = try await bucket.remote(clock).publish([1], to: key) == .mine ? .mine : .theirs
        } catch let failure as Failure {
            found = .failure(failure.code)
        }
        #expect(found == row.wanted)
        #expect(bucket.asked.count == row.requests, "\(bucket.asked)")
    }

    @Test func `a slot without a decision is given up after a few attempts`() async throws {
        let bucket = MemoryBucket()
        let conflict = HTTPReply.error(409, "ConditionalRequestConflict")
        bucket.script(.instead(conflict), times: 99) { $0.method == "PUT" }
        let failure = await #expect(throws: Failure.self) {
            _ = try await bucket.remote(clock).publish([1], to: try ObjectKey("log/1/c"))
        }
        #expect(failure?.code == .busy)
        #expect(bucket.asked.count == 8)
        #expect(clock.slept == [.milliseconds(50), .milliseconds(100), .milliseconds(200)])
    }

    @Test func `a service with opaque tags honours the contract, too`() async throws {
        for contract in RemoteContract.all {
            try await contract.check(MemoryBucket(namesByMD5: false).remote())
        }
    }
}
