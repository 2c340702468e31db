import FilesinkiHTTP
import FilesinkiModel
import FilesinkiText
import FilesinkiXML

/// One page of a bucket's list:
/// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
struct S3Listing {
    /// What a service puts on one page at most.
    static let largestPage = 1000

    /// In order, as they are named in the bucket.
    private(set) var objects: [(key: String, size: Int64)] = []
    /// Whether there are more.
    private(set) var isCut: Bool

    /// - Parameters:
    ///   - after: Where the page was to go on.
    /// - Returns: Nil when it is no list.
    /// - Throws: `Failure` with code `unfit-store` when it is not in the order of bytes, or does not
    ///   go on: such a list would be read for ever, or with holes.
    init?(_ reply: HTTPReply, after: String) throws(Failure) {
        // Each object has a dozen elements at most.
        guard let root = reply.xml(maximumElements: 64 + Self.largestPage * 16),
            root.name == "ListBucketResult"
        else { return nil }
        let isCoded = root.text(of: "EncodingType") == "url"
        isCut = root.text(of: "IsTruncated") == "true"
        var last = after
        for entry in root.all("Contents") {
            guard let text = entry.text(of: "Key"), let size = entry.text(of: "Size"),
                let size = Int64(size), size >= 0,
                let key = isCoded ? Self.decoded(text) : text
            else { return nil }
            guard last.utf8.lexicographicallyPrecedes(key.utf8) else { throw Self.disorder }
            objects.append((key, size))
            last = key
        }
        // A page that is cut before its first object leads nowhere.
        if isCut, objects.isEmpty { return nil }
    }

    /// Services write a space as `+` or as `%20`, and a plus always as `%2B`. A key that is no text is
    /// none of ours; it keeps a place in the order.
    private static func decoded(_ text: String) -> String? {
        PercentCoding.decode(text.replacing("+", with: "%20")).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private static let disorder = Failure(
        .unfitStore, "The service lists its objects in an order that is not that of their bytes.",
        remedy: "Use a bucket of the usual kind; directory buckets are not.")
}
