import FilesinkiHTTP
import FilesinkiModel
import Testing

/// Requests, replies and their fields.
@Suite struct HTTPRequestTests {
    @Test(
        "the server's address has neither the path, which may hold a key, nor the query",
        arguments: [
            ("https://h:8080/a/b?X-Signature=s", "https://h:8080"), ("http://h", "http://h"),
            ("http://h?a=b/c", "http://h"), ("https://[::1]:1/x", "https://[::1]:1"), ("h/a", ""),
            ("", ""), ("http://h/http://other/", "http://h"),
        ])
    func origin(_ url: String, _ origin: String) {
        var request = HTTPRequest("GET", url)
        #expect(request.origin == origin)
        #expect(request.addressForMessages == origin)
        request.place = "s3://bucket"
        #expect(request.addressForMessages == "s3://bucket")
        #expect(request.origin == origin)
    }

    @Test func `a request has no body, 1 MiB of reply and no limit of time unless it says so`() {
        let request = HTTPRequest("GET", "http://h")
        #expect(request.body.isEmpty && request.fields.all.isEmpty)
        #expect(request.maximumReply == 1 << 20)
        #expect(request.limit == nil && request.cutAfter == nil && request.place == nil)
    }

    @Test(
        "a reply is a success from 200 to 299",
        arguments: [(199, false), (200, true), (204, true), (299, true), (300, false), (0, false)])
    func success(_ status: Int, _ isSuccess: Bool) {
        #expect(HTTPReply(status: status).isSuccess == isSuccess)
    }

    @Test(
        "a web page is known by its type, as a captive portal sends it",
        arguments: [
            ("text/html", true), ("Text/HTML; charset=utf-8", true), ("application/xml", false),
            ("application/xhtml+xml", false), ("", false),
        ])
    func webPage(_ type: String, _ isPage: Bool) {
        #expect(HTTPReply(status: 200, fields: ["content-type": type]).isWebPage == isPage)
        #expect(!HTTPReply(status: 200).isWebPage)
    }

    // MARK: Fields

    @Test(
        "names are the same but for the case of a to z",
        arguments: [
            ("ETag", "etag", true), ("x-a", "X-A", true), ("x", "xx", false), ("@a", "`a", false),
            ("[", "{", false), ("é", "É", false), ("", "", true), ("k", "\u{212A}", false),
        ])
    func names(_ name: String, _ other: String, _ isSame: Bool) {
        let fields = HTTPFields([(name, "value")])
        #expect((fields[other] == "value") == isSame)
        #expect(fields.values(of: other) == (isSame ? ["value"] : []))
    }

    @Test func `a field that is set takes the place of all of its name`() {
        var fields: HTTPFields = ["a": "1", "B": "2", "A": "3"]
        fields["a"] = "4"
        #expect(fields.all.map(\.name) == ["B", "a"])
        #expect(fields.all.map(\.value) == ["2", "4"])
        fields["c"] = nil
        fields["b"] = nil
        #expect(fields.all.map(\.name) == ["a"])
    }

    // MARK: Ranges

    @Test(
        "a range has its first and last byte, and the size if that is known",
        arguments: [
            ("bytes 0-0/1", 0, 0, 1), ("Bytes 5-9/*", 5, 9, nil), ("bytes 0-99/100", 0, 99, 100),
            ("bytes 3-3/9223372036854775807", 3, 3, .max),
            ("bytes 0-9223372036854775806/*", 0, .max - 1, nil),
        ] as [(String, Int64, Int64, Int64?)])
    func range(_ text: String, _ first: Int64, _ last: Int64, _ size: Int64?) throws {
        let range = try #require(ContentRange(text))
        #expect(range.first == first && range.last == last && range.size == size)
    }

    @Test(
        "any other range is none",
        arguments: [
            "", "bytes", "bytes ", "bytes */100", "bytes 5-4/9", "bytes 0-9/9", "bytes 0-9",
            "bytes 0-9/", "bytes 0-9/10/11", "bytes -1-5/9", "bytes 0-1-2/9", "bytes a-b/9",
            "bytes 0-9/x", "items 0-9/10", "bytes0-9/10", "bytes 0-9223372036854775807/*",
            "bytes 0-9223372036854775808/*", "bytes 0-0/0",
        ])
    func noRange(_ text: String) {
        #expect(ContentRange(text) == nil)
    }
}
