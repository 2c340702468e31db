import FilesinkiHTTP
import FilesinkiModel

/// Sends signed requests to the service of one bucket.
struct S3Connection: Sendable {
    let address: S3Address
    let transport: any HTTPTransport
    let keeper: CredentialKeeper
    let now: @Sendable () -> Timestamp
    /// Whether requests may pass over a network without encryption.
    let allowsInsecure: Bool

    /// One request about a key of the bucket, or about the bucket itself.
    struct Call: Sendable {
        var method: String
        /// The key in the bucket; empty for the bucket.
        var key = ""
        var query: [(name: String, value: String)] = []
        var fields: HTTPFields = [:]
        var body: [UInt8] = []
        /// In bytes.
        var maximumReply = 1 << 20
        /// Where to end the connection on purpose.
        var cutAfter: Int?
    }

    /// Sends a request, once more when the credentials had expired.
    ///
    /// - Returns: The reply, whatever its status.
    /// - Throws: `Failure` with code `away` when there is none, or when something else than an S3
    ///   service answered that all is well.
    func send(_ call: Call) async throws -> HTTPReply {
        try refuseOpenNetwork()
        let credentials = try await keeper.current()
        let reply = try await send(call, as: credentials)
        guard [400, 401, 403].contains(reply.status), S3Fault(reply).isAboutExpiry,
            let renewed = try await keeper.renewed(after: credentials)
        else { return reply }
        return try await send(call, as: renewed)
    }

    private func send(_ call: Call, as credentials: S3Credentials) async throws -> HTTPReply {
        var request = address.request(
            call.method, call.key, query: call.query, fields: call.fields, body: call.body)
        let signature = SignatureV4(credentials, region: address.signedRegion)
        request.fields = signature.fields(for: request, at: now())
        var outgoing = HTTPRequest(
            request.method, request.url, fields: request.fields, body: request.body,
            maximumReply: call.maximumReply)
        outgoing.cutAfter = call.cutAfter
        let reply = try await transport.send(outgoing)
        if reply.isSuccess { try refuseStrange(reply, call.key) }
        return reply
    }

    /// The key itself never passes, but a session's token does, and signed requests can be repeated.
    private func refuseOpenNetwork() throws(Failure) {
        let service = address.service
        guard !service.isSecure, !service.isLoopback, !allowsInsecure else { return }
        throw Failure(
            .notAllowed, path: "\(service)", "Signed requests are not sent without encryption.",
            remedy: "Use https://, or set FILESINKI_INSECURE=1 in a network that you trust.")
    }

    private func refuseStrange(_ reply: HTTPReply, _ key: String) throws(Failure) {
        if reply.isForeign { throw strange(key, "something else than the store answers there") }
        if let length = reply.fields["Content-Length"], reply.status != 204,
            Int(length) != reply.body.count
        {
            throw strange(key, "the answer was cut off")
        }
    }

    /// An answer that the store did not give.
    func strange(_ key: String, _ reason: String) -> Failure {
        Failure(
            .away, path: key, "The answer of \(address.service) cannot be used: \(reason).",
            remedy: "Check the network; a login page may stand in the way.")
    }

    /// What a reply means that the request cannot do with.
    func failure(_ reply: HTTPReply, _ key: String) async -> Failure {
        let nobody = S3Credentials(keyID: "", secretKey: .init(""))
        let credentials = (try? await keeper.current()) ?? nobody
        return S3Fault(reply).failure(key, at: address, credentials)
    }
}
