import FilesinkiHTTP
import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem

/// Fills write-once slots in a bucket with conditional requests.
struct S3SlotWriter {
    let remote: S3Remote

    /// How often the service may report a conflict while the slot remains empty.
    private static let maximumConflicts = 4

    private var connection: S3Connection { remote.connection }

    func fill(_ slot: ObjectKey, with bytes: [UInt8]) async throws -> PublishOutcome {
        var backoff = Backoff(.milliseconds(50)...(.milliseconds(200)))
        for _ in 1..<Self.maximumConflicts {
            if let outcome = try await tryToFill(slot, with: bytes) { return outcome }
            try await remote.systemContext.sleep(backoff.next())
        }
        if let outcome = try await tryToFill(slot, with: bytes) { return outcome }
        throw Failure(
            .busy, path: slot.description,
            "Others keep writing this object, but it does not appear.",
            remedy: "Run the command again.")
    }

    /// - Returns: Nil when another request is in progress for the slot, which is still empty.
    private func tryToFill(
        _ slot: ObjectKey, with bytes: [UInt8]
    ) async throws -> PublishOutcome? {
        let reply: HTTPReply
        do {
            reply = try await connection.send(
                remote.putRequest(bytes, slot, ["If-None-Match": "*"]))
        } catch let failure as Failure where failure.code == .away {
            // Only the reply may have been lost.
            return try await outcome(of: slot, bytes, orThrow: failure)
        }
        switch reply.status {
        case 200 where hasTag(reply, of: bytes): return .mine
        case 200..<300, 409, 412: return try await outcome(of: slot, bytes)
        case 501: throw await noConditionalPutError(reply, slot)
        case 408, 429, 500..<600:
            let failure = await connection.failure(reply, slot.description)
            return try await outcome(of: slot, bytes, orThrow: failure)
        default: throw await connection.failure(reply, slot.description)
        }
    }

    /// Reads the slot; nil when it is empty.
    private func outcome(
        of slot: ObjectKey, _ bytes: [UInt8]
    ) async throws -> PublishOutcome? {
        try await remote.get(slot, range: nil).map { PublishOutcome(stored: $0, own: bytes) }
    }

    /// Reads the slot, and throws the failure when it is empty. The caller decides when to retry.
    private func outcome(
        of slot: ObjectKey, _ bytes: [UInt8], orThrow failure: Failure
    ) async throws -> PublishOutcome {
        guard let outcome = try await outcome(of: slot, bytes) else { throw failure }
        return outcome
    }

    private func noConditionalPutError(_ reply: HTTPReply, _ slot: ObjectKey) async -> Failure {
        var failure = await connection.failure(reply, slot.description)
        failure.code = .unfitStore
        failure.message =
            "\(remote.location.service) does not support conditional uploads, so two devices would "
            + "overwrite each other's changes."
        failure.remedy = "Use another service, or filesinki serve."
        return failure
    }

    /// Whether the entity tag proves that the service has exactly these bytes. With encryption the tag is
    /// not their MD5, and proves nothing.
    private func hasTag(_ reply: HTTPReply, of bytes: [UInt8]) -> Bool {
        let tag = reply.fields["ETag"]?.filter { $0 != "\"" }.lowercased()
        return tag == Self.tag(of: bytes)
    }

    /// The entity tag of an object uploaded in one part.
    static func tag(of bytes: [UInt8]) -> String { hexadecimal(MD5.hash(bytes)) }
}
