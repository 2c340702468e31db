import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiServer

/// Clients that send slowly, or much at once, keep nobody else out.
@Suite struct SlowClientTests {
    /// Begins an upload and sends its first byte only.
    private func drip(
        _ server: TestServer, _ number: Int, token: String?
    ) async throws -> RawConnection {
        let connection = try server.connect()
        await connection.send(
            TestServer.head(
                "PUT", "/v1/objects/packs/0a/\(number)",
                ["Content-Digest": TestServer.digest([0])], length: 1000, token: token))
        await connection.send([0])
        return connection
    }

    @Test(
        "E5.3 64 uploads that drip block neither another token nor, for long, their own",
        .timeLimit(.minutes(2)))
    func dripping() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("tokens"))
        let surroundings = TestClock().surroundings
        let slow = try file.make(name: "a", rights: [.append], zones: nil, surroundings).token.text
        let other = try file.make(name: "b", rights: [.append], zones: nil, surroundings).token.text
        try await withServer {
            $0.tokenFile = file.path
        } _: { server in
            var held: [RawConnection] = []
            for number in 0..<64 {
                held.append(try await drip(server, number, token: slow))
            }
            // Half of them are more than the token's share; each of these has its line in the log.
            try await server.waitForLog(32)
            #expect(server.log.lines.allSatisfy { $0.contains(" 429 ") }, "\(server.log.lines)")
            #expect(try await server.put("packs/0b/1", [1], token: other).status == 201)
            let refused = try await server.put("packs/0b/2", [1], token: slow)
            #expect(refused.status == 429)
            #expect(refused.fields["retry-after"] == "5")
            // A byte each 29 s is too slow for a body.
            let before = server.log.lines.count
            for _ in 0..<2 {
                server.clock.advance(seconds: 29)
                for connection in held { await connection.send([0]) }
                // What was sent has arrived when it is counted; then the next byte may follow.
                await seen(server, before)
            }
            try await server.waitForLog(before + 32)
            #expect(server.log.lines.count { $0.contains(" 408 ") } == 32)
            #expect(try await server.put("packs/0b/2", [1], token: slow).status == 201)
            #expect(held.count == 64)
        }
    }

    /// Lets the server read what was sent; which of the two bytes ends an upload does not matter.
    private func seen(_ server: TestServer, _ before: Int) async {
        for _ in 0..<1000 where server.log.lines.count < before + 32 { await Task.yield() }
    }

    @Test("E5.3 a question that drips is refused, too", .timeLimit(.minutes(2)))
    func question() async throws {
        try await withServer { server in
            let connection = try server.connect()
            await connection.send(TestServer.head("POST", "/v1/has", length: 1000))
            for _ in 0..<40 {
                guard await connection.send([UInt8(ascii: "a")]) else { break }
                server.clock.advance(seconds: 29)
                for _ in 0..<50 { await Task.yield() }
            }
            try await server.waitForLog(1)
            #expect(server.log.lines.first?.contains(" 408 ") == true, "\(server.log.lines)")
        }
    }

    @Test(
        "E5.3 a body at the minimum rate is taken, however long that takes", .timeLimit(.minutes(2))
    )
    func minimumRate() async throws {
        try await withServer {
            $0.limits.bodyRate = 100
        } _: { server in
            let bytes = [UInt8](repeating: 7, count: 10_000)
            let connection = try server.connect()
            await connection.send(
                TestServer.head(
                    "PUT", "/v1/objects/packs/0a/1",
                    ["Content-Digest": TestServer.digest(bytes)], length: bytes.count))
            for part in 0..<10 {
                // The time counts that the server waits for this part, so it has to have the one before.
                while try await received(server) < part * 1000 { try Task.checkCancellation() }
                server.clock.advance(seconds: 10)
                await connection.send(Array(bytes[part * 1000..<(part + 1) * 1000]))
            }
            #expect(RawReply(await connection.receiveAll())?.status == 201)
        }
    }

    /// The bytes of bodies that the server has taken.
    private func received(_ server: TestServer) async throws -> Int {
        let name = "filesinki_received_bytes_total "
        let lines = try await server.ask("GET", "/metrics").text.split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix(name) })
        return try #require(Int(line.dropFirst(name.count)))
    }

    @Test(
        "E5.3 the addresses of one IPv6 network share its connections",
        arguments: [
            ("2001:db8::1", "2001:db8::2", true), ("2001:db8::1", "2001:db8:0:1::1", false),
            ("1.2.3.4", "1.2.3.5", false), ("::ffff:1.2.3.4", "::ffff:1.2.3.5", false),
            ("127.0.0.1", "127.0.0.1", true),
        ])
    func networks(_ one: String, _ other: String, isShared: Bool) {
        let isSame = ConnectionCensus.share(of: one) == ConnectionCensus.share(of: other)
        #expect(isSame == isShared)
    }
}
