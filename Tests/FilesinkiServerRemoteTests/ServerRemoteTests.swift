import FilesinkiDirectory
import FilesinkiHTTP
import FilesinkiHTTPClient
import FilesinkiModel
import FilesinkiRemote
import FilesinkiServer
import FilesinkiServerRemote
import FilesinkiTesting
import Glibc
import Testing

@Suite struct ServerRemoteTests {
    func key(_ text: String) throws -> ObjectKey { try ObjectKey(text) }

    @Test func `many objects are read in one request, each in the requested range`() async throws {
        try await withServedFolder(ServedFolder()) { served in
            let remote = try served.remote()
            try await remote.put(Array("0123456789".utf8), to: key("other/a"))
            _ = try await remote.publish([7], to: key("zones/files/log/1/c"))
            let known = bytes(
                hexadecimal: "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882")
            let replies = try await remote.read([
                ObjectRequest(key("other/a")), ObjectRequest(key("other/none")),
                ObjectRequest(key("other/a"), range: 2..<4),
                ObjectRequest(key("other/a"), known: known),
                ObjectRequest(key("other/a"), known: [UInt8](repeating: 0, count: 32)),
                ObjectRequest(key("zones/files/log/1/c")),
                ObjectRequest(key("other/a"), range: 20..<30),
            ])
            let whole = ObjectReply.bytes(Array("0123456789".utf8))
            #expect(
                replies == [
                    whole, .absent, .bytes(Array("23".utf8)), .same, whole, .bytes([7]), .bytes([]),
                ])
        }
    }

    @Test("who may only read is told so when it writes", arguments: [AccessRight.read, .append])
    func readOnly(_ right: AccessRight) async throws {
        try await withServedFolder(ServedFolder(isPrivate: true, rights: [right])) { served in
            let remote = try served.remote()
            let failure = await #expect(throws: Failure.self) {
                if right == .read {
                    try await remote.put([1], to: key("other/a"))
                } else {
                    _ = try await remote.get(key("other/a"), range: nil)
                }
            }
            #expect(failure?.code == .notAllowed && failure?.isRefusal == true)
            #expect(failure?.isOfReadOnlyAccess == (right == .read))
            #expect(failure?.message.contains("may only read") == (right == .read))
        }
    }

    @Test(
        "who may not prune is told which right is missing, and how to get it",
        arguments: [[AccessRight.read], [.read, .append]])
    func noPruning(_ rights: Set<AccessRight>) async throws {
        try await withServedFolder(ServedFolder(isPrivate: true, rights: rights)) { served in
            let remote = try served.remote()
            for (name, place) in [
                ("packs/0a/b", ""), ("zones/notes/log/1/c", " in the zone notes"),
            ] {
                let failure = await failure { try await remote.delete(key(name)) }
                #expect(failure?.code == .notAllowed && failure?.account == .restricted)
                #expect(failure?.message == "The token lacks the right to prune\(place) (403).")
                #expect(
                    failure?.remedy
                        == "Ask the server's administrator for a token that has it, as filesinki serve "
                        + "token make DIR NAME --rights read,append,prune makes one.")
            }
            // What a device has of its own needs another right.
            let probe = await failure { try await remote.delete(key("probe/a")) }
            let told = rights == [.read] ? "The token may only read (403)." : nil
            #expect(probe?.message == told)
        }
    }

    @Test func `objects that do not fit into one reply are requested again`() async throws {
        try await withServedFolder(ServedFolder()) { served in
            let remote = try served.remote()
            let large = [UInt8](repeating: 3, count: 24 << 20)
            try await remote.put(large, to: key("other/a"))
            let replies = try await remote.read(
                [key("other/a")].flatMap { key in (0..<5).map { _ in ObjectRequest(key) } })
            #expect(replies.count == 5)
            for reply in replies {
                guard case .bytes(let bytes) = reply else {
                    Issue.record("It is not there.")
                    continue
                }
                #expect(compare(bytes, large) == 0)
            }
        }
    }

    @Test func `an upload that is cut again and again continues where it was cut`() async throws {
        let faults = try ServerFaults("PUT/2:cut=0")
        try await withServedFolder(ServedFolder { $0.faults = faults }) { served in
            let content = noise(3 << 20)
            let remote = RetryingRemote(
                try served.remote(), systemContext: ManualClock().systemContext)
            for name in ["a", "b", "c"] {
                try await remote.put(content, to: key("other/\(name)"))
                let found = try #require(try await remote.get(key("other/\(name)"), range: nil))
                #expect(compare(found, content) == 0)
            }
        }
    }

    @Test func `a quota that is used up is told from a full disk`() async throws {
        try await withServedFolder(ServedFolder { $0.quota = 10 }) { served in
            let remote = try served.remote()
            try await remote.put([1], to: key("other/a"))
            let full = await failure {
                try await remote.put([UInt8](repeating: 1, count: 20), to: key("other/b"))
            }
            #expect(full?.code == .full)
            #expect(full?.message.contains("quota") == true)
            #expect(full?.remedy.contains("filesinki prune") == true)
        }
    }

    @Test func `the guarantees are tested where half a megabyte is left`() async throws {
        try await withServedFolder(ServedFolder { $0.quota = 512 << 10 }) { served in
            let probe = SlotProbe(
                systemContext: ServedFolder.systemContext, writers: 8, rounds: 4
            ) { try served.remote() }
            let report = try await probe.testRemote()
            #expect(report.isFit, "\(report)")
        }
    }

    @Test(
        "a request beyond the token's rights is refused and has no effect",
        arguments: [
            (Set([AccessRight.read]), ["get", "list", "read"]),
            (Set([.append]), ["put", "publish"]), (Set([.prune]), ["delete"]),
            (
                Set([.read, .append]),
                ["get", "list", "read", "put", "publish"]
            ),
        ])
    func rights(_ rights: Set<AccessRight>, _ allowed: [String]) async throws {
        try await withServedFolder(ServedFolder(isPrivate: true, rights: rights)) { served in
            let remote = try served.remote()
            let verbs: [(String, () async throws -> Void)] = [
                ("get", { _ = try await remote.get(ObjectKey("other/x"), range: nil) }),
                ("list", { _ = try await remote.list(prefix: "", after: nil, limit: 9) }),
                ("read", { _ = try await remote.read([ObjectRequest(ObjectKey("other/x"))]) }),
                ("put", { try await remote.put([1], to: ObjectKey("other/a")) }),
                (
                    "publish",
                    { _ = try await remote.publish([1], to: ObjectKey("zones/z/log/1/c")) }
                ),
                ("delete", { try await remote.delete(ObjectKey("other/y")) }),
            ]
            for (verb, run) in verbs {
                let failure = await failure(of: run)
                #expect(failure?.code == (allowed.contains(verb) ? nil : .notAllowed), "\(verb)")
            }
        }
    }

    private func failure(of run: () async throws -> Void) async -> Failure? {
        do {
            try await run()
            return nil
        } catch {
            return error as? Failure ?? Failure(.io, "\(error)", remedy: "")
        }
    }

    @Test func `a wrong token, a missing one and one of another server are refused`()
        async throws
    {
        try await withServedFolder(ServedFolder(isPrivate: true)) { served in
            let tokens = [
                ("", "what was given is no token"), ("nonsense", "what was given is no token"),
                (
                    "fsk_000000000000_AAAA",
                    "the token 000000000000 was revoked or mistyped, or is of another"
                ),
            ]
            for (text, cause) in tokens {
                let remote = try served.remote(token: Secret(text))
                let failure = await failure { _ = try await remote.get(key("other/x"), range: nil) }
                #expect(failure?.code == .notAllowed && failure?.account == .noAccount)
                #expect(text.isEmpty || failure?.description.contains(text) == false)
                #expect(failure?.message.contains(cause) == true, "\(failure?.message ?? "")")
                let command = "filesinki remote set \(remote.address) --token-file FILE"
                #expect(failure?.remedy.contains(command) == true, "\(failure?.remedy ?? "")")
                #expect(failure?.remedy.contains("FILESINKI_TOKEN") == true)
            }
        }
    }

    @Test func `an untrusted certificate is rejected`() async throws {
        try await withServedFolder(ServedFolder(isPrivate: true)) { served in
            let remote = try ServerRemote(
                address: WebAddress(
                    isSecure: true, host: "localhost", port: served.server.address.port),
                transport: HTTPConnections(), credentials: .bearer(Secret("t")),
                systemContext: ServedFolder.systemContext)
            let failure = await failure { _ = try await remote.get(key("other/x"), range: nil) }
            #expect(failure?.code == .notAllowed)
        }
    }

    @Test func `a token is not sent to another machine without encryption`() throws {
        let connections = try HTTPConnections()
        let failure = #expect(throws: Failure.self) {
            try ServerRemote(
                address: WebAddress(isSecure: false, host: "example.org"), transport: connections,
                credentials: .bearer(Secret("hunter2")), systemContext: ServedFolder.systemContext)
        }
        #expect(failure?.code == .notAllowed)
        #expect(failure?.description.contains("hunter2") == false)
    }

    @Test(
        "replies of other servers are rejected",
        arguments: ["200 OK", "404 Not Found", "204 No Content", "206 Partial Content"])
    func portal(_ status: String) async throws {
        let page = ScriptedServer.reply(
            status, ["Content-Type: text/html"], status.hasPrefix("204") ? [] : Array("<html>".utf8)
        )
        let server = try ScriptedServer((0..<4).map { _ in .sendAndClose(page) })
        let remote = try ServerRemote(
            address: WebAddress(isSecure: false, host: "127.0.0.1", port: server.port),
            transport: HTTPConnections(), systemContext: ServedFolder.systemContext)
        let key = try key("other/x")
        let verbs: [() async throws -> Void] = [
            { _ = try await remote.get(key, range: nil) }, { try await remote.put([1], to: key) },
            { _ = try await remote.read([ObjectRequest(key)]) }, { try await remote.delete(key) },
        ]
        for verb in verbs {
            let failure = await failure(of: verb)
            #expect(failure?.code == .away)
        }
    }

    @Test func `a login that is not asked for by filesinki is taken for one of WebDAV`()
        async throws
    {
        let challenge = ["WWW-Authenticate: Basic realm=\"x\"", "DAV: 1,2"]
        let server = try ScriptedServer([
            .send(ScriptedServer.reply("401 Unauthorized", challenge))
        ])
        let address = WebAddress(
            isSecure: false, host: "127.0.0.1", port: server.port, path: "/dav")
        let remote = try ServerRemote(
            address: address, transport: HTTPConnections(),
            systemContext: ServedFolder.systemContext)
        let failure = await self.failure {
            _ = try await remote.get(key("filesinki/c"), range: nil)
        }
        #expect(failure?.code == .notAllowed)
        let place = "webdav://127.0.0.1:\(server.port)/dav"
        #expect(failure?.remedy.contains("write \(place), and set FILESINKI_USER") == true)
        let password = await self.failure {
            _ = try ServerRemote(
                address: address, transport: HTTPConnections(),
                credentials: .password(user: "me", Secret("x")),
                systemContext: ServedFolder.systemContext)
        }
        #expect(password?.remedy.contains("write \(place). Otherwise") == true)
    }

    @Test func `a store's folder that is gone is named by each request, which is sent once`()
        async throws
    {
        try await withServedFolder(ServedFolder()) { served in
            let remote = try served.remote()
            let store = served.folder.path("store")
            try #require(rename(store, store + "-away") == 0)
            let requests: [(String, () async throws -> Void)] = [
                ("get", { _ = try await remote.get(ObjectKey("other/a"), range: nil) }),
                ("ask", { _ = try await remote.get(ObjectKey("other/a"), range: 0..<0) }),
                // The first request of a run.
                ("read", { _ = try await remote.read([ObjectRequest(ObjectKey("other/a"))]) }),
                ("list", { _ = try await remote.list(prefix: "", after: nil, limit: 9) }),
            ]
            for (name, request) in requests {
                let failure = await failure { try await request() }
                #expect(failure?.code == .away, "\(name)")
                #expect(
                    failure?.message == "The folder of the store was not found (unmounted?).",
                    "\(name)")
                #expect(failure?.isTransient == false, "\(name)")
            }
        }
    }

    @Test func `a path in the address of a server is refused, and the address without it named`()
        async throws
    {
        try await withServedFolder(ServedFolder()) { served in
            let port = served.server.address.port
            let remote = try ServerRemote(
                address: WebAddress(isSecure: false, host: "localhost", port: port, path: "/s2"),
                transport: HTTPConnections(), systemContext: ServedFolder.systemContext)
            let calls: [() async throws -> Void] = [
                { _ = try await remote.get(self.key("filesinki/c"), range: nil) },
                { _ = try await remote.read([ObjectRequest(self.key("filesinki/c"))]) },
                { try await remote.put([1], to: self.key("other/a")) },
            ]
            for call in calls {
                let failure = await failure(of: call)
                #expect(failure?.code == .usage)
                #expect(failure?.remedy.contains("http://localhost:\(port).") == true)
            }
        }
    }

    @Test func `a change wakes a waiting client, also when it came before`() async throws {
        try await withServedFolder(ServedFolder()) { served in
            let remote = try served.remote()
            // The first wait only makes sure that nothing is missed from now on.
            try await remote.wait(prefix: "zones/", timeout: .seconds(120))
            for number in 1...5 {
                _ = try await served.remote().publish([1], to: key("zones/z/log/\(number)/c"))
                // Without a notice the time limit of the test would be over first.
                try await remote.wait(prefix: "zones/", timeout: .seconds(3600))
            }
        }
    }

    @Test func `the folder may be used directly at the same time`() async throws {
        try await withServedFolder(ServedFolder()) { served in
            let remote = try served.remote()
            let direct = DirectoryRemote(path: served.folder.path("store"))
            #expect(try await direct.publish([1], to: key("zones/z/log/1/c")) == .mine)
            #expect(try await remote.publish([2], to: key("zones/z/log/1/c")) == .theirs([1]))
            #expect(try await remote.publish([2], to: key("zones/z/log/2/c")) == .mine)
            #expect(try await direct.publish([1], to: key("zones/z/log/2/c")) == .theirs([2]))
        }
    }
}
