import FilesinkiHTTP
import FilesinkiHashing
import FilesinkiModel
import FilesinkiProtocol
package import FilesinkiRemote

extension ServerRemote {
    /// Objects from this size on are sent so that a cut connection does not begin them anew: 1 MiB.
    private static let resumableSize = 1 << 20

    /// How often a cut upload is gone on with while it makes progress.
    private static let resumptions = 16

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        let digest = Self.digest(bytes)
        if bytes.count >= Self.resumableSize {
            guard let id = UploadID(bytes: systemContext.randomBytes(16)) else { return }
            return try await upload(bytes, digest, to: key, id)
        }
        _ = try await exchange.ask(
            "PUT", WirePaths.object(key), about: key, fields: [WireHeaders.digest: digest],
            body: bytes)
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        let reply = try await exchange.ask(
            "PUT", WirePaths.object(slot), about: slot,
            fields: [WireHeaders.digest: Self.digest(bytes), "If-None-Match": "*"], body: bytes,
            maximumReply: WireLimits.replyBytes, allowing: [412])
        guard reply.status == 412 else { return .mine }
        return reply.body == bytes ? .mine : .theirs(reply.body)
    }

    /// Sends an object, and after a cut what the server does not have yet.
    private func upload(
        _ bytes: [UInt8], _ digest: String, to key: ObjectKey, _ id: UploadID
    ) async throws {
        var offset = 0
        for _ in 0..<Self.resumptions {
            do {
                return try await send(bytes, from: offset, digest, to: key, id)
            } catch let failure as Failure where failure.code == .away || failure.code == .busy {
                guard failure.retryAfter == nil, let there = try? await self.offset(of: id),
                    there > offset, there <= bytes.count
                else { throw failure }
                offset = there
            }
        }
        try await send(bytes, from: offset, digest, to: key, id)
    }

    private func send(
        _ bytes: [UInt8], from offset: Int, _ digest: String, to key: ObjectKey, _ id: UploadID
    ) async throws {
        var fields: HTTPFields = [
            WireHeaders.digest: digest, WireHeaders.uploadID: id.description,
        ]
        if offset > 0 { fields[WireHeaders.uploadOffset] = String(offset) }
        _ = try await exchange.ask(
            "PUT", WirePaths.object(key), about: key, fields: fields,
            body: offset == 0 ? bytes : Array(bytes[offset...]))
    }

    /// How much of an upload the server has; 0 when it knows nothing of it.
    private func offset(of id: UploadID) async throws -> Int {
        let reply = try await exchange.ask(
            "HEAD", WirePaths.upload(id), about: nil, allowing: [404])
        return reply.fields[WireHeaders.uploadOffset].flatMap { Int($0) } ?? 0
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        ContentDigest.encode(SHA256.hash(bytes))
    }
}

extension ServerRemote: CuttableRemote {
    package func putCut(_ bytes: [UInt8], to key: ObjectKey, after count: Int) async {
        _ = try? await exchange.ask(
            "PUT", WirePaths.object(key), about: key,
            fields: [WireHeaders.digest: Self.digest(bytes)], body: bytes, cutAfter: count)
    }
}
