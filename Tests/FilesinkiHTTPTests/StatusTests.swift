import FilesinkiHTTP
import FilesinkiModel
import Testing

@Suite struct StatusTests {
    @Test(
        "a status that a request does not expect has its failure code",
        arguments: [
            (401, Failure.Code.notAllowed), (407, .notAllowed), (403, .notAllowed), (413, .limit),
            (507, .full), (301, .away), (302, .away), (408, .away), (429, .away), (500, .away),
            (502, .away), (503, .away), (599, .away), (409, .busy), (412, .busy), (423, .busy),
            (200, .away), (418, .away), (404, .away),
        ])
    func status(_ status: Int, _ code: Failure.Code) {
        let failure = HTTPReply(status: status).failure("a/b", at: "http://h")
        #expect(failure.code == code)
        #expect(failure.description.contains("http://h"))
        #expect(!failure.remedy.isEmpty)
    }

    @Test(
        "CK-02 a status tells unknown credentials from a missing right",
        arguments: [
            (401, AccountStatus.noAccount), (407, .noAccount), (403, .restricted),
            (503, .unavailable), (413, .undetermined),
        ])
    func account(_ status: Int, _ account: AccountStatus) {
        #expect(HTTPReply(status: status).failure("a", at: "http://h").accountStatus == account)
    }

    @Test(
        "what concerns the whole server is about its address, the rest about the key",
        arguments: [
            (401, true), (407, true), (403, true), (301, true), (429, true), (503, true),
            (413, false), (507, false), (409, false), (412, false), (404, false), (418, false),
        ])
    func place(_ status: Int, _ isServer: Bool) {
        let failure = HTTPReply(status: status).failure("a/b", at: "http://h")
        #expect(failure.path == Array((isServer ? "http://h" : "a/b").utf8))
    }

    @Test("E7.9 the remedy for a failed authentication names an existing help topic")
    func authentication() {
        let failure = HTTPReply(status: 401).failure("a/b", at: "http://h")
        #expect(failure.remedy.contains("filesinki help credentials"))
    }

    @Test(
        "CK-21 a Retry-After date counts from the server's own clock",
        arguments: [
            ("Wed, 21 Oct 2015 07:30:00 GMT", Duration.seconds(120)),
            ("Wed, 21 Oct 2015 07:27:00 GMT", .zero),
            ("Thu, 21 Oct 2216 07:28:00 GMT", .seconds(86_400)),
            ("Wed, 21 Foo 2015 07:28:00 GMT", nil), ("Wednesday, 21-Oct-15 07:28:00 GMT", nil),
        ])
    func retryAfterDate(_ text: String, _ wanted: Duration?) {
        let date = "Wed, 21 Oct 2015 07:28:00 GMT"
        let reply = HTTPReply(status: 429, fields: ["Retry-After": text, "Date": date])
        #expect(reply.failure("", at: "").retryAfter == wanted)
    }

    @Test(
        "FB-17: a server's Retry-After is read",
        arguments: [
            ("7", Duration.seconds(7)), ("0", .zero), ("99999999999", .seconds(86_400)),
            ("-1", nil), ("soon", nil), ("Wed, 21 Oct 2015 07:28:00 GMT", nil),
        ])
    func retryAfter(_ text: String, _ wanted: Duration?) {
        let reply = HTTPReply(status: 503, fields: ["Retry-After": text])
        #expect(reply.failure("", at: "").retryAfter == wanted)
    }
}
