import FilesinkiDirectory
import FilesinkiHashing
import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers PUT of one object: takes it piece by piece, verifies its hash, and moves it to its place.
struct ObjectWriter: Sendable {
    let remote: DirectoryRemote
    let uploads: UploadRegistry
    let quota: Quota
    let metrics: ServerMetrics
    let limits: ServerLimits
    /// A clock that only goes forward, for the rate at which bodies arrive.
    let clock: @Sendable () -> Duration

    /// What a request says of the object that it brings.
    struct Offer: Sendable {
        var key: ObjectKey
        /// The bytes of this request.
        var length: Int64
        /// SHA-256 of the whole.
        var digest: [UInt8]
        var isPublication = false
        var upload: UploadID?
        /// How much of the upload is there already.
        var offset: Int64 = 0
    }

    /// Takes what a request offers.
    ///
    /// - Parameter owner: Whose share of uploads it counts for.
    /// - Returns: The reply, and whether something changed.
    func reply(
        _ offer: Offer, _ body: RequestBody, owner: String
    ) async throws -> (Reply, hasChanged: Bool) {
        try await uploads.hold(limits, owner: owner) {
            try await quota.reserve(offer.length) { reservation in
                let staged = try await receive(offer, body, &reservation)
                return try await place(staged, offer, &reservation)
            }
        }
    }

    /// What a request for a key says, before its body is read.
    ///
    /// - Throws: ``RequestError`` for what no body can put right.
    func offer(_ key: ObjectKey, _ head: HTTPRequest) throws(RequestError) -> Offer {
        let fields = head.headerFields
        guard let text = fields[.contentLength], let length = Int64(text), length >= 0 else {
            throw .noLength
        }
        guard let digest = fields[.contentDigest].flatMap(ContentDigest.decode) else {
            throw RequestError(
                .badRequest, .badDigest, "A Content-Digest with the object's SHA-256 is needed.")
        }
        var offer = Offer(key: key, length: length, digest: digest)
        if let condition = fields[.ifNoneMatch] {
            guard condition == "*" else { throw .badRequest("If-None-Match has to be *.") }
            guard key.description.contains("/") else { throw .badKey }
            offer.isPublication = true
        }
        try KeyUse(key).check(isPublication: offer.isPublication)
        try Self.read(fields, into: &offer)
        let most = offer.isPublication ? limits.publicationBytes : limits.objectBytes
        let (whole, overflow) = offer.offset.addingReportingOverflow(length)
        guard !overflow, whole <= most else { throw .tooLarge }
        return offer
    }

    private static func read(_ fields: HTTPFields, into offer: inout Offer) throws(RequestError) {
        if let text = fields[.uploadID] {
            guard let id = UploadID(text) else {
                throw .badRequest("This is not the name of an upload.")
            }
            offer.upload = id
        }
        if let text = fields[.uploadOffset] {
            guard let offset = Int64(text), offset >= 0, offer.upload != nil else {
                throw .badRequest("This is not the offset of an upload.")
            }
            offer.offset = offset
        }
    }

    /// Takes the body, and keeps of a resumable one what arrived.
    private func receive(
        _ offer: Offer, _ body: RequestBody, _ reservation: inout Quota.Reservation
    ) async throws -> StagedUpload {
        let staged = try await stage(offer)
        do {
            var hasher = try await hash(of: staged, offer.offset)
            var held: [UInt8] = []
            var pieces = PacedBody(body, limits, clock)
            do {
                while let piece = try await pieces.next() {
                    metrics.received(piece.readableBytes)
                    held.append(contentsOf: piece.readableBytesView)
                    guard held.count >= ObjectReader.piece else { continue }
                    hasher.update(held)
                    try await staged.append(held)
                    held = []
                }
            } catch {
                // The connection is gone; what came before that counts for a continuation.
                try? await staged.append(held)
                throw error
            }
            hasher.update(held)
            try await staged.append(held)
            guard staged.count == offer.offset + offer.length else { throw CutReply() }
            guard hasher.finish() == offer.digest else {
                try await staged.discard()
                throw RequestError.badDigest
            }
            return staged
        } catch {
            if offer.upload != nil { reservation.keep(staged.count - offer.offset) }
            uploads.leave(offer.upload, staged)
            throw error
        }
    }

    private func stage(_ offer: Offer) async throws -> StagedUpload {
        guard let id = offer.upload else { return try await remote.stage(nil) }
        return try await uploads.claim(id) {
            if offer.offset > 0, try await remote.stagedBytes(id.description) != offer.offset {
                let there = try await remote.stagedBytes(id.description) ?? 0
                throw RequestError(.conflict, .wrongOffset, "The upload has \(there) bytes.")
                    .with(.uploadOffset, String(there))
            }
            return try await remote.stage(id.description, offset: offer.offset)
        }
    }

    private func hash(of staged: StagedUpload, _ count: Int64) async throws -> SHA256 {
        var hasher = SHA256()
        var offset: Int64 = 0
        while offset < count {
            let bytes = try await staged.read(from: offset, count: ObjectReader.piece)
            guard !bytes.isEmpty else { throw CutReply() }
            hasher.update(bytes)
            offset += Int64(bytes.count)
        }
        return hasher
    }

    private func place(
        _ staged: StagedUpload, _ offer: Offer, _ reservation: inout Quota.Reservation
    ) async throws -> (Reply, hasChanged: Bool) {
        do {
            let result = try await move(staged, offer)
            if result.hasChanged { reservation.keep(offer.length) }
            uploads.leave(offer.upload, staged)
            return result
        } catch {
            uploads.leave(offer.upload, staged)
            throw error
        }
    }

    private func move(
        _ staged: StagedUpload, _ offer: Offer
    ) async throws -> (Reply, hasChanged: Bool) {
        guard offer.isPublication else {
            let isNew = try await staged.store(at: offer.key)
            return (Reply(isNew ? .created : .noContent), isNew)
        }
        let isMine = try await staged.publish(to: offer.key)
        metrics.published(won: isMine)
        if isMine { return (Reply(.created), true) }
        guard let object = try await remote.open(offer.key) else {
            throw RequestError.busy("The slot was removed while it was read.")
        }
        let body = ObjectReader.body(object, 0..<object.size)
        return (
            Reply(
                .preconditionFailed, fields: [.contentType: "application/octet-stream"], body: body),
            false
        )
    }
}
