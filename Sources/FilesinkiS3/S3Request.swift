package import FilesinkiHTTP
import FilesinkiModel
import FilesinkiText

/// One request to an S3 service, in parts that are not yet encoded: the address that is sent and the
/// one that is signed are made of the same parts, so they cannot differ.
package struct S3Request: Sendable {
    package var method: String
    package var isSecure: Bool
    /// `host`, or `host:port` where the port is not the scheme's own.
    package var host: String
    /// Begins with a slash.
    package var path: String
    package var query: [(name: String, value: String)]
    /// All of them are signed.
    package var fields: HTTPFields
    package var body: [UInt8]

    package init(
        _ method: String, isSecure: Bool, host: String, path: String,
        query: [(name: String, value: String)] = [], fields: HTTPFields = [:], body: [UInt8] = []
    ) {
        self.method = method
        self.isSecure = isSecure
        self.host = host
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
    }

    /// Each name of the path encoded once; dots and empty names stay, for S3 takes a path as it is.
    var encodedPath: String { PercentCoding.encodePath(path) }

    /// In the order of the encoded names, then values, as a signature wants it.
    var encodedQuery: String {
        query.map { pair in
            (PercentCoding.encode(pair.name.utf8), PercentCoding.encode(pair.value.utf8))
        }
        .sorted { $0 < $1 }
        .map { "\($0.0)=\($0.1)" }
        .joined(separator: "&")
    }

    /// The whole address, percent-encoded.
    package var url: String {
        let tail = query.isEmpty ? "" : "?" + encodedQuery
        return "\(isSecure ? "https" : "http")://\(host)\(encodedPath)\(tail)"
    }
}
