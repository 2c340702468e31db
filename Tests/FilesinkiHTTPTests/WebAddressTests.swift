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
        ])
    func loopback(_ text: String, _ isLoopback: Bool) throws {
        #expect(try WebAddress(text, schemes: Self.schemes).isLoopback == isLoopback)
    }
}
