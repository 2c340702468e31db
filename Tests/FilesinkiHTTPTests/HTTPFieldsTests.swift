import FilesinkiHTTP
import Testing

@Suite struct HTTPFieldsTests {
    @Test func `names are compared without regard to case, and order is kept`() {
        var fields: HTTPFields = ["ETag": "a", "Via": "1", "via": "2"]
        #expect(fields["etag"] == "a")
        #expect(fields.values(of: "VIA") == ["1", "2"])
        fields["Via"] = "3"
        #expect(fields.all.map(\.value) == ["a", "3"])
        fields["etag"] = nil
        #expect(fields["ETag"] == nil)
    }

    @Test func `a secret is never shown`() {
        let credentials = Credentials.password(user: "me", Secret("hunter2"))
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(!text.contains("hunter2"))
        }
    }
}
