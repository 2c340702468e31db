import FilesinkiModel
import FilesinkiTesting
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

@testable import FilesinkiServer

/// The server of the page: who may use it, and what runs of filesinki its calls become.
@Suite struct PageTests {
    /// The page's server, with a program that records what it is asked for.
    private final class Page: Sendable {
        let commands = Mutex<[PageCommand]>([])
        let address = Mutex("")
        private let result: PageResult

        init(exit: Int32 = 0, output: [UInt8]? = [], messages: [UInt8] = []) {
            result = PageResult(exit: exit, output: output, messages: messages)
        }

        func test(
            _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
        ) async throws {
            let settings = PageSettings(
                host: "127.0.0.1", port: 0,
                run: { command in
                    self.commands.withLock { $0.append(command) }
                    return self.result
                }, stamp: { [] })
            let server = try PageServer(settings, TestClock().systemContext)
            let application = server.application { address in
                self.address.withLock { $0 = address }
            }
            try await application.test(.live) { try await body($0) }
        }

        /// The fields of a request of a session that was begun with the address.
        func session(_ client: any TestClientProtocol) async throws -> HTTPFields {
            let token = address.withLock { String($0.split(separator: "#").last ?? "") }
            let reply = try await client.execute(
                uri: "/session", method: .post, headers: PageTests.own,
                body: ByteBuffer(string: token))
            try #require(reply.status == .ok)
            var fields = PageTests.own
            fields[.authorization] = "Bearer \(String(buffer: reply.body))"
            return fields
        }
    }

    private static let own: HTTPFields = [:]

    private static let hostile: [(HTTPField.Name, String)] = [
        (HTTPField.Name("Sec-Fetch-Site") ?? .server, "cross-site"),
        (HTTPField.Name("Sec-Fetch-Site") ?? .server, "same-site"),
        (.origin, "http://evil.example"), (.origin, "null"),
    ]

    @Test func `the token of the address begins one session, and a wrong one is not a used one`()
        async throws
    {
        let page = Page()
        try await page.test { client in
            let token = page.address.withLock { String($0.split(separator: "#").last ?? "") }
            let wrong = ["", String(token.dropLast(3)), token + "0", "g\(token.dropFirst())"]
            for token in wrong {
                let reply = try await client.execute(
                    uri: "/session", method: .post, body: ByteBuffer(string: token))
                #expect(reply.status == .forbidden, "\(token)")
            }
            let fields = try await page.session(client)
            for (token, status) in [(token, HTTPResponse.Status.gone)]
                + wrong.map({ ($0, .forbidden) })
            {
                let reply = try await client.execute(
                    uri: "/session", method: .post, body: ByteBuffer(string: token))
                #expect(reply.status == status, "\(token)")
            }
            let call = try await client.execute(
                uri: "/call/status", method: .post, headers: fields)
            #expect(call.status == .ok)
        }
    }

    @Test("without a session nothing but the page's files is shown")
    func noSession() async throws {
        let page = Page()
        try await page.test { client in
            var wrong = HTTPFields()
            wrong[.authorization] = "Bearer 00"
            for headers in [HTTPFields(), wrong] {
                for (uri, method) in [
                    ("/call/status", HTTPRequest.Method.post), ("/changes", .get),
                ] {
                    let reply = try await client.execute(
                        uri: uri, method: method, headers: headers)
                    #expect(reply.status == .unauthorized, "\(uri)")
                }
            }
            #expect(page.commands.withLock { $0.isEmpty })
            #expect(try await client.execute(uri: "/", method: .get).status == .ok)
        }
    }

    @Test("a request of another site is refused", arguments: hostile)
    func otherSite(_ name: HTTPField.Name, _ value: String) async throws {
        let page = Page()
        try await page.test { client in
            var fields = try await page.session(client)
            fields[name] = value
            let reply = try await client.execute(
                uri: "/call/sync", method: .post, headers: fields)
            #expect(reply.status == .forbidden)
            #expect(page.commands.withLock { $0.isEmpty })
        }
    }

    @Test(
        "the name of the host decides",
        arguments: [
            ("127.0.0.1:80", true), ("localhost", true), ("localhost:9000", true),
            ("[::1]:80", true), ("[::1]", true), ("evil.example:80", false),
            ("127.0.0.1.evil.example", false), ("", false),
        ])
    func host(_ authority: String, _ isOwn: Bool) {
        let head = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
        #expect(PageAccess.isOwn(head) == isOwn)
        var same = head
        same.headerFields[.origin] = "http://\(authority)"
        #expect(PageAccess.isOwn(same) == isOwn)
    }

    @Test(
        "every reply forbids what the page does not need", arguments: ["/", "/icon.svg", "/nosuch"])
    func policy(_ path: String) async throws {
        try await Page().test { client in
            let reply = try await client.execute(uri: path, method: .get)
            let policy = reply.headers[.contentSecurityPolicy] ?? ""
            for rule in ["default-src 'none'", "script-src 'sha256-", "frame-ancestors 'none'"] {
                #expect(policy.contains(rule))
            }
            #expect(!policy.contains("unsafe"))
            #expect(reply.headers[.xContentTypeOptions] == "nosniff")
            #expect(reply.headers[.cacheControl] == "no-store")
        }
    }

    @Test("what is not there, and other methods, are refused")
    func unknown() async throws {
        let page = Page()
        try await page.test { client in
            let fields = try await page.session(client)
            let cases: [(String, HTTPRequest.Method, Int)] = [
                ("/call/nosuch", .post, 404), ("/call/", .post, 404), ("/nosuch", .get, 404),
                ("/call/status", .get, 405), ("/", .post, 405), ("/session", .get, 405),
                ("/changes", .post, 405),
            ]
            for (uri, method, status) in cases {
                let reply = try await client.execute(uri: uri, method: method, headers: fields)
                #expect(reply.status.code == status, "\(method) \(uri)")
            }
        }
    }

    @Test func `a listener hears of the server, and its stream ends with it`() async throws {
        let feed = ChangeFeed({ [1] }, interval: .seconds(1), TestClock().systemContext)
        let (lines, end) = try feed.listen()
        end()
        #expect(await lines.first { _ in true } == nil)
        for _ in 0..<32 { _ = try feed.listen() }
        #expect(throws: RequestError.self) { try feed.listen() }
    }

    @Test("the page is for this machine only", arguments: ["0.0.0.0", "192.0.2.1", "::"])
    func address(_ host: String) {
        let settings = PageSettings(
            host: host, port: 0, run: { _ in PageResult(exit: 0, output: [], messages: []) },
            stamp: { [] })
        #expect(throws: Failure.self) { _ = try PageServer(settings, TestClock().systemContext) }
    }
}
