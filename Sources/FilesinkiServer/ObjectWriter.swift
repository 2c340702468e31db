import FilesinkiDirectory
import FilesinkiHashing
import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Replies to PUT of an object: receives it in pieces, verifies its hash, and moves it to its place.
struct ObjectWriter: Sendable {
    let remote: DirectoryRemote
    let uploads: UploadRegistry
    let quota: Quota
    let metrics: ServerMetrics
    let limits: ServerLimits
    /// A monotonic clock, for the rate at which bodies arrive.
    let clock: @Sendable () -> Duration

    /// The header of a PUT.
    struct PutRequest: Sendable {
        var key: ObjectKey
        /// The length of the body in bytes.
        var length: Int64
        /// SHA-256 of the whole object.
        var digest: [UInt8]
        var isPublication = false
        /// What to look up when the slot has been filled.
        var search: KeySearch?
        var upload: UploadID?
        /// How many bytes of the upload the server has already.
        var offset: Int64 = 0
    }

    /// Receives and stores an object.
    ///
    /// - Parameter owner: The token or address for the limit of uploads.
    /// - Returns: The reply, and whether the store changed.
    func reply(
        _ put: PutRequest, _ body: RequestBody, owner: String
    ) async throws -> (Reply, hasChanged: Bool) {
        try await uploads.withUpload(limits, owner: owner) {
            try await quota.withReservation(put.length) { reservation in
                let staged = try await receive(put, body, &reservation)
                return try await install(staged, put, &reservation)
            }
        }
    }

    /// Parses the header of a PUT.
    ///
    /// - Throws: ``RequestError`` for an invalid one, before the body is read.
    func parseRequest(_ key: ObjectKey, _ head: HTTPRequest) throws(RequestError) -> PutRequest {
        let fields = head.headerFields
        guard let text = fields[.contentLength], let length = Int64(text), length >= 0 else {
            throw .noLength
        }
        guard let digest = fields[.contentDigest].flatMap(ContentDigest.decode) else {
            throw RequestError(
                .badRequest, .badDigest, "Content-Digest with the object's SHA-256 is missing.")
        }
        var put = PutRequest(key: key, length: length, digest: digest)
        if let condition = fields[.ifNoneMatch] {
            guard condition == "*" else { throw .badRequest("If-None-Match must be *.") }
            guard key.description.contains("/") else { throw .badKey }
            put.isPublication = true
            put.search = try Self.search(fields)
        }
        try KeyUse(key).checkPut(isPublication: put.isPublication)
        try Self.parseUpload(fields, into: &put)
        let maximum = put.isPublication ? limits.publicationBytes : limits.objectBytes
        let (whole, overflow) = put.offset.addingReportingOverflow(length)
        guard !overflow, whole <= maximum else { throw .tooLarge }
        return put
    }

    private static func search(_ fields: HTTPFields) throws(RequestError) -> KeySearch? {
        guard let prefix = fields[.findPrefix], let after = fields[.findAfter] else { return nil }
        guard let key = try? ObjectKey(after) else { throw .badKey }
        return KeySearch(prefix: try Route.checked(prefix: prefix), after: key)
    }

    private static func parseUpload(
        _ fields: HTTPFields, into put: inout PutRequest
    ) throws(RequestError) {
        if let text = fields[.uploadID] {
            guard let id = UploadID(text) else {
                throw .badRequest("Invalid Upload-Id.")
            }
            put.upload = id
        }
        if let text = fields[.uploadOffset] {
            guard let offset = Int64(text), offset >= 0, put.upload != nil else {
                throw .badRequest("Invalid Upload-Offset.")
            }
            put.offset = offset
        }
    }

    /// Receives the body. If the connection is cut, a resumable upload keeps what arrived.
    private func receive(
        _ put: PutRequest, _ body: RequestBody, _ reservation: inout Quota.Reservation
    ) async throws -> StagedUpload {
        let staged = try await stage(put)
        do {
            var hasher = try await hash(of: staged, put.offset)
            var held: [UInt8] = []
            var pieces = PacedBody(body, limits, clock)
            do {
                while let piece = try await pieces.next() {
                    metrics.countReceived(piece.readableBytes)
                    held.append(contentsOf: piece.readableBytesView)
                    guard held.count >= ObjectReader.pieceSize else { continue }
                    hasher.update(held)
                    try await staged.append(held)
                    held = []
                }
            } catch {
                try await keep(held, in: staged)
                throw error
            }
            hasher.update(held)
            try await staged.append(held)
            guard staged.count == put.offset + put.length else { throw CutReplyError() }
            guard hasher.finish() == put.digest else { throw RequestError.badDigest }
            return staged
        } catch {
            await leave(staged, put, after: error, &reservation)
            throw error
        }
    }

    /// Keeps the last bytes before a connection was lost, so that the upload can be resumed after them.
    ///
    /// - Throws: `Failure` with code `full`; other failures are not those that matter then.
    private func keep(_ held: [UInt8], in staged: StagedUpload) async throws {
        do { try await staged.append(held) } catch let failure as Failure {
            if failure.code == .full { throw failure }
        }
    }

    /// Leaves an upload that failed for its client to resume.
    ///
    /// One for which there was no space is removed: nobody resumes it, and it would keep the disk full. So is one
    /// whose bytes are wrong, or that has no name.
    private func leave(
        _ staged: StagedUpload, _ put: PutRequest, after error: any Error,
        _ reservation: inout Quota.Reservation
    ) async {
        let isFull = (error as? Failure)?.code == .full
        let isUseless =
            put.upload == nil || isFull || (error as? RequestError)?.body.code == .badDigest
        if isUseless { try? await staged.discard() }
        if isFull { try? await remote.sweepUploads(olderThan: Quota.longestBreak) }
        if let id = put.upload {
            let isLeft = (try? await remote.stagedBytes(id.description)) != nil
            reservation.keep((isLeft ? staged.count : 0) - put.offset)
        }
        uploads.remove(put.upload, staged)
    }

    private func stage(_ put: PutRequest) async throws -> StagedUpload {
        guard let id = put.upload else { return try await remote.stage(nil) }
        return try await uploads.claim(id) {
            if put.offset > 0, try await remote.stagedBytes(id.description) != put.offset {
                let stored = try await remote.stagedBytes(id.description) ?? 0
                throw RequestError(.conflict, .wrongOffset, "The upload has \(stored) bytes.")
                    .with(.uploadOffset, String(stored))
            }
            return try await remote.stage(id.description, offset: put.offset)
        }
    }

    private func hash(of staged: StagedUpload, _ count: Int64) async throws -> SHA256 {
        var hasher = SHA256()
        var offset: Int64 = 0
        while offset < count {
            let bytes = try await staged.read(from: offset, count: ObjectReader.pieceSize)
            guard !bytes.isEmpty else { throw CutReplyError() }
            hasher.update(bytes)
            offset += Int64(bytes.count)
        }
        return hasher
    }

    private func install(
        _ staged: StagedUpload, _ put: PutRequest, _ reservation: inout Quota.Reservation
    ) async throws -> (Reply, hasChanged: Bool) {
        do {
            let result = try await moveToPlace(staged, put)
            // What was resumed is counted already.
            reservation.keep(result.hasChanged ? put.length : -put.offset)
            uploads.remove(put.upload, staged)
            return result
        } catch {
            await leave(staged, put, after: error, &reservation)
            throw error
        }
    }

    private func moveToPlace(
        _ staged: StagedUpload, _ put: PutRequest
    ) async throws -> (Reply, hasChanged: Bool) {
        guard put.isPublication else {
            let isNew = try await staged.store(at: put.key)
            return (Reply(isNew ? .created : .noContent), isNew)
        }
        let isMine = try await staged.publish(to: put.key)
        metrics.countPublication(won: isMine)
        if isMine { return (Reply(.created), true) }
        guard let object = try await remote.open(put.key) else {
            throw RequestError.busy("The slot was removed during the request.")
        }
        let body = ObjectReader.body(object, 0..<object.size)
        return (
            Reply(
                .preconditionFailed, fields: [.contentType: "application/octet-stream"], body: body),
            false
        )
    }
}

/// The uploads in progress.
final class UploadRegistry: Sendable {
    private struct State {
        var count = 0
        var owners = OwnerCounts()
        var named: [UploadID: StagedUpload] = [:]
    }

    private let state = Mutex(State())

    /// Counts an upload while `body` runs.
    ///
    /// - Parameter owner: A token's id, or an address.
    /// - Throws: ``RequestError``: 429 when the owner has too many uploads, 503 when there are too many in
    ///   total.
    func withUpload<Result>(
        _ limits: ServerLimits, owner: String, _ body: () async throws -> Result
    ) async throws -> Result {
        let error: RequestError? = state.withLock { state in
            guard state.owners.increment(owner, limit: limits.uploadsOfOne) else { return .tooMuch }
            guard state.count < limits.uploads else {
                state.owners.decrement(owner)
                return .busy("Too many uploads.")
            }
            state.count += 1
            return nil
        }
        if let error { throw error }
        defer { uncount(owner) }
        return try await body()
    }

    private func uncount(_ owner: String) {
        state.withLock { state in
            state.count -= 1
            state.owners.decrement(owner)
        }
    }

    /// Takes over an upload from an earlier request, whose connection may be dead.
    ///
    /// - Parameter stage: Starts or continues the upload.
    /// - Throws: ``RequestError`` with 503 when the earlier request is completing it.
    func claim(
        _ id: UploadID, _ stage: () async throws -> StagedUpload
    ) async throws -> StagedUpload {
        try end(id)
        let staged = try await stage()
        state.withLock { $0.named[id] = staged }
        return staged
    }

    /// Ends the writing of the upload by an earlier request.
    func end(_ id: UploadID) throws(RequestError) {
        guard let earlier = state.withLock({ $0.named[id] }) else { return }
        guard earlier.end() else { throw .busy("The upload is being completed.") }
        state.withLock { state in
            if state.named[id] === earlier { state.named[id] = nil }
        }
    }

    /// Removes an upload whose request has ended.
    func remove(_ id: UploadID?, _ staged: StagedUpload) {
        guard let id else { return }
        state.withLock { state in
            if state.named[id] === staged { state.named[id] = nil }
        }
    }
}
