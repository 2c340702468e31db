import FilesinkiHTTP
internal import FilesinkiHashing
import FilesinkiModel
package import FilesinkiRemote
internal import FilesinkiSystem

extension S3Remote {
    /// How often a slot is tried that the service keeps for somebody whose bytes are not there.
    private static let conflicts = 4

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        var backoff = Backoff(.milliseconds(50)...(.milliseconds(200)))
        for _ in 1..<Self.conflicts {
            if let outcome = try await publishOnce(bytes, to: slot) { return outcome }
            try await systemContext.sleep(backoff.next())
        }
        if let outcome = try await publishOnce(bytes, to: slot) { return outcome }
        throw Failure(
            .busy, path: slot.description, "Others keep writing this, and nothing comes of it.",
            remedy: "Run the command again.")
    }

    /// The outcome; nil when somebody is at work on the slot, which is empty yet.
    private func publishOnce(
        _ bytes: [UInt8], to slot: ObjectKey
    ) async throws -> PublishOutcome? {
        let reply: HTTPReply
        do {
            reply = try await connection.send(upload(bytes, slot, ["If-None-Match": "*"]))
        } catch let failure as Failure where failure.code == .away {
            // The bytes may have arrived, and only the answer not.
            return try await settle(bytes, slot, or: failure)
        }
        switch reply.status {
        case 200 where hasTag(reply, of: bytes): return .mine
        case 200..<300, 409, 412: return try await outcome(bytes, slot)
        case 501: throw await unconditional(reply, slot)
        case 408, 429, 500..<600:
            return try await settle(bytes, slot, or: connection.failure(reply, slot.description))
        default: throw await connection.failure(reply, slot.description)
        }
    }

    /// What reading the slot says; nil when it is empty.
    private func outcome(
        _ bytes: [UInt8], _ slot: ObjectKey
    ) async throws -> PublishOutcome? {
        guard let there = try await get(slot, range: nil) else { return nil }
        return there == bytes ? .mine : .theirs(there)
    }

    /// What reading the slot says, or the failure when it is empty: to try again later is for those
    /// who know how long to wait.
    private func settle(
        _ bytes: [UInt8], _ slot: ObjectKey, or failure: Failure
    ) async throws -> PublishOutcome {
        guard let outcome = try await outcome(bytes, slot) else { throw failure }
        return outcome
    }

    private func unconditional(_ reply: HTTPReply, _ slot: ObjectKey) async -> Failure {
        var failure = await connection.failure(reply, slot.description)
        failure.code = .unfitStore
        failure.message =
            "\(place.service) cannot create an object only when it is absent, so two devices would "
            + "overwrite each other's work."
        failure.remedy = "Use another service, or filesinki serve."
        return failure
    }

    /// An object in one request.
    func upload(_ bytes: [UInt8], _ key: ObjectKey, _ fields: HTTPFields) -> S3Connection.Call {
        var fields = fields
        fields["Content-Type"] = "application/octet-stream"
        return .init(
            method: "PUT", key: bucketKey(key.description), fields: fields, body: bytes)
    }

    /// Whether the service says that it has exactly these bytes. Where it encrypts, its tag is
    /// something else than their MD5, and proves nothing.
    private func hasTag(_ reply: HTTPReply, of bytes: [UInt8]) -> Bool {
        reply.fields["ETag"]?.filter { $0 != "\"" }.lowercased() == Self.tag(of: bytes)
    }

    /// What a service calls an object that was sent in one part.
    static func tag(of bytes: [UInt8]) -> String { hexadecimal(MD5.hash(bytes)) }
}
