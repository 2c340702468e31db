import FilesinkiHTTP
import FilesinkiModel
import FilesinkiText
import FilesinkiXML

/// One page of a bucket's listing:
/// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
struct S3Listing {
    /// The most objects on one page.
    static let largestPage = 1000

    /// In order, by the bucket's keys.
    private(set) var objects: [(key: String, size: Int64)] = []
    /// Whether more objects follow.
    private(set) var isTruncated: Bool

    /// - Parameters:
    ///   - after: The key after which the page was requested.
    /// - Returns: Nil when the reply is not a listing.
    /// - Throws: `Failure` with code `unfit-store` when it is not in bytewise order, or does not advance:
    ///   reading on would miss objects or never end.
    init?(_ reply: HTTPReply, after: String) throws(Failure) {
        // Each object has at most a dozen elements.
        guard let root = reply.xml(maximumElements: 64 + Self.largestPage * 16),
            root.name == "ListBucketResult"
        else { return nil }
        let isCoded = root.text(of: "EncodingType") == "url"
        isTruncated = root.text(of: "IsTruncated") == "true"
        var last = after
        for entry in root.all("Contents") {
            guard let text = entry.text(of: "Key"), let size = entry.text(of: "Size"),
                let size = Int64(size), size >= 0,
                let key = isCoded ? Self.decoded(text) : text
            else { return nil }
            guard last.utf8.lexicographicallyPrecedes(key.utf8) else { throw Self.orderError }
            objects.append((key, size))
            last = key
        }
        // A truncated page without objects cannot be continued.
        if isTruncated, objects.isEmpty { return nil }
    }

    /// Services encode a space as `+` or `%20`, and a plus as `%2B`. A key that is not UTF-8 is foreign, but
    /// keeps its place in the order.
    static func decoded(_ text: String) -> String? {
        PercentCoding.decode(text.replacing("+", with: "%20")).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private static let orderError = Failure(
        .unfitStore, "The service does not list its objects in bytewise order.",
        remedy: "Use a general purpose bucket, not a directory bucket.")
}
