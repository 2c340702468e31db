import FilesinkiHTTP
import FilesinkiHTTPClient
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiWebDAV

/// What killed writers left at a WebDAV server.
@Suite struct SweepTests {
    private static let old = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let young = "Mon, 07 Nov 1994 08:49:38 GMT"
    private static let now = "Mon, 07 Nov 1994 08:49:37 GMT"

    private static let folders = ["", "packs/00/", "packs/01/", "zones/files/log/"]

    private static let objects = [
        "/dav/zones/files/log/1/c", "/dav/packs/00/a", "/dav/packs/00/.t-foreign",
        "/dav/.t-0123456789abcdef/c", "/dav/packs/00/.t-0123456789abcdef",
        "/dav/zones/files/log/.t-0123456789abcdef/c",
    ]

    private func server(
        modified: @escaping @Sendable (String) -> String? = { _ in old }, date: String = now,
        interception: @escaping @Sendable (HTTPRequest) throws -> HTTPReply? = { _ in nil }
    ) -> MemoryDAV {
        var habits = MemoryDAV.Habits()
        habits.modified = modified
        habits.date = { date }
        let server = MemoryDAV(habits, interception: interception)
        for path in Self.objects { server.place([1], at: path) }
        return server
    }

    private func sweep(_ server: MemoryDAV, isDryRun: Bool = false) async throws -> Int {
        let remote = try #require(server.remote() as any Remote as? any SweepableRemote)
        return try await remote.sweep(
            Self.folders, olderThan: .seconds(86_400), isDryRun: isDryRun)
    }

    @Test func `a dry run counts what is old and unfinished, and removes nothing`() async throws {
        let server = server()
        let before = server.paths
        #expect(try await sweep(server, isDryRun: true) == 3)
        #expect(server.paths == before)
    }

    @Test func `what is old and unfinished is removed, and nothing else`() async throws {
        let server = server()
        #expect(try await sweep(server) == 3)
        #expect(server.paths.filter { !$0.hasSuffix("/") } == Self.objects.prefix(3).sorted())
        // No slot is looked into, however many there are.
        #expect(server.methods.count { $0 == "PROPFIND" } == Self.folders.count)
    }

    @Test func `a staged slot is renamed before it is emptied`() async throws {
        let server = server()
        _ = try await sweep(server)
        let staged = "/dav/zones/files/log/.t-0123456789abcdef/"
        let changes = server.requests.filter { $0.url.contains("/log/") && $0.method != "PROPFIND" }
        #expect(changes.map(\.method) == ["MOVE", "DELETE"])
        #expect(changes.first?.url.hasSuffix(staged) == true)
        #expect(changes.last?.url.hasSuffix(staged) == false)
    }

    @Test func `a staged slot whose writer woke up first is left alone`() async throws {
        let server = server(interception: { request in
            request.method == "MOVE" ? HTTPReply(status: 404) : nil
        })
        #expect(try await sweep(server) == 1)
        let deleted = server.requests.filter { $0.method == "DELETE" }.map(\.url)
        #expect(deleted == ["http://localhost/dav/packs/00/.t-0123456789abcdef"])
    }

    @Test(
        "what may be young stays",
        arguments: [
            (young, now), (nil, now), ("yesterday", now), (old, "today"), (old, old),
        ] as [(String?, String)])
    func stays(_ modified: String?, _ date: String) async throws {
        let server = server(modified: { _ in modified }, date: date)
        #expect(try await sweep(server) == 0)
        #expect(server.paths.filter { !$0.hasSuffix("/") } == Self.objects.sorted())
    }

    @Test(
        "a real server is swept", .enabled(if: !installed.isEmpty, "no WebDAV server is installed"),
        arguments: installed)
    func realServer(_ server: RealServer) async throws {
        let store = try await RealStore(server)
        let remote = try store.connect()
        #expect(try await remote.publish([1], to: key("zones/files/log/1/c")) == .mine)
        try await remote.put([2], to: key("packs/00/a"))
        let sweepable = try #require(remote.unwrapped(as: (any SweepableRemote).self))
        let folders = ["", "packs/00/", "packs/77/", "zones/files/log/"]
        // What a busy server did not reply to in time was stored twice.
        _ = try await sweepable.sweep(folders, olderThan: .seconds(-10))
        for path in ["zones/files/log/.t-0123456789abcdef/c", "packs/00/.t-0123456789abcdef"] {
            try await store.place([3], at: path)
        }
        #expect(try await sweepable.sweep(folders, olderThan: .seconds(86_400)) == 0)
        let swept = try await sweepable.sweep(folders, olderThan: .seconds(-10))
        // nginx lists no name that begins with a dot.
        #expect(swept == (server == .nginx ? 0 : 2))
        #expect(try await sweepable.sweep(folders, olderThan: .seconds(-10)) == 0)
        #expect(try await remote.get(key("zones/files/log/1/c"), range: nil) == [1])
        #expect(try await remote.get(key("packs/00/a"), range: nil) == [2])
        #expect(try await remote.list(prefix: "", after: nil, limit: 9).count == 2)
    }
}

extension RealStore {
    /// Stores a file under a name that no key has, as a writer does that is then killed.
    fileprivate func place(_ bytes: [UInt8], at path: String) async throws {
        let names = path.split(separator: "/")
        let user = Credentials.password(user: RealServer.user, Secret(RealServer.password))
        let server = WebDAVServer(
            address: address, transport: try HTTPConnections(), credentials: user,
            from: .none(file: nil),
            allowsInsecure: false)
        if names.count > 1, names[names.count - 2].hasPrefix(".") {
            let folder = names.dropLast().joined(separator: "/")
            #expect(try await server.send("MKCOL", server.collection(folder)).isSuccess)
        }
        let parent = server.collection(names.dropLast().joined(separator: "/"))
        let reply = try await server.send(
            "PUT", parent.member(String(names.last ?? "")), body: bytes)
        #expect(reply.isSuccess)
    }
}
