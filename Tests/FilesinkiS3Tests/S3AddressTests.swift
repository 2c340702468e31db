import FilesinkiHTTP
import FilesinkiModel
import Testing

@testable import FilesinkiS3

@Suite struct S3AddressTests {
    struct Row: Sendable {
        var text: String
        /// The address of the key `k`.
        var url: String
        var region = "us-east-1"
        var prefix = ""

        init(_ text: String, _ url: String, region: String = "us-east-1", prefix: String = "") {
            self.text = text
            self.url = url
            self.region = region
            self.prefix = prefix
        }
    }

    @Test(
        "an address gives a bucket",
        arguments: [
            Row("s3://bucket", "https://bucket.s3.us-east-1.amazonaws.com/k"),
            Row("S3://bucket/", "https://bucket.s3.us-east-1.amazonaws.com/k"),
            Row("s3://my.bucket", "https://s3.us-east-1.amazonaws.com/my.bucket/k"),
            Row(
                "s3://bucket?region=eu-west-1", "https://bucket.s3.eu-west-1.amazonaws.com/k",
                region: "eu-west-1"),
            Row(
                "s3://bucket?region=cn-north-1&style=path",
                "https://s3.cn-north-1.amazonaws.com.cn/bucket/k", region: "cn-north-1"),
            Row(
                "s3://bucket/a/b?endpoint=https://host:8443",
                "https://host:8443/bucket/a/b/k", prefix: "a/b"),
            Row(
                "s3://bucket/a/?endpoint=http%3A%2F%2F127.0.0.1%3A9000&style=virtual",
                "http://bucket.127.0.0.1:9000/a/k", prefix: "a"),
            Row("s3://bucket?endpoint=https://host:443", "https://host/bucket/k"),
            Row("s3://bucket?endpoint=http://host:80/", "http://host/bucket/k"),
            Row("s3://bucket?endpoint=https://[::1]:80", "https://[::1]:80/bucket/k"),
            Row("s3://bucket?endpoint=https://host/s3/a", "https://host/s3/a/bucket/k"),
            Row("s3://bucket?endpoint=host", "https://host/bucket/k"),
            Row("s3://bucket?endpoint=host:9000", "https://host:9000/bucket/k"),
            Row(
                "s3://bucket/%C3%BC%2B+%20%25/x",
                "https://bucket.s3.us-east-1.amazonaws.com/%C3%BC%2B%2B%20%25/x/k",
                prefix: "ü++ %/x"),
            Row(
                "s3://bucket/ü?profile=work%20a",
                "https://bucket.s3.us-east-1.amazonaws.com/%C3%BC/k", prefix: "ü"),
        ])
    func addresses(_ row: Row) throws {
        let address = try S3Address(row.text)
        let key = address.prefix.isEmpty ? "k" : address.prefix + "/k"
        #expect(address.request("GET", key).url == row.url)
        #expect(address.signedRegion == row.region)
        #expect(address.prefix == row.prefix)
        #expect(try S3Address(address.description) == address)
    }

    @Test(
        "an invalid address is refused",
        arguments: [
            "", "s3", "s3:/bucket", "http://bucket", "s3://", "s3:///x", "s3://ab",
            "s3://" + String(repeating: "a", count: 64), "s3://Bucket", "s3://buck_et",
            "s3://-bucket", "s3://bucket-", "s3://.bucket", "s3://buc..ket", "s3://buc.-ket",
            "s3://192.168.0.1", "s3://bücket", "s3://bucket:80/x", "s3://bucket//x",
            "s3://bucket/x//y", "s3://bucket/x//", "s3://bucket/./x", "s3://bucket/../x",
            "s3://bucket/%2E%2E/x", "s3://bucket/x%00", "s3://bucket/x%0A", "s3://bucket/%zz",
            "s3://bucket/%FF", "s3://bucket/x#y",
            "s3://bucket/\(String(repeating: "x", count: 512))",
            "s3://bucket?region", "s3://bucket?region=", "s3://bucket?region=a/b",
            "s3://bucket?region=a.b", "s3://bucket?region=a&region=b", "s3://bucket?style=dns",
            "s3://bucket?endpoint=/host", "s3://bucket?endpoint=ftp://host",
            "s3://bucket?endpoint=https://", "s3://bucket?color=red", "s3://bucket?profile=%0A",
        ])
    func refusals(_ text: String) {
        let failure = #expect(throws: Failure.self) { try S3Address(text) }
        #expect(failure?.code == .usage)
    }

    @Test(
        "what is wrong with a prefix is said",
        arguments: [
            ("s3://bucket//x", "the prefix has two slashes in a row"),
            ("s3://bucket/x//y", "the prefix has two slashes in a row"),
            ("s3://bucket/x//", "the prefix has two slashes in a row"),
            ("s3://bucket/../x", "the prefix must be percent-encoded UTF-8 names separated by /"),
        ])
    func prefixes(_ text: String, _ reason: String) {
        let failure = #expect(throws: Failure.self) { try S3Address(text) }
        #expect(failure?.message == "Invalid bucket address: \(reason).")
    }

    @Test(
        "a key or a password in an address is refused and not repeated",
        arguments: [
            "s3://HUSH@bucket", "s3://id:HUSH@bucket/x", "s3://bucket?secret=HUSH",
            "s3://bucket?AWS_SECRET_ACCESS_KEY=HUSH", "s3://bucket?key=HUSH&region=x",
            "s3://bucket?sessionToken=HUSH", "s3://bucket?endpoint=https://id:HUSH@host",
            "s3://bucket?endpoint=id:HUSH@host", "s3://bucket?endpoint=HUSH@host",
            "s3://bucket?endpoint=https://HUSH@host", "s3://bucket?password=HUSH",
            "s3://bucket/x?region=x&Signature=HUSH", "s3://bucket?color=HUSH",
            "s3://bucket?endpoint=https://HUSH:x:y@/", "s4://id:HUSH@bucket",
            "s3://id:HUSH/x@bucket/work", "s3://id:hidden/HUSH@bucket", "s3://id:1/HUSH@bucket",
            "s3://id:HUSH/x", "s3://id:HUSH+x/y?z@bucket",
        ])
    func secrets(_ text: String) {
        let failure = #expect(throws: Failure.self) { try S3Address(text) }
        #expect(failure?.code == .usage)
        #expect(failure.map { "\($0)".contains("HUSH") } == false)
    }
}
