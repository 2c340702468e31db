import FilesinkiDirectory
import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote
import FilesinkiServer
import FilesinkiTesting
import Glibc
import Testing

/// `serve --stdio`: the requests and replies of the server, over a stream.
@Suite struct StreamServerTests {
    @Test func `an object is stored and read`() async throws {
        let client = try StreamClient()
        let content = noise(3_000_000)
        for (name, bytes) in [("other/a", content), ("other/b", [])] {
            #expect(try await client.put(name, bytes).status == "201")
            let read = try await client.ask("GET", "/v1/objects/\(name)")
            #expect(read.status == "200" && read.body == bytes)
            #expect(read.head["Filesinki-Protocol"] == "1")
            #expect(read.head["Content-Length"] == String(bytes.count))
            let head = try await client.ask("HEAD", "/v1/objects/\(name)")
            #expect(head.head["Content-Length"] == String(bytes.count) && head.body == [])
        }
        #expect(try await client.ask("GET", "/v1/objects/other/none").status == "404")
        #expect(client.log.lines.contains { $0.contains(" - - PUT /v1/objects/other/a 201 ") })
    }

    @Test func `many requests are under way at once, beside a stream of events`() async throws {
        let client = try StreamClient()
        let events = try client.open(StreamHead("GET /v1/events?prefix=zones/"), whole: [])
        let contents = (0..<40).map { [UInt8](repeating: UInt8($0), count: 100_000 + $0) }
        let statuses = try await mapConcurrently(Array(contents.indices), limit: 40) { number in
            try await client.put("zones/m/log/\(number)/c", contents[number], publish: true).status
        }
        #expect(statuses == contents.map { _ in "201" })
        let read = try await mapConcurrently(Array(contents.indices), limit: 40) { number in
            try await client.ask("GET", "/v1/objects/zones/m/log/\(number)/c").body
        }
        #expect(read == contents)
        var text = ""
        for try await case .body(let bytes) in events.events {
            text += String(decoding: bytes, as: UTF8.self)
            if text.contains("data: zones/m/log/39/c\n") || text.contains("data: zones/\n") {
                break
            }
        }
        #expect(text.hasPrefix("event: hello\n"))
    }

    /// What the client sends, and the status of the reply.
    static let errors: [(String, String, [StreamHead.Field], [UInt8]?, status: String)] = [
        ("GET", "/v1/objects/../a", [], nil, "400"), ("GET", "/none", [], nil, "404"),
        ("BREW", "/health", [], nil, "405"), ("PUT", "/v1/objects/other/a", [], nil, "411"),
        ("PUT", "/v1/objects/other/a", [], [1], "400"),
        (
            "PUT", "/v1/objects/filesinki/c", [.init("Content-Digest", TestServer.digest([1]))],
            [1], "428"
        ),
        (
            "PUT", "/v1/objects/other/a", [.init("Content-Digest", TestServer.digest([2]))], [1],
            "400"
        ),
        ("POST", "/v1/read", [], Array("x\n".utf8), "200"),
        ("POST", "/v1/read", [], [0xFF], "400"), ("GET", "http://h/v1/list", [], nil, "400"),
    ]

    @Test("errors are those over HTTP", arguments: errors)
    func error(
        _ method: String, _ target: String, _ fields: [StreamHead.Field], _ body: [UInt8]?,
        _ status: String
    ) async throws {
        let reply = try await StreamClient().ask(method, target, fields, body: body)
        #expect(reply.status == status, "\(reply.text)")
    }

    @Test("a grant limits what its client may do", arguments: AccessRight.allCases)
    func rights(_ right: AccessRight) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let remote = try DirectoryRemote.create(path: folder.path("store"))
        try await remote.put([1], to: ObjectKey("packs/aa/b"))
        let client = try StreamClient(in: folder, StreamGrant(rights: [right]))
        #expect(
            try await client.ask("GET", "/v1/objects/packs/aa/b").status
                == (right == .read ? "200" : "403"))
        #expect(
            try await client.put("zones/m/log/1/c", [1], publish: true).status
                == (right == .append ? "201" : "403"))
        #expect(
            try await client.ask("DELETE", "/v1/objects/packs/aa/b").status
                == (right == .prune ? "204" : "403"))
    }

    @Test func `a grant limits its client to zones`() async throws {
        let client = try StreamClient(StreamGrant(zones: ["m"]))
        #expect(try await client.put("zones/m/log/1/c", [1], publish: true).status == "201")
        #expect(try await client.put("zones/n/log/1/c", [1], publish: true).status == "403")
    }

    @Test func `a device belongs to the client's name, as to a token's`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("own/tokens"))
        _ = try file.makeToken(
            name: "phone", rights: [.read], zones: nil, TestClock().systemContext)
        func client(_ name: String?) throws -> StreamClient {
            try StreamClient(in: folder, StreamGrant(rights: [.read, .append], name: name)) {
                $0.tokenFile = file.path
                $0.deviceFile = folder.path("store/.serve/devices")
            }
        }
        func publish(_ device: String, _ number: Int, _ name: String?) async throws -> String {
            let key = "devices/\(device)/main/\(number)/c"
            return try await client(name).put(key, [1], publish: true).status
        }
        #expect(try await publish("a", 1, "laptop") == "201")
        #expect(try await publish("a", 2, "laptop") == "201")
        #expect(try await publish("a", 3, "phone") == "403")
        #expect(try await publish("b", 1, "phone") == "201")
        let key = "/v1/objects/devices/a/main/1/c"
        #expect(try await client("phone").ask("DELETE", key).status == "403")
        #expect(try await client("laptop").ask("DELETE", key).status == "204")
        // A server with tokens goes by the same file, and by the names of its tokens.
        let token = try file.makeToken(
            name: "laptop", rights: [.read, .append], zones: nil, TestClock().systemContext)
        try await withServer {
            $0.folder = folder.path("store")
            $0.tokenFile = file.path
            $0.deviceFile = folder.path("store/.serve/devices")
        } _: { server in
            for (device, status) in [("a", 201), ("b", 403)] {
                let reply = try await server.put(
                    "devices/\(device)/main/9/c", [1], publish: true, token: token.token.text)
                #expect(reply.status == status)
            }
        }
    }

    @Test(
        "where no store is to be made, none is: all is refused that may make the folder, else what stores something",
        arguments: [true, false])
    func misplaced(_ isCreating: Bool) async throws {
        let client = try StreamClient(hasFolder: !isCreating) {
            $0.createsFolder = isCreating
            $0.misplacement = .insideReplica
        }
        let refused =
            "{\"code\":\"misplaced\",\"message\":"
            + "\"The folder is inside a replica, which would sync the store.\"}\n"
        let put = try await client.put("filesinki/c", [1], publish: true)
        #expect(put.status == "403" && put.text == refused, "\(put.text)")
        let read = try await client.ask("GET", "/v1/objects/filesinki/c")
        #expect(read.status == (isCreating ? "403" : "404"))
        #expect((access(client.folder.path("store"), F_OK) == 0) == !isCreating)
    }

    @Test(
        "a grant has a right, and names that are some",
        arguments: [
            { _ = try StreamGrant(rights: []) }, { _ = try StreamGrant(zones: ["A"]) },
            { _ = try StreamGrant(zones: []) }, { _ = try StreamGrant(name: "") },
            { _ = try StreamGrant(name: "a\tb") },
        ] as [@Sendable () throws -> Void])
    func grant(_ make: @Sendable () throws -> Void) {
        let failure = #expect(throws: Failure.self) { try make() }
        #expect(failure?.code == .usage)
    }

    @Test func `the server ends with its input`() async throws {
        let client = try StreamClient()
        #expect(try await client.ask("GET", "/health").status == "200")
        _ = try client.open(StreamHead("GET /v1/events"), whole: [])
        client.disconnect()
        // If it does not end, the time limit of the test run fails.
        try await client.server.value
    }

    @Test func `a client that is gone at once is no error`() async throws {
        for opening in [[], [0], StreamOpening.client] as [[UInt8]] {
            let client = try StreamClient(opening: opening)
            client.disconnect()
            try await client.server.value
        }
    }

    @Test func `the server ends when its task is cancelled`() async throws {
        let client = try StreamClient()
        #expect(try await client.ask("GET", "/health").status == "200")
        client.server.cancel()
        try await client.server.value
    }

    static let garbage: [[UInt8]] = [
        Array("GET / HTTP/1.1\r\n".utf8), StreamOpening.client.dropLast() + [4],
        StreamOpening.client + [9, 9, 9, 9, 9, 9, 9, 9, 9],
        StreamOpening.client + StreamFrame(.body, 1, [1]).encoded,
    ]

    @Test("what is not the protocol ends the server with an error", arguments: garbage)
    func notTheProtocol(_ opening: [UInt8]) async throws {
        let client = try StreamClient(opening: opening)
        let failure = await #expect(throws: Failure.self) { try await client.server.value }
        #expect(failure?.code == .corrupt)
    }

    @Test func `an upload that is cut goes on over another connection`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let content = noise(2_000_000)
        let id = String(repeating: "5a", count: 16)
        let fields: [StreamHead.Field] = [
            .init("Content-Digest", TestServer.digest(content)), .init("Upload-Id", id),
        ]
        let first = try StreamClient(in: folder)
        let cut = try first.open(
            StreamHead("PUT /v1/objects/other/a", fields + [.init("Content-Length", "2000000")]))
        try await cut.send(body: content[..<700_000])
        first.disconnect()
        try await first.server.value
        let second = try StreamClient(in: folder)
        let state = try await second.ask("HEAD", "/v1/uploads/\(id)")
        let offset = try #require(state.head["Upload-Offset"].flatMap { Int($0) })
        #expect(offset > 0 && offset <= 700_000)
        let rest = Array(content[offset...])
        let reply = try await second.ask(
            "PUT", "/v1/objects/other/a", fields + [.init("Upload-Offset", String(offset))],
            body: rest)
        #expect(reply.status == "201")
        #expect(try await second.ask("GET", "/v1/objects/other/a").body == content)
    }

    @Test func `a client that gives up a request frees it at the server`() async throws {
        let client = try StreamClient()
        // More than there may be at once.
        for _ in 0..<300 {
            let exchange = try client.open(StreamHead("GET /v1/events"), whole: [])
            exchange.cut(CancellationError())
        }
        let exchange = try client.open(StreamHead("GET /v1/events"), whole: [])
        for try await case .head(let head) in exchange.events {
            #expect(head.first == "200")
            break
        }
        var watchers = ""
        while !watchers.contains("filesinki_watchers 1\n") {
            watchers = try await client.ask("GET", "/metrics").text
        }
    }

    @Test func `a folder that is missing is created only when that was asked for`() async throws {
        let missing = try StreamClient(hasFolder: false)
        let reply = try await missing.ask("GET", "/v1/objects/filesinki/c")
        #expect(reply.status == "503" && reply.text.contains("missing"))
        #expect(access(missing.folder.path("store"), F_OK) != 0)
        let created = try StreamClient(hasFolder: false) { $0.createsFolder = true }
        #expect(try await created.ask("GET", "/v1/objects/filesinki/c").status == "404")
        // Nothing else is put there.
        #expect(access(created.folder.path("store/.serve"), F_OK) != 0)
    }

    @Test func `injected faults end the connection`() async throws {
        for fault in ["drop", "deaf", "cut=100"] {
            let rule = "GET@other/a:\(fault)"
            let client = try StreamClient { $0.faults = try ServerFaults(rule) }
            _ = try await client.put("other/a", [UInt8](repeating: 1, count: 200_000))
            await #expect(throws: Failure.self, "\(rule)") {
                try await client.ask("GET", "/v1/objects/other/a")
            }
            try await client.server.value
        }
    }
}
