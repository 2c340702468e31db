import FilesinkiDirectory
import FilesinkiModel
import FilesinkiRemote
import FilesinkiServer
import FilesinkiTesting
import Foundation
import Testing

/// How a server is run: settings, quota, log, counters, faults, TLS.
@Suite struct OperationTests {
    @Test(
        "a server accepts other machines only with tokens and TLS, or when allowed",
        arguments: [
            ("127.0.0.1", false, false, false, true), ("::1", false, false, false, true),
            ("localhost", false, false, false, true), ("127.8.8.8", false, false, false, true),
            ("0.0.0.0", false, false, false, false), ("0.0.0.0", true, false, false, false),
            ("0.0.0.0", false, true, false, false), ("0.0.0.0", true, true, false, true),
            ("0.0.0.0", false, false, true, true), ("::", true, false, false, false),
            ("192.168.1.1", false, false, false, false),
            ("example.org", false, false, false, false),
            ("127.0.0.1.example.org", false, false, false, false), ("", true, true, true, false),
        ])
    func refusal(
        _ host: String, tokens: Bool, tls: Bool, isTold: Bool, isAllowed: Bool
    ) throws {
        var settings = ServerSettings(folder: "/nowhere")
        settings.host = host
        settings.tokenFile = tokens ? "/nowhere/tokens" : nil
        settings.tls = tls ? .selfSigned(folder: "/nowhere") : .none
        settings.allowInsecure = isTold
        if isAllowed {
            try settings.check()
        } else {
            let failure = #expect(throws: Failure.self) { try settings.check() }
            #expect(failure?.code == .usage)
        }
    }

    @Test func `an address in use is a failure`() async throws {
        try await withServer { server in
            let failure = await #expect(throws: Failure.self) {
                _ = try await TestServer { $0.port = server.port }
            }
            #expect(failure?.code == .busy)
        }
    }

    @Test func `the quota refuses what does not fit, and notices what others delete`() async throws
    {
        try await withServer {
            $0.quota = 1000
            $0.limits.cleanupInterval = .seconds(3600)
        } _: { server in
            let half = [UInt8](repeating: 1, count: 600)
            #expect(try await server.put("other/a", half).status == 201)
            let full = try await server.put("other/b", half)
            #expect(full.status == 507)
            #expect(full.text.contains("\"code\":\"quota\""))
            #expect(try await server.put("other/c", [1]).status == 201)
            try await server.direct.delete(ObjectKey("other/a"))
            server.clock.advance(seconds: 11)
            #expect(try await server.put("other/b", half).status == 201)
            let counters = try await server.ask("GET", "/metrics").text
            #expect(counters.contains("filesinki_used_bytes 601\n"))
            #expect(counters.contains("filesinki_quota_bytes 1000\n"))
        }
    }

    @Test func `what is deleted counts no longer, at once`() async throws {
        try await withServer {
            $0.quota = 1000
            $0.limits.cleanupInterval = .seconds(3600)
        } _: { server in
            let most = [UInt8](repeating: 1, count: 900)
            for name in ["a", "b", "c"] {
                #expect(try await server.put("other/\(name)", most).status == 201)
                for _ in 0..<2 {
                    let deleted = try await server.ask("DELETE", "/v1/objects/other/\(name)")
                    #expect(deleted.status == 204)
                }
            }
            #expect(
                try await server.put("zones/m/log/1/c", most, publish: true).status == 201)
            let counters = try await server.ask("GET", "/metrics").text
            #expect(counters.contains("filesinki_used_bytes 900\n"))
        }
    }

    @Test func `the log has a line for each request, and never a token`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("tokens"))
        let made = try file.makeToken(
            name: "x", rights: [.read, .append], zones: nil, TestClock().systemContext)
        try await withServer {
            $0.tokenFile = file.path
        } _: { server in
            let token = made.token.text
            _ = try await server.put("other/a", [1, 2, 3], token: token)
            _ = try await server.ask("GET", "/v1/objects/other/a", token: token)
            _ = try await server.ask("GET", "/v1/objects/other/a", token: "fsk_secret")
            _ = try await server.ask("GET", "/v1/list?prefix=\(token)", token: token)
            let lines = server.log.lines
            #expect(lines.count == 4)
            let id = made.token.id
            let time = "2023-11-14T22:13:20Z"
            #expect(
                lines[0].hasPrefix("\(time) 127.0.0.1 \(id) PUT /v1/objects/other/a 201 0 "))
            #expect(lines[1].hasPrefix("\(time) 127.0.0.1 \(id) GET /v1/objects/other/a 200 3 "))
            #expect(lines[2].contains(" - GET /v1/objects/other/a 401 "))
            let all = lines.joined()
            #expect(!all.contains("fsk_") && !all.contains("secret"))
        }
    }

    @Test func `a client's control characters do not reach the log`() async throws {
        try await withServer { server in
            let connection = try server.connect()
            await connection.send(
                "GET /v1/\u{1B}[2J\u{7F} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            _ = await connection.receiveAll()
            for line in server.log.lines {
                #expect(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F })
            }
        }
    }

    @Test func `requests, bytes and statuses are counted`() async throws {
        try await withServer { server in
            _ = try await server.put("other/a", [1, 2, 3])
            _ = try await server.ask("GET", "/v1/objects/other/a")
            _ = try await server.ask("GET", "/v1/objects/other/b")
            server.clock.advance(seconds: 60)
            let text = try await server.ask("GET", "/metrics").text
            for line in [
                "filesinki_requests_total{method=\"PUT\",status=\"201\"} 1",
                "filesinki_requests_total{method=\"GET\",status=\"200\"} 1",
                "filesinki_requests_total{method=\"GET\",status=\"404\"} 1",
                "filesinki_received_bytes_total 3", "filesinki_uptime_seconds 60",
                "# TYPE filesinki_watchers gauge",
            ] {
                #expect(text.contains(line + "\n"), "\(text)")
            }
        }
    }

    @Test func `health needs no token, and reports a missing folder`() async throws {
        try await withServer { server in
            let well = try await server.ask("GET", "/health")
            #expect(well.status == 200 && well.text == "ok\n")
            #expect(well.fields["filesinki-maximum-object"] == "1073741824")
            removeTree(Array(server.folder.path("store").utf8))
            let ill = try await server.ask("GET", "/health")
            #expect(ill.status == 503 && ill.fields["retry-after"] == "1")
            let get = try await server.ask("GET", "/v1/objects/other/a")
            #expect(get.status == 503, "away is never absent")
        }
    }

    @Test func `faults are injected where they are requested`() async throws {
        try await withServer {
            $0.faults = try ServerFaults("PUT/3:503;GET/2@other:cut=2;DELETE:deaf;POST%100:drop")
        } _: { server in
            var statuses: [Int] = []
            for number in 0..<6 {
                statuses.append(try await server.put("other/\(number)", [1, 2, 3]).status)
            }
            #expect(statuses == [201, 201, 503, 201, 201, 503])
            let whole = try await server.ask("GET", "/v1/objects/other/0")
            #expect(whole.isWhole && whole.body == [1, 2, 3])
            let connection = try server.connect()
            await connection.send(TestServer.head("GET", "/v1/objects/other/0"))
            let cut = RawReply(await connection.receiveAll())
            #expect(cut?.isWhole != true)
            for (method, target) in [("DELETE", "/v1/objects/other/0"), ("POST", "/v1/has")] {
                let connection = try server.connect()
                await connection.send(TestServer.head(method, target, length: 0))
                #expect(await connection.receiveAll().isEmpty)
            }
            #expect(try await server.direct.get(ObjectKey("other/0"), range: nil) != nil)
        }
        for wrong in ["PUT", "PUT:", "PUT:200", "PUT/0:503", "PUT/x:503", ":503", "GET:cut=x"] {
            #expect(throws: Failure.self, "\(wrong)") { try ServerFaults(wrong) }
        }
    }

    @Test func `a dropped reply can be requested again`() async throws {
        try await withServer {
            $0.faults = try ServerFaults("PUT/2:drop")
        } _: { server in
            #expect(try await server.put("zones/m/log/1/c", [1], publish: true).status == 201)
            let connection = try server.connect()
            let head = TestServer.head(
                "PUT", "/v1/objects/zones/m/log/2/c",
                ["Content-Digest": TestServer.digest([9]), "If-None-Match": "*"], length: 1)
            await connection.send(head + [9])
            #expect(await connection.receiveAll().isEmpty)
            #expect(try await server.put("zones/m/log/2/c", [9], publish: true).status == 201)
        }
    }

    static let hasCurl = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

    @Test(
        "a self-signed certificate is created once, and a client that trusts it is served",
        .enabled(if: hasCurl, "curl is not installed"))
    func selfSigned() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let certificate = folder.path("tls/server.pem")
        var fingerprints: Set<String?> = []
        for _ in 0..<2 {
            try await withServer {
                $0.tls = .selfSigned(folder: folder.path("tls"))
            } _: { server in
                fingerprints.insert(server.server.address.fingerprint)
                #expect(server.server.address.description == "https://127.0.0.1:\(server.port)")
                for host in ["127.0.0.1", "localhost"] {
                    let known = await curl(
                        ["--cacert", certificate, "https://\(host):\(server.port)/health"])
                    #expect(known == "ok\n")
                }
                let unknown = await curl(["https://127.0.0.1:\(server.port)/health"])
                #expect(unknown == "")
            }
        }
        #expect(fingerprints.count == 1)
        #expect(fingerprints.first??.count == 64)
        let attributes = try FileManager.default.attributesOfItem(
            atPath: folder.path("tls/server.key"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    private func curl(_ arguments: [String]) async -> String {
        await blocking {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
            process.arguments = ["-s", "--max-time", "240", "--noproxy", "*"] + arguments
            let pipe = Pipe()
            process.standardOutput = pipe
            guard (try? process.run()) != nil else { return "not run" }
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self)
        }
    }
}
