package import FilesinkiHTTP
package import FilesinkiModel
package import FilesinkiRemote
import FilesinkiSystem
import FilesinkiXML

/// A remote in a bucket of an S3 service.
///
/// A slot is filled by one `PutObject` with `If-None-Match: *`, in one part: the only conditional request
/// that a measured service implements correctly, and only in a bucket without versions. Everything else is
/// stored under keys that only its content can have.
package final class S3Remote: Remote {
    /// Sizes and numbers of uploads. Tests change them.
    package struct UploadSettings: Sendable {
        /// Larger objects are uploaded in parts; in bytes.
        package var largestSinglePut = 16 << 20
        /// In bytes. S3 rejects parts of less than 5 MiB, except the last.
        package var partSize = 8 << 20
        /// The number of concurrent uploads of parts.
        package var parallelParts = 4
        /// The most attempts of each request of an upload in parts.
        package var tries = 5

        package init() {}
    }

    package let address: String

    package var alternative: String {
        """
        Use a bucket without versioning, of a service that lets one of many writers win \
        (Ceph passed this test, AWS guarantees it), or filesinki serve.
        """
    }

    let location: S3Address
    let connection: S3Connection
    let systemContext: SystemContext
    let settings: UploadSettings
    /// The last key seen below a prefix.
    private let pollCursor = PollCursor<String>()

    /// - Parameters:
    ///   - address: Completed from the environment: see ``AWSConfiguration/completing(_:)``.
    ///   - credentials: Asked before the first request, and again when they expire.
    ///   - allowsInsecure: Whether requests may be sent to another machine without encryption.
    package init(
        address: S3Address, transport: any HTTPTransport, credentials: any S3CredentialSource,
        systemContext: SystemContext, allowsInsecure: Bool = false,
        settings: UploadSettings = UploadSettings()
    ) {
        self.address = address.description
        location = address
        connection = S3Connection(
            address: address, transport: transport,
            credentials: S3CredentialCache(credentials, now: systemContext.now),
            now: systemContext.now, allowsInsecure: allowsInsecure)
        self.systemContext = systemContext
        self.settings = settings
    }

    /// The bucket's key for a key of the store, or for a prefix of keys.
    func bucketKey(_ key: String) -> String {
        location.prefix.isEmpty ? key : location.prefix + "/" + key
    }

    // MARK: - Reading

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        guard let range else { return try await getWhole(key) }
        let first = max(range.lowerBound, 0)
        // HTTP has no empty range: one byte tells whether the object exists.
        let last = range.upperBound > first ? range.upperBound - 1 : first
        let found = try await getRange(key, first...last)
        return range.isEmpty ? found.map { _ in [] } : found
    }

    private func getWhole(_ key: ObjectKey) async throws -> [UInt8]? {
        let reply = try await connection.send(
            .init(
                method: "GET", key: bucketKey(key.description),
                maximumReply: Int(ObjectKey.maximumObjectSize)))
        if isAbsent(reply) { return nil }
        guard reply.status == 200 else { throw await connection.failure(reply, key.description) }
        try requireObject(reply, key)
        return reply.body
    }

    /// The bytes of the range, clamped to the object's size.
    private func getRange(_ key: ObjectKey, _ range: ClosedRange<Int64>) async throws -> [UInt8]? {
        let room = min(range.upperBound - range.lowerBound, ObjectKey.maximumObjectSize)
        let reply = try await connection.send(
            .init(
                method: "GET", key: bucketKey(key.description),
                fields: ["Range": "bytes=\(range.lowerBound)-\(range.upperBound)"],
                // An error message may be longer than the range.
                maximumReply: Int(room) + (1 << 20)))
        if isAbsent(reply) { return nil }
        switch reply.status {
        case 206:
            try requireObject(reply, key)
            try requireRange(reply, key, range)
            return reply.body
        case 416 where S3Error(reply).code == "InvalidRange": return []
        case 200:
            // The service ignores ranges, and the object is short enough to cut the range here.
            try requireObject(reply, key)
            let bytes = 0..<Int64(reply.body.count)
            guard bytes.contains(range.lowerBound) else { return [] }
            return Array(reply.body[Int(range.lowerBound)...].prefix(Int(room) + 1))
        default: throw await connection.failure(reply, key.description)
        }
    }

    /// Whether the object is known to be absent. A 404 alone is not enough, because a proxy may send it.
    private func isAbsent(_ reply: HTTPReply) -> Bool {
        reply.status == 404 && S3Error(reply).code == "NoSuchKey"
    }

    /// Every S3 service sends an entity tag with an object.
    private func requireObject(_ reply: HTTPReply, _ key: ObjectKey) throws(Failure) {
        guard reply.fields["ETag"] != nil else {
            throw connection.unusableReply(key.description, "it has no entity tag")
        }
    }

    /// Checks that the reply has all bytes of the requested range, and no others.
    private func requireRange(
        _ reply: HTTPReply, _ key: ObjectKey, _ range: ClosedRange<Int64>
    ) throws(Failure) {
        guard let part = reply.fields["Content-Range"].flatMap(ContentRange.init),
            part.first == range.lowerBound, part.last <= range.upperBound,
            part.last - part.first == Int64(reply.body.count) - 1,
            part.last == range.upperBound || part.size == part.last + 1
        else { throw connection.unusableReply(key.description, "it contains another range") }
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        var found: [ObjectInfo] = []
        var last = after.map { bucketKey($0.description) } ?? ""
        var size = min(limit, S3Listing.largestPage)
        while found.count < limit {
            let page = try await listPage(prefix, after: last, size: size)
            found += page.objects.compactMap(storeObject)
            guard page.isTruncated, let end = page.objects.last?.key else { break }
            last = end
            // Foreign objects take room in a page, too.
            size = S3Listing.largestPage
        }
        return Array(found.prefix(max(limit, 0)))
    }

    /// The object of the store; nil for a foreign one.
    private func storeObject(_ object: (key: String, size: Int64)) -> ObjectInfo? {
        let start = bucketKey("")
        guard object.key.hasPrefix(start),
            let key = try? ObjectKey(String(object.key.dropFirst(start.count)))
        else { return nil }
        return ObjectInfo(key: key, size: object.size)
    }

    /// - Parameter last: The bucket's key after which the page begins; empty for the first page.
    private func listPage(
        _ prefix: String, after last: String, size: Int
    ) async throws -> S3Listing {
        var query = [
            (name: "list-type", value: "2"), ("encoding-type", "url"), ("max-keys", "\(size)"),
            ("prefix", bucketKey(prefix)),
        ]
        if !last.isEmpty { query.append(("start-after", last)) }
        let reply = try await connection.send(
            .init(method: "GET", query: query, maximumReply: 8 << 20))
        guard reply.isSuccess else { throw await connection.failure(reply, prefix) }
        guard let listing = try S3Listing(reply, after: last) else {
            throw connection.unusableReply(prefix, "it is not a listing")
        }
        return listing
    }

    // MARK: - Waiting

    /// Polls for a key after the last one, as a log grows.
    package func wait(prefix: String, timeout: Duration) async throws {
        let start = await lastKey(below: prefix, from: pollCursor[prefix])
        if let former = pollCursor.advance(prefix, to: start), former != start { return }
        var backoff = Backoff(.seconds(1)...(.seconds(30)), growth: .half, limit: timeout)
        while !backoff.isOver {
            try Task.checkCancellation()
            try await systemContext.sleep(backoff.next())
            if !backoff.isOver, try await hasKey(after: start, prefix) { return }
        }
    }

    /// The last key below a prefix, or the last one that could be listed. A known earlier one saves pages.
    private func lastKey(below prefix: String, from known: String?) async -> String {
        var last = known ?? ""
        while !Task.isCancelled {
            let page = try? await listPage(prefix, after: last, size: S3Listing.largestPage)
            guard let page, let key = page.objects.last?.key else { break }
            last = key
            guard page.isTruncated else { break }
        }
        return last
    }

    private func hasKey(after last: String, _ prefix: String) async throws -> Bool {
        do {
            return try await !listPage(prefix, after: last, size: 1).objects.isEmpty
        } catch let failure as Failure where failure.isTransient {
            return false
        }
    }

    // MARK: - Writing

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        if bytes.count > settings.largestSinglePut {
            return try await MultipartUpload(self, key, bytes).upload()
        }
        let reply = try await connection.send(putRequest(bytes, key))
        guard reply.isSuccess else { throw await connection.failure(reply, key.description) }
        try requireObject(reply, key)
    }

    /// An upload in one request.
    func putRequest(
        _ bytes: [UInt8], _ key: ObjectKey, _ fields: HTTPFields = [:]
    ) -> S3Connection.Request {
        var fields = fields
        fields["Content-Type"] = "application/octet-stream"
        return .init(
            method: "PUT", key: bucketKey(key.description), fields: fields, body: bytes)
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await S3SlotWriter(remote: self).fill(slot, with: bytes)
    }

    package func delete(_ key: ObjectKey) async throws {
        let reply = try await connection.send(
            .init(method: "DELETE", key: bucketKey(key.description)))
        if [200, 204].contains(reply.status) || isAbsent(reply) { return }
        throw await connection.failure(reply, key.description)
    }
}

extension S3Remote: CuttableRemote {
    package func putCut(_ upload: CutUpload) async {
        var request = putRequest(upload.bytes, upload.key)
        request.cutAfter = upload.count
        _ = try? await connection.send(request)
    }
}

extension S3Remote: FitnessReporting {
    package var fitness: ProbeReport.Check {
        .init(
            name: "unversioned", guarantee: "The remote does not keep old versions of a key.",
            holds: true, detail: "The remote's configuration says so.",
            consequence: "Two writers that fill a slot at once would both succeed.")
    }

    /// The names of the root element of a bucket's versioning: that of the API, and that of moto.
    private static let versioningElements = [
        "VersioningConfiguration", "GetBucketVersioningResponse",
    ]

    /// Asks whether the bucket has versioning enabled. Measured services then let every writer of a slot
    /// win.
    package func unfitness() async throws -> String? {
        let reply = try await connection.send(.init(method: "GET", query: [("versioning", "")]))
        // If the service has no versioning, or the key may not ask, the race of the probe decides.
        if [403, 405, 501].contains(reply.status),
            ["AccessDenied", "MethodNotAllowed", "NotImplemented"].contains(S3Error(reply).code)
        {
            return nil
        }
        guard reply.isSuccess else { throw await connection.failure(reply, "") }
        let root = reply.xml(maximumElements: 64)
        guard let root, Self.versioningElements.contains(root.name) else {
            let element = root.map { ", element \(printable($0.name.utf8.prefix(60)))" } ?? ""
            throw connection.unusableReply(
                "", "it is not a versioning configuration (\(reply.kind)\(element))")
        }
        guard root.text(of: "Status") == "Enabled" else { return nil }
        return
            "The bucket \(location.bucket) has versioning enabled, so several writers may win one "
            + "slot. Use a bucket that never had versioning."
    }
}
