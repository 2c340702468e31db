import FilesinkiHTTP
import FilesinkiHTTPClient
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@Suite struct HTTPConnectionsTests {
    static let patient = ConnectionSettings(silenceLimit: .seconds(600))

    func send(
        _ act: ScriptedServer.Act, _ settings: ConnectionSettings = patient,
        maximumReply: Int = 1 << 20, limit: Duration? = nil
    ) async throws -> HTTPReply {
        let server = try ScriptedServer([act])
        defer { withExtendedLifetime(server) {} }
        let request = HTTPRequest(
            "GET", server.url + "/a?signature=hunter2", fields: ["Authorization": "hunter2"],
            maximumReply: maximumReply, limit: limit)
        return try await HTTPConnections(settings).send(request)
    }

    @Test func `a reply has its status, fields and body, whatever the status`() async throws {
        for status in ["200 OK", "404 Not Found", "302 Found", "503 Busy"] {
            let reply = try await send(
                .send(ScriptedServer.reply(status, ["X-A: b", "Location: /c"], [1, 2, 3])))
            #expect(reply.status == Int(status.prefix(3)))
            #expect(reply.fields["x-a"] == "b")
            #expect(reply.body == [1, 2, 3])
        }
    }

    @Test func `a redirect is a reply and is not followed`() async throws {
        let other = try ScriptedServer([.send(ScriptedServer.reply("200 OK"))])
        let reply = try await send(
            .send(ScriptedServer.reply("307 Elsewhere", ["Location: \(other.url)/"])))
        #expect(reply.status == 307)
        #expect(other.requests.isEmpty)
    }

    static let broken: [(String, ScriptedServer.Act)] = [
        ("no reply", .sendAndClose([])), ("a reset", .reset),
        ("half a head", .sendAndClose(Array("HTTP/1.1 200 OK\r\nContent-Le".utf8))),
        (
            "a cut body",
            .sendAndClose(Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc".utf8))
        ),
        (
            "a cut chunk",
            .sendAndClose(
                Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc".utf8))
        ),
        ("no HTTP", .sendAndClose(Array("SSH-2.0-OpenSSH_9.2\r\n\r\n".utf8))),
        ("no number", .sendAndClose(Array("HTTP/1.1 abc OK\r\n\r\n".utf8))),
    ]

    @Test("an incomplete reply is 'away', and the message contains no secret", arguments: broken)
    func brokenReply(_ what: String, _ act: ScriptedServer.Act) async throws {
        let failure = await #expect(throws: Failure.self) { try await send(act) }
        #expect(failure?.code == .away)
        let text = "\(String(describing: failure)) \(String(describing: failure?.cause))"
        #expect(!text.contains("hunter2"))
    }

    @Test func `a silent server is 'away'`() async throws {
        let failure = await #expect(throws: Failure.self) {
            try await send(.silence, ConnectionSettings(silenceLimit: .milliseconds(50)))
        }
        #expect(failure?.code == .away)
        #expect(failure?.cause is SilenceError)
    }

    @Test func `FI-20 an exchange that exceeds its time limit is 'away'`() async throws {
        let failure = await #expect(throws: Failure.self) {
            try await send(.silence, limit: .milliseconds(50))
        }
        #expect(failure?.code == .away)
    }

    @Test func `a reply that is too long is refused`() async throws {
        let long = ScriptedServer.reply("200 OK", [], [UInt8](repeating: 1, count: 100_000))
        let failure = await #expect(throws: Failure.self) {
            try await send(.send(long), maximumReply: 99_999)
        }
        #expect(failure?.code == .limit)
        #expect(try await send(.send(long), maximumReply: 100_000).body.count == 100_000)
    }

    @Test func `a refused connection is 'away'`() async throws {
        let failure = await #expect(throws: Failure.self) {
            // No program listens on port 1 of this machine.
            try await HTTPConnections().send(HTTPRequest("GET", "http://127.0.0.1:1/log/1/c"))
        }
        #expect(failure?.code == .away)
        #expect(failure?.path == Array("http://127.0.0.1:1".utf8))
        #expect(failure?.remedy.contains("8390") == false)
        var request = HTTPRequest("GET", "http://127.0.0.1:1/log/1/c")
        request.place = "webdav://127.0.0.1:1/"
        let sent = request
        let named = await #expect(throws: Failure.self) {
            try await HTTPConnections().send(sent)
        }
        #expect(named?.path == Array("webdav://127.0.0.1:1/".utf8))
    }

    @Test func `E7.9 a connection that is closed without a reply suggests TLS`() async throws {
        let failure = await #expect(throws: Failure.self) { try await send(.sendAndClose([])) }
        #expect(failure?.remedy.hasPrefix("If the server uses TLS, write https://") == true)
    }

    @Test(
        "TLS to a server without it names the scheme without it",
        arguments: [
            ("https://HOST", "write http://."), ("webdavs://HOST/x", "write webdav://."),
            ("s3://bucket?endpoint=HOST", "write endpoint=http://127.0.0.1:"),
        ])
    func withoutTLS(_ place: String, _ hint: String) async throws {
        // It waits for the end of a request, which a handshake does not have.
        let server = try ScriptedServer([], greeting: ScriptedServer.reply("400 Bad Request"))
        defer { withExtendedLifetime(server) {} }
        var request = HTTPRequest("GET", "https://127.0.0.1:\(server.port)/x")
        request.place = place
        let sent = request
        let failure = await #expect(throws: Failure.self) {
            try await HTTPConnections(Self.patient).send(sent)
        }
        #expect(failure?.code == .away && failure?.isTransient == false)
        #expect(failure?.message == "The server does not speak TLS at this address.")
        #expect(failure?.remedy.contains(hint) == true, "\(failure?.remedy ?? "")")
    }

    @Test("E7.9 a host name that is not found is 'away', and the remedy is about the name")
    func unknownHost() async throws {
        let failure = await #expect(throws: Failure.self) {
            // A host name cannot begin with a dash, so no resolver is asked.
            try await HTTPConnections().send(HTTPRequest("GET", "http://-bad-./"))
        }
        #expect(failure?.code == .away)
        #expect(
            failure?.message == "The host name -bad-. was not found.", "\(failure?.cause as Any)")
        #expect(failure?.remedy.contains("spelling") == true)
    }

    @Test func `connections are kept between requests`() async throws {
        let server = try ScriptedServer((0..<3).map { _ in .send(ScriptedServer.reply("200 OK")) })
        let connections = try HTTPConnections()
        for path in ["a", "b", "c"] {
            let request = HTTPRequest("PUT", "\(server.url)/\(path)", body: Array(path.utf8))
            #expect(try await connections.send(request).status == 200)
        }
        #expect(
            server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["a", "b", "c"])
        #expect(server.requests.allSatisfy { $0.field("expect") == nil })
    }

    @Test func `a body is streamed until the reader has enough`() async throws {
        let server = try ScriptedServer([
            .send(ScriptedServer.reply("200 OK", [], [UInt8](repeating: 7, count: 1 << 20)))
        ])
        let seen = HeldCount()
        try await HTTPConnections().stream(HTTPRequest("GET", server.url)) { reply in
            #expect(reply.status == 200)
            return seen.add(reply.body.count) < 1000
        }
        #expect(seen.total >= 1000)
        #expect(seen.total < 1 << 20)
    }

    @Test("a body takes the time that the bandwidth allows", arguments: ["PUT", "GET", "stream"])
    func limited(kind: String) async throws {
        let body = [UInt8](repeating: 7, count: 500_000)
        let server = try ScriptedServer([
            .send(ScriptedServer.reply("200 OK", [], kind == "PUT" ? [] : body))
        ])
        let clock = ManualClock()
        let connections = try HTTPConnections(
            bandwidth: Bandwidth(
                sending: 100_000, receiving: 50_000, systemContext: clock.systemContext))
        let request = HTTPRequest(
            kind == "PUT" ? "PUT" : "GET", server.url, body: kind == "PUT" ? body : [])
        if kind == "stream" {
            let seen = HeldCount()
            try await connections.stream(request) { reply in
                _ = seen.add(reply.body.count)
                return true
            }
            #expect(seen.total == body.count)
        } else {
            let reply = try await connections.send(request)
            #expect(kind == "PUT" ? server.requests.map(\.body) == [body] : reply.body == body)
        }
        let waited = clock.slept.reduce(.zero, +)
        #expect(waited >= .milliseconds(kind == "PUT" ? 4_990 : 9_990))
        #expect(waited <= .milliseconds(kind == "PUT" ? 5_010 : 10_010))
        #expect(clock.slept.count >= 8)
    }

    @Test func `a body that is cut on purpose never arrives whole`() async throws {
        let server = try ScriptedServer([.send(ScriptedServer.reply("201 Created"))])
        var request = HTTPRequest(
            "PUT", server.url, body: [UInt8](repeating: 1, count: 200_000))
        request.cutAfter = 150_000
        let sent = request
        let failure = await #expect(throws: Failure.self) {
            try await HTTPConnections().send(sent)
        }
        #expect(failure?.code == .away)
        #expect(server.requests.isEmpty)
    }

    @Test func `an unreadable certificate file is an error`() {
        let failure = #expect(throws: Failure.self) {
            try HTTPConnections(ConnectionSettings(certificateFile: "/nowhere/ca.pem"))
        }
        #expect(failure?.code == .usage)
    }
}
