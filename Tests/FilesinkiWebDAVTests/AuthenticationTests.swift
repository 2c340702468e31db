import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiWebDAV

@Suite struct AuthenticationTests {
    private static let ann = Credentials.password(user: "ann", Secret("open sesame"))

    /// A server that requires an `Authorization` accepted by `isRight`.
    private func server(
        asking challenge: String, isRight: @escaping @Sendable (String) -> Bool
    ) -> MemoryDAV {
        let server = MemoryDAV(interception: { request in
            if let field = request.fields["Authorization"], isRight(field) { return nil }
            return HTTPReply(status: 401, fields: ["WWW-Authenticate": challenge])
        })
        server.place(bytes("x"), at: "/dav/a")
        return server
    }

    @Test func `a password is sent only when the server asks, and then with every request`()
        async throws
    {
        let server = server(asking: "Basic realm=\"x\", charset=\"UTF-8\"") {
            $0 == "Basic YW5uOm9wZW4gc2VzYW1l"
        }
        let remote = try server.remote(credentials: Self.ann)
        for _ in 0..<2 { #expect(try await remote.get(key("a"), range: nil) == bytes("x")) }
        let fields = server.requests.map { $0.fields["Authorization"] }
        #expect(fields == [nil, "Basic YW5uOm9wZW4gc2VzYW1l", "Basic YW5uOm9wZW4gc2VzYW1l"])
    }

    @Test func `a token is sent with every request`() async throws {
        let server = server(asking: "Bearer") { $0 == "Bearer abc" }
        let remote = try server.remote(credentials: .bearer(Secret("abc")))
        #expect(try await remote.get(key("a"), range: nil) == bytes("x"))
        #expect(server.requests.count == 1)
    }

    @Test func `each request of a nonce has its own number`() async throws {
        let server = server(asking: "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"") { _ in true }
        let remote = try server.remote(credentials: Self.ann)
        for _ in 0..<3 { _ = try await remote.get(key("a"), range: nil) }
        let numbers = server.requests.compactMap { request -> Substring? in
            let field = request.fields["Authorization"] ?? ""
            return field.firstRange(of: "nc=").map { field[$0.upperBound...].prefix(8) }
        }
        #expect(numbers == ["00000001", "00000002", "00000003"])
    }

    @Test func `an expired nonce is replaced by the new one`() async throws {
        let asked = Counter()
        let server = MemoryDAV(interception: { request in
            let field = request.fields["Authorization"] ?? ""
            let nonce = asked.value < 4 ? "old" : "new"
            _ = asked.next()
            if field.contains("nonce=\"\(nonce)\"") { return nil }
            return HTTPReply(
                status: 401,
                fields: [
                    "WWW-Authenticate":
                        "Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\", stale=true"
                ])
        })
        server.place(bytes("x"), at: "/dav/a")
        let remote = try server.remote(credentials: Self.ann)
        for _ in 0..<5 { #expect(try await remote.get(key("a"), range: nil) == bytes("x")) }
        #expect(server.requests.count == 7)
    }

    @Test func `a server that forgot a valid nonce gets a new answer`() async throws {
        let asked = Counter()
        let server = MemoryDAV(interception: { request in
            let nonce = asked.next() <= 4 ? "old" : "new"
            let field = request.fields["Authorization"] ?? ""
            if field.contains("nonce=\"\(nonce)\"") { return nil }
            let challenge = "Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\""
            return HTTPReply(status: 401, fields: ["WWW-Authenticate": challenge])
        })
        server.place(bytes("x"), at: "/dav/a")
        let remote = try server.remote(credentials: Self.ann)
        for _ in 0..<5 { #expect(try await remote.get(key("a"), range: nil) == bytes("x")) }
    }

    @Test(
        "a wrong password is reported after one attempt, and never shown",
        arguments: [
            "Basic realm=\"x\"", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"",
            "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256",
        ])
    func wrongPassword(_ challenge: String) async throws {
        let server = server(asking: challenge) { _ in false }
        let remote = try server.remote(credentials: Self.ann, from: .replica)
        let failure = await #expect(throws: Failure.self) {
            try await remote.get(key("a"), range: nil)
        }
        #expect(failure?.code == .notAllowed)
        let replica = CredentialOrigin.replica.passwordRemedy(at: "webdav://localhost/dav")
        #expect(failure?.remedy == replica)
        #expect(server.requests.count == 2)
        #expect(!String(reflecting: failure).contains("sesame"))
        #expect(failure?.path == bytes("webdav://localhost/dav"))
        #expect(failure?.message.contains("ann is no user there, or the password is wrong") == true)
        #expect(!String(reflecting: remote).contains("sesame"))
    }

    @Test func `a server that asks for ever is not answered for ever`() async throws {
        let count = Counter()
        let server = MemoryDAV(interception: { _ in
            let challenge =
                "Digest realm=\"r\", nonce=\"\(count.next())\", qop=\"auth\", stale=true"
            return HTTPReply(status: 401, fields: ["WWW-Authenticate": challenge])
        })
        let remote = try server.remote(credentials: Self.ann)
        #expect(await code { _ = try await remote.get(key("a"), range: nil) } == .notAllowed)
        #expect(server.requests.count <= 4)
    }

    @Test(
        "unknown challenges are not answered",
        arguments: ["Negotiate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"", "", "Bearer"])
    func unknownWays(_ challenge: String) async throws {
        let server = server(asking: challenge) { _ in false }
        for credentials in [Self.ann, .none] {
            let remote = try server.remote(credentials: credentials)
            let failure = await #expect(throws: Failure.self) {
                try await remote.get(key("a"), range: nil)
            }
            #expect(failure?.code == .notAllowed)
            #expect(failure?.remedy.contains("FILESINKI_PASSWORD") == true)
            #expect(failure?.remedy.contains("FILESINKI_TOKEN") == false)
        }
        #expect(server.requests.map { $0.fields["Authorization"] } == [nil, nil])
    }

    @Test func `a server that asked for a digest does not get the password`() async throws {
        let isBasic = Counter()
        let server = MemoryDAV(interception: { _ in
            let digest = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""
            let challenge = isBasic.next() == 1 ? digest : "Basic realm=\"r\""
            return HTTPReply(status: 401, fields: ["WWW-Authenticate": challenge])
        })
        let remote = try server.remote(credentials: Self.ann)
        _ = await code { _ = try await remote.get(key("a"), range: nil) }
        _ = await code { _ = try await remote.get(key("a"), range: nil) }
        let fields = server.requests.compactMap { $0.fields["Authorization"] }
        #expect(!fields.isEmpty)
        #expect(fields.allSatisfy { $0.hasPrefix("Digest ") })
    }

    @Test(
        "credentials are sent without encryption only on this machine, or when allowed",
        arguments: [
            ("http://dav.example/a", false, false), ("http://dav.example/a", true, true),
            ("https://dav.example/a", false, true), ("http://localhost:8080/a", false, true),
            ("http://127.0.0.1/a", false, true), ("http://[::1]/a", false, true),
        ])
    func clearText(_ address: String, allowsInsecure: Bool, isSent: Bool) async throws {
        for credentials in [Self.ann, .bearer(Secret("t"))] {
            let server = MemoryDAV()
            let remote = try server.remote(
                address, credentials: credentials, allowsInsecure: allowsInsecure)
            let result = await code { _ = try await remote.get(key("a"), range: nil) }
            #expect(result == (isSent ? nil : .notAllowed))
            #expect(server.requests.isEmpty == !isSent)
        }
        let server = MemoryDAV()
        #expect(try await server.remote(address).get(key("a"), range: nil) == nil)
    }
}
