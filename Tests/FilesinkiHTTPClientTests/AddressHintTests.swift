import FilesinkiHTTP
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
        let hint = AddressHint.refused(HTTPRequest("GET", address + "/log/1/c"))
        #expect(better.map { hint.contains(" \($0).") } ?? hint.isEmpty, "\(hint)")
    }

    @Test("only without TLS a closed connection suggests TLS")
    func closed() {
        #expect(AddressHint.closed(HTTPRequest("GET", "http://h:8390/")).contains("https://"))
        #expect(AddressHint.closed(HTTPRequest("GET", "https://h:8390/")).isEmpty)
    }

    @Test("hints are about the address that the user wrote")
    func place() {
        var request = HTTPRequest("GET", "http://h/dav/log/1/c")
        request.place = "webdav://h/dav"
        #expect(AddressHint.closed(request) == "If the server uses TLS, write webdavs://. ")
        #expect(AddressHint.refused(request).isEmpty)
    }
}
