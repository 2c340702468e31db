import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import FilesinkiWebDAV
import Testing

@Suite struct DeletingTests {
    @Test func `a folder is never deleted by the name of an object`() async throws {
        let server = MemoryDAV()
        server.place([1], at: "/dav/packs/a/x")
        server.place([1], at: "/dav/log/c/x")
        for name in ["packs/a", "packs", "log/c"] { try await server.remote().delete(key(name)) }
        #expect(!server.methods.contains("DELETE"))
        #expect(!server.methods.contains("MOVE"))
    }

    @Test func `a slot is deleted as a whole, so that its place is never an empty folder`()
        async throws
    {
        let server = MemoryDAV()
        server.place([1], at: "/dav/log/1/c")
        try await server.remote().delete(key("log/1/c"))
        #expect(server.methods == ["PROPFIND", "MOVE", "DELETE"])
        let move = server.requests[1]
        #expect(move.url == "http://localhost/dav/log/1/")
        #expect(move.fields["Destination"]?.contains("/dav/log/.t-") == true)
        #expect(server.paths == ["/", "/dav/", "/dav/log/"])
    }

    @Test func `of a folder with other objects in it only the object is deleted`() async throws {
        let server = MemoryDAV()
        server.place([1], at: "/dav/a/c")
        server.place([1], at: "/dav/a/d")
        try await server.remote().delete(key("a/c"))
        #expect(server.paths == ["/", "/dav/", "/dav/a/", "/dav/a/d"])
    }

    @Test func `files that a loser of a race left inside a slot are deleted with it`() async throws
    {
        let server = MemoryDAV()
        server.place([1], at: "/dav/log/1/c")
        server.place([2], at: "/dav/log/1/.t-0123456789abcdef/c")
        try await server.remote().delete(key("log/1/c"))
        #expect(server.paths == ["/", "/dav/", "/dav/log/"])
    }

    @Test("a refused deletion is reported", arguments: [403, 207, 423, 500])
    func refused(_ status: Int) async throws {
        let server = MemoryDAV(interception: { request in
            ["DELETE", "MOVE"].contains(request.method) ? HTTPReply(status: status) : nil
        })
        server.place([1], at: "/dav/log/1/c")
        server.place([1], at: "/dav/packs/a")
        for name in ["packs/a", "log/1/c"] {
            #expect(await code { try await server.remote().delete(key(name)) } != nil)
        }
    }
}
