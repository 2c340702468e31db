import FilesinkiHTTP
import FilesinkiModel
import Testing

@Suite struct WebAddressTests {
    static let schemes = ["http": false, "https": true]

    @Test(
        "an address has a host, a port and a path",
        arguments: [
            ("http://example.org", "http://example.org"),
            ("HTTPS://Example.ORG:8443/a/b/", "https://example.org:8443/a/b"),
            ("http://[::1]:80/x", "http://[::1]:80/x"), ("http://[::1]", "http://[::1]"),
            ("https://me@example.org//a///b", "https://example.org/a/b"),
            ("http://h/a b%20c%2Fd/ä", "http://h/a%20b%20c%2Fd/%C3%A4"),
            ("http://h/%", "http://h/%25"),
        ])
    func reading(_ text: String, _ normal: String) throws {
        let address = try WebAddress(text, schemes: Self.schemes)
        #expect(address.description == normal)
        #expect(try WebAddress(normal, schemes: Self.schemes).description == normal)
    }

    @Test(
        "invalid addresses are rejected",
        arguments: [
            "", "example.org", "ftp://example.org", "http://", "http:///a", "http://:80/",
            "http://a b/", "http://h:0/", "http://h:99999/", "http://h:x/", "http://[::1/",
            "http://h/a?b", "http://h/a#b", "http://h/../a", "http://h/./a", "http://h\r\nX: y/",
            "http://h%00/", "http://h?a@b", "http://h#a@b", "http://h?a=b@c/d",
        ])
    func refusing(_ text: String) {
        let failure = #expect(throws: Failure.self) {
            try WebAddress(text, schemes: Self.schemes)
        }
        #expect(failure?.code == .usage)
    }

    @Test func `a password in an address is refused and not repeated`() {
        let failure = #expect(throws: Failure.self) {
            try WebAddress("https://me:hunter2@example.org/", schemes: Self.schemes)
        }
        #expect(failure?.code == .usage)
        #expect(failure?.description.contains("hunter2") == false)
    }

    @Test func `the user name before the host is kept apart`() throws {
        let address = try WebAddress("https://a%40b@example.org/x", schemes: Self.schemes)
        #expect(address.user == "a@b")
        #expect(!address.description.contains("b@"))
    }

    @Test(
        "loopback addresses are recognised",
        arguments: [
            ("http://localhost:1/", true), ("http://127.0.0.9/", true), ("http://[::1]/", true),
            ("http://localhost.example.org/", false), ("http://10.0.0.1/", false),
            ("http://127.0.0.1.example.org/", false), ("http://127.example.org/", false),
            ("http://1127.0.0.1/", false), ("http://127.1/", true),
        ])
    func loopback(_ text: String, _ isLoopback: Bool) throws {
        #expect(try WebAddress(text, schemes: Self.schemes).isLoopback == isLoopback)
    }

    @Test(
        "the parts of an address are as messages and connections need them",
        arguments: [
            (
                "https://Me@Example.org:443/a", "example.org:443", "example.org",
                "https://example.org:443"
            ),
            ("http://[FE80::1]/", "[fe80::1]", "fe80::1", "http://[fe80::1]"),
            ("http://h_1.x-y:65535", "h_1.x-y:65535", "h_1.x-y", "http://h_1.x-y:65535"),
            ("http://[::1]:1/x", "[::1]:1", "::1", "http://[::1]:1"),
        ])
    func parts(_ text: String, _ authority: String, _ host: String, _ origin: String) throws {
        let address = try WebAddress(text, schemes: Self.schemes)
        #expect(address.authority == authority)
        #expect(address.connectHost == host)
        #expect(address.origin == origin)
    }

    @Test(
        "a port is from 1 to 65535, and a host has the letters of one",
        arguments: [
            ("http://h:1", 1), ("http://h:65535", 65_535), ("http://h", nil), ("http://[::1]:7", 7),
        ] as [(String, Int?)])
    func ports(_ text: String, _ port: Int?) throws {
        #expect(try WebAddress(text, schemes: Self.schemes).port == port)
    }

    @Test(
        "a host or a port that is none is refused with what was written",
        arguments: [
            "http://h:65536/", "http://h:-1/", "http://h:/", "http://[]/", "http://[::1]x/",
            "http://h[1]/", "http://a:b:1/", "http://ä/", "http://h;x/", "https//h", "://h",
            "HTTP:h", "http://u@/", "http://[::1]]:1/",
        ])
    func hosts(_ text: String) {
        let failure = #expect(throws: Failure.self) {
            try WebAddress(text, schemes: Self.schemes)
        }
        #expect(failure?.code == .usage)
        #expect(failure?.path == Array(text.utf8))
        #expect(failure?.message == "Invalid store address.")
    }

    @Test func `an at sign in the path, or in a user's name, is no end of the user`() throws {
        let path = try WebAddress("http://h/a@b", schemes: Self.schemes)
        #expect(path.user == nil && path.path == "/a%40b")
        let user = try WebAddress("http://me@work@h/", schemes: Self.schemes)
        #expect(user.user == "me@work" && user.host == "h")
    }
}
