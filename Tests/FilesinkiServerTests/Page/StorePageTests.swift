import FilesinkiDirectory
import FilesinkiModel
import FilesinkiRemote
import FilesinkiServer
import FilesinkiStoreIndex
import FilesinkiTesting
import FilesinkiText
import Foundation
import Testing

/// The page of a store: who may see it, and that it shows the store.
@Suite("The page of a store") struct StorePageTests {
    /// A server with a page and a store of one commit, and what a browser of it keeps.
    private struct Page {
        let server: TestServer
        let tokens: TokenFile

        func token(
            _ rights: Set<AccessRight>, zones: Set<String>? = nil
        ) throws -> AccessToken {
            try tokens.makeToken(
                name: "x", rights: rights, zones: zones, server.clock.systemContext
            ).token
        }

        func signIn(
            _ text: String, _ fields: [String: String] = [:]
        ) async throws -> RawReply {
            try await server.ask("POST", "/ui/session", fields, body: Array(text.utf8))
        }

        /// The field `Cookie` of a session.
        func session(_ token: AccessToken) async throws -> [String: String] {
            let reply = try await signIn(token.text)
            try #require(reply.status == 200, "\(reply.text)")
            let cookie = try #require(reply.fields["set-cookie"])
            return ["Cookie": String(cookie.prefix { $0 != ";" })]
        }

        func call(
            _ name: String, _ fields: [String: String], _ body: String = "{}"
        ) async throws -> RawReply {
            try await server.ask("POST", "/ui/call/\(name)", fields, body: Array(body.utf8))
        }
    }

    private static let hostile = "<img src=x onerror=alert(1)>\"'&.txt"

    private func withPage(
        adjust: (inout ServerSettings) -> Void = { _ in },
        _ body: (Page) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let tokens = TokenFile(path: folder.path("tokens"))
        let server = try await TestServer(in: folder) { settings in
            settings.tokenFile = tokens.path
            settings.limits.wrongTokenTime = .zero
            let index = StoreIndex(
                DirectoryRemote(path: settings.folder), folder: folder.path("page"))
            settings.page = StorePageSource(
                zone: StoreIndex.zone, watchedPrefix: StoreIndex.watchedPrefix,
                answer: { try await index.answer($0, $1) },
                content: { path, version in
                    let content = try await index.content(of: path, version: version)
                    return StorePageSource.Content(size: content.size) {
                        try await content.next()
                    }
                })
            adjust(&settings)
        }
        do {
            var store = try await LogFixture(at: server.direct)
            try await store.commit(
                [
                    try LogFixture.file(Self.hostile, "<script>"),
                    try LogFixture.file([0x61, 0xFF], "raw"),
                ], inline: LogFixture.inline("<script>", "raw"))
            try await body(Page(server: server, tokens: tokens))
            try await server.server.stop()
        } catch {
            try? await server.server.stop()
            throw error
        }
    }

    // MARK: What is shown

    @Test func `who signs in with a token sees the history, the files and their contents`()
        async throws
    {
        try await withPage { page in
            let session = try await page.session(try page.token([.read]))
            let log = try await page.call("log", session)
            #expect(log.status == 200)
            #expect(log.fields["content-type"] == "application/json")
            #expect(log.text.contains(#""sequence":1,"#), "\(log.text)")
            // A hostile name is a text of JSON, which the page makes a text of the document.
            let files = try await page.call("files", session)
            let tree = try JSONTree(files.body)
            let lines = try #require(tree.children.first?.children)
            let names = lines.compactMap { line in
                line.children.first { $0.name.elementsEqual("path".utf8) }.map {
                    String(decoding: $0.text, as: UTF8.self)
                }
            }
            #expect(names == [Self.hostile, #"a\xff"#])
            for (path, text) in [(Array(Self.hostile.utf8), "<script>"), ([0x61, 0xFF], "raw")] {
                let target = "/ui/content?path=\(hexadecimal(path))&version=1"
                let content = try await page.server.ask("GET", target, session)
                #expect(content.status == 200 && content.text == text)
                // A browser saves it and never runs it.
                #expect(content.fields["content-type"] == "application/octet-stream")
                #expect(content.fields["content-disposition"] == "attachment")
                #expect(content.fields["x-content-type-options"] == "nosniff")
            }
        }
    }

    @Test(
        "what is not there is refused",
        arguments: [
            ("POST", "call/nosuch", 404), ("POST", "call/versions", 400), ("GET", "call/log", 405),
            ("GET", "content", 400), ("GET", "content?path=61&version=9", 404),
            ("GET", "content?path=2e2e2f61&version=1", 400),
            ("GET", "content?path=zz&version=1", 400),
            ("POST", "content?path=61&version=1", 405), ("GET", "nosuch", 404),
            ("PUT", "session", 405), ("POST", "changes", 405), ("POST", "icon.svg", 405),
        ])
    func unknown(_ method: String, _ name: String, _ status: Int) async throws {
        try await withPage { page in
            let session = try await page.session(try page.token([.read]))
            let body: [UInt8]? = method == "GET" ? nil : Array("{}".utf8)
            let reply = try await page.server.ask(method, "/ui/\(name)", session, body: body)
            #expect(reply.status == status, "\(reply.text)")
        }
    }

    @Test func `an open page is told of a commit, until the server ends`() async throws {
        try await withPage { page in
            let session = try await page.session(try page.token([.read]))
            let stream = try page.server.connect()
            await stream.send(TestServer.head("GET", "/ui/changes", session))
            _ = await stream.receive(until: "event: hello")
            let key = try ObjectKey("zones/files/log/00000000000000000009/c")
            _ = try await page.server.direct.publish([1], to: key)
            let received = await stream.receive(until: "event: change")
            #expect(received.contains("event: change"))
        }
    }

    // MARK: Who may see it

    @Test func `the page's files are for everybody, and what they show is not`() async throws {
        try await withPage { page in
            for (path, type) in [
                ("/ui/", "text/html; charset=utf-8"),
                ("/ui/icon.svg", "image/svg+xml"),
            ] {
                let reply = try await page.server.ask("GET", path)
                #expect(reply.status == 200 && reply.fields["content-type"] == type, "\(path)")
            }
            for path in ["/", "/ui"] {
                let reply = try await page.server.ask("GET", path)
                #expect(reply.status == 302 && reply.fields["location"] == "ui/")
            }
            let wrong = ["Cookie": "filesinki-ui-0=00000000000000000000000000000000"]
            for fields in [[:], wrong] {
                for (method, name) in [
                    ("POST", "call/log"), ("GET", "content?path=61&version=1"), ("GET", "changes"),
                    ("GET", "session"), ("DELETE", "session"),
                ] {
                    let body: [UInt8]? = method == "GET" ? nil : []
                    let reply = try await page.server.ask(
                        method, "/ui/\(name)", fields, body: body)
                    #expect(reply.status == 401, "\(method) \(name)")
                }
            }
            // A token is no session, and the session is no token of the API.
            let token = try page.token([.read])
            let bearer = try await page.server.ask(
                "POST", "/ui/call/log", body: Array("{}".utf8), token: token.text)
            #expect(bearer.status == 401)
            let session = try await page.session(token)
            #expect(try await page.server.ask("GET", "/v1/list", session).status == 401)
        }
    }

    @Test(
        "a token needs the right to read, and the zone of files",
        arguments: [
            ([.read], nil, 200), ([.read], ["files"], 200),
            ([.read, .append], ["a", "files"], 200),
            ([.append], nil, 403), ([.append, .prune], ["files"], 403), ([.read], ["notes"], 403),
        ] as [(Set<AccessRight>, Set<String>?, Int)])
    func rights(_ rights: Set<AccessRight>, _ zones: Set<String>?, _ status: Int) async throws {
        try await withPage { page in
            let reply = try await page.signIn(try page.token(rights, zones: zones).text)
            #expect(reply.status == status, "\(reply.text)")
            #expect((reply.fields["set-cookie"] != nil) == (status == 200))
        }
    }

    @Test func `a server without tokens shows nobody anything`() async throws {
        try await withPage(adjust: { $0.isOpenUntilFirstToken = true }) { page in
            let reply = try await page.signIn("")
            #expect(reply.status == 403 && reply.text.contains("no tokens"), "\(reply.text)")
        }
    }

    @Test func `the cookie is out of reach of scripts and of other sites, and is no token`()
        async throws
    {
        try await withPage { page in
            let token = try page.token([.read])
            let reply = try await page.signIn(" \(token.text)\n")
            #expect(reply.text.contains(#""token":"\#(token.id)","name":"x""#), "\(reply.text)")
            let cookie = try #require(reply.fields["set-cookie"])
            let parts = cookie.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(Set(parts.dropFirst()) == ["HttpOnly", "SameSite=Strict", "Max-Age=43200"])
            #expect(!reply.text.contains(token.text) && !cookie.contains(token.text))
            let secret = try #require(parts.first?.split(separator: "=").last)
            #expect(secret.count == 32)
            let next = try await page.signIn(token.text)
            #expect(next.fields["set-cookie"]?.contains(secret) == false)
            // Behind a proxy that encrypts.
            let proxied = try await page.signIn(token.text, ["X-Forwarded-Proto": "https"])
            #expect(proxied.fields["set-cookie"]?.hasSuffix("; Secure") == true)
        }
    }

    /// The token with another digit in the middle of its secret.
    private static func changed(_ token: String) -> String {
        var digits = Array(token)
        digits[30] = digits[30] == "x" ? "y" : "x"
        return String(digits)
    }

    @Test(
        "a wrong token is unknown, whatever is wrong with it, and is held back",
        arguments: ["", "x", "fsk_", "fsk_000000000000_AAAA", "\u{0}", "changed", "cut"])
    func wrongToken(_ given: String) async throws {
        let time = Duration.milliseconds(7)
        try await withPage(adjust: { $0.limits.wrongTokenTime = time }) { page in
            let token = try page.token([.read]).text
            let text =
                switch given {
                case "changed": Self.changed(token)
                case "cut": String(token.dropLast())
                default: given
                }
            let reply = try await page.signIn(text)
            #expect(reply.status == 401 && reply.fields["set-cookie"] == nil)
            #expect(page.server.clock.slept.filter { $0 == time }.count == 1)
            #expect(try await page.signIn(token).status == 200)
            #expect(page.server.clock.slept.filter { $0 == time }.count == 1)
        }
    }

    @Test func `while too many wrong tokens of an address are held back, more are refused`()
        async throws
    {
        try await withPage(adjust: { $0.limits.wrongTokensOfOne = 0 }) { page in
            let wrong = try await page.signIn("wrong")
            #expect(wrong.status == 429)
            // A right one is not concerned.
            let right = try await page.signIn(try page.token([.read]).text)
            #expect(right.status == 200)
            let long = try await page.signIn(String(repeating: "x", count: 257))
            #expect(long.status == 413)
        }
    }

    // MARK: The end of sessions

    @Test func `a session ends when nobody uses it, and in any case after half a day`() async throws
    {
        try await withPage { page in
            let clock = page.server.clock
            let session = try await page.session(try page.token([.read]))
            clock.advance(seconds: 3599)
            #expect(try await page.call("store", session).status == 200)
            clock.advance(seconds: 3600)
            #expect(try await page.call("store", session).status == 401)
            let used = try await page.session(try page.token([.read]))
            for _ in 0..<12 {
                clock.advance(seconds: 3500)
                #expect(try await page.call("store", used).status == 200)
            }
            clock.advance(seconds: 1200)
            #expect(try await page.call("store", used).status == 401)
        }
    }

    @Test func `a session ends with its token, and when a person signs out`() async throws {
        try await withPage { page in
            let token = try page.token([.read])
            let session = try await page.session(token)
            let other = try await page.session(try page.token([.read]))
            #expect(try page.tokens.revoke(id: token.id))
            #expect(try await page.call("store", session).status == 401)
            #expect(try await page.call("store", other).status == 200)
            let out = try await page.server.ask("DELETE", "/ui/session", other, body: [])
            #expect(out.status == 204)
            #expect(out.fields["set-cookie"]?.contains("Max-Age=0") == true)
            #expect(try await page.call("store", other).status == 401)
        }
    }

    @Test func `of too many sessions of a token the one used longest ago ends`() async throws {
        try await withPage(adjust: { $0.limits.sessionsOfOne = 2 }) { page in
            let token = try page.token([.read])
            let other = try await page.session(try page.token([.read]))
            var sessions: [[String: String]] = []
            for _ in 0..<3 {
                page.server.clock.advance(seconds: 1)
                sessions.append(try await page.session(token))
            }
            var found: [Int] = []
            for session in sessions + [other] {
                found.append(try await page.call("store", session).status)
            }
            #expect(found == [401, 200, 200, 200])
        }
    }

    // MARK: Other sites

    @Test(
        "a request of another site is refused, in a session too",
        arguments: [
            ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"),
            ("Sec-Fetch-Site", "none"), ("Origin", "http://evil.example"), ("Origin", "null"),
        ])
    func otherSite(_ name: String, _ value: String) async throws {
        try await withPage { page in
            let token = try page.token([.read])
            var fields = try await page.session(token)
            fields[name] = value
            #expect(try await page.call("store", fields).status == 403)
            #expect(try await page.signIn(token.text, [name: value]).status == 403)
            let out = try await page.server.ask("DELETE", "/ui/session", fields, body: [])
            #expect(out.status == 403)
            fields[name] = nil
            #expect(try await page.call("store", fields).status == 200)
            for own in [["Sec-Fetch-Site": "same-origin"], ["Origin": "http://localhost"]] {
                #expect(
                    try await page.call("store", fields.merging(own) { $1 }).status == 200)
            }
        }
    }

    @Test("every reply forbids what the page does not need", arguments: ["", "icon.svg", "nosuch"])
    func policy(_ name: String) async throws {
        try await withPage { page in
            let reply = try await page.server.ask("GET", "/ui/\(name)")
            let policy = reply.fields["content-security-policy"] ?? ""
            for rule in ["default-src 'none'", "script-src 'sha256-", "frame-ancestors 'none'"] {
                #expect(policy.contains(rule))
            }
            #expect(!policy.contains("unsafe"))
            #expect(reply.fields["cache-control"] == "no-store")
            #expect(reply.fields["x-frame-options"] == "DENY")
        }
    }

    @Test func `without the option there is no page`() async throws {
        try await withServer { server in
            for path in ["/", "/ui", "/ui/", "/ui/session"] {
                let reply = try await server.ask("GET", path)
                #expect(reply.status == 404 && reply.fields["content-security-policy"] == nil)
            }
        }
    }
}
