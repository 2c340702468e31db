import FilesinkiModel
import FilesinkiNetwork
import FilesinkiRemote
import FilesinkiTesting
import Testing

/// `Retry-After`, over each kind of remote that has a network.
@Suite struct RetryAfterTests {
    private static let object = Array("content".utf8)

    /// What each kind of server answers to a GET that succeeds.
    private static let replies: [String: [String]] = [
        "http": ["Filesinki-Protocol: 1"],
        "webdav": ["ETag: \"1\""],
        "s3": ["ETag: \"9a0364b9e99bb480dd25e1f0284c8555\""],
    ]

    private func address(_ kind: String, _ server: ScriptedServer) -> String {
        kind == "s3"
            ? "s3://bucket/x?endpoint=\(server.url)&region=r" : "\(kind)://127.0.0.1:\(server.port)"
    }

    @Test(
        "CK-21 every network remote waits as long as the server asks, also more than 30 s",
        arguments: ["http", "webdav", "s3"], ["503 Unavailable", "429 Too Many Requests"])
    func obeyed(_ kind: String, _ status: String) async throws {
        let reply = ScriptedServer.reply("200 OK", Self.replies[kind] ?? [], Self.object)
        let server = try ScriptedServer([
            .send(ScriptedServer.reply(status, ["Retry-After: 120"])), .send(reply), .send(reply),
        ])
        let clock = ManualClock()
        let variables = [
            "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key", "HOME": "/none",
        ]
        let remotes = NetworkRemotes(systemContext: clock.systemContext) { variables[$0] }
        let remote = try remotes.connect(address(kind, server))
        #expect(try await remote.get(ObjectKey("packs/0a/1"), range: nil) == Self.object)
        #expect(clock.slept == [.seconds(120)])
        #expect(server.requests.count == 2)
    }

    @Test(
        "CK-21 a Retry-After of an hour ends the request with 75 and reports the time",
        arguments: ["http", "webdav", "s3"])
    func tooLong(_ kind: String) async throws {
        let server = try ScriptedServer([
            .send(ScriptedServer.reply("503 Unavailable", ["Retry-After: 3600"]))
        ])
        let clock = ManualClock()
        let variables = [
            "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key", "HOME": "/none",
        ]
        let remotes = NetworkRemotes(systemContext: clock.systemContext) { variables[$0] }
        let remote = try remotes.connect(address(kind, server))
        for _ in 0..<2 {
            let failure = await #expect(throws: Failure.self) {
                _ = try await remote.get(ObjectKey("packs/0a/1"), range: nil)
            }
            #expect(failure?.code == .away)
            #expect(failure?.retryAfter == .seconds(3600))
        }
        #expect(server.requests.count == 1, "the second one is not even sent")
        #expect(clock.slept.isEmpty)
    }
}
