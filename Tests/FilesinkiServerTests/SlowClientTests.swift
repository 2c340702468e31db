import FilesinkiDirectory
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import FilesinkiServer

/// Slow clients, and those with many requests, do not block others.
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

    @Test("E5.3 the event loop catches up after each piece of a reply, not after a small one")
    func pieces() async throws {
        let events = Mutex<[String]>([])
        let note = { @Sendable (event: String) in events.withLock { $0.append(event) } }
        var writer = CountingWriter(
            parent: NotingWriter(note: note), limit: nil, close: {}, catchUp: { note("caught up") },
            count: { _ in })
        let half = ByteBuffer(repeating: 0, count: ObjectReader.pieceSize / 2)
        for _ in 0..<5 { try await writer.write(half) }
        try await writer.finish(nil)
        let size = half.readableBytes
        #expect(
            events.withLock { $0 } == [
                "\(size)", "\(size)", "caught up", "\(size)", "\(size)", "caught up", "\(size)",
                "end",
            ])
    }

    @Test(
        "E5.3 64 slow uploads block neither another token nor, for long, their own",
        .timeLimit(.minutes(10)))
    func dripping() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("tokens"))
        let systemContext = TestClock().systemContext
        let slow = try file.makeToken(name: "a", rights: [.append], zones: nil, systemContext).token
            .text
        let other = try file.makeToken(name: "b", rights: [.append], zones: nil, systemContext)
            .token
            .text
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
            await drip(to: held, server, until: before + 32)
            try await server.waitForLog(before + 32)
            #expect(server.log.lines.count { $0.contains(" 408 ") } == 32)
            #expect(try await server.put("packs/0b/2", [1], token: slow).status == 201)
            #expect(held.count == 64)
        }
    }

    /// Sends a byte each 29 s of the server's clock, until its log has so many lines.
    ///
    /// Only the time counts that the server waits for a byte. Where the machine is busy, it may begin to wait after the clock has
    /// moved, and find bytes that are there already: then others have to follow, or it waits for ever. They end before a body of
    /// 1000 bytes is whole.
    private func drip(
        to connections: [RawConnection], _ server: TestServer, until lines: Int
    ) async {
        for _ in 0..<900 where server.log.lines.count < lines {
            server.clock.advance(seconds: 29)
            for connection in connections { await connection.send([0]) }
            for _ in 0..<50 where server.log.lines.count < lines { await Task.yield() }
        }
    }

    @Test("E5.3 a slow batch request is refused, too", .timeLimit(.minutes(10)))
    func question() async throws {
        try await withServer { server in
            let connection = try server.connect()
            await connection.send(TestServer.head("POST", "/v1/has", length: 1000))
            await drip(to: [connection], server, until: 1)
            try await server.waitForLog(1)
            #expect(server.log.lines.first?.contains(" 408 ") == true, "\(server.log.lines)")
        }
    }

    @Test(
        "E5.3 a body at the minimum rate is accepted, however long it takes",
        .timeLimit(.minutes(10))
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
                let isTaken = try await eventually { try await received(server) >= part * 1000 }
                try #require(isTaken, "part \(part)")
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

    /// Asks for an object of 64 MiB, more than the kernel's buffers take, and reads the beginning.
    private func download(_ server: TestServer, token: String? = nil) async throws -> RawConnection
    {
        let connection = try server.connect()
        await connection.send(TestServer.head("GET", "/v1/objects/other/large", token: token))
        #expect(String(decoding: await connection.receive(), as: UTF8.self).contains(" 200 "))
        return connection
    }

    private static let large = [UInt8](repeating: 1, count: 64 << 20)

    @Test(
        "E5.3 a reply that is read below the minimum rate ends, even if the client never stops reading",
        .timeLimit(.minutes(10)))
    func slowReader() async throws {
        try await withServer {
            $0.limits.bodyRate = 1 << 20
        } _: { server in
            try await server.direct.put(Self.large, to: ObjectKey("other/large"))
            let connection = try await download(server)
            var taken = 0
            while true {
                for _ in 0..<29 {
                    server.clock.advance(seconds: 1)
                    for _ in 0..<10 { await Task.yield() }
                }
                let piece = await connection.receive()
                if piece.isEmpty { break }
                taken += piece.count
            }
            #expect(taken < Self.large.count)
            // The connection is closed before its line is written.
            let isCut = try await eventually {
                server.log.lines.first?.hasSuffix(" cut") == true
            }
            #expect(isCut, "\(server.log.lines)")
            #expect(try await server.ask("GET", "/health").status == 200)
        }
    }

    @Test(
        "E5.3 replies that one token does not read leave another token its share",
        .timeLimit(.minutes(10)))
    func readersOfOneToken() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("tokens"))
        let systemContext = TestClock().systemContext
        let slow = try file.makeToken(name: "a", rights: [.read], zones: nil, systemContext).token
            .text
        let other = try file.makeToken(name: "b", rights: [.read], zones: nil, systemContext).token
            .text
        try await withServer {
            $0.tokenFile = file.path
            $0.limits.requestsOfOne = 2
        } _: { server in
            try await server.direct.put(Self.large, to: ObjectKey("other/large"))
            try await server.direct.put([1], to: ObjectKey("other/small"))
            var held = [
                try await download(server, token: slow), try await download(server, token: slow),
            ]
            let refused = try await server.ask("GET", "/v1/objects/other/small", token: slow)
            #expect(refused.status == 429)
            #expect(refused.fields["retry-after"] == "5")
            let taken = try await server.ask("GET", "/v1/objects/other/small", token: other)
            #expect(taken.body == [1])
            for connection in held { connection.breakOff() }
            held = []
            // The share is free again when both have their line in the log.
            try await server.waitForLog(4)
            var status = 429
            for _ in 0..<1000 where status == 429 {
                status = try await server.ask("GET", "/v1/objects/other/small", token: slow).status
            }
            #expect(status == 200)
        }
    }

    @Test(
        "E5.3 a client may stay at the minimum rate, and gains nothing by having been faster")
    func pace() {
        var limits = ServerLimits()
        limits.bodyRate = 1000
        limits.bodyTime = .seconds(30)
        var pace = ClientPace(limits)
        for _ in 0..<1000 {
            let isFastEnough = pace.count(10_000, waited: .seconds(10))
            #expect(isFastEnough)
        }
        let wasFast = pace.count(1 << 30, waited: .zero)
        #expect(wasFast)
        let isStillThere = pace.count(1, waited: .seconds(30))
        #expect(isStillThere)
        let isSlow = pace.count(1, waited: .seconds(1))
        #expect(!isSlow)
    }

    @Test(
        "E5.3 the addresses of one IPv6 network share its connections",
        arguments: [
            ("2001:db8::1", "2001:db8::2", true), ("2001:db8::1", "2001:db8:0:1::1", false),
            ("1.2.3.4", "1.2.3.5", false), ("::ffff:1.2.3.4", "::ffff:1.2.3.5", false),
            ("127.0.0.1", "127.0.0.1", true),
        ])
    func networks(_ one: String, _ other: String, isShared: Bool) {
        let isSame = ConnectionCounter.owner(of: one) == ConnectionCounter.owner(of: other)
        #expect(isSame == isShared)
    }
}

/// Notes the size of each write.
private struct NotingWriter: ResponseBodyWriter {
    let note: @Sendable (String) -> Void

    func write(_ buffer: ByteBuffer) async throws { note("\(buffer.readableBytes)") }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { note("end") }
}
