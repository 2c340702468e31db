package import FilesinkiHTTP
import FilesinkiModel
import FilesinkiText

/// Sends signed requests to the service of one bucket.
struct S3Connection: Sendable {
    let address: S3Address
    let transport: any HTTPTransport
    let credentials: S3CredentialCache
    let now: @Sendable () -> Timestamp
    /// Whether requests may be sent to another machine without encryption.
    let allowsInsecure: Bool

    /// A request about a key of the bucket, or about the bucket itself.
    struct Request: Sendable {
        var method: String
        /// The key in the bucket; empty for the bucket.
        var key = ""
        var query: [(name: String, value: String)] = []
        var fields: HTTPFields = [:]
        var body: [UInt8] = []
        /// In bytes.
        var maximumReply = 1 << 20
        /// See ``HTTPRequest/cutAfter``.
        var cutAfter: Int?
    }

    /// Sends a request, and sends it again with renewed credentials if they had expired.
    ///
    /// - Returns: The reply, whatever its status.
    /// - Throws: `Failure` with code `away` when there is no reply, or when something else than an S3
    ///   service replied with success.
    func send(_ request: Request) async throws -> HTTPReply {
        // The key itself is never sent, but a session token is, and signed requests can be replayed.
        guard address.service.permitsSecrets(allowsInsecure: allowsInsecure) else {
            throw address.service.unencryptedError(of: "\(address)")
        }
        let current = try await credentials.current()
        let reply = try await send(request, as: current)
        guard [400, 401, 403].contains(reply.status), S3Error(reply).isAboutExpiry,
            let renewed = try await credentials.renewed(after: current)
        else { return reply }
        return try await send(request, as: renewed)
    }

    private func send(
        _ request: Request, as credentials: S3Credentials
    ) async throws -> HTTPReply {
        var unsigned = address.request(
            request.method, request.key, query: request.query, fields: request.fields,
            body: request.body)
        let signature = SignatureV4(credentials, region: address.signedRegion)
        unsigned.fields = signature.fields(for: unsigned, at: now())
        var outgoing = HTTPRequest(
            unsigned.method, unsigned.url, fields: unsigned.fields, body: unsigned.body,
            maximumReply: request.maximumReply)
        outgoing.cutAfter = request.cutAfter
        outgoing.place = "\(address)"
        let reply = try await transport.send(outgoing)
        if reply.isSuccess { try requireUsable(reply, request) }
        return reply
    }

    private func requireUsable(_ reply: HTTPReply, _ request: Request) throws(Failure) {
        let key = request.key
        if reply.isForeign(to: request.method) {
            throw unusableReply(key, "it is not from an S3 service (\(reply.kind))")
        }
        if let length = reply.fields["Content-Length"], reply.status != 204,
            Int(length) != reply.body.count
        {
            throw unusableReply(key, "it is incomplete")
        }
    }

    /// A reply that an S3 service would not send.
    func unusableReply(_ key: String, _ reason: String) -> Failure {
        Failure(
            .away, path: key, "Unexpected reply from \(address.service): \(reason).",
            remedy: "Check the address, and whether the network requires a login.")
    }

    /// The failure that an unexpected reply means.
    func failure(_ reply: HTTPReply, _ key: String) async -> Failure {
        let none = S3Credentials(keyID: "", secretKey: .init(""))
        let current = (try? await credentials.current()) ?? none
        return S3Error(reply).failure(key, at: address, current)
    }
}

/// A request to an S3 service in unencoded parts. The address that is sent and the one that is signed are
/// made of the same parts, so they cannot differ.
package struct S3Request: Sendable {
    package var method: String
    package var isSecure: Bool
    /// `host`, or `host:port` if the port is not the scheme's default.
    package var host: String
    /// Begins with a slash.
    package var path: String
    package var query: [(name: String, value: String)]
    /// All fields are signed.
    package var fields: HTTPFields
    package var body: [UInt8]

    package init(
        _ method: String, isSecure: Bool, host: String, path: String,
        query: [(name: String, value: String)] = [], fields: HTTPFields = [:], body: [UInt8] = []
    ) {
        self.method = method
        self.isSecure = isSecure
        self.host = host
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
    }

    /// Each name of the path encoded once. Dots and empty names remain, because S3 does not normalize paths.
    var encodedPath: String { PercentCoding.encodePath(path) }

    /// In the order of the encoded names, then values, as signatures require.
    var encodedQuery: String {
        query.map { pair in
            (PercentCoding.encode(pair.name.utf8), PercentCoding.encode(pair.value.utf8))
        }
        .sorted { $0 < $1 }
        .map { "\($0.0)=\($0.1)" }
        .joined(separator: "&")
    }

    /// The percent-encoded address.
    package var url: String {
        let tail = query.isEmpty ? "" : "?" + encodedQuery
        return "\(isSecure ? "https" : "http")://\(host)\(encodedPath)\(tail)"
    }
}
