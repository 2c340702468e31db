import FilesinkiHTTP
import FilesinkiModel
import Testing

@testable import FilesinkiS3

/// Signatures that AWS has published.
@Suite struct SignatureV4Tests {
    static let s3 = S3Credentials(
        keyID: "AKIAIOSFODNN7EXAMPLE", secretKey: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    )
    static let suite = S3Credentials(
        keyID: "AKIDEXAMPLE", secretKey: Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"))

    struct Vector: Sendable, CustomTestStringConvertible {
        var name: String
        var request: S3Request
        /// The names of the signed fields, and the signature.
        var signed: String
        var signature: String

        var testDescription: String { name }
    }

    /// The examples of
    /// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
    static let examples = [
        Vector(
            name: "GET object",
            request: example("GET", "/test.txt", fields: ["Range": "bytes=0-9"]),
            signed: "host;range;x-amz-content-sha256;x-amz-date",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Vector(
            name: "PUT object",
            request: example(
                "PUT", "/test$file.text",
                fields: [
                    "Date": "Fri, 24 May 2013 00:00:00 GMT",
                    "x-amz-storage-class": "REDUCED_REDUNDANCY",
                ], body: "Welcome to Amazon S3."),
            signed: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Vector(
            name: "GET bucket lifecycle", request: example("GET", "/", query: [("lifecycle", "")]),
            signed: "host;x-amz-content-sha256;x-amz-date",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Vector(
            name: "list objects",
            request: example("GET", "/", query: [("prefix", "J"), ("max-keys", "2")]),
            signed: "host;x-amz-content-sha256;x-amz-date",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    static func example(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [],
        fields: HTTPFields = [:], body: String = ""
    ) -> S3Request {
        S3Request(
            method, isSecure: true, host: "examplebucket.s3.amazonaws.com", path: path,
            query: query, fields: fields, body: Array(body.utf8))
    }

    @Test("signs the examples of the S3 documentation", arguments: examples)
    func documentation(_ vector: Vector) {
        let signer = SignatureV4(Self.s3, region: "us-east-1")
        let time = Timestamp(seconds: 1_369_353_600, nanoseconds: 0)
        let fields = signer.fields(for: vector.request, at: time)
        #expect(
            fields["authorization"]
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/"
                + "aws4_request, SignedHeaders=\(vector.signed), Signature=\(vector.signature)")
        #expect(fields["x-amz-date"] == "20130524T000000Z")
    }

    /// Of the AWS Signature Version 4 test suite, what is not about paths that are normalised: S3's
    /// are not.
    static let tests = [
        test("get-vanilla", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        test(
            "get-vanilla-query-order-key-case",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
            query: [("Param2", "value2"), ("Param1", "value1")]),
        test(
            "get-header-key-duplicate",
            "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
            fields: ["My-Header1": "value2", "my-header1": "value2", "MY-HEADER1": "value1"]),
        test(
            "get-header-value-order",
            "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01",
            fields: [
                "My-Header1": "value4", "my-header1": "value1", "MY-header1": "value3",
                "MY-HEADER1": "value2",
            ]),
        test(
            "get-header-value-trim",
            "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
            fields: ["My-Header1": " value1", "My-Header2": " \"a   b   c\""]),
        test(
            "get-unreserved", "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
            path: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
        test(
            "get-utf8", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
            path: "/\u{1234}"),
        test(
            "get-space", "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
            path: "/example space/"),
        test(
            "post-vanilla", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
            method: "POST"),
        test(
            "post-vanilla-query",
            "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11",
            method: "POST", query: [("Param1", "value1")]),
        test(
            "post-header-value-case",
            "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d",
            method: "POST", fields: ["My-Header1": "VALUE1"]),
        test(
            "post-x-www-form-urlencoded",
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
            method: "POST", fields: ["Content-Type": "application/x-www-form-urlencoded"],
            body: "Param1=value1"),
    ]

    static func test(
        _ name: String, _ signature: String, method: String = "GET", path: String = "/",
        query: [(name: String, value: String)] = [], fields: HTTPFields = [:], body: String = ""
    ) -> Vector {
        Vector(
            name: name,
            request: S3Request(
                method, isSecure: true, host: "example.amazonaws.com", path: path, query: query,
                fields: fields, body: Array(body.utf8)),
            signed: "", signature: signature)
    }

    @Test("signs the AWS test suite", arguments: tests)
    func testSuite(_ vector: Vector) {
        let signer = SignatureV4(Self.suite, region: "us-east-1", service: "service")
        let time = Timestamp(seconds: 1_440_938_160, nanoseconds: 0)
        let fields = signer.fields(for: vector.request, at: time)
        #expect(fields["authorization"]?.hasSuffix("Signature=\(vector.signature)") == true)
    }

    @Test func `a session token is sent and signed`() {
        var credentials = Self.s3
        credentials.sessionToken = Secret("the token")
        let signer = SignatureV4(credentials, region: "us-east-1")
        let fields = signer.fields(for: Self.example("GET", "/x"), at: Timestamp(nanoseconds: 0))
        #expect(fields["x-amz-security-token"] == "the token")
        #expect(fields["authorization"]?.contains(";x-amz-security-token,") == true)
        #expect(fields["x-amz-date"] == "19700101T000000Z")
    }

    @Test func `the sent path is the signed one: encoded once and not normalised`() {
        let request = Self.example(
            "GET", "/a b/../%41//ü+", query: [("b", "1/2"), ("a", "x y"), ("a", "+"), ("B", "")])
        #expect(
            request.url
                == "https://examplebucket.s3.amazonaws.com/a%20b/../%2541//%C3%BC%2B"
                + "?B=&a=%2B&a=x%20y&b=1%2F2")
    }
}
