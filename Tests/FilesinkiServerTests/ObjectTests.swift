import FilesinkiDirectory
import FilesinkiRemote
import FilesinkiServer
import FilesinkiTesting
import Foundation
import Testing

/// One object: written, read, listed and deleted, as Docs/Protocol.md has it.
@Suite struct ObjectTests {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    @Test func `a stored object is read back, also in the folder itself`() async throws {
        try await withServer { server in
            let put = try await server.put("other/0a/1", bytes)
            #expect(put.status == 201)
            #expect(put.fields["filesinki-protocol"] == "1")
            let got = try await server.ask("GET", "/v1/objects/other/0a/1")
            #expect(got.status == 200)
            #expect(got.body == bytes)
            #expect(got.fields["content-length"] == "1000")
            #expect(try await server.direct.get(ObjectKey("other/0a/1"), range: nil) == bytes)
        }
    }

    @Test(arguments: [0, 1, 65_536, 1_000_000])
    func `objects of every size make the round trip`(size: Int) async throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 256) }
        try await withServer { server in
            #expect(try await server.put("other/0a/1", bytes).status == 201)
            let got = try await server.ask("GET", "/v1/objects/other/0a/1")
            #expect(got.body == bytes && got.isWhole)
        }
    }

    @Test("E5.1 repeating a PUT is harmless, and a PUT of other bytes is refused")
    func samePut() async throws {
        try await withServer { server in
            for key in [
                "packs/0a/1", "zones/m/parts/0a/1", "zones/m/packs/0a/1", "probe/x", "other/a",
            ] {
                for (bytes, status) in [(bytes, 201), (bytes, 204), ([1], 409), ([], 409)] {
                    let reply = try await server.put(key, bytes)
                    #expect(reply.status == status, "\(key)")
                    if status == 409 { #expect(reply.text.contains("\"code\":\"exists\"")) }
                }
                #expect(try await server.ask("GET", "/v1/objects/\(key)").body == bytes)
            }
            // Nothing is left of what was refused.
            let left = try FileManager.default.contentsOfDirectory(
                atPath: server.folder.path("store/.uploads"))
            #expect(left == [])
        }
    }

    @Test("E5.1 of 16 that put different bytes under one name, one wins")
    func puttingAtOnce() async throws {
        try await withServer { server in
            for round in 0..<5 {
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for writer in 0..<16 {
                        let bytes = [UInt8](repeating: UInt8(writer), count: 3000)
                        group.addTask { try await server.put("packs/0a/\(round)", bytes).status }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.count { $0 == 201 } == 1, "\(statuses)")
                #expect(statuses.count { $0 == 409 } == 15, "\(statuses)")
            }
        }
    }

    @Test(
        "an invalid PUT gets a reason, and nothing becomes visible",
        arguments: [
            (["Content-Digest": "sha-256=:AAAA:"], 400, "bad-digest"),
            (["Content-Digest": TestServer.digest([1, 2, 3])], 400, "bad-digest"),
            (["Content-Digest": "md5=:AAAA:"], 400, "bad-digest"),
            (["If-None-Match": "\"x\""], 400, "bad-request"),
            (["Upload-Id": "x"], 400, "bad-request"),
            (["Upload-Offset": "5"], 400, "bad-request"),
        ])
    func wrongPut(_ fields: [String: String], status: Int, code: String) async throws {
        try await withServer { server in
            let reply = try await server.put("other/a", bytes, fields)
            #expect(reply.status == status)
            #expect(reply.text.contains("\"code\":\"\(code)\""))
            #expect(try await server.ask("GET", "/v1/objects/other/a").status == 404)
            #expect(try await server.direct.list(prefix: "", after: nil, limit: 9).isEmpty)
        }
    }

    @Test func `a digest is required`() async throws {
        try await withServer { server in
            let reply = try await server.ask("PUT", "/v1/objects/other/a", body: bytes)
            #expect(reply.status == 400)
        }
    }

    @Test func `a body without a length, or a chunked one, is refused`() async throws {
        try await withServer { server in
            let fields = ["Content-Digest": TestServer.digest([])]
            let none = try await server.ask("PUT", "/v1/objects/other/a", fields)
            #expect(none.status == 411)
            let connection = try server.connect()
            await connection.send(
                TestServer.head(
                    "PUT", "/v1/objects/other/a",
                    fields.merging(["Transfer-Encoding": "chunked"]) { $1 }))
            await connection.send("5\r\nhello\r\n0\r\n\r\n")
            let reply = try #require(RawReply(await connection.receiveAll()))
            #expect(reply.status == 411)
        }
    }

    @Test func `an object that is too large is refused before it is read`() async throws {
        try await withServer {
            $0.limits.objectBytes = 999
        } _: { server in
            let reply = try await server.put("other/a", bytes)
            #expect(reply.status == 413)
            #expect(reply.text.contains("too-large"))
            #expect(try await server.put("other/a", Array(bytes.dropLast())).status == 201)
        }
    }

    @Test(
        "a single range is served",
        arguments: [
            ("bytes=0-9", 206, 0..<10, "bytes 0-9/1000"),
            ("bytes=990-", 206, 990..<1000, "bytes 990-999/1000"),
            ("bytes=990-5000", 206, 990..<1000, "bytes 990-999/1000"),
            ("bytes=-3", 206, 997..<1000, "bytes 997-999/1000"),
            ("bytes=-5000", 206, 0..<1000, "bytes 0-999/1000"),
            ("bytes=0-9223372036854775807", 206, 0..<1000, "bytes 0-999/1000"),
            ("lines=1-2", 200, 0..<1000, nil),
        ])
    func range(_ field: String, _ status: Int, _ part: Range<Int>, _ said: String?) async throws {
        try await withServer { server in
            _ = try await server.put("other/a", bytes)
            let reply = try await server.ask("GET", "/v1/objects/other/a", ["Range": field])
            #expect(reply.status == status)
            #expect(reply.body == Array(bytes[part]))
            #expect(reply.fields["content-range"] == said)
        }
    }

    @Test(
        "other ranges are refused",
        arguments: [
            ("bytes=1000-", 416), ("bytes=5000-6000", 416), ("bytes=-0", 416),
            ("bytes=0-1,5-6", 400), ("bytes=0-,0-,0-", 400), ("bytes=9-1", 400), ("bytes=-", 400),
            ("bytes=a-b", 400), ("bytes=+1-2", 400), ("bytes=0-99999999999999999999", 400),
        ])
    func badRange(_ field: String, status: Int) async throws {
        try await withServer { server in
            _ = try await server.put("other/a", bytes)
            let reply = try await server.ask("GET", "/v1/objects/other/a", ["Range": field])
            #expect(reply.status == status)
            if status == 416 { #expect(reply.fields["content-range"] == "bytes */1000") }
        }
    }

    @Test func `HEAD replies as GET would, and a known tag gets 304`() async throws {
        try await withServer { server in
            _ = try await server.put("other/a", bytes)
            let head = try await server.ask("HEAD", "/v1/objects/other/a")
            let got = try await server.ask("GET", "/v1/objects/other/a")
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.fields["content-length"] == "1000")
            let tag = try #require(head.fields["etag"])
            #expect(tag.hasPrefix("\"") && got.fields["etag"] == tag)
            for known in [tag, "\"x\", \(tag)", "*"] {
                let reply = try await server.ask(
                    "GET", "/v1/objects/other/a", ["If-None-Match": known])
                #expect(reply.status == 304 && reply.body.isEmpty)
            }
            let other = try await server.ask(
                "GET", "/v1/objects/other/a", ["If-None-Match": "\"x\""])
            #expect(other.status == 200)
        }
    }

    @Test func `deleting works, also twice`() async throws {
        try await withServer { server in
            _ = try await server.put("other/0a/1", bytes)
            for _ in 0..<2 {
                #expect(try await server.ask("DELETE", "/v1/objects/other/0a/1").status == 204)
            }
            #expect(try await server.ask("GET", "/v1/objects/other/0a/1").status == 404)
        }
    }

    @Test func `several requests use one connection`() async throws {
        try await withServer { server in
            _ = try await server.put("other/a", [1, 2])
            let connection = try server.connect()
            for _ in 0..<3 {
                await connection.send(TestServer.head("GET", "/v1/objects/other/a", keep: true))
                let text = await connection.receive(until: "\u{1}\u{2}")
                #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            }
        }
    }

    @Test(
        "a method that the path does not support gets 405",
        arguments: [
            ("POST", "/v1/objects/a"), ("PATCH", "/v1/objects/a"), ("GET", "/v1/read"),
            ("PUT", "/v1/list"), ("DELETE", "/v1/events"), ("POST", "/v1/log/main"),
            ("POST", "/health"), ("PUT", "/metrics"),
        ])
    func wrongMethod(_ method: String, _ target: String) async throws {
        try await withServer { server in
            let reply = try await server.ask(method, target, body: [])
            #expect(reply.status == 405)
            #expect(reply.text.contains("no-method"))
        }
    }
}
