import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiText
import FilesinkiXML

/// One page of the uploads in parts that were neither completed nor aborted:
/// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html
struct UnfinishedUploads {
    struct Upload {
        /// The bucket's key.
        var key: String
        var id: String
        /// When it was begun by the service's clock, in seconds since 1970.
        var begun: Int64
    }

    /// Where the next page begins.
    struct Position: Equatable {
        var key: String
        var id: String
    }

    private(set) var uploads: [Upload] = []
    /// Nil for the last page.
    private(set) var next: Position?

    /// The most uploads on one page.
    private static let largestPage = 1000

    /// - Returns: Nil when the reply is not such a page.
    init?(_ reply: HTTPReply) {
        // Each upload has about a dozen elements.
        guard let root = reply.xml(maximumElements: 64 + Self.largestPage * 24),
            root.name == "ListMultipartUploadsResult"
        else { return nil }
        let isCoded = root.text(of: "EncodingType") == "url"
        for entry in root.all("Upload") {
            guard let key = entry.text(of: "Key"), let id = entry.text(of: "UploadId"),
                let begun = entry.text(of: "Initiated").flatMap(DateText.seconds(rfc3339:)),
                let key = isCoded ? S3Listing.decoded(key) : key
            else { return nil }
            uploads.append(Upload(key: key, id: id, begun: begun))
        }
        guard root.text(of: "IsTruncated") == "true" else { return }
        guard let key = root.text(of: "NextKeyMarker"),
            let id = root.text(of: "NextUploadIdMarker"),
            let key = isCoded ? S3Listing.decoded(key) : key
        else { return nil }
        next = Position(key: key, id: id)
    }
}

extension S3Remote: SweepableRemote {
    /// Aborts uploads in parts whose writers were killed: the service keeps the parts, and charges for them, but does
    /// not list them as objects.
    ///
    /// Looks everywhere below the store's prefix. One request for each 1,000 uploads, and one for each that is
    /// aborted. Nothing is done where the service or the key does not allow to list them.
    package func sweep(
        _ folders: [String], olderThan age: Duration, isDryRun: Bool
    ) async throws -> Int {
        var count = 0
        var position: UnfinishedUploads.Position?
        repeat {
            let reply = try await connection.send(
                .init(method: "GET", query: uploadsQuery(position), maximumReply: 8 << 20))
            if [403, 405, 501].contains(reply.status) { return count }
            guard reply.isSuccess else { throw await connection.failure(reply, "") }
            guard let page = UnfinishedUploads(reply) else {
                throw connection.unusableReply("", "it does not list uploads")
            }
            guard let now = reply.fields["Date"].flatMap(DateText.seconds(http:)) else {
                return count
            }
            for upload in page.uploads where upload.begun <= now - age.components.seconds {
                guard isOfStore(upload) else { continue }
                let isCounted = if isDryRun { true } else { try await abort(upload) }
                count += isCounted ? 1 : 0
            }
            // A service that does not advance would be asked for ever.
            guard page.next != position else { break }
            position = page.next
        } while position != nil
        return count
    }

    private func uploadsQuery(
        _ position: UnfinishedUploads.Position?
    ) -> [(name: String, value: String)] {
        let query = [
            (name: "uploads", value: ""), ("encoding-type", "url"), ("prefix", bucketKey("")),
        ]
        guard let position else { return query }
        return query + [("key-marker", position.key), ("upload-id-marker", position.id)]
    }

    /// Whether the upload is of an object of the store.
    private func isOfStore(_ upload: UnfinishedUploads.Upload) -> Bool {
        let start = bucketKey("")
        return upload.key.hasPrefix(start)
            && (try? ObjectKey(String(upload.key.dropFirst(start.count)))) != nil
    }

    /// - Returns: False for an upload that is no longer there.
    private func abort(_ upload: UnfinishedUploads.Upload) async throws -> Bool {
        let reply = try await connection.send(
            .init(method: "DELETE", key: upload.key, query: [("uploadId", upload.id)]))
        guard reply.isSuccess || reply.status == 404 else {
            throw await connection.failure(reply, upload.key)
        }
        return reply.isSuccess
    }
}
