import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import FilesinkiWebDAV
import Testing

@Suite struct ListingTests {
    private func listed(_ server: MemoryDAV, prefix: String = "") async throws -> [String] {
        try await server.remote().list(prefix: prefix, after: nil, limit: 99).map(\.key.description)
    }

    @Test func `foreign names are left out`() async throws {
        let server = MemoryDAV()
        for name in [
            "a", "A", "b%20c", "%C3%A6", ".t-0123456789abcdef", ".hidden", "d%2Fe", "f~", "g",
        ] {
            server.place([1], at: "/dav/\(name)")
        }
        server.place([1], at: "/dav/.t-0123456789abcdef0/c")
        server.place([1], at: "/dav/Upper/c")
        #expect(try await listed(server) == ["a", "g"])
    }

    @Test func `names of other places are left out`() async throws {
        let server = MemoryDAV(interception: { request in
            guard request.method == "PROPFIND" else { return nil }
            let paths = [
                "/dav/", "/dav/a", "/b", "/dav/x/y", "/other/c", "/dav/../d", "/dav/./e",
                "/dav/%zz",
                "http://h/dav/f?g", "mailto:h", "", "/dav//i",
            ]
            return Self.listing(paths.map { (href: $0, isCollection: $0 == "/dav/") })
        })
        #expect(try await listed(server) == ["a", "i"])
    }

    @Test(
        "a listing of something else is not taken for an empty one",
        arguments: [[], ["/"], ["/dav"], ["/dav/log/1/"], ["/proxied/dav/log/"]])
    func elsewhere(_ paths: [String]) async throws {
        let server = MemoryDAV(interception: { _ in
            Self.listing(paths.map { (href: $0, isCollection: true) })
        })
        #expect(await code { _ = try await listed(server, prefix: "log/") } == .away)
    }

    @Test(
        "an invalid listing is an error",
        arguments: [
            (HTTPReply(status: 207, body: bytes("<a/>")), Failure.Code.corrupt),
            (HTTPReply(status: 207, body: bytes("<multistatus xmlns=\"DAV:\">")), .corrupt),
            (HTTPReply(status: 207, body: []), .corrupt), (HTTPReply(status: 200), .unfitStore),
            (HTTPReply(status: 405), .unfitStore), (HTTPReply(status: 501), .unfitStore),
            (HTTPReply(status: 401), .notAllowed), (HTTPReply(status: 503), .away),
        ])
    func strangeReplies(_ reply: HTTPReply, _ wanted: Failure.Code) async throws {
        let server = MemoryDAV(interception: { _ in reply })
        #expect(await code { _ = try await listed(server) } == wanted)
    }

    @Test func `a missing size is an error`() async throws {
        let server = MemoryDAV(interception: { request in
            Self.listing([("/dav/", true), ("/dav/a", false)])
        })
        #expect(await code { _ = try await listed(server) } == .unfitStore)
    }

    @Test func `the size of a listing is limited`() async throws {
        let server = MemoryDAV()
        server.place([1], at: "/dav/a")
        _ = try await listed(server)
        #expect(server.requests.map(\.maximumReply) == [64 << 20])
    }

    @Test func `endlessly nested folders end the listing`() async throws {
        let server = MemoryDAV(interception: { request in
            let path = MemoryDAV.path(request.url)
            let count = path == "/dav/" ? 5000 : 0
            return Self.listing(
                [(path, true)] + (0..<count).map { (href: "\(path)\($0)/", isCollection: true) })
        })
        #expect(await code { _ = try await listed(server) } == .limit)
    }

    @Test func `empty folders, as pruning leaves them, are skipped`() async throws {
        let server = MemoryDAV()
        for number in 100..<400 { server.place(nil, at: "/dav/packs/\(number)/") }
        server.place([1], at: "/dav/packs/500/a")
        #expect(try await listed(server) == ["packs/500/a"])
    }

    @Test func `only folders that may contain matching keys are requested`() async throws {
        let server = MemoryDAV()
        for number in 0..<50 { server.place([1], at: "/dav/log/\(100 + number)/c") }
        server.place([1], at: "/dav/packs/00/a")
        let remote = try server.remote()
        let page = try await remote.list(prefix: "log/1", after: key("log/120/c"), limit: 2)
        #expect(page.map(\.key.description) == ["log/121/c", "log/122/c"])
        // The folder, that of the key before, and one for each found.
        #expect(server.requests.count <= 4)
        #expect(server.requests.allSatisfy { $0.fields["Depth"] == "1" })
    }

    static func listing(_ paths: [(href: String, isCollection: Bool)]) -> HTTPReply {
        let responses = paths.map { path in
            let kind = path.isCollection ? "<collection/>" : ""
            let size =
                path.href.hasSuffix("/dav/a") && paths.count == 2
                ? "" : "<getcontentlength>1</getcontentlength>"
            return "<response><href>\(path.href)</href><propstat><prop><resourcetype>\(kind)"
                + "</resourcetype>\(size)</prop></propstat></response>"
        }
        let text = "<multistatus xmlns=\"DAV:\">\(responses.joined())</multistatus>"
        return HTTPReply(status: 207, body: bytes(text))
    }
}
