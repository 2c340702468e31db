import FilesinkiHTTP
import FilesinkiModel
package import FilesinkiRemote

extension S3Remote {
    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        var found: [ObjectInfo] = []
        var last = after.map { bucketKey($0.description) } ?? ""
        var size = min(limit, S3Listing.largestPage)
        while found.count < limit {
            let page = try await page(prefix, after: last, size: size)
            found += page.objects.compactMap(info)
            guard page.isCut, let end = page.objects.last?.key else { break }
            last = end
            // What is foreign fills pages, too.
            size = S3Listing.largestPage
        }
        return Array(found.prefix(max(limit, 0)))
    }

    /// What a list says of an object of the store; nil for what is foreign.
    private func info(_ object: (key: String, size: Int64)) -> ObjectInfo? {
        let start = bucketKey("")
        guard object.key.hasPrefix(start),
            let key = try? ObjectKey(String(object.key.dropFirst(start.count)))
        else { return nil }
        return ObjectInfo(key: key, size: object.size)
    }

    /// One page.
    ///
    /// - Parameter last: The key in the bucket after which it begins; empty for the first page.
    func page(_ prefix: String, after last: String, size: Int) async throws -> S3Listing {
        var query = [
            (name: "list-type", value: "2"), ("encoding-type", "url"), ("max-keys", "\(size)"),
            ("prefix", bucketKey(prefix)),
        ]
        if !last.isEmpty { query.append(("start-after", last)) }
        let reply = try await connection.send(
            .init(method: "GET", query: query, maximumReply: 8 << 20))
        guard reply.isSuccess else { throw await connection.failure(reply, prefix) }
        guard let listing = try S3Listing(reply, after: last) else {
            throw connection.strange(prefix, "it is not a list of objects")
        }
        return listing
    }
}
