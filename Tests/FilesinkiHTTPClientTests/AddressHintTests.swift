import Testing

@testable import FilesinkiHTTPClient

@Suite("Hints on mistaken addresses")
struct AddressHintTests {
    @Test(
        "an address without a port is one of serve only by mistake",
        arguments: [
            ("https://localhost", "https://localhost:8390"), ("http://[::1]", "http://[::1]:8390"),
            ("https://localhost:8390", nil), ("http://[::1]:80", nil),
        ])
    func port(_ address: String, _ better: String?) {
        let hint = AddressHint.refused(address)
        #expect(better.map { hint.contains(" \($0).") } ?? hint.isEmpty, "\(hint)")
    }

    @Test("only without TLS a closed connection suggests TLS")
    func closed() {
        #expect(AddressHint.closed("http://h:8390").contains("https://"))
        #expect(AddressHint.closed("https://h:8390").isEmpty)
    }
}
