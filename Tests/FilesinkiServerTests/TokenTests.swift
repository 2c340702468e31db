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

    /// The zones of a token with all rights, and what it may do in a zone.
    struct GrantRow: Sendable, CustomTestStringConvertible {
        var zones: Set<String>
        var zone: String
        var rights: Set<AccessRight>
        var testDescription: String { "\(zones.sorted()) \(zone)" }

        init(_ zones: String, _ zone: String, _ rights: AccessRight...) {
            self.zones = Set(zones.split(separator: ",").map(String.init))
            (self.zone, self.rights) = (zone, Set(rights))
        }
    }

    @Test(
        "CK-01 a zone of a token is a name or a prefix, with rights of its own; the most exact one counts",
        arguments: [
            GrantRow("a", "a", .read, .append, .prune), GrantRow("a", "ab"),
            GrantRow("a*", "ab", .read, .append, .prune), GrantRow("a*", "b"),
            GrantRow("*", "b", .read, .append, .prune),
            GrantRow("*,public-*:read", "public-rec-a", .read),
            GrantRow("*,public-*:read", "rec-a", .read, .append, .prune),
            GrantRow("public-*:read+append,public-rec-a:read", "public-rec-a", .read),
            GrantRow("public-*:read+append,public-rec-a:read", "public-rec-ab", .read, .append),
            GrantRow("p*:read,public-*:append", "public-x", .append),
            GrantRow("shared-team-*", "shared-team-rec-a", .read, .append, .prune),
            GrantRow("shared-team-*", "shared-teams-rec-a"),
        ])
    func grants(_ row: GrantRow) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("tokens"))
        let all = try make(file, [.read, .append, .prune])
        let token = try make(file, [.read, .append, .prune], row.zones)
        try await withServer {
            $0.tokenFile = file.path
        } _: { server in
            let slot = "zones/\(row.zone)/log/1/c"
            #expect(try await server.put(slot, [1], publish: true, token: all).status == 201)
            func status(_ method: String, _ target: String) async throws -> Int {
                try await server.ask(method, target, token: token).status
            }
            let read = try await status("GET", "/v1/objects/\(slot)")
            #expect(read == (row.rights.contains(.read) ? 200 : 403))
            let log = try await status("GET", "/v1/log/\(row.zone)")
            #expect(log == (row.rights.contains(.read) ? 200 : 403))
            let has = try await server.ask(
                "POST", "/v1/has", body: Array("\(slot)\n".utf8), token: token)
            #expect(has.status == (row.rights.contains(.read) ? 200 : 403))
            let put = try await server.put(
                "zones/\(row.zone)/log/2/c", [1], publish: true, token: token)
            #expect(put.status == (row.rights.contains(.append) ? 201 : 403))
            let archive = "zones/\(row.zone)/archives/1/a"
            let archived = try await server.put(archive, [1], token: token)
            let isArchivist = row.rights.isSuperset(of: [.append, .prune])
            #expect(archived.status == (isArchivist ? 201 : 403))
            let deletion = try await status("DELETE", "/v1/objects/\(slot)")
            #expect(deletion == (row.rights.contains(.prune) ? 204 : 403))
        }
        #expect(try file.list().last?.zones == (row.zones == ["*"] ? nil : row.zones))
    }

    @Test(
        "CK-01 without a token everyone reads the public database of a public server, and nothing else",
        arguments: [
            ("filesinki/c", 200), ("zones/public-rec-a/log/1/c", 200),
            ("zones/public-rec-a/packs/0a/1", 200), ("zones/rec-a/log/1/c", 401),
            ("zones/shared-x-rec-a/log/1/c", 401), ("zones/publi/log/1/c", 401),
            ("packs/0a/1", 401), ("devices/d/public-rec-a/1/c", 200), ("devices/d/rec-a/1/c", 401),
            ("probe/1", 401),
            ("other/1", 401),
        ])
    func anonymous(_ key: String, read: Int) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("tokens"))
        let token = try make(file, [.read, .append])
        for isPublic in [true, false] {
            try await withServer {
                ($0.tokenFile, $0.isPublic) = (file.path, isPublic)
            } _: { server in
                let isSlot = key.hasSuffix("/c")
                #expect(
                    try await server.put(key, [1], publish: isSlot, token: token).status == 201)
                let read = isPublic ? read : 401
                #expect(try await server.ask("GET", "/v1/objects/\(key)").status == read)
                let has = try await server.ask("POST", "/v1/has", body: Array("\(key)\n".utf8))
                #expect(has.status == read)
                #expect(try await server.put(key, [1], publish: isSlot).status == 401)
                #expect(try await server.ask("DELETE", "/v1/objects/\(key)").status == 401)
                #expect(try await server.ask("GET", "/metrics").status == 401)
                let wrong = try await server.ask("GET", "/v1/objects/\(key)", token: "x")
                #expect(wrong.status == 401)
                let list = try await server.ask("GET", "/v1/list")
                #expect(list.status == (isPublic ? 200 : 401))
                #expect(!isPublic || list.text.contains(key) == (read == 200))
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

    @Test func `a token is revoked by its id, the beginning of it, or a name that is its own`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("private/tokens"))
        let ids = try ["laptop", "phone", "twin", "twin", "tv"].map { name in
            try file.makeToken(name: name, rights: [.read], zones: nil, clock.systemContext).record
                .id
        }
        #expect(try file.revoke(named: "laptop").id == ids[0])
        #expect(try file.revoke(named: ids[1]).name == "phone")
        #expect(try file.revoke(named: String(ids[4].prefix(9))).name == "tv")
        for (word, message) in [
            ("laptop", "No token has this id or name."), ("", "No token has this id or name."),
            ("twin", "More than one token has this name."),
        ] {
            let failure = #expect(throws: Failure.self) { try file.revoke(named: word) }
            #expect(failure?.code == .notFound && failure?.message == message)
        }
        #expect(try file.list().map(\.id) == [ids[2], ids[3]])
    }

    @Test func `without a store or a token file, nothing is revoked or created`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        for (name, message) in [
            ("", "The folder contains no store."), ("none", "The folder was not found."),
        ] {
            let failure = #expect(throws: Failure.self) {
                try ServedStore(folder.path(name)).requireStore()
            }
            #expect(failure?.code == .notFound && failure?.message == message)
            #expect(failure?.remedy.contains("--create") == false)
        }
        let store = ServedStore(folder.path("store"))
        try FileManager.default.createDirectory(
            atPath: store.folder + "/filesinki/c", withIntermediateDirectories: true)
        try store.requireStore()
        let file = TokenFile(path: store.tokenFile)
        let failure = #expect(throws: Failure.self) { try file.revoke(named: "laptop") }
        #expect(failure?.message == "No token has this id or name.")
        #expect(!FileManager.default.fileExists(atPath: store.privateFolder))
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

    @Test func `tokens that are gone with the store's folder are not said to be unknown`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let (store, away) = (ServedStore(folder.path("store")), folder.path("away"))
        try store.prepare(creating: true)
        let token = try make(TokenFile(path: store.tokenFile), [.read])
        let server = try await TestServer(in: folder) { $0.tokenFile = store.tokenFile }
        func status(_ token: String) async throws -> Int {
            try await server.ask("GET", "/v1/objects/other/a", token: token).status
        }
        #expect(try await status(token) == 404)
        #expect(try await status("fsk_000000000000_AAAA") == 401)
        rename(store.folder, away)
        let gone = try await server.ask("GET", "/v1/objects/other/a", token: token)
        #expect(gone.status == 503 && gone.text.contains("\"code\":\"missing\""))
        // The mount point of an unmounted disk.
        mkdir(store.folder, 0o755)
        #expect(try await status(token) == 503)
        rmdir(store.folder)
        rename(away, store.folder)
        #expect(try await status(token) == 404)
        #expect(try await status("fsk_000000000000_AAAA") == 401)
        try await server.server.stop()
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
            ("a", [.read], ["A"]), ("a", [.read], ["a,b"]), ("a", [.read], ["**"]),
            ("a", [.read], ["a*b"]), ("a", [.read], ["a:"]), ("a", [.read], ["a:write"]),
            ("a", [.read], ["a:read+"]), ("a", [.read], [":read"]), ("a", [.read], ["a:append"]),
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
