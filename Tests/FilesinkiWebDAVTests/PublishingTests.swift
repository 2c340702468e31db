import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import FilesinkiWebDAV
import Synchronization
import Testing

@Suite struct PublishingTests {
    let slot: ObjectKey

    init() throws { slot = try key("log/1/c") }

    @Test func `a slot is staged beside its place, moved there and read`() async throws {
        let server = MemoryDAV()
        server.place(bytes("x"), at: "/dav/log/0/c")
        #expect(try await server.remote().publish(bytes("one"), to: slot) == .mine)
        // The first reading goes along with the making.
        #expect(server.methods.sorted() == ["GET", "GET", "MKCOL", "MOVE", "PUT"])
        let move = try #require(server.requests.first { $0.method == "MOVE" })
        #expect(move.url.hasPrefix("http://localhost/dav/log/.t-"))
        #expect(move.fields["Destination"] == "http://localhost/dav/log/1/")
        #expect(move.fields["Overwrite"] == "F")
        #expect(server.methods.last == "GET")
    }

    @Test func `a full slot is answered without an upload`() async throws {
        let server = MemoryDAV()
        server.place(bytes("one"), at: "/dav/log/1/c")
        #expect(try await server.remote().publish(bytes("two"), to: slot) == .theirs(bytes("one")))
        #expect(!server.methods.contains("PUT"))
        #expect(server.paths == ["/", "/dav/", "/dav/log/", "/dav/log/1/", "/dav/log/1/c"])
    }

    @Test(
        "the status of a server does not decide the outcome",
        arguments: [200, 201, 204, 207, 400, 403, 405, 412, 423])
    func lies(_ status: Int) async throws {
        let server = MemoryDAV(interception: { request in
            request.method == "MOVE" ? HTTPReply(status: status) : nil
        })
        let failure = await #expect(throws: Failure.self) {
            try await server.remote().publish(bytes("one"), to: slot)
        }
        #expect(failure?.code != nil)
        #expect(!server.paths.contains("/dav/log/1/"))
    }

    @Test func `a writer with a success status still reads the slot`() async throws {
        let server = Box<MemoryDAV>()
        let dav = MemoryDAV(interception: { request in
            guard request.method == "MOVE" else { return nil }
            server.value?.place(bytes("theirs"), at: "/dav/log/1/c")
            return HTTPReply(status: 201)
        })
        server.value = dav
        #expect(try await dav.remote().publish(bytes("ours"), to: slot) == .theirs(bytes("theirs")))
    }

    @Test(
        "when the result of a move is unknown, the staged object stays", arguments: [true, false])
    func lostAnswers(_ isDone: Bool) async throws {
        let server = Box<MemoryDAV>()
        let moves = Counter()
        let dav = MemoryDAV(interception: { request in
            guard request.method == "MOVE", moves.next() == 1 else { return nil }
            if isDone { _ = server.value?.answer(request) }
            throw Failure(.away, "The connection was cut.", remedy: "")
        })
        server.value = dav
        #expect(await code { _ = try await dav.remote().publish(bytes("one"), to: slot) } == .away)
        // To empty it while the server may still be moving it would leave an empty slot.
        #expect(!dav.methods.contains("DELETE"))
        let retrying = RetryingRemote(try dav.remote(), systemContext: ManualClock().systemContext)
        #expect(try await retrying.publish(bytes("one"), to: slot) == .mine)
    }

    @Test(
        "the staged object is removed when it cannot be moved", arguments: ["PUT", "GET", "MOVE"])
    func refusals(_ method: String) async throws {
        let server = MemoryDAV(interception: { request in
            request.method == method ? HTTPReply(status: 403) : nil
        })
        #expect(await code { _ = try await server.remote().publish([1], to: slot) } == .notAllowed)
        #expect(server.paths.filter { $0.contains(".t-") } == [])
    }

    @Test(
        "a server that refuses every MKCOL is not asked for ever", arguments: [404, 409, 500])
    func refusedCollections(_ status: Int) async throws {
        let deep = try key((0..<200).map { _ in "a" }.joined(separator: "/"))
        for refused in [["MKCOL"], ["PUT"], ["MKCOL", "PUT"]] {
            let server = MemoryDAV(interception: { request in
                refused.contains(request.method) && !request.url.hasSuffix("/dav/")
                    ? HTTPReply(status: status) : nil
            })
            let remote = try server.remote()
            #expect(await code { try await remote.put([1], to: deep) } != nil)
            #expect(server.requests.count < 1000)
        }
    }

    @Test func `a redirect of a whole server is not a folder`() async throws {
        // As one that wants https sends it.
        let server = MemoryDAV(interception: { request in
            let path = MemoryDAV.path(request.url)
            return HTTPReply(status: 301, fields: ["Location": "https://localhost\(path)"])
        })
        let remote = try server.remote()
        #expect(await code { _ = try await remote.list(prefix: "", after: nil, limit: 9) } == .away)
        #expect(await code { _ = try await remote.get(slot, range: nil) } == .away)
        #expect(await code { try await remote.put([1], to: key("packs/a")) } == .away)
        #expect(await code { _ = try await remote.publish([1], to: slot) } == .away)
        #expect(await code { try await remote.delete(slot) } == .away)
    }

    @Test func `an empty folder in the slot's place is reported and left alone`() async throws {
        let server = MemoryDAV()
        server.place(nil, at: "/dav/log/1/")
        #expect(try await server.remote().get(slot, range: nil) == nil)
        #expect(await code { _ = try await server.remote().publish([1], to: slot) } == .corrupt)
        #expect(server.paths == ["/", "/dav/", "/dav/log/", "/dav/log/1/"])
    }

    @Test func `a slot that is locked, as another writer is moving there, is read again`()
        async throws
    {
        let server = Box<MemoryDAV>()
        let gets = Counter()
        let dav = MemoryDAV(interception: { request in
            switch request.method {
            case "MOVE":
                // As rclone does for a moment, it shows the folder without its file.
                server.value?.place(nil, at: "/dav/log/1/")
                return HTTPReply(status: 423)
            case "GET":
                // Before the move, after it, and in the second try.
                if gets.next() == 3 { server.value?.place(bytes("theirs"), at: "/dav/log/1/c") }
                return nil
            default: return nil
            }
        })
        server.value = dav
        let retrying = RetryingRemote(try dav.remote(), systemContext: ManualClock().systemContext)
        #expect(try await retrying.publish(bytes("ours"), to: slot) == .theirs(bytes("theirs")))
    }

    @Test func `a slot needs a folder of its own`() async throws {
        let server = MemoryDAV()
        #expect(await code { _ = try await server.remote().publish([1], to: key("c")) } == .badPath)
        #expect(server.requests.isEmpty)
    }

    @Test(
        "a form of Destination that works is found and reused",
        arguments: [
            ("https://dav.example/dav/log/2/", 502), ("/dav/log/2/", 502), ("/dav/log/2/", 400),
            ("http://dav.example/dav/log/2/", 502), ("http://dav.example/dav/log/2/", 404),
        ])
    func destinations(_ form: String, status: Int) async throws {
        var habits = MemoryDAV.Habits()
        let scheme = form.prefix { $0 != "/" }
        habits.understands = { $0.prefix { $0 != "/" } == scheme }
        habits.misunderstood = status
        let server = MemoryDAV(habits)
        let remote = try server.remote("https://dav.example/dav")
        #expect(try await remote.publish(bytes("one"), to: slot) == .mine)
        server.forgetRequests()
        #expect(try await remote.publish(bytes("two"), to: key("log/2/c")) == .mine)
        try await remote.put([1], to: key("packs/a"))
        let moves = server.requests.filter { $0.method == "MOVE" }
        #expect(moves.count == 2)
        #expect(moves.first?.fields["Destination"] == form)
    }

    @Test func `an object counts as stored only when a move was seen to store it`() async throws {
        let server = MemoryDAV(interception: { request in
            request.method == "MOVE" ? HTTPReply(status: 201) : nil
        })
        #expect(
            await code { try await server.remote().put([1], to: key("packs/a")) } == .unfitStore)
    }

    @Test func `an equal object is left alone, and a damaged one replaced`() async throws {
        let server = MemoryDAV()
        let remote = try server.remote()
        for _ in 0..<2 { try await remote.put(bytes("right"), to: key("packs/a")) }
        func overwriting() -> Int { server.requests.count { $0.fields["Overwrite"] == "T" } }
        #expect(overwriting() == 0)
        server.place(bytes("wrong"), at: "/dav/packs/a")
        try await remote.put(bytes("right"), to: key("packs/a"))
        #expect(overwriting() == 1)
        #expect(try await remote.get(key("packs/a"), range: nil) == bytes("right"))
        #expect(server.paths == ["/", "/dav/", "/dav/packs/", "/dav/packs/a"])
    }

    @Test func `an upload is visible under its name only when it is whole`() async throws {
        let server = MemoryDAV()
        try await server.remote().put(bytes("x"), to: key("packs/a"))
        let uploads = server.requests.filter { $0.method == "PUT" }
        #expect(uploads.allSatisfy { $0.url.hasPrefix("http://localhost/dav/packs/.t-") })
    }

    @Test func `a large upload is not sent before its folder exists`() async throws {
        let server = MemoryDAV()
        let remote = try server.remote()
        let large = [UInt8](repeating: 1, count: 100_000)
        try await remote.put(large, to: key("packs/00/a"))
        try await remote.put(large, to: key("packs/00/b"))
        #expect(server.methods.count { $0 == "PUT" } == 2)
        #expect(server.methods.count { $0 == "MKCOL" } == 5)
    }
}

/// Something that is set after what uses it was made.
final class Box<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)

    var value: Value? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// Counts calls.
final class Counter: Sendable {
    private let state = Mutex(0)

    var value: Int { state.withLock { $0 } }

    func next() -> Int {
        state.withLock { count in
            count += 1
            return count
        }
    }
}
