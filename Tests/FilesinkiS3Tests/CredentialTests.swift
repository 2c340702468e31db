import FilesinkiHTTP
import FilesinkiModel
import FilesinkiTesting
import FilesinkiText
import Synchronization
import Testing

@testable import FilesinkiS3

@Suite struct CredentialTests {
    @Test(
        "a command must print credentials",
        arguments: [
            "", "{", "[]", "{}", "null", "{\"Version\": 1}",
            "{\"Version\": 1, \"AccessKeyId\": \"HUSH\"}",
            "{\"Version\": 2, \"AccessKeyId\": \"HUSH\", \"SecretAccessKey\": \"HUSH\"}",
            "{\"Version\": 1, \"AccessKeyId\": \"HUSH\", \"SecretAccessKey\": \"\"}",
            "{\"Version\": 1, \"AccessKeyId\": \"HUSH\", \"SecretAccessKey\": \"HUSH\"} more",
            "{\"Version\": 1, \"AccessKeyId\": \"HU\\u0000SH\", \"SecretAccessKey\": \"HUSH\"}",
            "{\"Version\": 1, \"AccessKeyId\": \"HUSH\", \"SecretAccessKey\": \"HUSH\",}",
            "{\"Version\": 1, \"AccessKeyId\": \"HUSH\", \"SecretAccessKey\": {\"a\": 1}}",
            "{\"Version\": 1, \"AccessKeyId\": \"HUSH\", \"SecretAccessKey\": \"HU\\xSH\"}",
            "{\"Version\": 1, \"AccessKeyId\": \"HUSH\", \"SecretAccessKey\": \"H\", "
                + "\"Expiration\": \"tomorrow\"}",
        ])
    func outputs(_ output: String) {
        let failure = #expect(throws: Failure.self) {
            try CredentialCommand.parse(output)
        }
        #expect(failure?.description.contains("HUSH") == false)
    }

    @Test func `a command that takes too long is killed`() async {
        let command = CredentialCommand(text: "sleep 600", limit: .milliseconds(50))
        let failure = await #expect(throws: Failure.self) {
            _ = try await command.readCredentials()
        }
        #expect(failure?.code == .notAllowed)
    }

    @Test(
        "expiry times are read in every form that such commands print",
        arguments: [
            ("2013-05-24T00:00:00Z", 1_369_353_600), ("2013-05-24T00:00:00.123456Z", 1_369_353_600),
            ("2013-05-24T02:00:00+02:00", 1_369_353_600),
            ("2013-05-23T23:30:00-0030", 1_369_353_600),
            ("2013-05-24", nil), ("2013-05-24 00:00:00Z", nil), ("2013-13-24T00:00:00Z", nil),
            ("2013-05-24T25:00:00Z", nil), ("2013-05-24T00:00:00", nil), ("", nil),
            ("2013-05-24T00:00:00+02", nil), ("20ä3-05-24T00:00:00Z", nil),
        ] as [(String, Int64?)])
    func moments(_ text: String, _ seconds: Int64?) {
        #expect(DateText.seconds(rfc3339: text) == seconds)
    }

    /// Gives keys that last an hour, and counts how often it was asked.
    final class Source: S3CredentialSource {
        let clock: ManualClock
        let asked = Mutex(0)

        init(_ clock: ManualClock) { self.clock = clock }

        func credentials() async throws -> S3Credentials {
            let number = asked.withLock { count in
                count += 1
                return count
            }
            let end = Timestamp(seconds: clock.now.seconds + 3600, nanoseconds: 0)
            return S3Credentials(keyID: "key\(number)", secretKey: Secret("x"), expires: end)
        }
    }

    @Test func `credentials are requested once, and again before they expire`() async throws {
        let clock = ManualClock()
        let source = Source(clock)
        let cache = S3CredentialCache(source, now: { clock.now })
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await cache.current().keyID } }
            for try await id in group { #expect(id == "key1") }
        }
        clock.advance(by: .seconds(3400))
        #expect(try await cache.current().keyID == "key1")
        clock.advance(by: .seconds(100))
        #expect(try await cache.current().keyID == "key2")
    }

    @Test
    func
        `of several refused requests one renews the credentials, and those that get the same give up`()
        async throws
    {
        let clock = ManualClock()
        let source = Source(clock)
        let cache = S3CredentialCache(source, now: { clock.now })
        let first = try await cache.current()
        for _ in 0..<3 { #expect(try await cache.renewed(after: first)?.keyID == "key2") }
        let fixed = S3Credentials(keyID: "fixed", secretKey: Secret("x"))
        let other = S3CredentialCache(fixed, now: { clock.now })
        #expect(try await other.renewed(after: try await other.current()) == nil)
    }

    @Test func `no description contains a secret`() {
        let credentials = S3Credentials(
            keyID: "ID", secretKey: Secret("HUSH"), sessionToken: Secret("HUSH"))
        #expect(!"\(credentials)".contains("HUSH"))
        #expect(!String(reflecting: credentials).contains("HUSH"))
    }
}
