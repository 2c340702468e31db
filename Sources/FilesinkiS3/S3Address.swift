package import FilesinkiHTTP
package import FilesinkiModel
import FilesinkiText

/// The address of a store in an S3 bucket:
/// `s3://bucket/prefix?endpoint=https://host:port&region=…&style=path&profile=…`.
package struct S3Address: Hashable, Sendable, CustomStringConvertible {
    /// Where the address of a request contains the bucket.
    package enum Style: String, Hashable, Sendable {
        /// `https://host/bucket/key`
        case path
        /// `https://bucket.host/key`
        case virtual
    }

    /// 3 to 63 of `a-z 0-9 . -`.
    package var bucket: String
    /// The prefix of all keys of the store. Empty, or without slashes at its ends.
    package var prefix: String
    /// The service; nil for Amazon's in the region.
    package var endpoint: WebAddress?
    /// Nil for that of the environment, or `us-east-1`.
    package var region: String?
    /// Nil for `virtual` at Amazon and `path` elsewhere.
    package var style: Style?
    /// The profile of the credentials files; nil for that of the environment.
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

    /// The address, which parses to the same value. Contains no secret.
    package var description: String {
        let path = prefix.isEmpty ? "" : "/" + PercentCoding.encodePath(prefix)
        // Slashes and colons are not encoded, to keep the address readable.
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

    /// The service that receives the requests.
    package var service: WebAddress {
        if let endpoint { return endpoint }
        let domain = signedRegion.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        return WebAddress(isSecure: true, host: "s3.\(signedRegion).\(domain)")
    }

    /// Whether the bucket is part of the host name.
    package var isVirtual: Bool {
        if let style { return style == .virtual }
        // The service's certificate covers one name before its host name, not several.
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
        // The path of the bucket itself has no slash at its end, unless it is the root.
        let tail = key.isEmpty && !isVirtual ? "" : "/" + key
        return S3Request(
            method, isSecure: service.isSecure,
            host: isVirtual ? "\(bucket).\(authority)" : authority,
            path: base + bucketPath + tail, query: query, fields: fields, body: body)
    }
}

extension S3Address {
    /// The longest prefix in bytes: a key is the prefix, a slash and an ``FilesinkiRemote/ObjectKey``, and S3
    /// allows 1024 bytes.
    static let maximumPrefix = 511

    /// Parses an address.
    ///
    /// - Throws: `Failure` with code `usage` for anything else than an S3 address, and for one that
    ///   contains a key or password, which other programs and users could see.
    package init(_ text: String) throws(Failure) {
        guard text.prefix(5).lowercased() == "s3://" else {
            throw Self.invalidAddress("", "it does not begin with s3://")
        }
        let parts = text.dropFirst(5).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let location = parts.first ?? ""
        let slash = location.firstIndex(of: "/") ?? location.endIndex
        let authority = location[..<slash]
        // The text before the at sign may be a key, which may have a slash, and must not be in a message.
        let colon = authority.firstIndex(of: ":")
        let port = colon.map { authority[authority.index(after: $0)...] }
        if authority.contains("@") || colon != nil && text.contains("@")
            || port.map({ Int($0) == nil }) ?? false
        {
            throw Self.secretInAddress
        }
        guard !text.contains("#") else {
            throw Self.invalidAddress(location, "# must be written as %23")
        }
        self.init(
            bucket: try Self.checked(bucket: authority),
            prefix: try Self.checked(prefix: location[slash...]))
        if parts.count > 1 { try parse(query: parts[1], of: location) }
    }

    private mutating func parse(query: Substring, of location: Substring) throws(Failure) {
        var names: Set<Substring> = []
        for pair in query.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = halves.first ?? ""
            if Self.soundsSecret(name) { throw Self.secretInAddress }
            guard halves.count == 2, let value = PercentCoding.decodedText(halves[1]),
                !value.isEmpty, names.insert(name).inserted
            else { throw Self.invalidAddress(location, "invalid text after the question mark") }
            try set(String(name), to: value, location)
        }
    }

    private mutating func set(
        _ name: String, to value: String, _ location: Substring
    ) throws(Failure) {
        switch name {
        case "endpoint": endpoint = try Self.checked(endpoint: value)
        case "region": region = try Self.checked(region: value)
        case "style":
            guard let style = Style(rawValue: value) else {
                throw Self.invalidAddress(location, "the style must be path or virtual")
            }
            self.style = style
        case "profile":
            guard !value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                throw Self.invalidAddress(location, "invalid profile name")
            }
            profile = value
        default:
            throw Self.invalidAddress(
                location, "the options are endpoint, region, style and profile")
        }
    }

    private static func soundsSecret(_ name: Substring) -> Bool {
        let name = name.lowercased()
        return ["key", "secret", "token", "password", "credential", "signature"].contains {
            name.contains($0)
        }
    }

    /// Those rules of https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html that
    /// distinguish a name from an address.
    private static func checked(bucket: Substring) throws(Failure) -> String {
        let isEdge: (UInt8) -> Bool = { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        let names = bucket.split(separator: ".", omittingEmptySubsequences: false)
        let looksLikeIPv4 = names.count == 4 && names.allSatisfy { UInt8($0) != nil }
        guard (3...63).contains(bucket.utf8.count), !looksLikeIPv4,
            bucket.utf8.allSatisfy({
                isEdge($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
            }),
            names.allSatisfy({ name in
                (name.utf8.first.map(isEdge) ?? false) && (name.utf8.last.map(isEdge) ?? false)
            })
        else {
            throw invalidAddress(
                bucket, "a bucket name has 3 to 63 lower-case letters, digits, dots and hyphens")
        }
        return String(bucket)
    }

    private static func checked(prefix path: Substring) throws(Failure) -> String {
        var path = path
        if path.hasPrefix("/") { path.removeFirst() }
        if path.hasSuffix("/") { path.removeLast() }
        guard !path.isEmpty else { return "" }
        guard !path.hasPrefix("/"), !path.hasSuffix("/"), !path.contains("//") else {
            throw invalidAddress(path, "the prefix has two slashes in a row")
        }
        guard let prefix = PercentCoding.decodedText(path), prefix.utf8.count <= maximumPrefix,
            prefix.split(separator: "/", omittingEmptySubsequences: false)
                .allSatisfy({ !["", ".", ".."].contains($0) }),
            !prefix.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else {
            throw invalidAddress(
                path, "the prefix must be percent-encoded UTF-8 names separated by /")
        }
        return prefix
    }

    /// Parses the address of a service; a host without a scheme is reached by https.
    static func checked(endpoint text: String) throws(Failure) -> WebAddress {
        let address: WebAddress
        let text = text.contains("://") ? text : "https://" + text
        do {
            address = try WebAddress(text, schemes: ["https": true, "http": false])
        } catch {
            throw invalidAddress(
                "", "the endpoint must be a host, https://host or https://host:port")
        }
        if address.user != nil { throw secretInAddress }
        return address
    }

    /// Checks a region, because it becomes part of a host name.
    static func checked(region: String) throws(Failure) -> String {
        let isAllowed: (UInt8) -> Bool = { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        guard (1...64).contains(region.utf8.count), region.utf8.allSatisfy(isAllowed) else {
            throw invalidAddress("", "a region has letters, digits and hyphens")
        }
        return region
    }

    private static func invalidAddress(
        _ location: some StringProtocol, _ reason: String
    ) -> Failure {
        Failure(
            .usage, path: String(location), "Invalid bucket address: \(reason).",
            remedy: "Write s3://bucket/prefix?endpoint=https://host&region=NAME.")
    }

    private static let secretInAddress = Failure(
        .usage, "An address must not contain a key or a password: others could see it.",
        remedy: "Put keys into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ~/.aws/credentials.")
}
