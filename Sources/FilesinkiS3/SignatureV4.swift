package import FilesinkiHTTP
internal import FilesinkiHashing
package import FilesinkiModel
import FilesinkiText

/// Signs requests with AWS Signature Version 4:
/// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
package struct SignatureV4: Sendable {
    package var credentials: S3Credentials
    package var region: String
    /// The service of the request. Only `s3` requires the body's hash in a field.
    package var service: String

    package init(_ credentials: S3Credentials, region: String, service: String = "s3") {
        self.credentials = credentials
        self.region = region
        self.service = service
    }

    private static let algorithm = "AWS4-HMAC-SHA256"

    /// The fields of the signed request: its own, the host, the time, the hash of the body, the session
    /// token, and the signature of all of them.
    package func fields(for request: S3Request, at time: Timestamp) -> HTTPFields {
        var request = request
        let stamp = DateText.basic(time)
        let hash = Self.hash(request.body)
        request.fields["host"] = request.host
        request.fields["x-amz-date"] = stamp
        if service == "s3" { request.fields["x-amz-content-sha256"] = hash }
        request.fields["x-amz-security-token"] = credentials.sessionToken?.value
        let (canonical, names) = Self.canonical(request, bodyHash: hash)
        let scope = "\(stamp.prefix(8))/\(region)/\(service)/aws4_request"
        let text = [Self.algorithm, stamp, scope, Self.hash(Array(canonical.utf8))]
        let signature = sign(text.joined(separator: "\n"), day: String(stamp.prefix(8)))
        request.fields["authorization"] =
            "\(Self.algorithm) Credential=\(credentials.keyID)/\(scope), "
            + "SignedHeaders=\(names), Signature=\(signature)"
        return request.fields
    }

    /// The canonical request, and the names of its signed fields.
    static func canonical(_ request: S3Request, bodyHash: String) -> (text: String, names: String) {
        var values: [String: [String]] = [:]
        for (name, value) in request.fields.all {
            values[name.lowercased(), default: []].append(trimmed(value))
        }
        let sorted = values.sorted { $0.key < $1.key }
        let lines = sorted.map { "\($0.key):\($0.value.joined(separator: ","))\n" }.joined()
        let names = sorted.map(\.key).joined(separator: ";")
        let parts = [
            request.method, request.encodedPath, request.encodedQuery, lines, names, bodyHash,
        ]
        return (parts.joined(separator: "\n"), names)
    }

    /// Without white space at its ends, and with single spaces.
    private static func trimmed(_ value: String) -> String {
        value.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private func sign(_ text: String, day: String) -> String {
        var key = Array("AWS4\(credentials.secretKey.value)".utf8)
        for part in [day, region, service, "aws4_request"] { key = Self.code(part, key) }
        return hexadecimal(Self.code(text, key))
    }

    private static func code(_ text: String, _ key: [UInt8]) -> [UInt8] {
        HMACSHA256.code(of: Array(text.utf8), key: key)
    }

    /// SHA-256 in hexadecimal digits.
    private static func hash(_ bytes: [UInt8]) -> String { hexadecimal(SHA256.hash(bytes)) }
}
