package import FilesinkiHTTP
import FilesinkiHashing
package import FilesinkiModel
import FilesinkiProtocol
package import FilesinkiRemote
import Synchronization

/// A remote that is a `filesinki serve`: see Docs/Protocol.md.
///
/// Each method sends one request, also for many objects. A reply counts only if it says that it comes
/// from a filesinki server, because a captive portal may reply "not found" to everything.
package struct ServerRemote: FolderRemote {
    private let exchange: ServerExchange
    private let events: EventSubscription
    private let systemContext: SystemContext

    /// Objects of this size and more are uploaded so that they can be resumed: 1 MiB.
    private static let resumableSize = 1 << 20

    /// How often a cut upload is resumed while it makes progress.
    private static let maximumResumptions = 16

    /// - Parameters:
    ///   - credentials: None or a token.
    ///   - origin: Where they come from, for messages.
    ///   - allowsInsecure: Whether a token may be sent to another machine without encryption.
    /// - Throws: `Failure` with code `not-allowed` when a token would be sent without encryption, `usage`
    ///   for a password.
    package init(
        address: WebAddress, transport: any HTTPTransport, credentials: Credentials = .none,
        from origin: CredentialOrigin = .none(file: nil), systemContext: SystemContext,
        allowsInsecure: Bool = false
    ) throws(Failure) {
        exchange = try ServerExchange(
            address: address, transport: transport, credentials: credentials, from: origin,
            allowsInsecure: allowsInsecure)
        events = EventSubscription(exchange: exchange, systemContext: systemContext)
        self.systemContext = systemContext
    }

    /// - Parameters:
    ///   - address: For messages.
    ///   - transport: Leads to the server by itself, which knows from it who the client is. Requests have no
    ///     more than a path.
    package init(address: String, transport: any HTTPTransport, systemContext: SystemContext) {
        exchange = ServerExchange(address: address, transport: transport)
        events = EventSubscription(exchange: exchange, systemContext: systemContext)
        self.systemContext = systemContext
    }

    package var address: String { exchange.address }

    package var alternative: String {
        "Let filesinki serve use a folder on a file system that renames folders atomically."
    }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        let path = WirePaths.object(key)
        guard let range else { return try await getWhole(path, key) }
        // HTTP has no empty range, but the caller must learn whether the object exists. An error's reply to HEAD would not
        // say why.
        if range.isEmpty { return try await get(key, range: 0..<1).map { _ in [] } }
        let last = range.upperBound == .max ? "" : String(range.upperBound - 1)
        let reply = try await exchange.send(
            "GET", path, about: key, fields: ["Range": "bytes=\(range.lowerBound)-\(last)"],
            maximumReply: Int(clamping: min(Int64(range.count), ObjectKey.maximumObjectSize)),
            allowing: [404, 416])
        switch reply.status {
        case 404: return nil
        case 416: return []
        case 206: return reply.body
        default: throw exchange.protocolError(key, "it ignores ranges")
        }
    }

    private func getWhole(_ path: String, _ key: ObjectKey) async throws -> [UInt8]? {
        let reply = try await exchange.send(
            "GET", path, about: key, maximumReply: Int(ObjectKey.maximumObjectSize),
            allowing: [404])
        return reply.status == 404 ? nil : reply.body
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        guard Self.isValidPrefix(prefix) else { return [] }
        var found: [ObjectInfo] = []
        var last = after
        while found.count < limit {
            let count = min(limit - found.count, WireLimits.listLines)
            let reply = try await exchange.send(
                "GET", WirePaths.list(prefix: prefix, after: last, limit: count), about: nil,
                maximumReply: count * (ObjectKey.maximumLength + 24))
            let page = try ListLines.decode(reply.body)
            found += page
            guard page.count == count, let end = page.last?.key else { break }
            last = end
        }
        return found
    }

    /// Whether a key can begin with the prefix.
    private static func isValidPrefix(_ prefix: String) -> Bool {
        prefix.isEmpty || (try? ObjectKey(prefix + (prefix.hasSuffix("/") ? "x" : ""))) != nil
    }

    package func delete(_ key: ObjectKey) async throws {
        _ = try await exchange.send("DELETE", WirePaths.object(key), about: key)
    }

    package func wait(prefix: String, timeout: Duration) async throws {
        try await events.wait(prefix: Self.isValidPrefix(prefix) ? prefix : "", timeout: timeout)
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        let digest = Self.digest(bytes)
        if bytes.count >= Self.resumableSize {
            guard let id = UploadID(bytes: systemContext.randomBytes(16)) else { return }
            return try await upload(bytes, digest, to: key, id)
        }
        _ = try await exchange.send(
            "PUT", WirePaths.object(key), about: key, fields: [WireHeaders.digest: digest],
            body: bytes)
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        let reply = try await publishReply(bytes, to: slot)
        return Self.outcome(reply, own: bytes)
    }

    package func publish(
        _ bytes: [UInt8], to slot: ObjectKey, thenFind search: KeySearch
    ) async throws -> (outcome: PublishOutcome, found: ObjectKey?) {
        let reply = try await publishReply(
            bytes, to: slot,
            fields: [
                WireHeaders.findPrefix: search.prefix,
                WireHeaders.findAfter: search.after.description,
            ])
        let outcome = Self.outcome(reply, own: bytes)
        // A server of an older version, or one that this token may not list at, does not say.
        guard let text = reply.fields[WireHeaders.found] else {
            return (outcome, try await find(search))
        }
        if text == WireHeaders.foundNothing { return (outcome, nil) }
        guard let key = try? ObjectKey(text), text.hasPrefix(search.prefix), search.after < key
        else { throw exchange.protocolError(slot, "it found another key than was asked for") }
        return (outcome, key)
    }

    private func publishReply(
        _ bytes: [UInt8], to slot: ObjectKey, fields: HTTPFields = [:]
    ) async throws -> HTTPReply {
        var fields = fields
        fields[WireHeaders.digest] = Self.digest(bytes)
        fields["If-None-Match"] = "*"
        return try await exchange.send(
            "PUT", WirePaths.object(slot), about: slot, fields: fields, body: bytes,
            maximumReply: WireLimits.replyBytes, allowing: [412])
    }

    private static func outcome(_ reply: HTTPReply, own: [UInt8]) -> PublishOutcome {
        reply.status == 412 ? PublishOutcome(stored: reply.body, own: own) : .mine
    }

    /// Uploads an object, and after a cut connection what the server does not have yet.
    private func upload(
        _ bytes: [UInt8], _ digest: String, to key: ObjectKey, _ id: UploadID
    ) async throws {
        var offset = 0
        for _ in 0..<Self.maximumResumptions {
            do {
                return try await uploadRest(of: bytes, from: offset, digest, to: key, id)
            } catch let failure as Failure where failure.isTransient {
                guard failure.retryAfter == nil, let stored = try? await storedBytes(of: id),
                    stored > offset, stored <= bytes.count
                else { throw failure }
                offset = stored
            }
        }
        try await uploadRest(of: bytes, from: offset, digest, to: key, id)
    }

    private func uploadRest(
        of bytes: [UInt8], from offset: Int, _ digest: String, to key: ObjectKey, _ id: UploadID
    ) async throws {
        var fields: HTTPFields = [
            WireHeaders.digest: digest, WireHeaders.uploadID: id.description,
        ]
        if offset > 0 { fields[WireHeaders.uploadOffset] = String(offset) }
        _ = try await exchange.send(
            "PUT", WirePaths.object(key), about: key, fields: fields,
            body: offset == 0 ? bytes : Array(bytes[offset...]))
    }

    /// How many bytes of an upload the server has; 0 when it does not know the upload.
    private func storedBytes(of id: UploadID) async throws -> Int {
        let reply = try await exchange.send(
            "HEAD", WirePaths.upload(id), about: nil, allowing: [404])
        return reply.fields[WireHeaders.uploadOffset].flatMap { Int($0) } ?? 0
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        ContentDigest.encode(SHA256.hash(bytes))
    }
}

// Batch reads.
extension ServerRemote {
    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        var replies: [ObjectReply] = []
        replies.reserveCapacity(requests.count)
        while replies.count < requests.count {
            let rest = requests[replies.count...]
            let batch = try await readBatch(Self.firstBatch(of: rest))
            if batch.isEmpty, let first = rest.first {
                // Too large for a batch.
                let bytes = try await get(first.key, range: first.range)
                replies.append(bytes.map(ObjectReply.bytes) ?? .absent)
            }
            replies += batch
        }
        return replies
    }

    /// As many of the first requests as fit into one batch.
    private static func firstBatch(
        of requests: ArraySlice<ObjectRequest>
    ) -> ArraySlice<ObjectRequest> {
        var size = 0
        var end = requests.startIndex
        for request in requests.prefix(WireLimits.batchLines) {
            size += ReadLines.line(request).utf8.count + 1
            guard size <= WireLimits.batchBytes else { break }
            end += 1
        }
        return requests[..<max(end, requests.startIndex + 1)]
    }

    /// The replies that fit into one reply of the server: none if the first object alone does not.
    private func readBatch(_ requests: ArraySlice<ObjectRequest>) async throws -> [ObjectReply] {
        let collected = Mutex(FrameCollector())
        try await exchange.stream(
            "POST", WirePaths.read, body: ReadLines.encode(requests),
            maximumReply: WireLimits.replyBytes
        ) { piece in
            try collected.withLock { try $0.add(piece) }
            return true
        }
        let (replies, isFull) = try collected.withLock { try $0.collectedReplies() }
        guard replies.count == requests.count || isFull && replies.count < requests.count else {
            throw WireFailure.incompleteReply
        }
        return replies
    }
}

/// Collects the frames of one reply.
private struct FrameCollector {
    private var reader = WireFrameReader()
    private var replies: [ObjectReply] = []
    private var isFull = false

    mutating func add(_ piece: [UInt8]) throws(Failure) {
        reader.add(piece)
        while let frame = try reader.next() {
            switch frame {
            case .askAgain: isFull = true
            case _ where isFull: throw WireFailure.malformedReply
            case .absent: replies.append(.absent)
            case .same: replies.append(.same)
            case .bytes(let bytes): replies.append(.bytes(bytes))
            }
        }
    }

    func collectedReplies() throws(Failure) -> ([ObjectReply], isFull: Bool) {
        try reader.checkComplete()
        return (replies, isFull)
    }
}

extension ServerRemote: CuttableRemote {
    package func putCut(_ upload: CutUpload) async {
        _ = try? await exchange.send(
            "PUT", WirePaths.object(upload.key), about: upload.key,
            fields: [WireHeaders.digest: Self.digest(upload.bytes)], body: upload.bytes,
            cutAfter: upload.count)
    }
}
