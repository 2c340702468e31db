import FilesinkiHTTP
package import FilesinkiModel
import FilesinkiText

extension S3Address {
    /// A key is the prefix, a slash and an ``FilesinkiRemote/ObjectKey``, and S3 allows 1024 bytes.
    static let maximumPrefix = 511

    /// Reads an address.
    ///
    /// - Throws: `Failure` with code `usage` for anything else than an S3 address, and for one that
    ///   holds a key or a password: other programs and users could see it.
    package init(_ text: String) throws(Failure) {
        guard text.prefix(5).lowercased() == "s3://" else {
            throw Self.refusal("", "It does not begin with s3://")
        }
        let parts = text.dropFirst(5).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts.first ?? ""
        let slash = place.firstIndex(of: "/") ?? place.endIndex
        let authority = place[..<slash]
        // What stands before an at sign may be a key, and is not repeated.
        if authority.contains("@") { throw Self.secretInAddress }
        guard !text.contains("#") else { throw Self.refusal(place, "A # has to be written as %23") }
        self.init(
            bucket: try Self.checked(bucket: authority),
            prefix: try Self.checked(prefix: place[slash...]))
        if parts.count > 1 { try read(query: parts[1], of: place) }
    }

    private mutating func read(query: Substring, of place: Substring) throws(Failure) {
        var names: Set<Substring> = []
        for pair in query.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = halves.first ?? ""
            if Self.soundsSecret(name) { throw Self.secretInAddress }
            guard halves.count == 2, let value = PercentCoding.decodedText(halves[1]),
                !value.isEmpty, names.insert(name).inserted
            else { throw Self.refusal(place, "What follows the question mark is not understood") }
            try set(String(name), to: value, place)
        }
    }

    private mutating func set(
        _ name: String, to value: String, _ place: Substring
    ) throws(Failure) {
        switch name {
        case "endpoint": endpoint = try Self.checked(endpoint: value)
        case "region": region = try Self.checked(region: value)
        case "style":
            guard let style = Style(rawValue: value) else {
                throw Self.refusal(place, "The style is path or virtual")
            }
            self.style = style
        case "profile":
            guard !value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                throw Self.refusal(place, "This is not the name of a profile")
            }
            profile = value
        default:
            throw Self.refusal(
                place, "After the question mark may stand endpoint, region, style and profile")
        }
    }

    private static func soundsSecret(_ name: Substring) -> Bool {
        let name = name.lowercased()
        return ["key", "secret", "token", "password", "credential", "signature"].contains {
            name.contains($0)
        }
    }

    /// The rules of
    /// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html that keep a name
    /// apart from an address.
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
            throw refusal(
                bucket, "A bucket's name is 3 to 63 small letters, digits, dots and hyphens")
        }
        return String(bucket)
    }

    private static func checked(prefix path: Substring) throws(Failure) -> String {
        var path = path
        if path.hasPrefix("/") { path.removeFirst() }
        if path.hasSuffix("/") { path.removeLast() }
        guard !path.isEmpty else { return "" }
        guard let prefix = PercentCoding.decodedText(path), prefix.utf8.count <= maximumPrefix,
            prefix.split(separator: "/", omittingEmptySubsequences: false)
                .allSatisfy({ !["", ".", ".."].contains($0) }),
            !prefix.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else {
            throw refusal(
                path, "The prefix is names of UTF-8, percent-encoded, with / between them")
        }
        return prefix
    }

    /// Reads the address of a service.
    static func checked(endpoint text: String) throws(Failure) -> WebAddress {
        let address: WebAddress
        do {
            address = try WebAddress(text, schemes: ["https": true, "http": false])
        } catch {
            throw refusal("", "The endpoint is https://host or https://host:port")
        }
        if address.user != nil { throw secretInAddress }
        return address
    }

    /// A region is part of a host's name, so it is checked wherever it comes from.
    static func checked(region: String) throws(Failure) -> String {
        let isAllowed: (UInt8) -> Bool = { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        guard (1...64).contains(region.utf8.count), region.utf8.allSatisfy(isAllowed) else {
            throw refusal("", "A region is letters, digits and hyphens")
        }
        return region
    }

    private static func refusal(_ place: some StringProtocol, _ reason: String) -> Failure {
        Failure(
            .usage, path: String(place), "This is not the address of a bucket: \(reason).",
            remedy: "Write s3://bucket/prefix?endpoint=https://host&region=NAME.")
    }

    private static let secretInAddress = Failure(
        .usage, "An address must not hold a key or a password: others could see it.",
        remedy: "Put keys into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ~/.aws/credentials.")
}
