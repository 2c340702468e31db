import FilesinkiModel
import FilesinkiServer
import FilesinkiTesting
import FilesinkiText
import Foundation
import Glibc
import Testing

/// Who may do what.
@Suite struct TokenTests {
    let clock = TestClock()

    private func make(
        _ file: TokenFile, _ rights: Set<AccessRight>, _ zones: Set<String>? = nil
    ) throws -> String {
        try file.makeToken(name: "x", rights: rights, zones: zones, clock.systemContext).token.text
    }

    /// A row of the table of rights: what is asked, and with which rights it is allowed.
    struct Row: Sendable, CustomTestStringConvertible {
        var method: String
        var target: String
        var allowed: Set<AccessRight>
        var testDescription: String { "\(method) \(target)" }
    }

    static let rows = [
        Row(method: "GET", target: "/v1/objects/other/a", allowed: [.read]),
        Row(method: "HEAD", target: "/v1/objects/other/a", allowed: [.read]),
        Row(method: "GET", target: "/v1/list", allowed: [.read]),
        Row(method: "POST", target: "/v1/read", allowed: [.read]),
        Row(method: "POST", target: "/v1/has", allowed: [.read]),
        Row(method: "GET", target: "/v1/log/main", allowed: [.read]),
        Row(method: "GET", target: "/metrics", allowed: [.read]),
        Row(method: "PUT", target: "/v1/objects/other/a", allowed: [.append]),
        Row(
            method: "HEAD", target: "/v1/uploads/00000000000000000000000000000000",
            allowed: [.append]),
        Row(method: "DELETE", target: "/v1/objects/other/a", allowed: [.prune]),
        Row(method: "DELETE", target: "/v1/objects/zones/main/log/1/c", allowed: [.prune]),
        Row(method: "DELETE", target: "/v1/objects/devices/d/main/1/c", allowed: [.prune]),
        Row(method: "DELETE", target: "/v1/objects/probe/x", allowed: [.append, .prune]),
    ]

    @Test("each right allows what it says, and nothing else", arguments: rows)
    func rights(_ row: Row) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("tokens"))
        let tokens = try AccessRight.allCases.map { ($0, try make(file, [$0])) }
        try await withServer {
            $0.tokenFile = file.path
        } _: { server in
            let body: [UInt8]? = ["PUT", "POST"].contains(row.method) ? [] : nil
            let fields = ["Content-Digest": TestServer.digest([])]
            for (right, token) in tokens {
                let reply = try await server.ask(
                    row.method, row.target, fields, body: body, token: token)
                #expect(
                    (reply.status != 403) == row.allowed.contains(right),
                    "\(right): \(reply.status)")
                #expect(reply.status != 401)
            }
            let anonymous = try await server.ask(row.method, row.target, fields, body: body)
            #expect(anonymous.status == 401)
            #expect(anonymous.fields["www-authenticate"] == "Bearer")
            #expect(anonymous.fields["filesinki-protocol"] == "1")
        }
    }

    @Test(
        "a token of a zone includes its zone and the shared keys",
        arguments: [
            ("zones/a/log/1/c", true), ("zones/b/log/1/c", false), ("devices/d/a/1/c", true),
            ("devices/d/b/1/c", false), ("devices/d", false), ("zones", false), ("other/1", true),
            ("filesinki/c", true), ("probe/1", true),
        ])
    func zones(_ key: String, isReached: Bool) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("tokens"))
        let token = try make(file, [.read, .append, .prune], ["a", "other"])
        try await withServer {
            $0.tokenFile = file.path
        } _: { server in
            let wanted = isReached ? 201 : 403
            let isSlot = key.hasSuffix("/c")
            #expect(
                try await server.put(key, [1], publish: isSlot, token: token).status == wanted)
            let get = try await server.ask("GET", "/v1/objects/\(key)", token: token)
            #expect(get.status == (isReached ? 200 : 403))
            for path in ["/v1/read", "/v1/has"] {
                let reply = try await server.ask(
                    "POST", path, body: Array("other/1\n\(key)\n".utf8), token: token)
                #expect(reply.status == (isReached ? 200 : 403))
            }
        }
    }

    @Test func `lists, logs and events leave out zones that the token does not include`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("tokens"))
        let all = try make(file, [.read, .append])
        let token = try make(file, [.read], ["b"])
        try await withServer {
            $0.tokenFile = file.path
        } _: { server in
            for key in ["other/1", "zones/a/log/1/c", "zones/a/log/2/c", "zones/b/log/1/c"] {
                let isSlot = key.hasSuffix("/c")
                #expect(
                    try await server.put(key, [1], publish: isSlot, token: all).status == 201)
            }
            let list = try await server.ask("GET", "/v1/list?limit=2", token: token)
            #expect(list.text == "1 other/1\n1 zones/b/log/1/c\n")
            #expect(try await server.ask("GET", "/v1/log/a", token: token).status == 403)
            #expect(try await server.ask("GET", "/v1/log/b", token: token).status == 200)
            let events = try await server.ask(
                "GET", "/v1/events?prefix=zones/a/log/", token: token)
            #expect(events.status == 403)
        }
    }

    @Test func `FB-21 a revoked or new token takes effect without a restart`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("private/tokens"))
        let first = try file.makeToken(name: "a", rights: [.read], zones: nil, clock.systemContext)
        try await withServer {
            $0.tokenFile = file.path
        } _: { server in
            func status(_ token: String) async throws -> Int {
                try await server.ask("GET", "/v1/list", token: token).status
            }
            #expect(try await status(first.token.text) == 200)
            #expect(try file.revoke(id: first.token.id))
            #expect(try await status(first.token.text) == 401)
            let second = try make(file, [.read])
            #expect(try await status(second) == 200)
            // With a malformed file, no client is authenticated.
            let text = try String(contentsOfFile: file.path, encoding: .utf8)
            try (text + "nonsense\n").write(toFile: file.path, atomically: false, encoding: .utf8)
            #expect(try await status(second) == 500)
            unlink(file.path)
            #expect(try await status(second) == 401)
        }
    }

    @Test func `a wrong secret, an unknown id and an invalid token get the same reply`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("tokens"))
        let token = try make(file, [.read])
        let other = try make(TokenFile(path: folder.path("others")), [.read])
        let mixed = String(token.prefix(17)) + other.dropFirst(17)
        try await withServer {
            $0.tokenFile = file.path
        } _: { server in
            var bodies: Set<String> = []
            for wrong in [other, mixed, "x", "", token + "A", String(token.dropLast())] {
                let reply = try await server.ask("GET", "/v1/list", token: wrong)
                #expect(reply.status == 401, "\(wrong)")
                bodies.insert(reply.text)
            }
            #expect(bodies.count == 1)
            let basic = try await server.ask(
                "GET", "/v1/list", ["Authorization": "Basic \(token)"])
            #expect(basic.status == 401)
            #expect(try await server.ask("GET", "/health").status == 200)
        }
    }

    @Test func `the file contains no token, and is private from the start`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let before = umask(0)
        defer { umask(before) }
        let file = TokenFile(path: folder.path("private/tokens"))
        let made = try file.makeToken(
            name: "laptop of ä", rights: [.read, .append], zones: ["b", "a"], clock.systemContext)
        for (path, mode) in [(file.path, 0o600), (folder.path("private"), 0o700)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
        let text = try String(contentsOfFile: file.path, encoding: .utf8)
        #expect(text.contains(made.token.id))
        #expect(text.contains("\tread,append\ta,b\t1700000000\tlaptop of ä\n"))
        // The secret's alphabet has the underscore, too.
        let secret = made.token.text.dropFirst(17)
        let raw = try #require(Base64.decode(secret, .url))
        #expect(!text.contains(secret) && !text.contains(hexadecimal(raw)))
        #expect("\(made.token)" == "..." && String(reflecting: made.token) == "...")
        #expect(try file.list() == [made.record])
    }

    @Test func `a file that others may read is refused, and so are invalid names`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("tokens"))
        _ = try make(file, [.read])
        chmod(file.path, 0o640)
        #expect(throws: Failure.self) { try file.list() }
        let other = TokenFile(path: folder.path("other"))
        let wrong: [(String, Set<AccessRight>, Set<String>?)] = [
            ("a\tb", [.read], nil), ("a\n", [.read], nil), ("a", [], nil), ("a", [.read], []),
            ("a", [.read], ["A"]), ("a", [.read], ["a,b"]), ("a", [.read], ["*"]),
        ]
        for (name, rights, zones) in wrong {
            #expect(throws: Failure.self) {
                try other.makeToken(name: name, rights: rights, zones: zones, clock.systemContext)
            }
        }
        let isRevoked = try other.revoke(id: "000000000000")
        #expect(!isRevoked)
        #expect(try other.list().isEmpty)
    }

    @Test func `concurrently created tokens are all kept`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("tokens"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try make(file, [.read]) } }
            try await group.waitForAll()
        }
        #expect(try file.list().count == 20)
    }
}
