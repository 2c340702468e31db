import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiXML

/// One large object, sent in parts: a part that fails is sent again alone.
///
/// The way is https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
struct Multipart: Sendable {
    private let remote: S3Remote
    private let key: ObjectKey
    private let bytes: [UInt8]
    private let partSize: Int
    private let retries: Retries

    init(_ remote: S3Remote, _ key: ObjectKey, _ bytes: [UInt8]) {
        self.remote = remote
        self.key = key
        self.bytes = bytes
        let least = bytes.count / S3Remote.maximumParts + 1
        partSize = max(1, remote.knobs.partSize, least)
        retries = Retries(remote.systemContext, tries: remote.knobs.tries)
    }

    func run() async throws {
        let upload = try await begin()
        do {
            let tags = try await sendParts(upload)
            try await complete(upload, tags)
        } catch {
            // A task that was cancelled can send nothing more, and its parts would be kept and paid.
            await Task { await abort(upload) }.value
            throw error
        }
    }

    private func begin() async throws -> String {
        try await retries.performRequest { _ in
            let reply = try await send(
                "POST", [("uploads", "")], fields: ["Content-Type": "application/octet-stream"])
            guard reply.isSuccess else { throw await failure(reply) }
            guard let root = reply.xml(maximumElements: 64),
                root.name == "InitiateMultipartUploadResult",
                let upload = root.text(of: "UploadId"), !upload.isEmpty, upload.utf8.count <= 4096
            else { throw strange("it does not begin an upload") }
            return upload
        }
    }

    /// Sends all parts, several at once.
    ///
    /// - Returns: The tag of each, in order.
    private func sendParts(_ upload: String) async throws -> [String] {
        let count = (bytes.count + partSize - 1) / partSize
        var tags = [String](repeating: "", count: count)
        try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for index in 0..<count {
                if index >= max(1, remote.knobs.parallelParts),
                    let (done, tag) = try await group.next()
                {
                    tags[done] = tag
                }
                group.addTask { (index, try await sendPart(index, upload)) }
            }
            for try await (done, tag) in group { tags[done] = tag }
        }
        return tags
    }

    private func sendPart(_ index: Int, _ upload: String) async throws -> String {
        let start = index * partSize
        let part = Array(bytes[start..<min(start + partSize, bytes.count)])
        return try await retries.performRequest { _ in
            let reply = try await send(
                "PUT", [("partNumber", "\(index + 1)"), ("uploadId", upload)], body: part)
            guard reply.isSuccess else { throw await failure(reply) }
            guard let tag = reply.fields["ETag"], tag.utf8.count <= 256,
                tag.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                !tag.contains(where: { "<>&".contains($0) })
            else { throw strange("it does not say what was stored") }
            return tag
        }
    }

    private func complete(_ upload: String, _ tags: [String]) async throws {
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
            // The service may find out that it failed after it said that all is well.
            if reply.xml(maximumElements: 64)?.name == "CompleteMultipartUploadResult" { return }
            let fault = S3Fault(reply)
            if isRepeated, fault.code == "NoSuchUpload", try await isThere() { return }
            if reply.isSuccess, ["", "InternalError"].contains(fault.code) {
                throw strange("it does not say that the parts were put together")
            }
            throw await failure(reply)
        }
    }

    /// Whether the whole object is there: the answer to an earlier completion may have been lost.
    private func isThere() async throws -> Bool {
        let size = Int64(bytes.count)
        let end = try await remote.get(key, range: size - 1..<size + 1)
        return end == Array(bytes.suffix(1))
    }

    private func abort(_ upload: String) async {
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

    private func strange(_ reason: String) -> Failure {
        remote.connection.strange(key.description, reason)
    }
}
