import FilesinkiHTTP
import Testing

@testable import FilesinkiWebDAV

@Suite struct DigestTests {
    /// https://www.rfc-editor.org/rfc/rfc7616#section-3.9.1
    @Test(
        "matches the standard's example",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            (
                "SHA-256",
                "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
            ),
        ])
    func standard(_ algorithm: String, response: String) throws {
        let field = """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
            opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        let challenge = try #require(AuthenticationChallenge.all(field).first)
        let answer = DigestResponse(
            try #require(DigestChallenge(challenge)), user: "Mufasa",
            password: Secret("Circle of Life"), count: 1,
            cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(answer.response(method: "GET", path: "/dir/index.html") == response)
        #expect(
            answer.field(method: "GET", path: "/dir/index.html") == """
                Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", \
                algorithm=\(algorithm), nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
                nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, \
                response="\(response)", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
                """)
    }

    /// https://www.rfc-editor.org/rfc/rfc2617#section-3.5
    @Test func `matches the older standard's example`() {
        let challenge = DigestChallenge(
            realm: "testrealm@host.com", nonce: "dcd98b7102dd2f0e8b11d0f600bfb0c093",
            algorithm: .md5)
        let answer = DigestResponse(
            challenge, user: "Mufasa", password: Secret("Circle Of Life"), count: 1,
            cnonce: "0a4f113b")
        #expect(
            answer.response(method: "GET", path: "/dir/index.html")
                == "6629fae49393a05397450978507c4ef1")
    }

    @Test func `quoted values cannot end the quotation, and a name may have any letters`() {
        let challenge = DigestChallenge(realm: "a\"b\\c", nonce: "n", algorithm: .md5)
        func field(_ user: String) -> String {
            DigestResponse(challenge, user: user, password: Secret(""), count: 255, cnonce: "c")
                .field(method: "GET", path: "/")
        }
        #expect(field("x\"y").hasPrefix("Digest username=\"x\\\"y\", realm=\"a\\\"b\\\\c\", "))
        #expect(field("x").contains("nc=000000ff"))
        #expect(field("jäsøn").hasPrefix("Digest username*=UTF-8''j%C3%A4s%C3%B8n, "))
    }

    @Test(
        "parses challenges in every form",
        arguments: [
            ("Basic", ["basic": [:]]), ("Basic realm=x", ["basic": ["realm": "x"]]),
            ("basic REALM=\"a, b=c\"", ["basic": ["realm": "a, b=c"]]),
            (
                "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"s\"",
                [
                    "newauth": ["realm": "apps", "type": "1", "title": "Login to \"apps\""],
                    "basic": ["realm": "s"],
                ]
            ),
            ("Negotiate, Basic realm = \"s\"", ["negotiate": [:], "basic": ["realm": "s"]]),
            (
                "Digest nonce=\"a\" , nonce=\"b\",,qop=auth",
                ["digest": ["nonce": "a", "qop": "auth"]]
            ),
            ("", [:]), ("=", [:]), ("\"", [:]), ("Basic realm=\"x", ["basic": [:]]),
            ("Basic realm=\"x\\", ["basic": [:]]), ("Basic realm=", ["basic": [:]]),
        ])
    func challenges(_ field: String, _ wanted: [String: [String: String]]) {
        let found = AuthenticationChallenge.all(field)
        let pairs = found.map { ($0.scheme, $0.parameters) }
        #expect(Dictionary(pairs) { first, _ in first } == wanted)
    }

    @Test func `an endless challenge is ignored`() {
        #expect(AuthenticationChallenge.all(String(repeating: "Basic, ", count: 2000)).isEmpty)
    }
}
