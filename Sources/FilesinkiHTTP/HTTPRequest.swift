/// One request to a server.
package struct HTTPRequest: Sendable {
    /// Such as `GET` or `PROPFIND`.
    package var method: String
    /// The whole address: `https://host:port/path?query`, percent-encoded.
    package var url: String
    package var fields: HTTPFields
    package var body: [UInt8]
    /// The most bytes that are taken of the reply's body.
    package var maximumReply: Int
    /// How long the whole exchange may take; nil for what its bytes need at a slow link's rate.
    package var limit: Duration?
    /// Ends the connection after so many bytes of the body, on purpose, to see what a server makes of
    /// it; nil for the whole.
    package var cutAfter: Int?

    /// - Parameter maximumReply: In bytes; 1 MiB without it.
    package init(
        _ method: String, _ url: String, fields: HTTPFields = [:], body: [UInt8] = [],
        maximumReply: Int = 1 << 20, limit: Duration? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.maximumReply = maximumReply
        self.limit = limit
    }
}

/// What a server answered.
package struct HTTPReply: Sendable {
    package var status: Int
    package var fields: HTTPFields
    package var body: [UInt8]

    package init(status: Int, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Whether the status is one of 200 to 299.
    package var isSuccess: Bool { (200..<300).contains(status) }
}

/// Sends requests. The product's is ``HTTPConnections``; a test may give its own.
package protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole reply, whatever its status. Redirects are replies:
    /// they are never followed, so that credentials stay where they belong.
    ///
    /// - Throws: `Failure` with code `away` when there is no whole reply, `not-allowed` when the
    ///   server's certificate is not trusted, `limit` when the reply is too long.
    func send(_ request: HTTPRequest) async throws -> HTTPReply

    /// Sends a request and hands out the body of the reply as it comes, for as long as `receive`
    /// says that it wants more. The status and fields are handed out first, with no bytes.
    ///
    /// - Throws: As ``send(_:)`` does, and what `receive` throws.
    func stream(
        _ request: HTTPRequest, _ receive: @Sendable (HTTPReply) async throws -> Bool
    ) async throws
}
