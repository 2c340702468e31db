import FilesinkiHTTP
import FilesinkiHTTPClient
import FilesinkiModel
import Testing

@testable import FilesinkiNetwork

@Suite struct ProxyTests {
    func settings(
        _ address: String, _ environment: [String: String]
    ) throws -> ConnectionSettings {
        let address = try WebAddress(address, schemes: ["http": false, "https": true])
        return try ConnectionSettings(for: address) { environment[$0] }
    }

    static let proxies: [(String, [String: String], String?)] = [
        ("https://h/", ["https_proxy": "http://p:8080"], "p:8080"),
        ("https://h/", ["HTTPS_PROXY": "p:8080"], "p:8080"),
        ("http://h/", ["http_proxy": "http://p"], "p:3128"),
        ("http://h/", ["HTTP_PROXY": "http://p"], nil),
        ("http://h/", ["https_proxy": "http://p"], nil),
        ("http://h/", ["ALL_PROXY": "http://p:1"], "p:1"),
        ("https://localhost/", ["https_proxy": "http://p"], nil),
        ("https://a.example.org/", ["https_proxy": "p", "no_proxy": "x, .example.org"], nil),
        ("https://example.org/", ["https_proxy": "p", "no_proxy": "example.org"], nil),
        ("https://an-example.org/", ["https_proxy": "p", "no_proxy": "example.org"], "p:3128"),
        ("https://h/", ["https_proxy": "p", "NO_PROXY": "*"], nil),
        ("https://h/", [:], nil),
    ]

    @Test("the proxy is chosen as other programs choose it", arguments: proxies)
    func proxy(_ address: String, _ environment: [String: String], _ wanted: String?) throws {
        let proxy = try settings(address, environment).proxy
        #expect(proxy.map { "\($0.host):\($0.port)" } == wanted)
    }

    @Test func `a proxy's password is kept apart and not shown`() throws {
        let settings = try settings("https://h/", ["https_proxy": "http://me:hunter%32@p:1"])
        #expect(settings.proxy?.authorization == Secret("me:hunter2"))
        #expect(!"\(settings)".contains("hunter"))
    }

    @Test func `an unsupported proxy address is reported without its password`() {
        let failure = #expect(throws: Failure.self) {
            try settings("https://h/", ["https_proxy": "socks5://me:hunter2@p:1"])
        }
        #expect(failure?.code == .usage)
        #expect(failure?.description.contains("hunter2") == false)
    }
}
