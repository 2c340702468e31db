package import FilesinkiHTTP
import FilesinkiModel
import FilesinkiText

/// The address of a store in a bucket:
/// `s3://bucket/prefix?endpoint=https://host:port&region=…&style=path&profile=…`.
package struct S3Address: Hashable, Sendable, CustomStringConvertible {
    /// Where a request names the bucket.
    package enum Style: String, Hashable, Sendable {
        /// `https://host/bucket/key`
        case path
        /// `https://bucket.host/key`
        case virtual
    }

    /// 3 to 63 of `a-z 0-9 . -`.
    package var bucket: String
    /// What every key of the store begins with; empty, or without a slash at its ends.
    package var prefix: String
    /// The service; nil for Amazon's own in the region.
    package var endpoint: WebAddress?
    /// Nil for what the environment says, else `us-east-1`.
    package var region: String?
    /// Nil for the host at Amazon, the path elsewhere.
    package var style: Style?
    /// The section of the files of credentials; nil for what the environment says.
    package var profile: String?

    package init(
        bucket: String, prefix: String = "", endpoint: WebAddress? = nil, region: String? = nil,
        style: Style? = nil, profile: String? = nil
    ) {
        self.bucket = bucket
        self.prefix = prefix
        self.endpoint = endpoint
        self.region = region
        self.style = style
        self.profile = profile
    }

    /// The address, which reads back as the same value. It holds no secret.
    package var description: String {
        let path = prefix.isEmpty ? "" : "/" + PercentCoding.encodePath(prefix)
        // Slashes and colons need no code here, and without one a person can read the address.
        let endpoint = endpoint.map { address in
            "\(address)".replacing("%", with: "%25")
        }
        let pairs: [(String, String?)] = [
            ("endpoint", endpoint),
            ("region", region),
            ("style", style?.rawValue),
            ("profile", profile.map { PercentCoding.encode($0.utf8) }),
        ]
        let query = pairs.compactMap { name, value in value.map { "\(name)=\($0)" } }
        return "s3://\(bucket)\(path)" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// The region that requests are signed for.
    package var signedRegion: String { region ?? "us-east-1" }

    /// The service that is asked.
    package var service: WebAddress {
        if let endpoint { return endpoint }
        let domain = signedRegion.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        return WebAddress(isSecure: true, host: "s3.\(signedRegion).\(domain)")
    }

    /// Whether the bucket is part of the host's name.
    package var isVirtual: Bool {
        if let style { return style == .virtual }
        // The service's certificate covers one name before its own, not several.
        return endpoint == nil && !bucket.contains(".")
    }

    /// A request for a key of the bucket, or for the bucket itself when it is empty.
    func request(
        _ method: String, _ key: String, query: [(name: String, value: String)] = [],
        fields: HTTPFields = [:], body: [UInt8] = []
    ) -> S3Request {
        let service = service
        let isOwnPort = service.port == (service.isSecure ? 443 : 80)
        let authority = isOwnPort ? service.host : service.authority
        let base = PercentCoding.decodedText(service.path) ?? service.path
        let bucketPath = isVirtual ? "" : "/" + bucket
        // The bucket alone is asked for without a slash behind it, unless that is all there is.
        let tail = key.isEmpty && !isVirtual ? "" : "/" + key
        return S3Request(
            method, isSecure: service.isSecure,
            host: isVirtual ? "\(bucket).\(authority)" : authority,
            path: base + bucketPath + tail, query: query, fields: fields, body: body)
    }
}
