import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiXML

/// The upload of one large object in parts. A part that fails is sent again alone.
/// https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
struct MultipartUpload: Sendable {
    private let remote: S3Remote
    private let key: ObjectKey
    private let bytes: [UInt8]
    /// In bytes.
    private let partSize: Int
    private let retries: Retries

    /// The most parts of one object that S3 accepts.
    private static let maximumParts = 10_000

    init(_ remote: S3Remote, _ key: ObjectKey, _ bytes: [UInt8]) {
        self.remote = remote
        self.key = key
        self.bytes = bytes
        let least = bytes.count / Self.maximumParts + 1
        partSize = max(1, remote.settings.partSize, least)
        retries = Retries(remote.systemContext, tries: remote.settings.tries)
    }

    func upload() async throws {
        let upload = try await createUpload()
        do {
            let tags = try await uploadParts(upload)
            try await completeUpload(upload, tags)
        } catch {
            // In a new task, because a cancelled one cannot send: the service would keep the parts, and
            // charge for them.
            await Task { await abortUpload(upload) }.value
            throw error
        }
    }

    /// - Returns: The id of the upload.
    private func createUpload() async throws -> String {
        try await retries.performRequest { _ in
            let reply = try await send(
                "POST", [("uploads", "")], fields: ["Content-Type": "application/octet-stream"])
            guard reply.isSuccess else { throw await failure(reply) }
            guard let root = reply.xml(maximumElements: 64),
                root.name == "InitiateMultipartUploadResult",
                let upload = root.text(of: "UploadId"), !upload.isEmpty, upload.utf8.count <= 4096
            else { throw unusableReply("it contains no upload id") }
            return upload
        }
    }

    /// Uploads all parts, several at once.
    ///
    /// - Returns: Their entity tags, in order.
    private func uploadParts(_ upload: String) async throws -> [String] {
        let count = (bytes.count + partSize - 1) / partSize
        return try await mapConcurrently(
            Array(0..<count), limit: max(1, remote.settings.parallelParts)
        ) { index in try await uploadPart(index, upload) }
    }

    private func uploadPart(_ index: Int, _ upload: String) async throws -> String {
        let start = index * partSize
        let part = Array(bytes[start..<min(start + partSize, bytes.count)])
        return try await retries.performRequest { _ in
            let reply = try await send(
                "PUT", [("partNumber", "\(index + 1)"), ("uploadId", upload)], body: part)
            guard reply.isSuccess else { throw await failure(reply) }
            guard let tag = reply.fields["ETag"], tag.utf8.count <= 256,
                tag.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                !tag.contains(where: { "<>&".contains($0) })
            else { throw unusableReply("it has no entity tag") }
            return tag
        }
    }

    private func completeUpload(_ upload: String, _ tags: [String]) async throws {
        let parts = tags.enumerated().map { index, tag in
            "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
        }
        let body =
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
            + parts.joined() + "</CompleteMultipartUpload>"
        try await retries.performRequest { isRepeated in
            let reply = try await send(
                "POST", [("uploadId", upload)], fields: ["Content-Type": "application/xml"],
                body: Array(body.utf8))
            // The service may fail after it has sent a success status.
            if reply.xml(maximumElements: 64)?.name == "CompleteMultipartUploadResult" { return }
            let error = S3Error(reply)
            if isRepeated, error.code == "NoSuchUpload", try await isComplete() { return }
            if reply.isSuccess, ["", "InternalError"].contains(error.code) {
                throw unusableReply("it does not confirm the upload")
            }
            throw await failure(reply)
        }
    }

    /// Whether the whole object exists: only the reply to an earlier completion may have been lost.
    private func isComplete() async throws -> Bool {
        let size = Int64(bytes.count)
        let end = try await remote.get(key, range: size - 1..<size + 1)
        return end == Array(bytes.suffix(1))
    }

    private func abortUpload(_ upload: String) async {
        _ = try? await send("DELETE", [("uploadId", upload)])
    }

    private func send(
        _ method: String, _ query: [(name: String, value: String)], fields: HTTPFields = [:],
        body: [UInt8] = []
    ) async throws -> HTTPReply {
        try await remote.connection.send(
            .init(
                method: method, key: remote.bucketKey(key.description), query: query,
                fields: fields, body: body))
    }

    private func failure(_ reply: HTTPReply) async -> Failure {
        await remote.connection.failure(reply, key.description)
    }

    private func unusableReply(_ reason: String) -> Failure {
        remote.connection.unusableReply(key.description, reason)
    }
}
