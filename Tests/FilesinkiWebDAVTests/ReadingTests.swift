import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import FilesinkiWebDAV
import Testing

@Suite struct ReadingTests {
    let object: ObjectKey

    init() throws { object = try key("packs/a") }

    /// What comes of a `GET` that is answered so.
    private func reading(
        _ reply: HTTPReply, range: Range<Int64>? = nil
    ) async throws -> (bytes: [UInt8]?, code: Failure.Code?) {
        let server = MemoryDAV(interception: { $0.method == "GET" ? reply : nil })
        do {
            return (try await server.remote().get(object, range: range), nil)
        } catch let failure as Failure {
            return (nil, failure.code)
        }
    }

    private func reply(_ status: Int, _ fields: HTTPFields = [:], _ body: String = "") -> HTTPReply
    {
        HTTPReply(status: status, fields: fields, body: bytes(body))
    }

    @Test("returns nil only when the object is known to be absent", arguments: [404, 410])
    func absent(_ status: Int) async throws {
        let result = try await reading(reply(status, [:], "not here"))
        #expect(result == (nil, nil))
    }

    @Test(
        "any other status has a message of its own",
        arguments: [
            (401, Failure.Code.notAllowed), (403, .notAllowed), (302, .away), (429, .away),
            (500, .away), (503, .away), (204, .away), (400, .away), (416, .away), (206, .away),
        ])
    func statuses(_ status: Int, code: Failure.Code) async throws {
        #expect(try await reading(reply(status)).code == code)
    }

    @Test func `a folder with the mark of a replica is no place for a store`() async throws {
        let server = MemoryDAV()
        #expect(try await server.remote().misplacement() == nil)
        try await server.remote("http://localhost/dav/.filesinki").put([1], to: key("root"))
        #expect(try await server.remote().misplacement() == .replica)
        #expect(try await server.remote("http://localhost/dav/in").misplacement() == nil)
    }

    @Test func `a captive portal is neither an object nor its absence`() async throws {
        #expect(try await reading(page).code == .away)
        let elsewhere = reply(302, ["Location": "https://portal.example/login/"])
        #expect(try await reading(elsewhere).code == .away)
        let server = MemoryDAV(interception: { _ in page })
        let remote = try server.remote()
        #expect(await code { try await remote.put([1], to: object) } == .away)
        #expect(await code { try await remote.delete(object) } == .away)
        #expect(await code { _ = try await remote.publish([1], to: key("log/1/c")) } == .away)
        #expect(await code { _ = try await remote.list(prefix: "", after: nil, limit: 1) } == .away)
        #expect(await code { _ = try await remote.get(object, range: 0..<0) } == .away)
    }

    @Test func `a stored HTML page is an object`() async throws {
        let server = MemoryDAV(interception: { $0.method == "GET" ? page : nil })
        server.place(page.body, at: "/dav/packs/a")
        #expect(try await server.remote().get(object, range: nil) == page.body)
    }

    @Test(
        "a range is checked against the reply",
        arguments: [
            ("bytes 2-4/10", "cde", "cde"), ("bytes 2-4/*", "cde", "cde"),
            ("bytes 2-3/4", "cd", "cd"), ("BYTES 2-4/10", "cde", "cde"),
            ("bytes 0-2/10", "abc", nil), ("bytes 3-4/10", "de", nil),
            ("bytes 2-5/10", "cdef", nil),
            ("bytes 2-3/10", "cd", nil), ("bytes 2-4/10", "cd", nil), ("bytes 2-4/10", "cdef", nil),
            ("bytes 2-4/3", "cde", nil), ("bytes 4-2/10", "cde", nil), ("bytes */10", "", nil),
            ("items 2-4/10", "cde", nil), ("", "cde", nil), ("bytes 2-4", "cde", nil),
            ("bytes 2-9223372036854775807/*", "cde", nil), ("bytes -2-4/10", "cde", nil),
        ])
    func ranges(_ field: String, body: String, wanted: String?) async throws {
        let result = try await reading(reply(206, ["Content-Range": field], body), range: 2..<5)
        #expect(result.bytes == wanted.map(bytes))
        #expect((result.code == .away) == (wanted == nil))
    }

    @Test(
        "of a whole object only the requested bytes are returned",
        arguments: [(0..<3, "abc"), (2..<5, "cde"), (8..<99, "ij"), (10..<12, ""), (40..<50, "")])
    func ignoredRanges(_ range: Range<Int64>, wanted: String) async throws {
        for fields: HTTPFields in [[:], ["Content-Length": "10"]] {
            let result = try await reading(reply(200, fields, "abcdefghij"), range: range)
            #expect(result.bytes == bytes(wanted))
        }
    }

    @Test func `a truncated reply is not taken for the object`() async throws {
        let cut = reply(200, ["Content-Length": "11"], "abcdefghij")
        #expect(try await reading(cut).code == .away)
        #expect(try await reading(cut, range: 5..<20).code == .away)
        #expect(try await reading(cut, range: 5..<8).bytes == bytes("fgh"))
    }

    @Test func `a reply that declares too large a size is refused before its bytes`() async throws {
        let huge = reply(200, ["Content-Length": "\((1 << 30) + 1)"], "abc")
        #expect(try await reading(huge).code == .limit)
        #expect(try await reading(reply(200, ["Content-Length": "-5"], "abc")).code != nil)
        #expect(
            try await reading(reply(200, ["Content-Length": "99999999999999999999"], "a")).bytes
                == bytes("a"))
    }

    @Test func `a reply of unknown length is read up to a range's end`() async throws {
        // The transport hands out parts of 1000 bytes.
        let long = HTTPReply(status: 200, body: [UInt8](repeating: 7, count: 500_000))
        #expect(try await reading(long, range: 0..<10).bytes == [UInt8](repeating: 7, count: 10))
    }

    @Test func `an empty range sends no request`() async throws {
        let server = MemoryDAV()
        server.place(bytes("x"), at: "/dav/packs/a")
        let remote = try server.remote()
        #expect(try await remote.get(object, range: 5..<5) == [])
        #expect(try await remote.get(key("packs/b"), range: 5..<5) == nil)
        #expect(try await remote.get(key("packs"), range: 5..<5) == nil)
        #expect(server.methods == ["PROPFIND", "PROPFIND", "PROPFIND"])
    }

    @Test(
        "a name below a file is absent, whatever the server replies",
        arguments: [400, 403, 404, 409])
    func belowFile(_ status: Int) async throws {
        let server = MemoryDAV(interception: { request in
            MemoryDAV.path(request.url).hasPrefix("/dav/a/") ? HTTPReply(status: status) : nil
        })
        server.place([1], at: "/dav/a")
        let remote = try server.remote()
        #expect(try await remote.get(key("a/b/d"), range: 0..<0) == nil)
        #expect(try await remote.list(prefix: "a/", after: nil, limit: 9) == [])
        for name in ["a/b", "a/b/c"] { try await remote.delete(key(name)) }
        #expect(!server.methods.contains("DELETE"))
    }

    @Test func `a range is written as every server reads it`() async throws {
        let server = MemoryDAV()
        let remote = try server.remote()
        for range: Range<Int64> in [0..<1, 3..<7, 5..<Int64.max, -4..<2] {
            _ = try await remote.get(object, range: range)
        }
        #expect(
            server.requests.map { $0.fields["Range"] } == [
                "bytes=0-0", "bytes=3-6", "bytes=5-", "bytes=0-1",
            ])
        #expect(server.requests.allSatisfy { $0.fields["Cache-Control"] == "no-cache" })
    }

    @Test func `lighttpd's reply with a file above the key is not the object`() async throws {
        let server = MemoryDAV(interception: { request in
            guard request.method == "GET" else { return nil }
            return HTTPReply(
                status: 200, fields: ["Server": "lighttpd/1.4.69"], body: bytes("the file a/b"))
        })
        server.place(bytes("the file a/b"), at: "/dav/a/b")
        #expect(try await server.remote().get(key("a/b/c"), range: nil) == nil)
        #expect(try await server.remote().get(key("a/b"), range: nil) == bytes("the file a/b"))
    }
}
