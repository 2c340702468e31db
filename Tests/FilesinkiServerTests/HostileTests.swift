import FilesinkiDirectory
import FilesinkiRemote
import FilesinkiServer
import FilesinkiTesting
import Glibc
import Testing

/// What a client must not get away with, byte by byte.
@Suite struct HostileTests {
    /// What comes in place of a path, or hides one.
    static let paths: [String] = {
        let steps = [
            "..", "%2e%2e", "%2E%2E", "..%2f", "%2e%2e%2f", "%252e%252e", "..%5c", "\\..", "..\\",
            ".", "%2e", "%00", "a%00", "a\u{0}", "a%0a", "a%0d%0a", ".hidden", ".uploads", ".t-0",
            "%c0%ae%c0%ae", "..;", "~", "a b", "A", "ä", "", "a:b", "a*", "%", "%%", "%2", "C:",
        ]
        let around = [
            { "/v1/objects/\($0)/secret" }, { "/v1/objects/other/\($0)/secret" },
            { "/v1/objects/other/\($0)" }, { "/v1/objects/\($0)" }, { "/v1/objects/\($0)/\($0)/x" },
            { (step: String) in "/v1/objects//\(step)" },
        ]
        return steps.flatMap { step in around.map { $0(step) } }
    }()

    /// Targets that are not paths.
    static let targets = [
        "http://localhost/v1/objects/secret", "http://example.org/v1/list", "//v1/list", "*",
        "v1/list", "/v1/../secret", "/../secret", "/v1/objects", "/v1", "/%76%31/list",
        "/V1/list", "/v1/list/", "/v1//list", "/secret", "/etc/passwd", "file:///etc/passwd", "\\",
    ]

    @Test func `no path leads out of the store`() async throws {
        try await withServer { server in
            #expect(Self.paths.count + Self.targets.count > 200)
            let secret = try #require(fopen(server.folder.path("secret"), "w"))
            fputs("the canary", secret)
            fclose(secret)
            for target in Self.paths + Self.targets {
                let connection = try server.connect()
                await connection.send(TestServer.head("GET", target))
                let bytes = await connection.receiveAll()
                let text = String(decoding: bytes, as: UTF8.self)
                let status = RawReply(bytes)?.status
                #expect(status == 400 || status == 404, "\(target): \(text.prefix(60))")
                #expect(!text.contains("canary"), "\(target)")
                if target.hasPrefix("/v1/objects/") || !target.hasPrefix("/") {
                    #expect(status == 400, "\(target)")
                }
            }
            for target in Self.paths {
                let reply = try await server.put(String(target.dropFirst(12)), [1])
                #expect(reply.status == 400, "\(target)")
            }
            #expect(access(server.folder.path("store/secret"), F_OK) != 0)
            #expect(try await server.direct.list(prefix: "", after: nil, limit: 9).isEmpty)
        }
    }

    static let put = "PUT /v1/objects/other/a HTTP/1.1\r\nHost: x\r\n"

    @Test(
        "an ambiguous request is refused",
        arguments: [
            put + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            put + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
            put + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
            put + "Content-Length: +5\r\n\r\nhello", put + "Content-Length: -5\r\n\r\nhello",
            put + "Content-Length: 5, 5\r\n\r\nhello", put + "Content-Length: 0x5\r\n\r\nhello",
            put + "Content-Length: 99999999999999999999\r\n\r\nhello",
            put + "Content-Length : 5\r\n\r\nhello", put + " Content-Length: 5\r\n\r\nhello",
            put + "Transfer-Encoding: identity, chunked, x\r\n\r\n0\r\n\r\n",
            "GET /v1/list HTTP/1.1\r\nHost: x\r\nA\u{0}B: c\r\n\r\n",
            "GET /v1/list HTTP/9.9\r\nHost: x\r\n\r\n", "GET\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n",
        ])
    func ambiguous(_ text: String) async throws {
        try await withServer { server in
            let connection = try server.connect()
            await connection.send(text)
            connection.endSending()
            let bytes = await connection.receiveAll()
            let all = String(decoding: bytes, as: UTF8.self)
            #expect(
                all.isEmpty || all.hasPrefix("HTTP/1.1 4"), "\(all.prefix(200))")
            #expect(all.components(of: "HTTP/1.1 ") <= 2)
            #expect(try await server.direct.list(prefix: "", after: nil, limit: 9).isEmpty)
            // The server itself is well.
            #expect(try await server.ask("GET", "/health").status == 200)
        }
    }

    @Test(
        "headers are limited to 16 KiB and 100 lines",
        arguments: [
            ("X: " + String(repeating: "a", count: 1 << 20) + "\r\n", 400),
            (String(repeating: "X: y\r\n", count: 101), 400),
            (
                String(repeating: "X: " + String(repeating: "y", count: 1000) + "\r\n", count: 17),
                400
            ),
            (String(repeating: "X: y\r\n", count: 90), 200),
            ("X: " + String(repeating: "a", count: 15_000) + "\r\n", 200),
        ])
    func headers(_ lines: String, status: Int) async throws {
        try await withServer { server in
            let connection = try server.connect()
            // The server may hang up before it has all.
            await connection.send("GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n")
            await connection.send(lines)
            await connection.send("\r\n")
            let reply = RawReply(await connection.receiveAll())
            #expect(reply == nil ? status == 400 : reply?.status == status)
        }
    }

    @Test func `a long request line is refused`() async throws {
        try await withServer { server in
            let connection = try server.connect()
            await connection.send(
                TestServer.head("GET", "/v1/list?prefix=" + String(repeating: "a", count: 1 << 20)))
            let reply = RawReply(await connection.receiveAll())
            #expect(reply == nil || (400..<500).contains(reply?.status ?? 0))
        }
    }

    @Test func `slow headers, and none at all, end the connection`() async throws {
        try await withServer {
            $0.limits.headerTime = .milliseconds(300)
        } _: { server in
            for first in ["", "G", "GET /health HTTP/1.1\r\nX: "] {
                let connection = try server.connect()
                await connection.send(first)
                // A drop now and then does not help. The server hangs up long before this ends.
                let dripping = Task {
                    while !Task.isCancelled, await connection.send("a") {
                        try? await Task.sleep(for: .milliseconds(50))
                    }
                }
                let bytes = await connection.receiveAll()
                dripping.cancel()
                #expect(!String(decoding: bytes, as: UTF8.self).contains("200 OK"))
            }
            #expect(try await server.ask("GET", "/health").status == 200)
        }
    }

    @Test func `a body that does not arrive ends the connection`() async throws {
        try await withServer {
            $0.limits.idleTime = .milliseconds(300)
        } _: { server in
            let connection = try server.connect()
            await connection.send(
                TestServer.head(
                    "PUT", "/v1/objects/other/a", ["Content-Digest": TestServer.digest([1])],
                    length: 1000))
            await connection.send("a few")
            let reply = RawReply(await connection.receiveAll())
            #expect(reply == nil || reply?.status == 400)
            #expect(try await server.direct.list(prefix: "", after: nil, limit: 9).isEmpty)
        }
    }

    @Test func `a reply that is not read ends the connection`() async throws {
        try await withServer {
            $0.limits.idleTime = .milliseconds(300)
        } _: { server in
            let bytes = [UInt8](repeating: 1, count: 64 << 20)
            try await server.direct.put(bytes, to: ObjectKey("other/a"))
            let connection = try server.connect()
            await connection.send(TestServer.head("GET", "/v1/objects/other/a"))
            // Its line in the log comes when the server has given up.
            while server.log.lines.isEmpty { await Task.yield() }
            #expect(server.log.lines.first?.hasSuffix(" cut") == true, "\(server.log.lines)")
            #expect(await connection.receiveAll().count < bytes.count)
        }
    }

    @Test func `the connections of one address are limited`() async throws {
        try await withServer {
            $0.limits.connectionsPerAddress = 5
        } _: { server in
            var held: [RawConnection] = []
            for _ in 0..<5 {
                let connection = try server.connect()
                await connection.send(TestServer.head("GET", "/health", keep: true))
                #expect(await connection.receive(until: "ok\n").contains("200 OK"))
                held.append(connection)
            }
            let refused = try server.connect()
            await refused.send(TestServer.head("GET", "/health"))
            #expect(await refused.receiveAll().isEmpty)
            held.removeLast()
            // The place is free once the server has noticed.
            var bytes: [UInt8] = []
            for _ in 0..<1000 where bytes.isEmpty {
                let next = try server.connect()
                await next.send(TestServer.head("GET", "/health"))
                bytes = await next.receiveAll()
            }
            #expect(RawReply(bytes)?.status == 200)
        }
    }

    @Test func `500 idle connections do not block others`() async throws {
        try await withServer { server in
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let count = limit.rlim_cur > 2000 ? 500 : 100
            let held = try (0..<count).map { _ in try server.connect() }
            #expect(try await server.ask("GET", "/health").status == 200)
            #expect(held.count == count)
        }
    }

    @Test func `pipelined requests are answered in order`() async throws {
        try await withServer { server in
            for number in 0..<20 { _ = try await server.put("other/\(number)", [UInt8(number)]) }
            let connection = try server.connect()
            var all: [UInt8] = []
            for number in 0..<20 {
                all += TestServer.head("GET", "/v1/objects/other/\(number)", keep: number < 19)
            }
            await connection.send(all)
            let text = String(decoding: await connection.receiveAll(), as: UTF8.self)
            #expect(text.components(of: "HTTP/1.1 200 OK") == 20)
        }
    }

    @Test func `Expect: 100-continue is answered`() async throws {
        try await withServer { server in
            let connection = try server.connect()
            await connection.send(
                TestServer.head(
                    "PUT", "/v1/objects/other/a",
                    ["Content-Digest": TestServer.digest([7]), "Expect": "100-continue"], length: 1)
            )
            #expect(await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
            await connection.send([7])
            #expect(RawReply(await connection.receiveAll())?.status == 201)
        }
    }
}

extension String {
    /// How often a text stands in it.
    func components(of part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}
